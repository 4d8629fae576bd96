#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a repository says of notifications and ceilings, and what an agent can see of what watches a
# run. Nothing of it depends on a cage: each user is tried once.
# row: repository.notify | hone.json of a repository, or one that an agent wrote into it during a run, names a command, an address or a secret for notifications | the run does not begin before the user has agreed to that very text; a resume, which does not ask, leaves out what was not agreed to and says so | notify.when, which runs nothing, is shown and not asked about
# row: repository.ceiling | hone.json of a repository sets limits.calls_per_hour | it can lower the user's ceiling, and never lift it | where the user has none, the repository's holds
# row: agent.headers | an agent reads the collector's key from OTEL_EXPORTER_OTLP_HEADERS | the variable is withheld, as all credentials that an agent does not need | rights.env passes it on, where the user says so
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    told=$TMPDIR/told
    printf '#!/bin/sh\necho told >>"%s"\n' "$told" >"$TMPDIR/tells"
    chmod +x "$TMPDIR/tells"
}

review()
{
    hone run review --no-sandbox --agent "*=$agent" "$@"
}

# refused NAME JSON SHOWN: the run does not begin.
refused()
{
    forget
    copy_of "$template" work
    printf '{"notify":%s}\n' "$2" >hone.json
    review
    check_is "repository.notify: $1: exit" "$status" 2
    check_has "repository.notify: $1: shown" "$err" "$3"
    check_is "repository.notify: $1: no agent was started" "$(cat "$play/log")" ""
    check_not "repository.notify: $1: nothing was told" test -e "$told"
}

foreign()
{
    refused "a command" "{\"command\":[\"$TMPDIR/tells\"]}" "notify.command"
    refused "an address" '{"webhook":"http://127.0.0.1:1/"}' "http://127.0.0.1:1/"
    refused "the desktop" '{"desktop":true}' "notify.desktop"
    refused "a file with a secret" '{"secret_file":"~/.ssh/id_rsa"}' ".ssh/id_rsa"
    refused "a variable with a secret" '{"secret_env":"AWS_SECRET_ACCESS_KEY"}' \
        "AWS_SECRET_ACCESS_KEY"
    forget
    copy_of "$template" work
    printf '{"notify":{"command":["%s"]}}\n' "$TMPDIR/tells" >hone.json
    review --trust
    check_is "repository.notify: agreed to: exit" "$status" 0
    check "repository.notify: agreed to: told" test -e "$told"
}

# The file changes while the run is left: by an agent, or by what a fixer fetched.
later()
{
    forget
    copy_of "$template" work
    rm -f "$told"
    does critic 'exit 9'
    review
    check_is "repository.notify: a run that is left: exit" "$status" 3
    does critic
    printf '{"notify":{"command":["%s"]}}\n' "$TMPDIR/tells" >hone.json
    hone resume
    check_is "repository.notify: its resume: exit" "$status" 0
    check_not "repository.notify: what came into the file does not count" test -e "$told"
    check_has "repository.notify: and that is said" "$err" "notify.command of hone.json does not"
    # What the user's own file says counts all the same.
    mkdir -p "$HOME/.config/hone"
    printf '{"notify":{"command":["%s"]}}\n' "$TMPDIR/tells" >"$HOME/.config/hone/config.json"
    printf '{"notify":{"command":["touch","%s.theirs"]}}\n' "$told" >hone.json
    forget
    does critic 'exit 9'
    mv hone.json aside.json
    review
    mv aside.json hone.json
    does critic
    rm -f "$told"
    hone resume
    check "repository.notify: the user's own command is started" test -e "$told"
    check_not "repository.notify: and not the repository's" test -e "$told.theirs"
}

ceiling()
{
    copy_of "$template" work
    mkdir -p "$HOME/.config/hone"
    printf '{"limits":{"calls_per_hour":7}}\n' >"$HOME/.config/hone/config.json"
    printf '{"limits":{"calls_per_hour":90000}}\n' >hone.json
    check_is "repository.ceiling: it cannot be lifted" \
        "$("$HONE" config get limits.calls_per_hour)" 7
    printf '{"limits":{"calls_per_hour":2}}\n' >hone.json
    check_is "repository.ceiling: it can be lowered" \
        "$("$HONE" config get limits.calls_per_hour)" 2
}

headers()
{
    forget
    copy_of "$template" work
    does critic "env >'$TMPDIR/env'; cat '$play/clean'"
    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_HEADERS=key=s3cret \
        OTEL_EXPORTER_OTLP_TRACES_HEADERS=key=s3cret review
    check_is "agent.headers: exit" "$status" 0
    check_not "agent.headers: they are not there" grep -q s3cret "$TMPDIR/env"
    check "agent.headers: its span is" grep -qE '^TRACEPARENT=00-[0-9a-f]{32}-[0-9a-f]{16}-01$' \
        "$TMPDIR/env"
}

for_each_way foreign later ceiling headers
