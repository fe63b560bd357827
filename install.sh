#!/bin/sh
# Install the gitstate command from this checkout, or remove it. See usage below.
#
# POSIX sh. Nothing here needs root, systemd or a user bus; no shell rc file is edited.
# What is put where is recorded in <data>/gitstate/manifest, and --uninstall removes
# exactly that.
set -eu

minimum_git="2.34"
minimum_python="3.11"
package="git-agent-state"
tab=$(printf '\t')

usage() {
    cat <<'TEXT'
usage: ./install.sh [--with uv|pipx|venv] [--prefix DIR] [--dry-run] [REPO]
       ./install.sh --uninstall [--prefix DIR] [--dry-run]

Installs the commands gitstate and git-state from this checkout into an environment of
their own, with man page and shell completion, or upgrades them in place. With REPO it
then runs `gitstate init REPO`, so that the state in REPO is kept from now on.

  --with METHOD   uv, pipx or venv; without it the first of them that is there
  --prefix DIR    below DIR (DIR/bin, DIR/share) instead of the user's own folders
  --uninstall     remove what this script put, and nothing else; repositories are
                  left as they are
  --dry-run       say what would be done, and do nothing
  --help          this text
TEXT
}

say() { printf '%s\n' "$@"; } # one argument a line
warn() { printf 'install.sh: %s\n' "$*" >&2; }
die() {
    warn "$*"
    exit 1
}
wrong() {
    warn "$* (see ./install.sh --help)"
    exit 2
}

# --- the words of the call -------------------------------------------------------

method=''
prefix=''
repo=''
dry=no
action=install
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --uninstall) action=uninstall ;;
        --dry-run) dry=yes ;;
        --with | --prefix)
            [ $# -ge 2 ] || wrong "$1 needs a value"
            if [ "$1" = --with ]; then method=$2; else prefix=$2; fi
            shift
            ;;
        --with=*) method=${1#*=} ;;
        --prefix=*) prefix=${1#*=} ;;
        --)
            shift
            break
            ;;
        -*) wrong "there is no option $1" ;;
        *) break ;;
    esac
    shift
done
if [ $# -gt 0 ]; then
    repo=$1
    shift
    [ -n "$repo" ] || wrong "REPO is empty"
fi
[ $# -eq 0 ] || wrong "one repository at a time; $1 is too much"
case $method in '' | uv | pipx | venv) ;; *) wrong "--with is uv, pipx or venv" ;; esac
[ "$action" = install ] || [ -z "$repo" ] ||
    wrong "--uninstall takes no repository; \`gitstate uninstall REPO\` does"

# --- where things are ------------------------------------------------------------

here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
[ -n "${HOME:-}" ] || die "HOME is not set"

absolute() { # VALUE DEFAULT: the XDG folders count only when they are absolute
    case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$2" ;; esac
}
if [ -n "$prefix" ]; then
    case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
    bin=$prefix/bin
    data=$prefix/share
    bash_folder=$data/bash-completion/completions
    fish_folder=$data/fish/vendor_completions.d
    UV_TOOL_DIR=$data/uv/tools
    PIPX_HOME=$data/pipx
    export UV_TOOL_DIR PIPX_HOME
else
    bin=$(absolute "${XDG_BIN_HOME:-}" "$HOME/.local/bin")
    data=$(absolute "${XDG_DATA_HOME:-}" "$HOME/.local/share")
    bash_folder=${BASH_COMPLETION_USER_DIR:-$data/bash-completion}/completions
    fish_folder=$(absolute "${XDG_CONFIG_HOME:-}" "$HOME/.config")/fish/completions
fi
man_folder=$data/man/man1
zsh_folder=$data/zsh/site-functions
home=$data/gitstate
manifest=$home/manifest
# one place for the commands, whoever installs them
UV_TOOL_BIN_DIR=$bin
PIPX_BIN_DIR=$bin
PIPX_MAN_DIR=$data/man
export UV_TOOL_BIN_DIR PIPX_BIN_DIR PIPX_MAN_DIR
# what would send Python, pip or git elsewhere
unset PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

