# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # not assigned here: of play.sh, stage.sh, hosted.sh
#
# own.sh - a role and two loops of the repository's own, played by a real client that hone starts,
# and inside of one. Sourced after hosted.sh; $client is the client; $review and $loop are the
# commands in it; `install` gives it an agent for a role.

slow="A query inside of a loop."
rule="Every number has a name."
mends='sed -i s/defect/mended/ notes.txt' # so that there still is a change

# The template of hosted.sh: what is our own is committed, the change is not.
mkdir -p .hone/roles .hone/loops
printf -- '---\ndescription: Finds what is slow.\nextends: critic\n---\n- %s\n' "$slow" \
    >.hone/roles/perf.md
cat >.hone/loops/speed.yaml <<'END'
about: one who looks for what is slow, and one who repairs it
task: Look at the change
roles:
  perf:
    role: perf
    answers: findings
  fixer:
    remit: |
      Mend what was found.
phases:
  - name: review
    gate:
      reviewers: [perf]
      repair: fixer
      repairs: 2
END
sed 's/  perf:/  reviewer:/; s/\[perf\]/[reviewer]/' .hone/loops/speed.yaml \
    >.hone/loops/careful.yaml
printf '# Rules\n\n- %s\n' "$rule" >REVIEW.md
git add .hone REVIEW.md
git commit -q -m "A role, two loops, a rule" -- .hone REVIEW.md

# told ROLE: it was told its remit, what that extends, and the rules.
told()
{
    check_has "$name: its text reached the model" "$asked.prompt.$1" "$slow"
    check_has "$name: behind what it extends" "$asked.prompt.$1" "Wrong results"
    check_has "$name: and the rules of REVIEW.md" "$asked.prompt.$1" "$rule"
}

# phase_files: those of the first review.
phase_files()
{
    (cd .agents/tmp/phases/review-1 && echo *)
}

# loop_files: of the newest run of a loop.
loop_files()
{
    (cd .hone/runs/*/files && echo *)
}

# ends_clean: two reviews and a repair between them.
ends_clean()
{
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    "$HONE" status >"$TMPDIR/shown"
    check_has "$name: it is clean" "$TMPDIR/shown" "state      clean"
    nothing_left "$name"
    stop_model
}

# ---- hone starts the client ----

# talk ROLE TURNS...: the next one of that role.
talk()
{
    local IFS=,
    printf '{"for":"You are `%s`","turns":[%s]}' "$1" "${*:2}"
}

# headless NAME TALKS...: a model that says them, in the repository.
headless()
{
    local IFS=,
    name="$client: $1"
    start_model "[${*:2}]"
    copy_of "$template" work
}

a_role()
{
    headless "a role of the repository" "$(talk perf "$look" "$(says "$found")")" \
        "$(talk critic "$look" "$(says "$clean")")" \
        "$(talk review-fixer "$look" "$(runs "$mends")" "$(says '# Fixed')")" \
        "$(talk perf "$look" "$(says "$clean")")" "$(talk critic "$look" "$(says "$clean")")"
    run_hone run review --reviewers critic,perf --agent "*=$client"
    await "$name" 0
    starts "$name" perf 2
    starts "$name" critic 2
    starts "$name" review-fixer 1
    told perf
    check_not "$name: nobody else was told" grep -qF "$slow" "$asked.prompt.critic"
    check_is "$name: the files" "$(phase_files)" \
        "r1-critic.json r1-perf.json r1-verdict.json r2-fix-summary.md"
    check_has "$name: its answer" .agents/tmp/phases/review-1/r1-perf.json "a defect is left"
    ends_clean
}

a_loop()
{
    headless "a loop of the repository" "$(talk perf "$look" "$(says "$found")")" \
        "$(talk fixer "$look" "$(runs "$mends")" "$(says '## Fixed: notes.txt:2')")" \
        "$(talk perf "$look" "$(says "$clean")")"
    run_hone run speed --agent "*=$client"
    await "$name" 0
    starts "$name" perf 2
    starts "$name" fixer 1
    told perf
    check_has "$name: the fixer has its remit" "$asked.prompt.fixer" "Mend what was found."
    check_has "$name: and what was found" "$asked.prompt.fixer" "a defect is left"
    check_is "$name: the files" "$(loop_files)" \
        "1-review-1-fixer.md 1-review-1-perf.json 1-review-2-perf.json state.json"
    ends_clean
}

# ---- inside of it ----

mender=$(acts "$reads" "$(runs "$mends")" "$(answer '# Fixed')" "$done_")

# refuses COMMAND TEXT: it begins nothing, and says what is missing.
refuses()
{
    asks "$1"
    await "$name" 0
    check_has "$name: it is said what is missing" "$asked.prompt.leader" "$2"
    check_is "$name: nobody was started" "$(grep -vc '^leader' "$asked")" 0
    check_is "$name: there is no run" "$("$HONE" list 2>&1 | grep -c " review \| speed ")" 0
    nothing_left "$name"
    stop_model
}

no_agent()
{
    begin "a role without an agent" "\"agents\":{$all_clean}"
    refuses "$review --reviewers critic,perf" "has no agent ${agent_name}perf: $install_by"
    begin "a loop whose role has no agent" "\"agents\":{$all_clean}"
    refuses "$loop speed" "has no agent ${agent_name}perf: $install_by"
}

hosted_role()
{
    local both="${plugin_name}critic ${agent_name}perf"
    begin "a role of the repository" "\"agents\":{$all_clean,\"perf\":[$is_found,$is_clean],
        \"review-fixer\":[$mender]}"
    install perf
    asks "$review --reviewers critic,perf look at notes.txt"
    leads_to DONE 2 1
    check_is "$name: its agent" "$(times_started perf)" 2
    check_is "$name: whom the host was asked for" "$(sed -n 's/^leader .* starts //p' "$asked" |
        tr '\n' ,)" "$both,${plugin_name}review-fixer,$both,"
    told perf
    check_is "$name: the files" "$(phase_files)" \
        "r1-critic.json r1-perf.json r1-verdict.json r2-fix-summary.md"
    check_has "$name: its answer" .agents/tmp/phases/review-1/r1-perf.json "a defect is left"
    [ "$client" != codex ] || closes_in_order
    ends_clean
}

# loop_here ARGUMENTS ROLE AGENTS: a loop to its end; whom the host is asked for.
loop_here()
{
    begin "the loop $1" "\"agents\":{\"$2\":[$is_found,$is_clean],\"fixer\":[$mender]}"
    [ "$1" != speed ] || install perf
    asks "$loop $1"
    await "$name" 0
    check_is "$name: whom the host was asked for" "$(sed -n 's/^leader .* starts //p' "$asked" |
        tr '\n' ,)" "$3"
    check_is "$name: who looked, who repaired" "$(times_started "$2") $(times_started fixer)" "2 1"
    told "$2"
    check_is "$name: the files" "$(loop_files)" \
        "1-review-1-fixer.md 1-review-1-$2.json 1-review-2-$2.json state.json"
    [ "$client" != codex ] || closes_in_order
    ends_clean
}

# Roles that hone's agents can play; one with an agent of its own; one that the host has no agent
# for, and which a client plays that hone starts.
hosted_loops()
{
    local fixer=${plugin_name}fixer
    loop_here careful reviewer "${plugin_name}reviewer,$fixer,${plugin_name}reviewer,"
    loop_here speed perf "${agent_name}perf,$fixer,${agent_name}perf,"
    rm -rf "${CODEX_HOME:?}/agents"
    loop_here "speed --agent perf=$client" perf "$fixer,"
}
