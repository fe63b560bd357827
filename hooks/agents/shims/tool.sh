#!/bin/sh
# A tool use of an agent, of which only the log is told: left in the spool as it came.
# tool.sh PYTHON AGENT EVENT [PROJECT [plugin]]: Python only where something waits to be said.
python=$1
agent=$2
event=$3
top=${4:-$PWD}
while [ ! -e "$top/.git" ]; do
    case $top in
    /*/*) top=${top%/*} ;;
    *) top= && break ;;
    esac
done
git=$top/.git
if [ -n "$top" ] && [ -f "$git" ]; then
    line=
    IFS= read -r line <"$git"
    case $line in
    "gitdir: /"*) git=${line#gitdir: } ;;
    "gitdir: "*) git=$top/${line#gitdir: } ;;
    *) git=/dev/null ;;
    esac
fi
dir=$git/gitstate
if [ -z "$top" ] || [ ! -f "$dir/life" ]; then
    exec cat >/dev/null # the client may wait until it is read
fi
settings=.claude/settings
# a plugin's hook is silent where the settings have the same one
if [ "$5" = plugin ] &&
    grep -qsF -e "/hooks/agents/hook.py claude-code " -e "/hooks/agents/hook.py' claude-code " \
        "$top/$settings.local.json" "$top/$settings.json" \
        "$4/$settings.local.json" "$4/$settings.json" \
        "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"; then
    exec cat >/dev/null
fi
if [ -d "$dir/agents/waiting" ] && [ -x "$python" ]; then
    exec "$python" -I -S "${0%/*}/../hook.py" "$agent" "$event" ${5:+"$5"}
fi
umask 077
[ -d "$dir/agents/spool" ] || mkdir -p "$dir/agents/spool" 2>/dev/null
file=$dir/agents/spool/$agent.$event.$$
# the number of a process comes again: in a long turn, or where each has a container
again=0
while [ -e "$file" ]; do
    again=$((again + 1))
    file=$dir/agents/spool/$agent.$event.$$.$again
done
{ cat >"$file"; } 2>/dev/null || exec cat >/dev/null
# a shell may make the first edit of a file after a compaction, which gets a word
if [ -d "$dir/agents/first" ] && [ -x "$python" ] &&
    grep -qsE '"tool_name": ?"(Bash|run_shell_command)"' "$file"; then
    exec <"$file" && rm -f "$file" &&
        exec "$python" -I -S "${0%/*}/../hook.py" "$agent" "$event" ${5:+"$5"}
fi
exit 0
