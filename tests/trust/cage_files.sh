#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What agents can write outside of the workspace: nothing that the user, hone or another agent runs
# later, and nothing that acts for the user.
#
# row: cage.reader | a reviewer writes a program into a folder of the PATH (~/.local/bin/git), a shell's profile, another client's settings | the machine is read-only to a reviewer but for its output, temporary folders of its own and what clients keep; a settings file that it makes there is moved away | without bubblewrap
# row: cage.programs | a fixer overwrites its client's program, or another client's, below their state folders | programs are read-only, also where they lie in an open folder, and so are folders of the PATH outside of the workspace | without bubblewrap; a program in the workspace itself
# row: cage.path | a program with the name of one that hone runs (git) comes to be first on the PATH while a run is at work | programs are looked for once, before the first agent begins | a later run, where such a folder can be written without a cage
# row: cage.session | an agent connects to sockets of the user's session: tmux in /tmp, XDG_RUNTIME_DIR, SSH_AUTH_SOCK, DOCKER_HOST, the home folder | they are not seen; temporary folders are empty and its own | without bubblewrap; abstract sockets, unless rights.network is false; what rights.write lets in
# row: cage.asked | a sandbox is asked for (--sandbox, sandbox: true, a right set to false) where there is none | the run is refused (2); only the default is done without, and says so | nothing
. "${TOP:?}/tests/trust/lib.sh"

# An agent's attempts are named lines in the workspace (a fixer) or nothing at all (a reviewer): all
# that counts is what is there afterwards.
reader()
{
    mkdir -p "$HOME/.local/bin" "$HOME/.codex" "$HOME/.claude"
    new_repo work
    sed -i /defect/d notes.txt && echo more >>notes.txt
    PATH=$HOME/.local/bin:$PATH hone run review --agent "*=cmd:echo '$clean'" --agent "critic=cmd:
printf '#!/bin/sh\ntouch $TMPDIR/ran\nexec /usr/bin/git \"\$@\"\n' >$HOME/.local/bin/git
chmod +x $HOME/.local/bin/git
for file in .profile .bashrc .codex/hooks.json .config/hone/config.json .ssh/authorized_keys; do
    mkdir -p \"$HOME/\${file%/*}\"; echo x >$HOME/\$file
done
echo state >$HOME/.claude/state
test -w \"\$HONE_OUTPUT\" || touch \"\$HONE_OUTPUT\" && rm -f \"\$HONE_OUTPUT\"
echo '$clean'"
    if [ -n "$caged" ]; then
        check_not "cage.reader: no program on the PATH, $way" test -e "$HOME/.local/bin/git"
        check_is "cage.reader: nothing else, $way" \
            "$(cd "$HOME" && ls .profile .bashrc .codex/hooks.json .config .ssh 2>/dev/null)" ""
        check "cage.reader: what its client keeps, $way" test -e "$HOME/.claude/state"
    fi
    check_not "cage.path: hone never ran it, $way" test -e "$TMPDIR/ran"
}

