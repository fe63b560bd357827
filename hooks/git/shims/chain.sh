#!/bin/sh
# A hook that gitstate has no part in: git looks in this folder only, so it is passed on.
theirs=@THEIRS@
if [ -f "$theirs" ] && [ -x "$theirs" ]; then
    "$theirs" "$@" || exit
fi
