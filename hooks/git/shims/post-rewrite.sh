#!/bin/sh
# post-rewrite: leave which commits an amend or a rebase made of which.
# shellcheck source=prologue.sh
. "${0%/*}/prologue.sh"

record() { # amend|rebase
    initialised || return
    links=$dir/links
    if [ -d "$links" ] || mkdir -p "$links" 2>/dev/null; then
        # moved in when it is whole: somebody may be reading the folder
        { printf '%s\n' "$1" && cat; } 2>/dev/null >"$dir/told.$$" &&
            mv -f "$dir/told.$$" "$links/rewrite.$$" && link
    fi
}

if [ -n "$theirs" ]; then
    lines=$(cat && echo .)
    printf '%s' "${lines%.}" | run_theirs "$@"
    code=$?
    printf '%s' "${lines%.}" | record "$1"
    [ "$code" -eq 0 ] || exit "$code"
else
    record "$1"
fi
