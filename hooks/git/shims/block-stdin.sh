#!/bin/sh
if [ -x "${0%/*}/"@SHIM@ ]; then
    gitstate_lines=$(cat && echo .)
    printf '%s' "${gitstate_lines%.}" | "${0%/*}/"@SHIM@ "$@" || exit
    if [ "$gitstate_lines" = . ]; then
        exec </dev/null
    else
        exec <<GITSTATE
${gitstate_lines%??}
GITSTATE
    fi
fi
