#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --fleet ssh:bigbox through a real ssh: a sshd of the story's own on 127.0.0.1, with its own host
# key, configuration and key to log in with, as the user who runs the story. The worker's home is
# another one. sshd and ssh are this machine's, or those of its release, brought by
# tools/apt-release and installed nowhere.
#
# 1. A run with a fixer ends as it does on one machine.
# 2. The ssh of the driver is killed while agents are at work, then the server's end of another
#    one: their attempts are lost and asked for again, and the run ends as it does on one machine.
# 3. `hone stop`: the agents are dead within 2 s.
# 4. hone is killed: the agents are dead within 2 s, since the line ends with it, and a resume goes
#    on and plays nothing again that had ended.
NO_SERVER=1
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

END_MS=2000
box=$TMPDIR/bigbox # the other machine's home
sshd_pid=
programs=
libraries=

end_all()
{
    local session
    for session in $(sessions); do kill "$session" 2>/dev/null; done
    [ -z "$sshd_pid" ] || kill "$sshd_pid" 2>/dev/null
    whole_end
}
trap end_all EXIT

skip()
{
    ok "skipped: $1"
    [ ! -s "$TMPDIR/sshd.log" ] || tail -n 5 "$TMPDIR/sshd.log" | sed 's/^/    /'
    exit 0
}

# ---- ssh and sshd ----

