#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A worker in a network of its own, whose cable is drawn while its agent works: for less than a
# lease, which changes nothing; for longer, when the attempt is lost, its agent is dead, and another
# worker plays it. When the cable is back, what the first one has to say does not count.
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

space=hone$$
if [ "$(id -u)" != 0 ] || ! ip netns add "$space" 2>/dev/null; then
    ok "skipped: networks of their own need root and iproute2"
    exit 0
fi
trap 'ip netns del "$space"; whole_end' EXIT
third=$((RANDOM % 250))
ip link add "v$$" type veth peer name eth0 netns "$space"
ip addr add "10.213.$third.1/24" dev "v$$" && ip link set "v$$" up
ip -n "$space" addr add "10.213.$third.2/24" dev eth0 && ip -n "$space" link set eth0 up

port=$(free_port)
printf 'listen: "0.0.0.0:%s"\njetstream {\n store_dir: "%s"\n}\n' "$port" "$TMPDIR/store" \
    >"$TMPDIR/far.conf"
server_start "$TMPDIR/far.conf"
here=$url
ends_here

cat >"$TMPDIR/away" <<END
#!/bin/sh
exec ip netns exec $space "$HONE" "\$@" --plain
END
chmod +x "$TMPDIR/away"
url=nats://10.213.$third.1:$port
worker_hone=$TMPDIR/away worker far
url=$here

copy_of "$TMPDIR/review" work
hold critic
begin run "${review[@]}" --fleet "$url"
held critic
ip link set "v$$" down
sleep "$(awk -v ms="$HONE_FLEET_LEASE_MS" 'BEGIN { print ms / 4000 }')"
ip link set "v$$" up
release critic
finish
as_here short review
check_is "short: nothing was played again" "$(wc -l <"$play/begun")" 11

copy_of "$TMPDIR/review" work
hold critic
begin run "${review[@]}" --fleet "$url"
held critic
until_true 20 grep -q ' 5-1 ' "$play/begun"
ip link set "v$$" down
since_ms=$(now_ms)
worker near
until_true 20 nobody_left || until_true 20 grep -q ' near ' "$play/begun"
pid=$(awk '$3 == "critic" && $4 == "far" { print $5 }' "$play/begun")
until_true 20 has_ended "$pid"
took_ms=$(($(now_ms) - since_ms))
check "long: its agent is dead within L and 5 s ($took_ms ms)" \
    [ "$took_ms" -le $((HONE_FLEET_LEASE_MS + 5000)) ]
until_true 20 grep -q ' critic near ' "$play/begun" || not_ok "long: another plays it"
ip link set "v$$" up
release critic
finish
as_here long review
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
