#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What each user of hone-link init may say to the server: every subject of it, one by one; what a
# worker does that names a subject as the place of an answer which it may not publish to; and what
# one can do to attempts of others by what it may say.
#
# The rights are those that hone-link init wrote. The story's server knows the users by a password
# instead of their keys, and has no TLS, so that questions are said by hand (nats_ask).
. "${TOP:?}/tests/fleet/lib.sh"

fleet=$TMPDIR/fleet
"$LINK" init "$fleet" --driver me --driver other --worker box=std --worker box2=gpu >/dev/null

# The administrator of the story is in the account of the drivers.
begin_server()
{
    local conf=$TMPDIR/story.conf
    port=$(free_port)
    {
        printf 'listen: "127.0.0.1:%s"\nno_auth_user: admin\n' "$port"
        printf 'jetstream {\n store_dir: "%s"\n' "$TMPDIR/store"
        printf ' max_memory_store: 64MB\n max_file_store: 2GB\n}\n'
        awk '/^    # / { name = $3 } { sub(/nkey: "[A-Z0-9]*"/, "user: " name ", password: story") }
            /^   jetstream: enabled/ { inside = 1 } { print }
            inside && /^   users: \[/ {
                print "    { user: admin, password: story }"; inside = 0 }' "$fleet/users.conf"
    } >"$conf"
    server_start "$conf"
}

# ask [OPTION...] SUBJECT [TEXT]
ask()
{
    local options=()
    while [[ $1 = -[uhr] ]]; do
        options+=("$1" "$2")
        shift 2
    done
    "$SUPPORT/nats_ask" "${options[@]}" "$port" "$@" | head -n 1 | tr -d '\r'
}

begin_server
drives d 1000 # it makes the streams
tells d "$(job 1.1 std)" "$(job 2.1 gpu)"
waits d '"m":"queued"' && waits d '"m":"queued"' || not_ok "two jobs wait"

# ---- every subject ----

streams='HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS KV_HONE_DRIVERS'
# What each of the server's questions about a stream is called.
about_stream='STREAM.CREATE STREAM.UPDATE STREAM.DELETE STREAM.INFO STREAM.PURGE STREAM.SNAPSHOT
STREAM.RESTORE STREAM.MSG.GET STREAM.MSG.DELETE STREAM.LEADER.STEPDOWN STREAM.PEER.REMOVE
CONSUMER.NAMES CONSUMER.LIST CONSUMER.CREATE DIRECT.GET'
about_consumer='CONSUMER.CREATE CONSUMER.DURABLE.CREATE CONSUMER.INFO CONSUMER.DELETE
CONSUMER.MSG.NEXT CONSUMER.LEADER.STEPDOWN'
about_all='INFO STREAM.NAMES STREAM.LIST STREAM.TEMPLATE.NAMES META.LEADER.STEPDOWN SERVER.REMOVE'

every_subject()
{
    local stream verb
    for verb in $about_all; do echo "\$JS.API.$verb"; done
    for stream in $streams; do
        for verb in $about_stream; do echo "\$JS.API.$verb.$stream"; done
        for verb in $about_consumer; do echo "\$JS.API.$verb.$stream.std"; done
        echo "\$JS.API.CONSUMER.MSG.NEXT.$stream.gpu"
        echo "\$JS.ACK.$stream.std.1.1.1.1.0"
        echo "\$JS.ACK.$stream.gpu.1.1.1.1.0"
    done
    printf '%s\n' "\$JS.API.DIRECT.GET.HONE_RESULTS.hone.result.$run.1.1" \
        "\$JS.API.DIRECT.GET.HONE_BLOBS.hone.back.$run.1.1.x.0" \
        "\$JS.API.DIRECT.GET.HONE_BLOBS.hone.blob.$run.x.0" \
        "\$JS.API.DIRECT.GET.KV_HONE_CLAIMS.\$KV.HONE_CLAIMS.$run.1.1" \
        "\$JS.API.DIRECT.GET.KV_HONE_DRIVERS.\$KV.HONE_DRIVERS.$run" \
        "hone.job.std.$run.9.1" "hone.job.gpu.$run.9.1" "hone.blob.$run.x.0" \
        "hone.cancel.$run.9.1" hone.who "\$KV.HONE_DRIVERS.$run" "\$KV.HONE_CLAIMS.$run.9.1" \
        "hone.result.$run.9.1" "hone.back.$run.9.1.x.0" "hone.log.$run.9.1" "hone.need.$run" \
        hone.worker.box hone.worker.box2 _INBOX_me.x _INBOX_box2.x _INBOX.x \
        '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.HONE_JOBS.std' '$SYS.REQ.SERVER.PING' x
}

# What a worker of the pool std may say, of these.
worker_may="\$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.std
\$JS.ACK.HONE_JOBS.std.1.1.1.1.0
\$JS.API.DIRECT.GET.HONE_BLOBS.hone.blob.$run.x.0
\$JS.API.DIRECT.GET.KV_HONE_CLAIMS.\$KV.HONE_CLAIMS.$run.1.1
\$JS.API.DIRECT.GET.KV_HONE_DRIVERS.\$KV.HONE_DRIVERS.$run
\$KV.HONE_CLAIMS.$run.9.1
hone.result.$run.9.1
hone.back.$run.9.1.x.0
hone.log.$run.9.1
hone.need.$run
hone.worker.box"

# What a driver may not is what would be a worker's word, or is about the server.
driver_may()
{
    local stream
    for stream in $streams; do
        echo "\$JS.API.STREAM.CREATE.$stream"
        echo "\$JS.API.STREAM.PURGE.$stream"
    done
    printf '%s\n' "\$JS.API.STREAM.MSG.GET.HONE_JOBS" "\$JS.API.STREAM.MSG.DELETE.HONE_JOBS" \
        "\$JS.API.STREAM.MSG.DELETE.HONE_RESULTS" "\$JS.API.CONSUMER.LIST.HONE_JOBS" \
        "\$JS.API.CONSUMER.DURABLE.CREATE.HONE_JOBS.std" "\$JS.API.CONSUMER.INFO.HONE_JOBS.std" \
        "\$JS.API.CONSUMER.DELETE.HONE_JOBS.std" \
        "\$JS.API.STREAM.MSG.GET.HONE_RESULTS" "\$JS.API.STREAM.MSG.GET.KV_HONE_CLAIMS" \
        "\$JS.API.STREAM.MSG.GET.KV_HONE_DRIVERS" \
        "\$JS.API.DIRECT.GET.HONE_BLOBS.hone.back.$run.1.1.x.0" \
        "\$JS.API.DIRECT.GET.HONE_BLOBS.hone.blob.$run.x.0" \
        "hone.job.std.$run.9.1" "hone.job.gpu.$run.9.1" "hone.blob.$run.x.0" \
        "hone.cancel.$run.9.1" hone.who "\$KV.HONE_DRIVERS.$run" "\$KV.HONE_CLAIMS.$run.9.1"
}

# may USER SUBJECTS: of every subject, those alone are not refused. Where nothing is said on an
# allowed one, that is enough here: what comes of it is another story's.
may()
{
    local subject is wanted
    every_subject >"$TMPDIR/every"
    while read -r subject; do
        wanted=refused
        if grep -qxF -- "$subject" <<<"$2"; then wanted=said; fi
        is=$(ask -u "$1" -r "_INBOX_$1.none" "$subject" '{"no":1}')
        check_is "$1: $subject" "$is" "$wanted"
    done <"$TMPDIR/every"
}

hears_subject() # USER SUBJECT
{
    "$SUPPORT/nats_ask" -u "$1" -s "$port" "$2"
}

may box "$worker_may"
for subject in 'hone.result.>' 'hone.log.>' 'hone.log.x' 'hone.back.>' 'hone.job.>' 'hone.need.x' \
    'hone.worker.>' '_INBOX_me.>' '_INBOX_box2.>' '_INBOX.>' '>' '$JS.>' '$KV.HONE_CLAIMS.>' \
    '$KV.HONE_DRIVERS.>' '$SYS.>'; do
    check_is "box listens to $subject" "$(hears_subject box "$subject")" refused
done
for subject in 'hone.cancel.>' hone.who '_INBOX_box.>'; do
    check_is "box listens to $subject" "$(hears_subject box "$subject")" heard
done
for subject in '_INBOX_box.>' '_INBOX_other.>' 'hone.job.>' '>' '$SYS.>' 'hone.cancel.>'; do
    check_is "a driver listens to $subject" "$(hears_subject me "$subject")" refused
done

# ---- the place of an answer ----

# held: what lies in each stream, and what was heard of subjects that are not stored.
held()
{
    local stream
    for stream in HONE_JOBS HONE_BLOBS KV_HONE_DRIVERS STORY; do
        echo "$stream $(stream_counts "$stream")"
    done
}

places="hone.job.std.$run.8.1 hone.job.gpu.$run.8.2 hone.blob.$run.y.0 \$KV.HONE_DRIVERS.x
hone.cancel.$run.1.1 _INBOX_me.x _INBOX_box2.x \$JS.API.STREAM.DELETE.HONE_JOBS
\$JS.API.STREAM.PURGE.HONE_BLOBS \$JS.API.STREAM.PURGE.HONE_JOBS
\$JS.API.CONSUMER.DELETE.HONE_JOBS.std"
claim="\$KV.HONE_CLAIMS.$run.7.1"
ask '$JS.API.STREAM.CREATE.STORY' \
    '{"name":"STORY","subjects":["hone.cancel.>","_INBOX_me.x","_INBOX_box2.x"]}' >/dev/null
ask "hone.blob.$run.x.0" "of a run" >/dev/null
ask -u box -h 'Hone-Stop: cancel' "$claim" '' >/dev/null
before=$(held)
for place in $places; do
    ask -u box -r "$place" "\$JS.API.DIRECT.GET.KV_HONE_CLAIMS.$claim" >/dev/null
    ask -u box -r "$place" "hone.result.$run.7.1" '{}' >/dev/null
    ask -u box -r "$place" "\$KV.HONE_CLAIMS.$run.7.2" '{}' >/dev/null
    ask -u box -r "$place" '$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.std' '{"batch":9,"no_wait":true}' \
        >/dev/null
done
check_is "a worker has no answer sent to where it may not publish" "$(held)" "$before"
for stream in $streams; do
    check_has "$stream is there" <(ask "\$JS.API.STREAM.INFO.$stream") '"state"'
done
check_has "and so is the pool" <(ask '$JS.API.CONSUMER.INFO.HONE_JOBS.std') '"num_pending"'
ask -r "hone.job.std.$run.8.3" "\$JS.API.DIRECT.GET.KV_HONE_CLAIMS.$claim" >/dev/null
check_not "whereas one of the drivers' account has" test "$(held)" = "$before"

# ---- claims, and what others sent ----

count=$(stream_counts KV_HONE_CLAIMS)
check_has "a worker cannot take all claims away by one" \
    <(ask -u box -h 'Nats-Rollup: all' "\$KV.HONE_CLAIMS.$run.7.3" '{}') '"error"'
check_is "they are there" "$(stream_counts KV_HONE_CLAIMS)" "$count"
check_has "a worker can read what any run sends: pools share jobs out, and hide nothing" \
    <("$SUPPORT/nats_ask" -u box2 "$port" '$JS.API.DIRECT.GET.HONE_BLOBS.hone.blob.>') "of a run"
check_has "a driver can take another driver's run away: they trust each other" \
    <(ask -u other '$JS.API.STREAM.PURGE.HONE_JOBS' "{\"filter\":\"hone.job.*.$run.>\"}") \
    '"success":true'

# ---- claims and results of others: attempts go on or are lost, and none is answered ----

works w std
tells d "$(says m=stop k=1.1)" "$(says m=stop k=2.1)"
for n in 11 12 13; do
    tells w '{"m":"free","n":1}'
    tells d "$(job $n.1)"
    begins w $n.1
    waits d '"m":"taken","k":"'"$run.$n.1"'"' || not_ok "$n.1 is taken"
done
ask -u box2 "\$KV.HONE_CLAIMS.$run.11.1" '{"worker":"box2","proof":"x","token":"x"}' >/dev/null
sleep 3.2 # longer than any lease holds
tells w "$(result 11.1 w)"
hears "a claim that another worker writes over is put back, and its attempt goes on" d \
    '"m":"ended","k":"'"$run.11.1"'"'
check_has "by the worker that has it" <(printf '%s' "$heard") '"nonce":"'"$nonce"
never "it was not stopped" w '"m":"stop","k":"'"$run.11.1"'"'
ask -u box2 -h 'KV-Operation: DEL' "\$KV.HONE_CLAIMS.$run.12.1" cancel >/dev/null
hears "one whose claim another worker takes away is lost" d '"m":"lost","k":"'"$run.12.1"'"'
tells w "$(result 12.1 w)"
ask -u box2 "hone.result.$run.13.1" \
    '{"v":1,"nonce":"00000000000000000000000000000000","worker":"w","files":[]}' >/dev/null
hears "a result of a worker that knows no nonce comes first" d '"m":"ended","k":"'"$run.13.1"'"'
check_has "and has none" <(printf '%s' "$heard") '"nonce":"00000000000000000000000000000000"'
tells w "$(result 13.1 w)"
hears "the other is not wanted" w '"k":"'"$run.13.1"'"'
check_not "no attempt is answered by it" grep -q '"m":"ended".*[.]1[23][.]1.*"nonce":"'"$nonce" \
    "$TMPDIR/d.log"

may me "$(driver_may)"
