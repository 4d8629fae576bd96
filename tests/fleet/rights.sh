#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link init: TLS, keys, and the least rights for each; and doctor, who looks at them.
. "${TOP:?}/tests/fleet/lib.sh"

fleet=$TMPDIR/fleet
port=$(free_port)
# makes ARGUMENT...
makes()
{
    "$LINK" init "$fleet" "$@" >"$TMPDIR/init.out" 2>"$TMPDIR/init.err"
}

makes --server "localhost:$port" --driver me --worker box1=std --worker box2=gpu
check_is "init" $? 0
check_has "says how to start the server" "$TMPDIR/init.out" \
    "nats-server -c $fleet/server.conf -P $fleet/pid"
check_has "names the verb that a user has" "$TMPDIR/init.out" "hone fleet doctor tls://localhost"
check_is "all files are private" "$(find "$fleet" -type f ! -perm 600 | wc -l)" 0
check_is "all folders, too" "$(find "$fleet" -type d ! -perm 700 | wc -l)" 0
check_not "the server's files hold no seed" grep -rqE '^SU[A-Z2-7]{56}' "$fleet" \
    --include='*.conf' --include='*.list'

# always_said: its configuration, with the line that init wrote for servers that know it.
always_said()
{
    sed 's/# sync_interval/sync_interval/' "$fleet/server.conf" >"$fleet/always.conf"
    nats-server -t -c "$fleet/always.conf" >"$TMPDIR/always.out" 2>&1
    always=$?
    rm "$fleet/always.conf"
}
always_said
case $(nats-server --version) in
*v2.[0-9].*) check_has "2.9: refuses sync_interval" "$TMPDIR/always.out" sync_interval ;;
*) check_is "2.10 and newer: takes sync_interval" "$always" 0 ;;
esac

LEASE=3000
server_start "$fleet/server.conf"
url=tls://localhost:$port

# ---- doctor, as each user ----
for user in me box1 box2; do
    "$LINK" doctor "$url" --keys "$fleet/users/$user" >"$TMPDIR/doctor.$user" 2>&1
    check_is "doctor finds nothing as $user" $? 0
done
for what in claim beat 'a second result is refused' delete 'delete a stream: refused'; do
    check_has "as a driver: $what" "$TMPDIR/doctor.me" "ok    $what"
done
for what in 'store a job' "read another's result" 'read what belongs to a result' 'delete a stream'
do
    check_has "a worker may not: $what" "$TMPDIR/doctor.box1" "ok    $what: refused"
done
"$LINK" doctor "$url" --ca "$fleet/users/me/ca.pem" >"$TMPDIR/doctor.none" 2>&1
check_is "without a key no one gets in" $? 1
check_has "and doctor says what to do" "$TMPDIR/doctor.none" "bad   connect"
"$LINK" doctor "$url" --nkey "$fleet/users/me/nkey.seed" >"$TMPDIR/doctor.ca" 2>&1
check_is "a server that is not known is not trusted" $? 1
check_has "and that is said" "$TMPDIR/doctor.ca" "Is --ca the certificate"

# ---- hone fleet doctor: one verdict, and whose keys they are ----
# doctor_is NAME KEYS EXIT WORDS [URL]
doctor_is()
{
    HONE_FLEET_KEYS=$2 timeout -k 5 60 "$HONE" fleet doctor "${5:-$url}" \
        >"$TMPDIR/whole.out" 2>&1
    check_is "doctor: $1: exit" $? "$3"
    check_has "doctor: $1: said" "$TMPDIR/whole.out" "$4"
    check_not "doctor: $1: no verdict in the middle" grep -q 'All is well' "$TMPDIR/whole.out"
    check_not "doctor: $1: no words of the inside" grep -q 'exit status' "$TMPDIR/whole.out"
}
doctor_is "no worker" "$fleet/users/me" 3 "no worker is there"
doctor_is "a worker's keys" "$fleet/users/box1" 3 "these keys are a worker's; who starts runs"
doctor_is "no keys" "$fleet/none" 3 "the folder of keys $fleet/none is not there"
cp -r "$fleet/users/me" "$TMPDIR/spoilt" && rm "$TMPDIR/spoilt/name"
doctor_is "no name" "$TMPDIR/spoilt" 3 "$TMPDIR/spoilt/name is not there"
echo me >"$TMPDIR/spoilt/name" && echo SUSEED >"$TMPDIR/spoilt/nkey.seed"
doctor_is "a seed that is none" "$TMPDIR/spoilt" 3 "Take this user's folder anew"
doctor_is "no such host" "$fleet/users/me" 3 "there is no machine of that name" \
    tls://no-such-host.invalid:4222
