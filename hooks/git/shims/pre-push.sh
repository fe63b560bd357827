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
    find_common
    dir=$common/gitstate
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
