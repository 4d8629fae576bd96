#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/fleet.md: every command that it shows is run, in their order. The machine `bigbox` is another
# home on this one, behind an ssh of the story's own; the server is a real one on a free port. Where
# nats-server or hone-link is not installed, this is said, and only the first half is followed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/documents.sh"

mkdir "$TMPDIR/bin" "$TMPDIR/there"
cat >"$TMPDIR/bin/ssh" <<END
#!/bin/sh
shift 3
cd / && HOME="$TMPDIR/there" exec sh -c "\$*"
END
# Workers are ended behind the story: by the ids that they leave.
cat >"$TMPDIR/bin/hone" <<END
#!/bin/sh
[ "\$1 \$2" = "worker --lines" ] || [ "\$1" != worker ] || echo \$\$ >>"$TMPDIR/workers"
exec "$HONE" "\$@"
END
chmod +x "$TMPDIR/bin/ssh" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH
printf '{"agents":{"*":"cmd:printf %%s '"'%s'"'"}}\n' "$(printf %s "$clean" | sed 's/"/\\"/g')" \
    >"$HOME/.config/hone/config.json"

new_repo "$TMPDIR/template"
copy_of "$TMPDIR/template" work
port=$(free_port)
nats=yes
[ -x "${HONE%/*}/hone-link" ] && command -v nats-server >/dev/null || nats=

# The page's port is any; without a server only what comes before is followed.
eval "$(declare -f blocks | sed '1s/blocks/blocks_of/')"
blocks()
{
    blocks_of "$@"
    sed -i "s/localhost:4222/localhost:$port/" "$2"/*.sh
    [ -n "$nats" ] || grep -lE 'fleet init|localhost' "$2"/*.sh | xargs rm -f
}

# The server and the worker are there before the next block.
waits()
{
    local tries=0
    if grep -q nats-server "$1.sh"; then
        until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || [ $((tries += 1)) -gt 200 ]; do
            sleep 0.05
        done
    elif grep -q 'hone worker' "$1.sh"; then
        until [ -s "$TMPDIR/workers" ]; do sleep 0.05; done
    fi
}

follows fleet waits
if [ -n "$nats" ]; then
    check "a worker was there" test -s "$TMPDIR/workers"
    while read -r pid; do kill "$pid" 2>/dev/null; done <"$TMPDIR/workers"
    [ ! -s ~/fleet/pid ] || kill "$(cat ~/fleet/pid)"
else
    ok "nats-server or hone-link is not here: the part about several machines was not followed"
fi
exit "$failed"