case $bin$data$bash_folder$fish_folder in
    *"
"*) die "a folder's name has a line break in it; use --prefix" ;;
esac

tmp=''
building='' # an environment that is not in use yet
aside=''    # a copy of the one in $tree, while that is replaced
restart=no  # the daemon was stopped for it
clean() {
    status=$?
    trap - EXIT INT TERM HUP
    [ -z "$building" ] || rm -rf -- "$building"
    [ -z "$aside" ] || put_back
    [ "$restart" = no ] || "$bin/gitstate" daemon start >/dev/null 2>&1 || :
    [ -z "$tmp" ] || rm -rf -- "$tmp"
    exit "$status"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# --- the manifest: one "kind<tab>path" a line ------------------------------------

recorded() { # KIND: the paths of that kind in the manifest
    [ -f "$manifest" ] || return 0
    while IFS=$tab read -r kind path; do
        [ "$kind" != "$1" ] || printf '%s\n' "$path"
    done <"$manifest"
}
is_recorded() { # PATH
    [ -f "$manifest" ] && grep -F -x -q -e "file$tab$1" -e "link$tab$1" "$manifest"
}
record() { # KIND PATH
    grep -F -x -q -e "$1$tab$2" "$tmp/manifest" || printf '%s\t%s\n' "$1" "$2" >>"$tmp/manifest"
}
make_folder() { # PATH: the folders that were not there are ours
    [ -d "$1" ] || {
        make_folder "$(dirname -- "$1")"
        mkdir -- "$1" 2>/dev/null || [ -d "$1" ] || die "cannot make the folder $1"
        record folder "$1"
    }
}
is_ours() { # PATH: put by us, by uv or by pipx
    is_recorded "$1" && return 0
    case $(readlink -- "$1" 2>/dev/null) in
        *"/$package/"*) return 0 ;;
        *) return 1 ;;
    esac
}
put_file() { # SOURCE TARGET: beside, then renamed; another's file is left alone
    if { [ -e "$2" ] || [ -L "$2" ]; } && ! is_ours "$2"; then
        cmp -s -- "$1" "$2" || warn "$2 is not from this script: left as it is"
        return 0
    fi
    make_folder "$(dirname -- "$2")"
    cp -- "$1" "$2.$$"
    chmod 644 "$2.$$"
    mv -f -- "$2.$$" "$2"
    record file "$2"
}
put_link() { # DESTINATION PATH
    make_folder "$(dirname -- "$2")"
    ln -s -- "$1" "$2.$$"
    mv -f -- "$2.$$" "$2"
    record link "$2"
}

# --- what the machine has --------------------------------------------------------

require_git() {
    command -v git >/dev/null 2>&1 ||
        die "git was not found; gitstate needs git $minimum_git or later"
    version=$(git --version | sed -n 's/^git version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    major=${version% *}
    minor=${version#* }
    [ "${major:-0}" -gt "${minimum_git%.*}" ] || {
        [ "${major:-0}" -eq "${minimum_git%.*}" ] &&
            [ "${minor:-0}" -ge "${minimum_git#*.}" ]
    } || die "$(git --version) is too old; gitstate needs git $minimum_git or later"
}
find_python() { # MODULE...: sets $python to the first that is new enough and has them
    python=''
    seen=''
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$name" >/dev/null 2>&1 || continue
        answer=$("$name" -I -c '
import importlib.util, sys
want = tuple(map(int, sys.argv[1].split(".")))
if sys.version_info < want:
    print("is %d.%d" % sys.version_info[:2])
elif missing := [m for m in sys.argv[2:] if not importlib.util.find_spec(m)]:
    print("has no", " and no ".join(missing))
else:
    print("=" + sys.executable)' "$minimum_python" "$@" 2>/dev/null) || answer=''
        case $answer in
            =*)
                python=${answer#=}
                return 0
                ;;
            ?*) seen="$seen; $name $answer" ;;
        esac
    done
    return 1
}
works() { # COMMAND: there, and not an empty shim
    "$1" --version >/dev/null 2>&1
}
usable() { # METHOD
    case $1 in
        uv) works uv ;;
        pipx) works pipx && find_python ;;
        venv) find_python venv ensurepip ;;
        *) return 1 ;;
    esac
}
no_method() {
    find_python venv ensurepip || :
    die "gitstate needs Python $minimum_python or later with venv and ensurepip" \
        "(on Debian and Ubuntu: apt install python3-venv), or uv${seen:-; no python3 found}"
}
quietly() { # COMMAND...: its output is shown only when it fails
    "$@" >"$tmp/log" 2>&1 </dev/null || {
        status=$?
        tail -n 15 "$tmp/log" >&2
        return "$status"
    }
}
daemon_runs() {
    [ -x "$bin/gitstate" ] &&
        "$bin/gitstate" daemon status --json 2>/dev/null | tr -d ' \n' |
        grep -q '"running":true'
}

