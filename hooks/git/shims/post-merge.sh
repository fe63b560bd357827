#!/bin/sh
# post-merge: commits have come in that no hook of this worktree saw.
# shellcheck source=prologue.sh
. "${0%/*}/prologue.sh"

record() {
    initialised || return
    if [ -d "$dir/links" ] || mkdir -p "$dir/links" 2>/dev/null; then
        printf '' >"$dir/links/look"
        link
    fi
}

run_theirs "$@"
code=$?
record
[ "$code" -eq 0 ] || exit "$code"
