#!/bin/sh
# pre-commit: does the commit come with an update of the task file.
# shellcheck source=prologue.sh
. "${0%/*}/prologue.sh"

check() {
    initialised || return 0
    find_git
    printf '%s\n' "$pid" 2>/dev/null >"$dir/gate-by"
    if [ "${GITSTATE_SKIP:-}" = 1 ]; then
        leave "bypassed GITSTATE_SKIP=1"
        return 0
    fi
    find_head
    base=
    [ ! -f "$dir/baseline" ] || read -r base <"$dir/baseline"
    find_task
    if [ -n "$head" ] && [ "$head" = "$base" ] && [ -f "$task" ] && [ ! -h "$task" ]; then
        cmp -s "$task" "$dir/baseline-task" 2>/dev/null
        case $? in
        1)
            leave updated
            return 0
            ;;
        esac
    fi
    leave ""
    judge 5 "this commit was not checked" pre-commit "$git" "$head"
    case $? in
    1) return 1 ;;
    2) leave "bypassed the check could not run" ;;
    esac
    return 0
}

# The verdict, for post-commit.
leave() {
    printf '%s\n' "$1" 2>/dev/null >"$dir/gate"
}

run_theirs "$@" || exit
check || exit