doctor_is "no server" "$fleet/users/me" 3 "no server answers at tls://localhost:1" \
    tls://localhost:1
env -u HONE_FLEET_KEYS "$LINK" doctor "$url" >"$TMPDIR/doctor.nokeys" 2>&1
check_has "without keys: the folder is named" "$TMPDIR/doctor.nokeys" \
    "there is no folder of keys $HOME/.config/hone/fleet"

# worker_ends NAME USER POOL WORDS: a worker that no job can come to says so once, and ends.
worker_ends()
{
    timeout -k 5 30 "$HONE" worker "$url" --keys "$fleet/users/$2" --pool "$3" --no-sandbox \
        --folder "$TMPDIR/ending" >"$TMPDIR/ends.err" 2>&1
    check_is "worker: $1: exit" $? 3
    check_is "worker: $1: said once" "$(grep -c "$4" "$TMPDIR/ends.err")" 1
    check_not "worker: $1: not the server's words" grep -q Violation "$TMPDIR/ends.err"
}
worker_ends "a driver's keys" me std "are a driver's"
worker_ends "keys of another pool" box2 std "these keys are not for the pool std"

# ---- an attempt, over TLS ----
drives d 1000 --keys "$fleet/users/me"
works box1 std --keys "$fleet/users/box1"
tells box1 '{"m":"free","n":1}'
tells d "$(job 1.1)"
begins box1 1.1
printf 'answer' >"$TMPDIR/answer"
tells box1 "put $TMPDIR/answer - $run.1.1" "$(result 1.1 box1)"
hears "an attempt over TLS" d '"m":"ended","k":"'"$run.1.1"'"'
tells d "$(says m=forget k=1.1)"
hears "is forgotten" box1 '"m":"forget"'
check_not "no one was refused anything" grep -q 'ermissions' "$TMPDIR/d.err" "$TMPDIR/box1.err"

# ---- a worker in a pool that is not its own ----
works thief std --keys "$fleet/users/box2"
tells thief '{"m":"free","n":1}'
tells d "$(job 2.1)"
waits d '"m":"queued","k":"'"$run.2.1"'"'
until_true 10 grep -q 'HONE_JOBS.std' "$TMPDIR/thief.err"
check_has "a pool of others: refused, and said" "$TMPDIR/thief.err" "HONE_JOBS.std"
never "nothing is handed out" thief '"m":"job"'

# ---- once more ----
cp -r "$fleet" "$TMPDIR/before"
makes --worker box3
check_is "init again" $? 0
check_has "says how many" "$TMPDIR/init.out" ": 1 user added"
check_has "says which server reads them" "$TMPDIR/init.out" "--signal reload=$fleet/pid"
check_has "adds the user" "$fleet/users.list" "worker box3 "
reloaded() { [ "$(grep -c 'Reloaded server configuration' "$TMPDIR/server.out")" = "$1" ]; }
for times in 1 2; do
    kill -HUP "$server_pid" # as nats-server --signal reload does
    check "the server reads it anew ($times)" until_true 10 reloaded "$times"
done
check "the new user is let in, and finds the streams" "$LINK" doctor "$url" \
    --keys "$fleet/users/box3"
tells box1 '{"m":"free","n":1}'
begins box1 2.1
hears "and those that were at work are" d '"m":"taken","k":"'"$run.2.1"'"'
makes --worker box3 --server other:1
check_is "init: the same again" $? 0
check_has "says that nothing changed" "$TMPDIR/init.out" "nothing changed: all users"
check_has "says that the server's name stays" "$TMPDIR/init.out" "--server other:1 has no effect"
"$LINK" init "$TMPDIR/local" --driver me >"$TMPDIR/init.out"
check_has "init without a name says for whom it is" "$TMPDIR/init.out" "is for localhost, this"
rm -rf "$fleet/users/box3"
grep -v box3 "$fleet/users.list" >"$TMPDIR/before/users.list.now"
check "and keeps those that were there" cmp -s "$TMPDIR/before/users.list" \
    "$TMPDIR/before/users.list.now"
rm "$TMPDIR/before/users.list.now"
check "and all the rest" diff -r -x users.list -x users.conf -x store "$TMPDIR/before" "$fleet"
makes --worker '../evil'
check_is "a name that is none" $? 2
makes --worker box4=std,std
check_is "a pool that is named twice" $? 2
makes --server 'a"b'
check_is "a host that is none" $? 2
