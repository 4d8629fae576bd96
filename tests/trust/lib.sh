# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# lib.sh - for stories of what a repository or an agent tries: each scene is played up to four
# times. Sourced; HONE is the program, TMPDIR a folder of the story's own.
#
#   way            who                       the cage
#   user           an ordinary user          bubblewrap, as this machine gives it
#   user-bare      an ordinary user          none: a PATH without bubblewrap
#   root           root                      bubblewrap
#   root-bare      root                      none
#
# A way that this machine cannot give is named as skipped. In a scene $way is its name, $caged is
# "yes" or empty; HOME and TMPDIR are its own and empty. Lines of checks begin with a row's key; the
# way is put behind it. A story whose scenes share something makes it in setup(); one for which not
# all ways differ sets trust_ways, and says so in its row.
. "${TOP:?}/tests/support/story.sh"

trust_ways=(user user-bare root root-bare)

# as_way WAY COMMAND...: with the user, the PATH and the folders of that way.
as_way()
{
    local path=$PATH user=() folders
    case $1 in *-bare) path=$TRUST_ROOM/bin ;; esac
    case $(id -u):$1 in
    0:user*) user=(setpriv --reuid=65534 --regid=65534 --clear-groups) ;;
    esac
    folders=(HOME="$TRUST_ROOM/$1/home" TMPDIR="$TRUST_ROOM/$1/tmp")
    shift
    "${user[@]}" env PATH="$path" "${folders[@]}" "$@"
}

# why_not WAY: why this machine cannot give it; nothing where it can.
why_not()
{
    case $1 in
    root*) [ "$(id -u)" = 0 ] || { echo "we are not root"; return; } ;;
    user*)
        [ "$(id -u)" != 0 ] || as_way "$1" true 2>/dev/null ||
            { echo "root cannot become an ordinary user here"; return; }
        as_way "$1" test -r "$TOP/tests/support/story.sh" -a -x "$HONE" 2>/dev/null ||
            { echo "an ordinary user cannot read $TOP"; return; }
        ;;
    esac
    case $1 in
    *-bare) ;;
    *) as_way "$1" bwrap --ro-bind / / true 2>/dev/null || echo "bubblewrap does not work" ;;
    esac
}

# A folder that every user can enter, with a PATH that lacks bubblewrap.
trust_room()
{
    local folder way
    TRUST_ROOM=$(mktemp -d /tmp/hone-trust.XXXXXX) || exit 1
    export TRUST_ROOM
    chmod 755 "$TRUST_ROOM"
    mkdir "$TRUST_ROOM/bin"
    for folder in /usr/local/bin /usr/bin /bin /usr/sbin /sbin; do
        find "$folder/" -maxdepth 1 -mindepth 1 ! -name bwrap -exec ln -sf -t "$TRUST_ROOM/bin" {} +
    done 2>/dev/null
    for way in "${trust_ways[@]}"; do
        mkdir -p "$TRUST_ROOM/$way/home" "$TRUST_ROOM/$way/tmp"
        case $way in user*) [ "$(id -u)" != 0 ] || chown -R 65534:65534 "$TRUST_ROOM/$way" ;; esac
    done
}

# for_each_way SCENE...: plays each of these functions in every way that there is. At a story's end.
for_each_way()
{
    local scene why
    if [ -n "${TRUST_SCENE:-}" ]; then # we are the story, started again in one of its ways
        way=$TRUST_WAY caged=yes
        case $way in *-bare) caged= ;; esac
        TMPDIR=$TMPDIR/$TRUST_SCENE HOME=$HOME/$TRUST_SCENE
        mkdir -p "$TMPDIR" "$HOME" && cd "$TMPDIR" || exit 1
        printf '[maintenance]\n\tauto = false\n' >"$HOME/.gitconfig"
        export way caged
        if declare -F setup >/dev/null; then setup; fi
        "$TRUST_SCENE"
        exit "$failed"
    fi
    trust_room
    trap 'chmod -R u+rwX "$TRUST_ROOM"; rm -rf "$TRUST_ROOM"' EXIT
    for way in "${trust_ways[@]}"; do
        why=$(why_not "$way")
        for scene in "$@"; do
            if [ -n "$why" ]; then
                echo "skipped: $scene, $way: $why"
                continue
            fi
            as_way "$way" TRUST_SCENE="$scene" TRUST_WAY="$way" bash "$0" || failed=1
        done
    done
    exit "$failed"
}

# with_play [MORE...]: for setup(): the agents of play.sh, with the /tmp of all, and more of
# tests/support. Checks say their way.
with_play()
{
    local more
    mkdir -p "$HOME/.config/hone"
    printf '{"rights":{"tmp":true}}\n' >"$HOME/.config/hone/config.json"
    for more in play "$@"; do
        # shellcheck source=/dev/null
        . "$TOP/tests/support/$more.sh"
    done
    ok() { echo "ok $1 ($way)"; }
    not_ok() { echo "not ok $1 ($way)" && failed=1; }
}

# hone ARGUMENTS...: the program, with its two outputs in files; its exit status in $status.
hone()
{
    timeout -k 5 "${limit:-60}" "$HONE" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    # shellcheck disable=SC2034 # for the scene
    status=$?
}

# until_true SECONDS COMMAND...: polls; false when the time is over.
until_true()
{
    local left=$(($1 * 20))
    shift
    until "$@"; do
        [ $((left -= 1)) -gt 0 ] || return 1
        sleep 0.05
    done 2>/dev/null
}
