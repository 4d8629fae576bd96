#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a project brings along and hone runs without an agent: makefiles that are asked for flags,
# settings of analyzers, its own copies of them, a test that is found.
#
# row: cage.make | a Makefile with $(shell ...) beside a C file, and `hone run review --all` with no agent named | the closed cage: nothing can be written but a temporary folder of its own, no home, no environment of the user's, no network; without bubblewrap make is not asked, and that is said | what it says of flags is believed as far as flags of a compiler can do no harm
# row: cage.settings | a .clang-tidy that has the compiler load a library of the repository | settings that would run code are not used, and that is said; analyzers are in the closed cage | programs of sarif: and rdjson:, which you name yourself
# row: cage.tools | a linter of the project's own (node_modules/.bin, .venv/bin) or one whose settings are a program (eslint.config.js), and `hone run review --all` with no agent named | the closed cage, as for make; without bubblewrap it does not run, and that is said | its report is believed as that of any tool: it can say that nothing is wrong
# row: cage.test | a Makefile whose `test` target no person named, found by `hone run review` to verify fixes | the closed cage, with the workspace open: no home, no environment of the user's, no network; without a sandbox it is not run, and that is said | what it does to the files of the workspace
. "${TOP:?}/tests/trust/lib.sh"

make_asks()
{
    if ! command -v gcc >/dev/null || ! command -v make >/dev/null; then
        echo "skipped: make_asks, $way: there is no gcc or no make"
        return
    fi
    mkdir -p "$HOME/.ssh" && echo "a private key" >"$HOME/.ssh/key"
    new_repo work
    cat >Makefile <<END
X := \$(shell touch $HOME/written $TMPDIR/written $PWD/written /tmp/written.$$; \
    cp $HOME/.ssh/key $PWD/taken; cat $HOME/.ssh/key >&2; \
    test -r $HOME/.ssh/key && echo -DKEY; test -n "\$\$SECRET_TOKEN" && echo -DTOKEN; \
    test \$\$(tail -n +3 /proc/net/dev | wc -l) = 1 || echo -DNETWORK; echo -DASKED)
main.o: main.c
	cc \$(X) -c main.c
END
    git add Makefile
    cat >main.c <<'END'
#ifdef KEY
#error reads a key
#endif
#ifdef TOKEN
#error reads the environment
#endif
#ifdef NETWORK
#error has a network
#endif
#ifdef ASKED
#warning was asked
#endif
int main(void) { return 0; }
END
    SECRET_TOKEN=x hone run review --all --agent "*=analyzer:gcc" --agent "review-fixer=fixits"
    cat "$TMPDIR/out" "$TMPDIR/err" >"$TMPDIR/said"
    check_is "cage.make: it wrote nothing, $way" "$(ls "$HOME/written" "$TMPDIR/written" \
        "$PWD/written" "$PWD/taken" "/tmp/written.$$" 2>/dev/null)" ""
    check_not "cage.make: it read no key, no token, and had no network, $way" \
        grep -qE "reads a key|reads the environment|has a network" "$TMPDIR/said"
    if [ -n "$caged" ]; then
        check_has "cage.make: it was asked, $way" "$TMPDIR/said" "was asked"
    else
        check_not "cage.make: it was not asked, $way" grep -q "was asked" "$TMPDIR/said"
        check "cage.make: which is said, $way" grep -rqs "make was not asked" "$TMPDIR/said" \
            .git/hone/runs
    fi
    rm -f "/tmp/written.$$"
}