# --- the three ways to an environment --------------------------------------------
# Each leaves an installed gitstate as it was when it fails.

install_venv() {
    find_python venv ensurepip || return 1
    make_folder "$home"
    building=$home/env-$(date +%Y%m%d%H%M%S)-$$
    quietly "$python" -I -m venv "$building" &&
        quietly "$building/bin/python" -I -m pip install --disable-pip-version-check \
            --no-input "$tmp/source" &&
        quietly "$building/bin/gitstate" --version || return 1
    # The commands go through a link that stays, so that what names them (hooks, the
    # service) follows an upgrade. It is replaced in one step; mv would move into it.
    quietly "$building/bin/python" -I -c '
import os, sys
new, link = map(os.fsencode, sys.argv[1:])
for name in (b"gitstate", b"git-state"):
    with open(os.path.join(new, b"bin", name), "r+b") as script:
        text = script.read().replace(new, link, 1)
        script.seek(0)
        script.truncate()
        script.write(text)
if os.path.lexists(link + b".next"):
    os.unlink(link + b".next")
os.symlink(os.path.basename(new), link + b".next")
os.replace(link + b".next", link)' "$building" "$home/env" || return 1
    record tree "$building"
    building=''
    record link "$home/env"
    put_link "$home/env/bin/gitstate" "$bin/gitstate"
    put_link "$home/env/bin/git-state" "$bin/git-state"
}
install_uv() {
    find_python || python=$minimum_python # uv brings one
    tree=$(uv tool dir)/$package
    with_the_old_aside uv tool install --force --compile-bytecode --python "$python" \
        "$tmp/source"
}
install_pipx() {
    find_python || return 1
    tree=$(pipx environment --value PIPX_LOCAL_VENVS)/$package
    with_the_old_aside pipx install --force --python "$python" "$tmp/source"
}
with_the_old_aside() { # COMMAND...: install into $tree, or leave everything as it was
    for name in gitstate git-state; do # pipx leaves links of others alone
        readlink -- "$bin/$name" >"$tmp/$name" 2>/dev/null || : >"$tmp/$name"
        [ -d "$tree" ] || rm -f -- "$bin/$name"
    done
    aside=$home/aside-$$
    make_folder "$home"
    [ ! -d "$tree" ] || cp -RP -- "$tree" "$aside" || return 1
    make_folder "$bin"
    if quietly "$@" && quietly "$bin/gitstate" --version; then
        rm -rf -- "$aside"
        aside=''
        record tree "$tree"
        record link "$bin/gitstate"
        record link "$bin/git-state"
        return 0
    fi
    put_back
    return 1
}
put_back() { # what with_the_old_aside put aside
    rm -rf -- "$tree"
    [ ! -d "$aside" ] || mv -- "$aside" "$tree"
    aside=''
    for name in gitstate git-state; do
        rm -f -- "$bin/$name"
        [ ! -s "$tmp/$name" ] || ln -s -- "$(cat "$tmp/$name")" "$bin/$name"
    done
}

# --- install, upgrade --------------------------------------------------------------

