#!/bin/sh
if [ -x "${0%/*}/"@SHIM@ ]; then
    "${0%/*}/"@SHIM@ "$@" || exit
fi