programs()
{
    if [ -z "$caged" ]; then
        echo "skipped: programs, $way: nothing holds it off"
        return
    fi
    mkdir -p "$HOME/.claude/local/node_modules/.bin" "$HOME/.codex/packages/bin" \
        "$HOME/.cache/tools/bin"
    printf '#!/bin/sh\necho old\n' >"$HOME/.claude/local/claude"
    cp "$HOME/.claude/local/claude" "$HOME/.claude/local/node_modules/.bin/claude"
    cp "$HOME/.claude/local/claude" "$HOME/.codex/packages/bin/codex"
    cp "$HOME/.claude/local/claude" "$HOME/.cache/tools/bin/tool"
    chmod -R a+x "$HOME/.claude/local" "$HOME/.codex/packages" "$HOME/.cache/tools"
    mkdir -p "$HOME/.claude/projects"
    new_repo work
    PATH=$HOME/.claude/local:$HOME/.codex/packages/bin:$HOME/.cache/tools/bin:$PATH \
        hone run review --agent "*=$reviewer" --agent "review-fixer=cmd:
for file in .claude/local/claude .claude/local/node_modules/.bin/claude \
    .codex/packages/bin/codex .cache/tools/bin/tool; do
    echo evil >$HOME/\$file; rm -f $HOME/\$file; mv $HOME/\${file%%/*} $HOME/gone
done 2>/dev/null
echo evil >$HOME/.claude/local/new
echo state >$HOME/.claude/projects/state && echo cached >$HOME/.cache/thing
sed -i /defect/d notes.txt; echo '# Fix Summary'"
    check_is "cage.programs: clean, $way" "$status" 0
    check_is "cage.programs: they are what they were, $way" "$(cat "$HOME/.claude/local/claude" \
        "$HOME/.claude/local/node_modules/.bin/claude" "$HOME/.codex/packages/bin/codex" \
        "$HOME/.cache/tools/bin/tool" | grep -c 'echo old')" 4
    check_not "cage.programs: and no other is there, $way" test -e "$HOME/.claude/local/new"
    check "cage.programs: state and caches are open, $way" \
        test -e "$HOME/.claude/projects/state" -a -e "$HOME/.cache/thing"
}

# The fake comes to be first on the PATH when the first agent has begun: not by an agent, so that it
# is there in every way.
path()
{
    local run
    mkdir -p "$TMPDIR/first"
    new_repo work
    PATH=$TMPDIR/first:$PATH "$HONE" run review --agent "*=$reviewer" --agent \
        "review-fixer=cmd:touch began; until [ -e go ]; do sleep 0.1; done; rm began go
sed -i /defect/d notes.txt; echo '# Fix Summary'" >"$TMPDIR/out" 2>"$TMPDIR/err" &
    run=$!
    until_true 20 test -e began
    for name in git sh bwrap true; do
        printf '#!/bin/sh\ntouch %s\nexit 1\n' "$TMPDIR/ran.$name" >"$TMPDIR/first/$name"
        chmod +x "$TMPDIR/first/$name"
    done
    /usr/bin/touch go
    wait "$run"
    check_is "cage.path: the run ends clean, $way" $? 0
    check_is "cage.path: nothing of it ran outside of an agent, $way" \
        "$(cd "$TMPDIR" && ls ran.git ran.bwrap ran.true 2>/dev/null)" ""
}

# listen SOCKET: writes down who connects, as tmux would obey.
listen()
{
    mkdir -p "${1%/*}"
    python3 - "$1" "$TMPDIR/reached" <<'END' &
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(8)
while True:
    server.accept()[0].close()
    open(sys.argv[2], "a").write(sys.argv[1] + "\n")
END
    listeners+=($!)
    until_true 10 test -S "$1"
}

session()
{
    local shared listeners=() places
    if ! command -v python3 >/dev/null; then
        echo "skipped: session, $way: there is no python3"
        return
    fi
    shared=$(mktemp -d /tmp/hone-trust-tmux.XXXXXX)
    export XDG_RUNTIME_DIR=$HOME/runtime SSH_AUTH_SOCK=$HOME/agents/ssh
    export DOCKER_HOST=unix://$HOME/docker.sock
    places="$shared/default $XDG_RUNTIME_DIR/bus $SSH_AUTH_SOCK $HOME/docker.sock
        $HOME/.gnupg/S.gpg-agent"
    for place in $places; do listen "$place"; done
    echo secret >"$shared/secret"
    new_repo work
    cat >try.py <<'END'
import os, socket, sys
for path in sys.argv[1:]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
    except OSError:
        pass
END
    git add try.py
    hone run review --agent "*=$reviewer" --agent "critic=cmd:python3 try.py $(echo $places)
${reviewer#cmd:}" --agent "review-fixer=cmd:python3 try.py $(echo $places); cp $shared/secret seen
echo x >$shared/planted; echo x >/tmp/hone-own.$$ && echo x >/var/tmp/hone-own.$$ &&
echo x >/dev/shm/hone-own.$$ && touch own; env >environment
sed -i /defect/d notes.txt; echo '# Fix Summary'"
    check_is "cage.session: clean, $way" "$status" 0
    if [ -n "$caged" ]; then
        check_not "cage.session: no socket was reached, $way: $(cat "$TMPDIR/reached" 2>&1)" \
            test -e "$TMPDIR/reached"
        check_not "cage.session: what others keep in /tmp is not seen, $way" test -s seen
        check_not "cage.session: and nothing is planted there, $way" test -e "$shared/planted"
        check "cage.session: temporary folders of its own, $way" test -e own
        check_is "cage.session: which are gone, $way" \
            "$(ls /tmp/hone-own.$$ /var/tmp/hone-own.$$ /dev/shm/hone-own.$$ 2>/dev/null)" ""
    else
        check "cage.session: nothing holds it off, as SECURITY.md says, $way" \
            test -e "$TMPDIR/reached"
        rm -f /tmp/hone-own.$$ /var/tmp/hone-own.$$ /dev/shm/hone-own.$$
    fi
    check_not "cage.session: no variable names them, $way" \
        grep -qE '^(SSH_AUTH_SOCK|DOCKER_HOST)=' environment
    kill "${listeners[@]}"
    rm -rf "$shared"
}

asked()
{
    local wanted=0
    [ -n "$caged" ] || wanted=2
    new_repo work
    hone run review --sandbox --agent "*=cmd:echo '$clean'"
    check_is "cage.asked: --sandbox, $way" "$status" "$wanted"
    echo '{"sandbox":true}' >"$TMPDIR/config.json"
    HONE_CONFIG=$TMPDIR/config.json hone run review --agent "*=cmd:echo '$clean'"
    check_is "cage.asked: sandbox true, $way" "$status" "$wanted"
    echo '{"rights":{"network":false}}' >"$TMPDIR/config.json"
    HONE_CONFIG=$TMPDIR/config.json hone run review --agent "*=cmd:echo '$clean'"
    check_is "cage.asked: rights.network false, $way" "$status" "$wanted"
    hone run review --agent "*=cmd:echo '$clean'"
    check_is "cage.asked: the default, $way" "$status" 0
    hone doctor
    check "cage.asked: hone doctor says which cage there is, $way" \
        grep -qE 'bubblewrap (works|is not installed)' "$TMPDIR/out"
}

for_each_way reader programs path session asked