choose_methods() { # sets $methods to those to try, in their order
    old_method=$(recorded method)
    methods=''
    if [ -n "$method" ]; then
        usable "$method" || {
            [ "$method" != venv ] || no_method
            die "$method was not found, or it does not run"
        }
        methods=$method
    elif [ -n "$old_method" ] && usable "$old_method"; then
        methods=$old_method # an upgrade stays where it is
    else
        for each in uv pipx venv; do
            ! usable "$each" || methods="$methods $each"
        done
        [ -n "$methods" ] || no_method
    fi
}
put_pages_and_completion() {
    put_file "$here/gitstate/share/git-state.1" "$man_folder/git-state.1"
    put_file "$here/gitstate/share/gitstate.1" "$man_folder/gitstate.1"
    for shell in bash zsh fish; do
        "$bin/gitstate" completion "$shell" >"$tmp/$shell" || return 1
    done
    put_file "$tmp/bash" "$bash_folder/gitstate"
    put_file "$tmp/bash" "$bash_folder/git-state"
    put_file "$tmp/zsh" "$zsh_folder/_gitstate"
    put_file "$tmp/zsh" "$zsh_folder/_git-state"
    put_file "$tmp/fish" "$fish_folder/gitstate.fish"
    put_file "$tmp/fish" "$fish_folder/git-state.fish"
}
drop_the_stale() { # what an earlier run put and this one did not; killed runs' remains
    [ ! -f "$manifest" ] || while IFS=$tab read -r kind path; do
        grep -F -x -q -e "$kind$tab$path" "$tmp/manifest" || case $kind in
            file | link) rm -f -- "$path" ;;
            tree) rm -rf -- "$path" ;;
            folder) record folder "$path" ;;
        esac
    done <"$manifest"
    for path in "$home"/env-* "$home"/aside-*; do
        [ -d "$path" ] || continue
        ! grep -F -x -q -e "tree$tab$path" "$tmp/manifest" || continue
        kill -0 "${path##*-}" 2>/dev/null || rm -rf -- "$path" # else: another run's
    done
}
say_the_path_line() {
    case :$PATH: in
        *":$bin:"*)
            found=$(command -v gitstate) || found=''
            [ "$found" = "$bin/gitstate" ] ||
                warn "another gitstate comes first on the PATH: $found"
            return 0
            ;;
    esac
    line="export PATH=\"$bin:\$PATH\""
    case ${SHELL##*/} in
        bash) file=.bashrc ;;
        zsh) file=.zshrc ;;
        fish) file=.config/fish/config.fish line="fish_add_path \"$bin\"" ;;
        *) file=.profile ;;
    esac
    say "" "$bin is not on your PATH. Add this line to $HOME/$file:" "  $line"
}
install_it() {
    require_git
    [ -f "$here/pyproject.toml" ] && [ -d "$here/gitstate" ] ||
        die "$here is no checkout of gitstate: run install.sh where it lies in one"
    [ -z "$repo" ] || git -C "$repo" rev-parse --git-dir >/dev/null 2>&1 ||
        die "$repo is not a git repository"
    for name in gitstate git-state; do
        if { [ -e "$bin/$name" ] || [ -L "$bin/$name" ]; } && ! is_ours "$bin/$name"; then
            die "$bin/$name is not from this script: move it away first"
        fi
    done
    choose_methods
    version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$here/gitstate/__init__.py")
    if [ "$dry" = yes ]; then
        say "would install gitstate $version with $(echo "$methods" | sed 's/^ //; s/ / or /g')" \
            "would put into $bin: gitstate git-state" \
            "would put into $man_folder: git-state.1 gitstate.1" \
            "would put completion into $bash_folder, $zsh_folder and $fish_folder" \
            "would record that in $manifest"
        ! daemon_runs || say "would restart the running daemon"
        [ -z "$repo" ] || say "would run: gitstate init -- $repo"
        return 0
    fi

    tmp=$(mktemp -d "${TMPDIR:-/tmp}/gitstate-install.XXXXXX")
    : >"$tmp/manifest"
    # a copy is built, so that a build neither writes into the checkout nor finds there
    # what an older one left
    mkdir "$tmp/source"
    for name in pyproject.toml README.md LICENSE gitstate hooks daemon; do
        cp -RP -- "$here/$name" "$tmp/source/"
    done

    done_with=''
    for each in $methods; do
        say "installing gitstate $version with $each ..."
        # in place of the files that it runs from: not under a running daemon
        if [ "$each" != venv ] && [ "$restart" = no ] && daemon_runs; then
            restart=yes
            quietly "$bin/gitstate" daemon stop || warn "the daemon did not stop"
        fi
        if "install_$each"; then
            done_with=$each
            break
        fi
        [ -z "$building" ] || rm -rf -- "$building"
        building=''
        warn "$each could not install it (its last words stand above)"
    done
    if [ -z "$done_with" ]; then
        [ ! -x "$bin/gitstate" ] ||
            die "nothing was changed: $("$bin/gitstate" --version) is still installed"
        die "gitstate was not installed"
    fi
    record method "$done_with"
    put_pages_and_completion || die "the new gitstate does not run"
    if [ "$restart" = yes ] || daemon_runs; then
        restart=no
        quietly "$bin/gitstate" daemon stop || warn "the daemon did not stop"
        quietly "$bin/gitstate" daemon start ||
            warn "the daemon did not start again; see gitstate doctor"
    fi
    drop_the_stale
    cp -- "$tmp/manifest" "$manifest.$$"
    mv -f -- "$manifest.$$" "$manifest"
    say "installed: $("$bin/gitstate" --version) in $bin"
    say_the_path_line
    [ "${SHELL##*/}" != zsh ] || say "" \
        "For completion, put this line into ~/.zshrc before compinit is called:" \
        "  fpath=(\"$zsh_folder\" \$fpath)"
    if [ -n "$repo" ]; then
        PATH=$bin:$PATH
        "$bin/gitstate" init -- "$repo"
    fi
}

