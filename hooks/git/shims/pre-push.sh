#!/bin/sh
# pre-push: what goes out without an update, and what must not go out by accident.
# shellcheck source=prologue.sh
. "${0%/*}/prologue.sh"

check() { # REMOTE URL
    initialised || another_is || return 0
    judge 60 "this push was not checked" pre-push "$@"
    [ $? -ne 1 ]
}

# Is gitstate set up in another worktree: its state can go out with a push from here.
another_is() {
    common=.
    [ ! -f "$git/commondir" ] || read -r common <"$git/commondir"
    case $common in
    /*) dir=$common/gitstate ;;
    *) dir=$git/$common/gitstate ;;
    esac
    [ -f "$dir/id" ]
}

if [ -n "$theirs" ]; then
    # both get the same bytes
    lines=$(cat && echo .)
    printf '%s' "${lines%.}" | run_theirs "$@" || exit
    printf '%s' "${lines%.}" | check "$@" || exit
else
    check "$@" || exit
fi
