"""``gitstate completion``: the script that teaches a shell to complete the command."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.errors import EXIT_DONE

SHELLS = ("bash", "zsh", "fish")

# The protocol is click's (COMP_WORDS, COMP_CWORD, lines of "type,value"); the scripts are
# ours for the sake of `git state`: git's own completion calls _git_state in bash, with
# $words and $cword, and _git-state in zsh; fish has to be told.
_BASH = """\
# gitstate: completion for bash
_gitstate_answer() {
    local IFS=$'\\n' line
    COMPREPLY=()
    for line in $(COMP_WORDS="$1" COMP_CWORD="$2" _GITSTATE_COMPLETE=bash_complete \\
        command gitstate 2>/dev/null); do
        case $line in
            dir,*) compopt -o dirnames 2>/dev/null ;;
            file,*) compopt -o default 2>/dev/null ;;
            plain,*) COMPREPLY+=("${line#plain,}") ;;
        esac
    done
}

_gitstate() {
    local IFS=$'\\n'
    _gitstate_answer "${COMP_WORDS[*]}" "$COMP_CWORD"
}

_git_state() {
    local IFS=$'\\n' at=${__git_cmd_idx:-1} each
    local -a asked=(gitstate)
    for each in "${words[@]:at+1}"; do
        asked+=("$each")
    done
    _gitstate_answer "${asked[*]}" "$((cword - at))"
}

complete -o nosort -F _gitstate gitstate git-state 2>/dev/null ||
    complete -F _gitstate gitstate git-state # before bash 4.4
"""

_ZSH = """\
#compdef gitstate git-state
# gitstate: completion for zsh
_gitstate() {
    local type key text
    local -a plain described
    for type key text in "${(@f)$(COMP_WORDS="gitstate ${words[2,-1]}" \\
        COMP_CWORD=$((CURRENT - 1)) _GITSTATE_COMPLETE=zsh_complete \\
        command gitstate 2>/dev/null)}"; do
        case $type in
            plain)
                if [[ $text == _ ]]; then
                    plain+=("$key")
                else
                    described+=("$key:$text")
                fi ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
}

# git's completion calls this one for `git state`
_git-state() {
    _gitstate "$@"
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _gitstate "$@"
else
    compdef _gitstate gitstate git-state
fi
"""

_FISH = """\
# gitstate: completion for fish
function __gitstate_complete
    set -l asked (commandline -opc)
    if test "$asked[1]" = git
        set asked $asked[(contains -i -- state $asked)..-1]
    end
    set -l last (commandline -ct)
    test -n "$last"; and set -a asked $last
    for line in (env _GITSTATE_COMPLETE=fish_complete COMP_CWORD="$last" \\
            COMP_WORDS=(string escape -- $asked | string join " ") \\
            gitstate 2>/dev/null)
        set -l parts (string split -m 1 , -- $line)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command gitstate --arguments "(__gitstate_complete)"
complete --no-files --command git-state --arguments "(__gitstate_complete)"
complete --no-files --command git --condition "__fish_git_using_command state" \\
    --arguments "(__gitstate_complete)"
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def run(shell: str) -> int:
    """Print the script for ``shell``."""
    output.say(_SCRIPTS[shell].rstrip("\n"))
    return EXIT_DONE


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the completion script of a shell, for `gitstate`, `git-state` and `git state`.

    install.sh puts these scripts where the shells look for them.

    \b
    Examples:
      gitstate completion bash > ~/.local/share/bash-completion/completions/gitstate
      gitstate completion zsh > ~/.local/share/zsh/site-functions/_gitstate
      gitstate completion fish > ~/.config/fish/completions/gitstate.fish
    """
    return run(shell)