# programs_bring: sets programs, the folder that has usr/bin/ssh and usr/sbin/sshd.
programs_bring()
{
    local folder=$TMPDIR/brought package
    [ ! -x /usr/sbin/sshd ] || [ ! -x /usr/bin/ssh ] || return 0
    programs=$folder/all
    mkdir -p "$folder/package"
    {
        # shellcheck disable=SC1091
        codename=$(. /etc/os-release && echo "$VERSION_CODENAME") &&
            "$TOP/tools/apt-release" "$codename" deb "$folder" update &&
            cd "$folder/package" && "$TOP/tools/apt-release" "$codename" deb "$folder" \
            download openssh-server openssh-client libwrap0 || return
    } >"$TMPDIR/sshd.log" 2>&1
    for package in "$folder"/package/*.deb; do dpkg-deb -x "$package" "$programs"; done
    libraries=$(dirname "$(find "$programs" -name 'libwrap.so.0' | head -n 1)")
}

# sshd_run: in the foreground. Root's needs a user and a folder, which it gets in a view of its own
# where the machine has none.
sshd_run()
{
    [ -z "$libraries" ] || export LD_LIBRARY_PATH=$libraries
    if [ "$(id -u)" != 0 ] || { [ -d /run/sshd ] && getent passwd sshd >/dev/null; }; then
        exec "$programs/usr/sbin/sshd" -D -e -f "$TMPDIR/sshd_config"
    fi
    { grep -v '^sshd:' /etc/passwd && echo 'sshd:x:65533:65534::/run/sshd:/bin/false'; } \
        >"$TMPDIR/passwd"
    # shellcheck disable=SC2016 # for that shell
    exec unshare -m sh -c 'mount --bind "$1" /etc/passwd && mount -t tmpfs none /run &&
        mkdir -m 755 /run/sshd && exec "$2" -D -e -f "$3"' sh "$TMPDIR/passwd" \
        "$programs/usr/sbin/sshd" "$TMPDIR/sshd_config"
}

sshd_start()
{
    local keygen=$programs/usr/bin/ssh-keygen
    "$keygen" -q -t ed25519 -N '' -f "$TMPDIR/host_key" &&
        "$keygen" -q -t ed25519 -N '' -f "$TMPDIR/user_key" || return
    cp "$TMPDIR/user_key.pub" "$TMPDIR/authorized_keys"
    echo "bigbox $(cut -d' ' -f1,2 "$TMPDIR/host_key.pub")" >"$TMPDIR/known_hosts"
    cat >"$TMPDIR/sshd_config" <<EOF
ListenAddress 127.0.0.1:$port
HostKey $TMPDIR/host_key
AuthorizedKeysFile $TMPDIR/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv HOME=$box TMPDIR=$box/tmp PATH=$box/bin:$PATH
EOF
    cat >"$TMPDIR/ssh_config" <<EOF
Host bigbox
HostName 127.0.0.1
Port $port
User $(id -un)
HostKeyAlias bigbox
UserKnownHostsFile $TMPDIR/known_hosts
StrictHostKeyChecking yes
IdentitiesOnly yes
IdentityFile $TMPDIR/user_key
EOF
    sshd_run >>"$TMPDIR/sshd.log" 2>&1 &
    sshd_pid=$!
    until_true 10 ssh -o BatchMode=yes bigbox true 2>"$TMPDIR/ssh.err"
}

children_of() # children_of() PID NAME: those children whose names begin so
{
    local pid
    for pid in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
        case $(cat "/proc/$pid/comm" 2>/dev/null) in
        "$2"*) echo "$pid" ;;
        esac
    done
}

sessions() # the server's ends of all lines
{
    [ -z "$sshd_pid" ] || children_of "$sshd_pid" sshd
}

# ---- runs ----

fleet=(--fleet ssh:bigbox)

# at_work: a review in which all reviewers have ended but two, who are in their middle.
at_work()
{
    copy_of "$TMPDIR/review" work
    hold critic
    hold pedant
    begin run "${review[@]}" "${fleet[@]}"
    held critic
    held pedant
    until_true 30 others_are_over || not_ok "the other three end"
    held_pids=$(awk '$3 == "critic" || $3 == "pedant" { print $5 }' "$play/begun")
    since_ms=$(now_ms)
}

others_are_over()
{
    [ "$(find .git/hone/runs -name status | wc -l)" = 3 ]
}

held_are_gone()
{
    local pid
    for pid in $held_pids; do has_ended "$pid" || return 1; done
}

# gone WHAT: the agents of at_work are, within END_MS of it.
gone()
{
    local took_ms
    until_true 70 held_are_gone
    took_ms=$(($(now_ms) - since_ms))
    check "$1: their agents are dead within 2 s ($took_ms ms)" [ "$took_ms" -le "$END_MS" ]
}

# line_dies client|server: its end of the line is killed while agents are at work.
line_dies()
{
    local name=$1 pid
    at_work
    if [ "$name" = client ]; then pid=$(children_of "$driver_pid" ssh); else pid=$(sessions); fi
    check "$name: there is one" [ "$(echo "$pid" | wc -w)" = 1 ]
    # shellcheck disable=SC2046,SC2086 # a number each; an end of the server's may be two processes
    kill -9 $pid $(children_of "$pid" sshd)
    gone "$name killed"
    until_true 30 both_start_again || not_ok "$name killed: both start again"
    check_is "$name killed: both attempts are lost" "$(lost_count)" 2
    release critic
    release pedant
    finish
    as_here "$name killed" review
    check_is "$name killed: they, and they alone, are asked for again" \
        "$(awk '$2 ~ /-2$/ { print $3 }' "$play/begun" | sort | tr '\n' ' ')" "critic pedant "
}

both_start_again()
{
    [ "$(grep -c 'starts again' "$err")" = 2 ]
}

lost_count()
{
    "$SUPPORT/sql" .git/hone/journal.db \
        "select count(*) from events where body like '%\"failure\":\"lost\"%'"
}

mkdir -p "$box/bin" "$box/tmp" "$TMPDIR/bin"
cp -R "$HOME/.config" "$HOME/.gitconfig" "$box/"
printf '#!/bin/sh\nexec "%s" "$@" --no-sandbox --slots 8\n' "$HONE" >"$box/bin/hone"
programs_bring || skip "neither this machine nor its mirrors have ssh and sshd"
printf '#!/bin/sh\n%sexec "%s" -F "%s" "$@"\n' "${libraries:+LD_LIBRARY_PATH=$libraries }" \
    "$programs/usr/bin/ssh" "$TMPDIR/ssh_config" >"$TMPDIR/bin/ssh"
chmod +x "$box/bin/hone" "$TMPDIR/bin/ssh"
PATH=$TMPDIR/bin:$PATH
port=$(free_port)
sshd_start || skip "a sshd of the story's own lets no one in: $(tail -n 1 "$TMPDIR/ssh.err")"

ends_here
copy_of "$TMPDIR/review" work
drive run "${review[@]}" "${fleet[@]}"
as_here run review
check_is "run: it played there" "$(cut -d' ' -f4 "$play/begun" | sort -u)" bigbox
check_is "run: the line ends with it" "$(until_true 5 [ -z "$(sessions)" ] || sessions)" ''

line_dies client
line_dies server

at_work
timeout 20 "$HONE" stop >/dev/null 2>&1
gone stop
finish

at_work
kill -9 "$driver_pid"
wait "$driver_pid" 2>/dev/null
driver_pid=
gone "hone killed"
release critic
release pedant
drive resume
as_here "hone killed, resumed" review
check_is "hone killed, resumed: what had ended was not played again" \
    "$(awk '$2 ~ /^[1-5]-2/ { print $3 }' "$play/begun" | sort | tr '\n' ' ')" "critic pedant "
exit "$failed"