found_test()
{
    if ! command -v shellcheck >/dev/null || ! command -v make >/dev/null; then
        echo "skipped: found_test, $way: there is no shellcheck or no make"
        return
    fi
    mkdir -p "$HOME/.ssh" && echo "a private key" >"$HOME/.ssh/key"
    new_repo work
    printf '#!/bin/sh\nrm $1\n' >clean.sh
    cat >Makefile <<END
test:
	touch ran; touch $HOME/written $TMPDIR/written; cp $HOME/.ssh/key taken; \\
	test -z "\$\$SECRET_TOKEN" || touch token; \\
	test \$\$(tail -n +3 /proc/net/dev | wc -l) = 1 || touch network; true
END
    git add . && git commit -q -m test
    SECRET_TOKEN=x hone run review --all --agent "*=analyzer:shellcheck" \
        --agent "review-fixer=fixits"
    cat "$TMPDIR/out" "$TMPDIR/err" >"$TMPDIR/said"
    check_is "cage.test: it took nothing and wrote nothing outside, $way" "$(ls "$HOME/written" \
        "$TMPDIR/written" taken token network 2>/dev/null)" ""
    if [ -n "$caged" ]; then
        check "cage.test: it ran, $way" test -e ran
    else
        check_not "cage.test: it did not run, $way" test -e ran
        check_has "cage.test: risky fixes are held back, $way" "$TMPDIR/said" "held back"
    fi
}

settings()
{
    if ! command -v clang-tidy >/dev/null || ! command -v gcc >/dev/null; then
        echo "skipped: settings, $way: there is no clang-tidy or no gcc"
        return
    fi
    new_repo work
    printf '#include <stdio.h>\n__attribute__((constructor)) static void run(void)
{ FILE *f = fopen("%s/ran", "w"); if (f) fclose(f); f = fopen("ran", "w"); }\n' "$TMPDIR" >evil.c
    gcc -shared -fPIC -o evil.so evil.c && rm evil.c
    printf "Checks: '-*,bugprone-*'\nExtraArgs: ['-fplugin=%s/evil.so']\n" "$PWD" >.clang-tidy
    git add -f . && git commit -q -m settings
    hone run review --all --agent "*=analyzer:clang-tidy" --agent "review-fixer=fixits"
    cat "$TMPDIR/out" "$TMPDIR/err" >"$TMPDIR/said"
    check_not "cage.settings: nothing of the repository ran, $way" test -e "$TMPDIR/ran" -o -e ran
    check "cage.settings: which is said, $way" grep -rqs "they are not used" "$TMPDIR/said" \
        .git/hone/runs
}

# A tool of the project's own, which tries what it can and finds as much as it could do.
tools()
{
    mkdir -p "$HOME/.ssh" && echo "a private key" >"$HOME/.ssh/key"
    new_repo work
    mkdir -p node_modules/.bin
    echo 'let a = 1;' >a.js
    echo 'export default [];' >eslint.config.js
    cat >node_modules/.bin/eslint <<END
#!/bin/sh
did=ran
touch $HOME/written $TMPDIR/written $PWD/written /tmp/written.$$ 2>/dev/null
test -r $HOME/.ssh/key && did="\$did, reads a key"
test -n "\$SECRET_TOKEN" && did="\$did, reads the environment"
test \$(tail -n +3 /proc/net/dev | wc -l) = 1 || did="\$did, has a network"
printf '[{"filePath":"a.js","messages":[{"ruleId":"x","severity":2,"message":"it %s",' "\$did"
printf '"line":1,"column":1}]}]'
exit 1
END
    chmod +x node_modules/.bin/eslint
    git add -f . && git commit -q -m tools
    SECRET_TOKEN=x hone run review --all --agent "review-fixer=fixits"
    cat "$TMPDIR/out" "$TMPDIR/err" >"$TMPDIR/said"
    check_is "cage.tools: it wrote nothing, $way" "$(ls "$HOME/written" "$TMPDIR/written" \
        "$PWD/written" "/tmp/written.$$" 2>/dev/null)" ""
    check_not "cage.tools: it read no key, no token, and had no network, $way" \
        grep -qE "reads a key|reads the environment|has a network" "$TMPDIR/said"
    if [ -n "$caged" ]; then
        check_has "cage.tools: it looked, $way" "$TMPDIR/said" "it ran"
    else
        check_not "cage.tools: it did not run, $way" grep -q "it ran" "$TMPDIR/said"
        check_has "cage.tools: which is said, $way" "$TMPDIR/said" \
            "eslint would run code of this repository, and there is no sandbox to run it in"
    fi
    rm -f "/tmp/written.$$"
}

for_each_way make_asks found_test settings tools
