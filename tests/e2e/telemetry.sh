#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A run as spans of OpenTelemetry, for a collector that the environment names; and as metrics of
# Prometheus. A collector that is dead, slow or mad costs a run nothing.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"
. "$TOP/tests/support/collector.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir -p "$TMPDIR/bin"

# spans FILTER: what jq says of each span that came.
spans()
{
    cat "$got"/*.json | jq -r ".resourceSpans[].scopeSpans[].spans[] | $1"
}

# attribute NAME: of the span, for jq.
attribute()
{
    echo "([.attributes[] | select(.key == \"$1\") | .value[]] | first)"
}

well_formed()
{
    "$SUPPORT/collector" check "$got"/*.json >"$TMPDIR/wrong" && return
    sed 's/^/    /' "$TMPDIR/wrong"
    return 1
}

# all_came: the span of the run, which is sent last.
all_came()
{
    until_true 20 eval 'spans .name | grep -q ^invoke_workflow'
}

# ---- a run, its rounds and its attempts ----

copy_of "$template" work
forget
# shellcheck disable=SC2154 # of play.sh
does critic "$sees"
does review-fixer "sed -i /defect/d notes.txt; echo \"\$TRACEPARENT\" >'$TMPDIR/parent'
env | grep ^OTEL_ >'$TMPDIR/env'; echo '# Fix Summary'"
collects 200
export OTEL_EXPORTER_OTLP_ENDPOINT=$address/
export OTEL_EXPORTER_OTLP_HEADERS='api-key=s3cret%20word'
export OTEL_RESOURCE_ATTRIBUTES='team=blue,service.name=other' OTEL_SERVICE_NAME='shop ci'
hone run review --agent "*=$agent"
check_is "a run that is watched: exit" "$status" 0
check "its spans come" all_came
check "they are what the protocol says" well_formed
check_has "the address has its path" "$got/1.head" "POST /v1/traces HTTP/1.1"
check_has "the header is there, decoded" "$got/1.head" "api-key: s3cret word"
check_is "the service has its name" "$(cat "$got"/*.json | jq -r '.resourceSpans[].resource
    .attributes[] | select(.key == "service.name") | .value.stringValue' | sort -u)" "shop ci"
check_is "one run" "$(spans 'select(.name == "invoke_workflow review") | .name' | wc -l)" 1
check_is "two rounds" "$(spans .name | grep -c '^round [12] R1$')" 2
check_is "each attempt" "$(spans .name | grep -c '^invoke_agent ')" "$(wc -l <"$play/log")"
check_is "the operation by its convention" "$(spans "select(.name == \"invoke_agent critic\") |
    $(attribute gen_ai.operation.name)" | sort -u)" invoke_agent
root=$(spans 'select(.name == "invoke_workflow review") | .spanId')
check_is "rounds hang below the run" \
    "$(spans 'select(.name | startswith("round ")) | .parentSpanId' | sort -u)" "$root"
check_is "the run has no parent" \
    "$(spans 'select(.name == "invoke_workflow review") | .parentSpanId')" null
check_is "how it ended" "$(spans "select(.name == \"invoke_workflow review\") |
    $(attribute hone.run.reason)")" clean
check_is "the agent knew its span" "$(cat "$TMPDIR/parent")" \
    "00-$(spans 'select(.name == "invoke_agent review-fixer") | "\(.traceId)-\(.spanId)"')-01"
check_is "the trace is the run's" "$(spans .traceId | sort -u)" \
    "$(spans "select(.name == \"invoke_workflow review\") | $(attribute hone.run.uuid)" |
        tr -d -)"
check_not "the agent does not have the header" grep -q s3cret "$TMPDIR/env"
check_not "nothing that was said is sent" grep -qiE 'defect|notes[.]txt|Fix Summary|remove' \
    "$got"/*.json
check_not "and no path" grep -qF "$TMPDIR" "$got"/*.json

# ---- tokens and cost ----

copy_of "$template" work
stand_in_claude "$TMPDIR/bin/claude" "cat '$play/clean'"
PATH=$TMPDIR/bin:$plain_path
collects 200
OTEL_EXPORTER_OTLP_ENDPOINT=$address hone run review --agent '*=claude:opus'
check_is "a run of a model: exit" "$status" 0
all_came
check "spans with tokens are right" well_formed
check_is "tokens of an attempt" "$(spans "select(.name == \"invoke_agent critic\") |
    $(attribute gen_ai.usage.input_tokens) + \" \" + $(attribute gen_ai.usage.output_tokens)")" \
    "100 20"
check_is "its cost, as a number" "$(spans "select(.name == \"invoke_agent critic\") |
    $(attribute hone.cost.usd)")" 0.25
check_is "whose model, and which" "$(spans "select(.name == \"invoke_agent critic\") |
    $(attribute gen_ai.provider.name) + \" \" + $(attribute gen_ai.request.model)")" \
    "anthropic opus"
check_is "the run's sum" "$(spans "select(.name == \"invoke_workflow review\") |
    $(attribute gen_ai.usage.input_tokens) + \" \" + ($(attribute hone.cost.usd) | tostring)")" \
    "500 1.25"
PATH=$plain_path

# ---- below a span of another ----

copy_of "$template" work
collects 200
parent=4bf92f3577b34da6a3ce929d0e0e4736
TRACEPARENT=00-$parent-00f067aa0ba902b7-01 \
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=$address/own/path hone run review --agent "*=$agent"
all_came
ABOVE=00f067aa0ba902b7 check "a run below another span is right" well_formed
check_has "the address of traces is taken as it is" "$got/1.head" "POST /own/path HTTP/1.1"
check_is "it is in that trace" "$(spans .traceId | sort -u)" $parent
check_is "and below that span" \
    "$(spans 'select(.name == "invoke_workflow review") | .parentSpanId')" 00f067aa0ba902b7

copy_of "$template" work
collects 200
TRACEPARENT=00-$parent-00f067aa0ba902b7-00 OTEL_EXPORTER_OTLP_ENDPOINT=$address \
    hone run review --agent "*=$agent"
OTEL_SDK_DISABLED=true OTEL_EXPORTER_OTLP_ENDPOINT=$address hone run review --agent "*=$agent"
check_is "one that is not recorded, or switched off, sends nothing" "$(requests)" 0

# ---- a resume goes on in the trace ----

copy_of "$template" work
forget
collects 200
export OTEL_EXPORTER_OTLP_ENDPOINT=$address
does pedant "until [ -e '$play/go' ]; do sleep 0.05; done; cat '$play/clean'"
rm -f "$play/go"
"$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
pid=$!
until_true 20 eval '[ "$(wc -l <"$play/log")" = 5 ]'
kill -TERM $pid
wait $pid
check "the span of a run that was stopped comes" all_came
check_is "and says so" "$(spans "select(.name == \"invoke_workflow review\") |
    $(attribute hone.run.reason)")" interrupted
touch "$play/go"
hone resume
check_is "a resume: exit" "$status" 0
until_true 20 eval '[ "$(spans .name | grep -c ^invoke_workflow)" = 2 ]'
check "both together are one trace, without an id twice" well_formed

# ---- a collector that fails ----

# unharmed NAME: the run is as it would be without one, and is not slower than its bound.
unharmed()
{
    copy_of "$template" work
    forget
    limit=20 OTEL_EXPORTER_OTLP_ENDPOINT=$2 hone run review --agent "*=$agent"
    check_is "$1: exit" "$status" 0
    check "$1: one remark at most" test "$(grep -c collector "$err")" -le 1
}

unharmed "a dead collector" http://127.0.0.1:1
unharmed "a collector that is no address" collector:4317
check_has "it is said what is wrong" "$err" "begins neither with http://"
copy_of "$template" work
hone run review --quiet --agent "*=$agent"
check_is "with --quiet there is no remark" "$(cat "$err")" ""
for kind in silent slow garbage 400 partial; do
    collects $kind
    unharmed "a collector that is $kind" "$address"
    got_some 1
    check_is "a collector that is $kind: asked once" "$(requests)" 1
done
collects 503:0 429:0 200
unharmed "a collector that is busy" "$address"
check "it is asked again, as it says" got_some 3
check_is "with the same spans" "$(for n in 1 2 3; do cksum <"$got/$n.json"; done | sort -u |
    wc -l)" 1
collects 503:0
unharmed "a collector that stays busy" "$address"
got_some 4
check_is "is given up after four times" "$(requests)" 4

# What was in the way of the spans of a long run is said, once, at its end.
copy_of "$template" work
forget
does critic "sleep 3; cat '$play/clean'"
collects 400
does pedant "until [ -e '$got/1.json' ]; do sleep 0.1; done; sleep 1; cat '$play/clean'"
OTEL_EXPORTER_OTLP_ENDPOINT=$address hone run review --agent "*=$agent"
check_is "a long run with a collector that refuses: exit" "$status" 0
check_is "it is said once" "$(grep -c 'did not all reach the collector: it answered 400' "$err")" 1

# ---- https, by curl ----

cat >"$TMPDIR/bin/curl" <<END
#!/bin/sh
echo "\$*" >"$TMPDIR/curl.words"
cat >"$TMPDIR/curl.config"
printf '{}\n200 '
END
chmod +x "$TMPDIR/bin/curl"
copy_of "$template" work
forget
PATH=$TMPDIR/bin:$plain_path OTEL_EXPORTER_OTLP_ENDPOINT=https://localhost:1 \
    hone run review --agent "*=$agent"
check "an https collector is reached by curl" \
    until_true 20 grep -qs data-binary "$TMPDIR/curl.config"
check_is "which gets nothing on its command line" "$(cat "$TMPDIR/curl.words")" "-q -K -"
check_has "and the header by its input" "$TMPDIR/curl.config" 'header = "api-key: s3cret word"'
rm "$TMPDIR/bin/curl"

# The real one, and a server with a certificate of its own.
if command -v openssl >/dev/null && command -v curl >/dev/null && command -v node >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMPDIR/key.pem" -out "$TMPDIR/cert.pem" \
        -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    got=$TMPDIR/secure
    mkdir -p "$got"
    node -e '
        const fs = require("fs"), [dir, got] = process.argv.slice(1);
        let n = 0;
        const server = require("https").createServer(
            { key: fs.readFileSync(dir + "/key.pem"), cert: fs.readFileSync(dir + "/cert.pem") },
            (request, response) => {
                const pieces = [];
                request.on("data", (piece) => pieces.push(piece));
                request.on("end", () => {
                    n++;
                    fs.writeFileSync(`${got}/${n}.part`, Buffer.concat(pieces));
                    fs.renameSync(`${got}/${n}.part`, `${got}/${n}.json`);
                    response.writeHead(n === 1 ? 503 : 200, { "Retry-After": "0" });
                    response.end("{}");
                });
            });
        server.listen(0, "127.0.0.1", () => {
            fs.writeFileSync(got + "/port", String(server.address().port));
        });' "$TMPDIR" "$got" &
    collector_pid=$!
    until_true 20 test -s "$got/port"
    copy_of "$template" work
    OTEL_EXPORTER_OTLP_ENDPOINT=https://localhost:$(cat "$got/port") \
        OTEL_EXPORTER_OTLP_CERTIFICATE=$TMPDIR/cert.pem hone run review --agent "*=$agent"
    check "by the real curl they come, and again where that is asked for" got_some 2
    rm "$got/1.json"
    check "they are what the protocol says, over https" well_formed
    collects_no_more
else
    skip "https" "openssl, curl or node is not installed"
fi

# ---- metrics ----

unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS
copy_of "$template" 'wo"rk\two'
forget
hone status --format prometheus
check_is "metrics of a repository without a run: exit" "$status" 0
check_has "they say so much" "$out" 'hone_build_info{version='
does critic "$sees"
does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary'"
hone run review --agent "*=$agent"
hone status --format prometheus
check_is "metrics: exit" "$status" 0
check_has "the path cannot leave its quotes" "$out" "workspace=\"$TMPDIR/wo\\\"rk\\\\two\""
check_has "the state" "$out" 'state="clean"} 1'
check_is "rounds" "$(grep '^hone_run_rounds_total' "$out" | sed 's/.* //')" 2
check_is "findings that were fixed" \
    "$(grep '^hone_run_findings.*state="fixed"' "$out" | sed 's/.* //')" 1
check_is "each series once" "$(grep -v '^#' "$out" | sed 's/ [^ ]*$//' | sort | uniq -d)" ""
check_is "each family has a head" "$(grep -v '^#' "$out" | sed 's/[{ ].*//' | sort -u)" \
    "$(sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$out" | sort -u)"
before=$(grep -cv attempts_total "$out")
hone run review --agent "*=$agent"
hone run review --agent "*=$agent"
hone status --format prometheus
check_is "more runs do not make more series" "$(grep -cv attempts_total "$out")" "$before"
check_has "they are counted" "$out" 'state="clean"} 3'
if command -v promtool >/dev/null; then
    check "promtool takes them" promtool check metrics <"$out"
else
    skip "promtool" "it is not installed (package prometheus)"
fi
hone status --format prom
one_line "a format that is none" 2 "did you mean 'prometheus'?"
hone status --json --format prometheus
one_line "two formats" 2 "choose one"

exit "$failed"
