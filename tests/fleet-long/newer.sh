#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Newer servers than the one that is installed: those of Debian's next release and of unstable,
# brought by tools/apt-release and installed nowhere. Each story of tests/fleet is told with each.
. "${TOP:?}/tests/support/story.sh"

# server_bring RELEASE: its nats-server, in $TMPDIR/RELEASE/bin.
server_bring()
{
    local folder=$TMPDIR/$1
    mkdir -p "$folder/package" "$folder/bin"
    {
        "$TOP/tools/apt-release" "$1" deb "$folder" update
        cd "$folder/package" && "$TOP/tools/apt-release" "$1" deb "$folder" download nats-server
    } >"$folder/log" 2>&1
    cd "$TOP" || exit 1
    dpkg-deb -x "$folder"/package/nats-server_*.deb "$folder/all" >>"$folder/log" 2>&1 &&
        mv "$folder/all/usr/sbin/nats-server" "$folder/bin"
}

# stories_tell RELEASE: with its server.
stories_tell()
{
    local story name version here=$TMPDIR/$1
    version=$("$here/bin/nats-server" --version)
    version=${version##* }
    for story in "$TOP"/tests/fleet/*.sh; do
        name=${story##*/}
        case $name in
        *lib.sh) continue ;;
        esac
        mkdir "$here/$name"
        PATH=$here/bin:$PATH TMPDIR=$here/$name timeout 300 bash "$story" >"$here/$name.out" 2>&1
        check_is "$1, server $version, $name: ends well" $? 0
        check_not "$1, server $version, $name: is told" grep -q '^ok skipped' "$here/$name.out"
        sed -n "s/^not ok /not ok $1, server $version, $name: /p" "$here/$name.out"
    done
}

for release in trixie sid; do
    if server_bring "$release"; then
        stories_tell "$release"
    else
        ok "skipped: this machine's mirrors do not give nats-server of $release"
        sed 's/^/    /' "$TMPDIR/$release/log" | tail -n 5
    fi
done
exit "$failed"
