#!/bin/sh
# post-commit: leave the commit and the task file as it is now, for whoever links them.
# shellcheck source=prologue.sh
. "${0%/*}/prologue.sh"

record() {
    initialised || return
    # post-rewrite does those of a rebase in one go, when it is through
    if [ -d "$git/rebase-merge" ] || [ -d "$git/rebase-apply" ]; then
        return
    fi
    find_head
    commit=$head
    [ -n "$commit" ] || return
    links=$dir/links
    if [ ! -d "$links" ] && ! mkdir -p "$links" 2>/dev/null; then
        return # a git directory that is read-only; the next catch-up finds the commit
    fi
    verdict
    find_task
    if [ -f "$task" ] && [ ! -h "$task" ]; then
        tee "$links/$commit" "$dir/baseline-task" <"$task" >/dev/null 2>&1
    else
        printf '' >"$dir/baseline-task"
    fi
    printf '%s\n' "$commit" >"$dir/baseline"
    printf '%s\n' "$found" >"$links/$commit.v" # last: now the entry counts
    link
}

# What the check of this very commit came to; it does not run with --no-verify, nor in a
# clean cherry-pick or revert, and what an earlier commit left that failed is not ours.
verdict() {
    found=''
    by=''
    find_git
    [ ! -f "$dir/gate-by" ] || read -r by <"$dir/gate-by"
    if [ "$by" = "$pid" ] && [ -f "$dir/gate" ]; then
        read -r found <"$dir/gate"
    fi
    if [ -n "$found" ]; then
        printf '' >"$dir/gate"
        case $found in
        "bypassed the check could not run") told=1 ;;
        esac
    else
        found=unseen
        verb=$(verb_of "$pid")
        case $verb in
        cherry-pick | revert) found="unseen during $verb" ;;
        esac
    fi
}

# The command that git was started with: a clean revert leaves no other sign of itself.
verb_of() { # PID
    if [ "$1" = - ]; then
        ps -o args= -p "$PPID" 2>/dev/null | tr ' ' '\n'
    else
        tr '\0' '\n' 2>/dev/null <"/proc/$1/cmdline"
    fi | {
        read -r _
        while read -r word; do
            case $word in
            -c | -C | --git-dir | --work-tree | --namespace | --config-env) read -r _ ;;
            -*) ;;
            *)
                printf '%s' "$word"
                break
                ;;
            esac
        done
    }
}

run_theirs "$@"
code=$?
record
[ "$code" -eq 0 ] || exit "$code"