# --- uninstall ---------------------------------------------------------------------

uninstall_it() {
    [ -f "$manifest" ] || {
        say "nothing to remove: this script installed nothing below $data"
        return 0
    }
    if [ "$dry" = yes ]; then
        say "would stop the daemon and remove its service, and Claude Code's plugin"
        for kind in link file tree; do
            recorded "$kind" | sed 's/^/would remove /'
        done
        return 0
    fi
    tmp=$(mktemp -d "${TMPDIR:-/tmp}/gitstate-install.XXXXXX")
    still=''
    if [ -x "$bin/gitstate" ]; then
        # the daemon is told of each repository that is set up, unless it was set up without
        still=$("$bin/gitstate" daemon status --json 2>/dev/null |
            sed -n 's/^ *"root": "\(.*\)",\{0,1\}$/  \1/p') || :
        quietly "$bin/gitstate" agent plugin --remove || warn "the plugin was not removed"
        quietly "$bin/gitstate" daemon stop || warn "the daemon did not stop"
        quietly "$bin/gitstate" daemon uninstall || warn "its service was not removed"
    fi
    recorded link | while IFS= read -r path; do
        [ ! -L "$path" ] || rm -f -- "$path"
    done
    recorded file | while IFS= read -r path; do rm -f -- "$path"; done
    recorded tree | while IFS= read -r path; do rm -rf -- "$path"; done
    recorded folder >"$tmp/folders"
    rm -f -- "$manifest"
    # innermost first; what others put something into stays
    LC_ALL=C sort -r "$tmp/folders" | while IFS= read -r path; do
        rmdir -- "$path" 2>/dev/null || :
    done
    say "gitstate was removed." "" \
        "Repositories are as they were: .agent-state/ and the branch agent-state with all" \
        "its versions are still there, and plain git reads them. To take gitstate out of a" \
        "repository, install it again and run \`gitstate uninstall REPO\` (with --purge the" \
        "versions go too)."
    [ -z "$still" ] || say "" "Still set up, with hooks that do nothing now:" "$still"
}

case $action in
    install) install_it ;;
    uninstall) uninstall_it ;;
esac
