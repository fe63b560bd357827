#!/bin/sh
# What the hooks of gitstate share. The installer fills in the paths and puts this text
# at the place of the line that reads it: an installed hook is one file.
python=@PYTHON@
package=@PACKAGE@
theirs=@THEIRS@

# Run the hook that stood here before, as git would have run it.
run_theirs() {
    if [ -n "$theirs" ] && [ -f "$theirs" ] && [ -x "$theirs" ]; then
        "$theirs" "$@"
    fi
}

# Is gitstate set up in this worktree. git runs hooks at its top, and sets GIT_DIR
# where there is no folder .git: no process is needed to find out.
initialised() {
    git=${GIT_DIR:-.git}
    dir=$git/gitstate
    [ -f "$dir/life" ]
}

say() {
    printf 'gitstate: %s\n' "$1" >&2
}

# Nothing of ours ever stops git: one line says what was left out, and how to mend it.
broken() { # WHY WHAT
    say "$1, so $2; install gitstate again and run \`gitstate hooks install\`, or switch this off: rm $dir/life"
}

# Is the tool there that the slow part needs.
tool_is_there() { # FILE
    if [ ! -x "$python" ]; then
        why="$python is gone"
    elif [ ! -f "$package/hooks/git/$1" ]; then
        why="$package/hooks/git/$1 is gone"
    else
        return 0
    fi
    return 1
}

# The git process that runs this hook, also through a hook manager: pre-commit and
# post-commit of one commit have the same. "-" where processes cannot be read.
find_git() {
    pid=$PPID
    # mostly it is the parent, whose name is short: a shell reads byte by byte
    name=
    read -r name 2>/dev/null <"/proc/$pid/comm"
    case $name in
    git*) return ;;
    esac
    for _ in 1 2 3 4 5 6 7 8 9; do
        read -r _ name _ parent _ 2>/dev/null <"/proc/$pid/stat" || break
        case $name in
        "(git"*) return ;;
        esac
        pid=$parent
    done
    pid=-
}

# Which commit HEAD is; sets head, empty on an unborn branch. A branch that moves gets a
# file of its own from git: while that is there, no process is needed. Where it is not
# (packed, reftable), git is asked.
find_head() {
    head=
    read -r head 2>/dev/null <"$git/HEAD"
    case $head in
    "ref: refs/heads/"*)
        find_common
        branch=$common/${head#ref: }
        head=
        read -r head 2>/dev/null <"$branch"
        ;;
    esac
    case ${#head},$head in
    40,*[!0-9a-f]* | 64,*[!0-9a-f]*) ;;
    40,* | 64,*) return ;;
    esac
    head=$(git rev-parse --quiet --verify HEAD 2>/dev/null)
}

# Where the worktrees of this repository have their branches. Sets common.
find_common() {
    common=.
    [ ! -f "$git/commondir" ] || read -r common <"$git/commondir"
    case $common in
    /*) ;;
    *) common=$git/$common ;;
    esac
}

# Where the task file is; the path stands in a file only where it was set.
# shellcheck disable=SC2034 # the hooks use it
find_task() {
    folder=.agent-state
    [ ! -f "$dir/state-dir" ] || read -r folder <"$dir/state-dir"
    task=${GITSTATE_DIR:-$folder}/02-current-task.md
}

# Run a command for at most so many seconds, with our standard input. Whatever it
# leaves behind holds nothing of the user's terminal. Sets code.
timed() { # SECONDS COMMAND...
    limit=$1
    shift
    said=$dir/said
    true 2>/dev/null >"$said" || said=/dev/null
    exec 3<&0
    "$@" <&3 >/dev/null 2>"$said" 3<&- &
    job=$!
    exec 3<&-
    (
        trap 'kill "$nap"; exit' TERM
        sleep "$limit" &
        nap=$!
        wait "$nap" && kill -9 "$job"
    ) </dev/null >/dev/null 2>&1 &
    guard=$!
    wait "$job" 2>/dev/null
    code=$?
    kill "$guard" 2>/dev/null
}

# Have gate.py judge; says what it says. Returns 1 only where it refused.
judge() { # SECONDS WHAT ARGUMENTS...
    seconds=$1
    what=$2
    shift 2
    if ! tool_is_there gate.py; then
        broken "$why" "$what"
        return 2
    fi
    timed "$seconds" "$python" -I -S "$package/hooks/git/gate.py" "$@"
    first=
    read -r first <"$said"
    case $code,$first in
    0,* | 1,"gitstate: "*)
        while IFS= read -r line; do
            printf '%s\n' "$line" >&2
        done <"$said"
        return "$code"
        ;;
    137,*) broken "the check took longer than $seconds s" "$what" ;;
    *) broken "the check failed ($package)" "$what" ;;
    esac
    return 2
}

# Let the spool be worked off: by the daemon, which sees it; else by a process that is
# at it already; else by a new one, with nothing of ours in its hands.
link() {
    if { is_at_it daemon && ! piled_up; } || is_at_it linking; then
        return
    fi
    if ! tool_is_there link.py; then
        [ -n "$told" ] || broken "$why" "this commit is not linked to its state yet"
        return
    fi
    "$python" -I -S "$package/hooks/git/link.py" </dev/null >/dev/null 2>&1 &
    born "$!"
    printf '%s\n' "$! $birth" 2>/dev/null >"$dir/linking"
}

# Does the process live that a file names. After a kill or a restart its number may be a
# stranger's: where processes can be read, it must also be of the same birth.
is_at_it() { # FILE
    worker=
    since=
    [ ! -f "$dir/$1" ] || read -r worker since <"$dir/$1"
    [ -n "$worker" ] && kill -0 "$worker" 2>/dev/null || return
    [ -n "$since" ] || return 0
    born "$worker"
    [ "$birth" = "$since" ]
}

# When a process was started, as the kernel counts it; empty where that is not told, and
# for one that is dead and still counted, since nobody asked what became of it.
born() { # PID
    birth=
    read -r birth 2>/dev/null <"/proc/$1/stat" || return 0
    # what follows the name, which may hold anything: its state first, this the twentieth
    # shellcheck disable=SC2086 # into words
    set -- ${birth##*) }
    case $1 in
    [ZX]) birth= ;;
    *) birth=${20} ;;
    esac
}

# More commits wait than ever do: the daemon is stopped, or is none.
piled_up() {
    set -- "$dir"/links/*.v
    [ $# -gt 30 ]
}
told=
