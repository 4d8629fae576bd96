/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.c - analyzers that are data: a row says which files, which command, and how its report is
 * read.
 *
 * 1. Without settings of the repository a tool looks for faults, not for style: a project that
 *    never chose a style has not broken it. A tool that knows nothing but style looks only where
 *    the repository has settings for it (only_configured).
 * 2. Settings that make a tool load code of the repository are not used (config_runs), or the tool
 *    runs in a cage always (runs_code).
 * 3. Nothing is fetched: there is no network in the cage, and tools are told so where they would
 *    wait for one.
 *
 * docs/analyzers.md has them with what they were tried with. */
#include "analyze/analyzers.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define LANGUAGES(...) ((const struct language *const[]){ __VA_ARGS__, NULL })

/* ---- languages ---- */

static const struct language python = {
    .name = "Python", .ends = LIST(".py", ".pyi"), .programs = LIST("python"),
};
static const struct language javascript = {
    .name = "JavaScript", .ends = LIST(".js", ".mjs", ".cjs", ".jsx"), .programs = LIST("node"),
};
static const struct language typescript = {
    .name = "TypeScript", .ends = LIST(".ts", ".mts", ".cts", ".tsx"),
};
static const struct language go = { .name = "Go", .ends = LIST(".go") };
static const struct language rust = { .name = "Rust", .ends = LIST(".rs") };
static const struct language dockerfile = {
    .name = "Dockerfile", .aside = true,
    .paths = LIST("Dockerfile", "Dockerfile.*", "*.dockerfile", "Containerfile"),
};
static const struct language yaml = {
    .name = "YAML", .ends = LIST(".yml", ".yaml"), .aside = true,
};
static const struct language workflow = {
    .name = "GitHub workflow", .wider = &yaml, .aside = true,
    .paths = LIST(".github/workflows/*.yml", ".github/workflows/*.yaml"),
};
static const struct language markdown = {
    .name = "Markdown", .ends = LIST(".md", ".markdown"), .aside = true, .prose = true,
};
static const struct language text = {
    .name = "text", .ends = LIST(".txt", ".rst", ".adoc"), .aside = true, .prose = true,
};

/* ---- lines that are not as compilers write them ---- */

static const struct line_form flake8_lines = {
    .patterns = LIST("{file}:{line}:{column}: {rule} {text}"),
    .severe = LIST("E9", "F63", "F7", "F82"), .light = LIST("W", "E", "C"),
    .unit = COLUMN_CODE_POINTS,
};
static const struct line_form pylint_lines = {
    .patterns = LIST("{file}:{line}:{column}: {severity}: {text} [{rule}]"),
    .skips = LIST("************* "), .column_from_0 = true, .unit = COLUMN_CODE_POINTS,
};
static const struct line_form mypy_lines = {
    .patterns = LIST("{file}:{line}:{column}: {severity}: {text}  [{rule}]",
                     "{file}:{line}:{column}: {severity}: {text}",
                     "{file}:{line}: {severity}: {text}  [{rule}]",
                     "{file}:{line}: {severity}: {text}"),
    .unit = COLUMN_CODE_POINTS,
};
static const struct line_form bandit_lines = {
    .patterns = LIST("{file}:{line}: {severity}: {text} [{rule}]"),
};
static const struct line_form tsc_lines = {
    .patterns = LIST("{file}({line},{column}): {severity} {rule}: {text}"), .unit = COLUMN_UTF16,
};
static const struct line_form vet_lines = {
    .patterns = LIST("vet: {file}:{line}:{column}: {text}", "{file}:{line}:{column}: {text}"),
    .skips = LIST("# "), .rule = "vet",
};
static const struct line_form staticcheck_lines = {
    .patterns = LIST("{file}:{line}:{column}: {text} ({rule})"), .severe = LIST("compile"),
};
static const struct line_form golangci_lines = {
    .patterns = LIST("{file}:{line}:{column}: {text} ({rule})", "{file}:{line}: {text} ({rule})"),
    .severe = LIST("typecheck"),
};
/* It calls blanks at the end of a line an error: what is one is said by its rule. */
static const struct line_form yamllint_lines = {
    .patterns = LIST("{file}:{line}:{column}: [error] {text} ({rule})",
                     "{file}:{line}:{column}: [warning] {text} ({rule})",
                     "{file}:{line}:{column}: [{severity}] {text}"),
    .severe = LIST("syntax", "key-duplicates"), .light = LIST(""),
    .unit = COLUMN_CODE_POINTS,
};
static const struct line_form actionlint_lines = {
    .patterns = LIST("{file}:{line}:{column}: {text} [{rule}]"),
};
static const struct line_form codespell_lines = {
    .patterns = LIST("{file}:{line}: {word} ==> {fix}"), .rule = "misspelling",
    .skips = LIST("WARNING: "),
};

/* ---- the tools ---- */

/* In the order of the help, and in which they are shared out among reviewers, behind those of
 * analyzers.h. */
/* `! -z` as -n (SC2236, SC2237), $x as ${x} (SC2250), [ "$x" ] as [ -n "$x" ] (SC2244): the same
 * test, the same word. Risky are all others: quotes (SC2086 and its like) end the splitting that a
 * script may count on, $(..) reads backslashes otherwise than `..` (SC2006), read -r and
 * `cd || exit` are another behaviour by design. */
static const char *const shellcheck_safe[] = { "SC2236", "SC2237", "SC2244", "SC2250", NULL };

const struct analyzer tools[] = {
    /* It follows what a script sources, so that it knows the variables of it; what it cannot find
     * (SC1090, SC1091) is no finding, nor is a library without "#!" (SC2148). Without settings two
     * guesses that are mostly wrong are left out: that a '$x' was meant to expand (SC2016), and
     * that a function called by its name in a variable or a trap is never reached (SC2317). */
    { .name = "shellcheck", .program = "shellcheck", .package = "shellcheck", .missed = true,
      .languages = LANGUAGES(&language_shell), .batch = 16, .config = LIST(".shellcheckrc"),
      .words = LIST("shellcheck", "--format=json1", "--external-sources",
                    "--source-path=SCRIPTDIR", "{settings}", "{files}"),
      .configured = LIST("--exclude=SC1090,SC1091,SC2148"),
      .bare = LIST("--norc", "--exclude=SC1090,SC1091,SC2148,SC2016,SC2317"),
      .status = STATUS_FINDINGS, .breaks = LIST("SC10*"), .safe = shellcheck_safe,
      .read = shellcheck_json_read },
    { .name = "shfmt", .program = "shfmt", .package = "shfmt",
      .languages = LANGUAGES(&language_shell), .batch = 16, .config = LIST(".editorconfig"),
      .only_configured = true, .words = LIST("shfmt", "-d", "{files}"),
      .status = STATUS_FINDINGS, .read = diff_read },

    { .name = "ruff", .program = "ruff", .install = "pipx install ruff", .own = true,
      .languages = LANGUAGES(&python), .batch = 64,
      .config = LIST("ruff.toml", ".ruff.toml", "pyproject.toml [tool.ruff"),
      .words = LIST("ruff", "check", "--output-format=json", "--no-cache", "--force-exclude",
                    "{settings}", "{files}"),
      .bare = LIST("--isolated"), .status = STATUS_FINDINGS,
      .breaks = LIST("invalid-syntax", "E9*"), .read = ruff_json_read },
    { .name = "flake8", .program = "flake8", .package = "flake8", .own = true,
      .languages = LANGUAGES(&python), .batch = 64,
      .config = LIST(".flake8", "setup.cfg [flake8", "tox.ini [flake8"),
      .config_runs = LIST("local-plugins"),
      .words = LIST("flake8", "--format=default", "--color=never", "-j1", "{settings}", "{files}"),
      .bare = LIST("--isolated", "--select=E9,F,W605,W606"),
      .status = STATUS_FINDINGS, .breaks = LIST("E9*"), .lines = &flake8_lines },
    { .name = "pylint", .program = "pylint", .package = "pylint", .own = true,
      .languages = LANGUAGES(&python), .batch = 64, .reads_others = true,
      .config = LIST(".pylintrc", "pylintrc", "pyproject.toml [tool.pylint", "setup.cfg [pylint",
                     "tox.ini [pylint"),
      .config_runs = LIST("init-hook", "load-plugins"),
      .words = LIST("pylint", "--score=n", "--persistent=n", "--output-format=text",
                    "--msg-template={path}:{line}:{column}: {category}: {msg} [{symbol}]",
                    "{settings}", "{files}"),
      .bare = LIST("--rcfile=/dev/null", "--disable=C,R,import-error,no-name-in-module"),
      .status = STATUS_FINDINGS, .status_most = 31, .breaks = LIST("syntax-error"),
      .lines = &pylint_lines },
    { .name = "bandit", .program = "bandit", .package = "bandit", .own = true,
      .languages = LANGUAGES(&python), .batch = 64,
      .words = LIST("bandit", "-q", "-f", "custom", "--msg-template",
                    "{abspath}:{line}: {severity}: {msg} [{test_id}]", "-ll", "{files}"),
      .status = STATUS_FINDINGS, .lines = &bandit_lines },
    { .name = "mypy", .program = "mypy", .package = "mypy", .own = true,
      .languages = LANGUAGES(&python), .batch = 256, .reads_others = true,
      .config = LIST("mypy.ini", ".mypy.ini", "pyproject.toml [tool.mypy", "setup.cfg [mypy"),
      .config_runs = LIST("plugins"),
      .words = LIST("mypy", "--no-error-summary", "--show-column-numbers", "--show-error-codes",
                    "--no-pretty", "--no-color-output", "--hide-error-context",
                    "--cache-dir=/dev/null", "--no-incremental", "{settings}", "{files}"),
      .bare = LIST("--config-file=", "--ignore-missing-imports", "--disable-error-code=import",
                   "--check-untyped-defs"),
      .status = STATUS_FINDINGS, .breaks = LIST("syntax"), .lines = &mypy_lines },

    { .name = "eslint", .program = "eslint", .install = "npm install --save-dev eslint",
      .own = true, .runs_code = true, .only_configured = true,
      .languages = LANGUAGES(&javascript, &typescript), .batch = 64, .reads_others = true,
      .config = LIST("eslint.config.js", "eslint.config.mjs", "eslint.config.cjs",
                     "eslint.config.ts", ".eslintrc", ".eslintrc.js", ".eslintrc.cjs",
                     ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml",
                     "package.json \"eslintConfig\""),
      .words = LIST("eslint", "--format=json", "{files}"),
      .status = STATUS_EITHER, .read = eslint_json_read },
    { .name = "biome", .program = "biome", .install = "npm install --save-dev @biomejs/biome",
      .own = true, .only_configured = true, .languages = LANGUAGES(&javascript, &typescript),
      .batch = 64, .reads_others = true, .config = LIST("biome.json", "biome.jsonc"),
      .words = LIST("biome", "lint", "--reporter=rdjson", "--max-diagnostics=none",
                    "--no-errors-on-unmatched", "{files}"),
      .status = STATUS_EITHER, .read = rdjson_read, .fixes = FIXES_NONE /* torn in pieces */ },
    { .name = "tsc", .program = "tsc", .install = "npm install --save-dev typescript",
      .own = true, .languages = LANGUAGES(&typescript), .roots = LIST("tsconfig.json"),
      .words = LIST("tsc", "--noEmit", "--pretty", "false", "--incremental", "false",
                    "--composite", "false", "-p", "tsconfig.json"),
      .status = STATUS_FINDINGS, .status_most = 2, .breaks = LIST("TS*"), .lines = &tsc_lines },

    { .name = "vet", .program = "go", .package = "golang-go", .version = LIST("version"),
      .languages = LANGUAGES(&go), .roots = LIST("go.mod"),
      .words = LIST("go", "vet", "./..."),
      .env = LIST("GOCACHE={cache}/go", "GOPROXY=off", "GOTOOLCHAIN=local"),
      .report_on_err = true, .status = STATUS_FINDINGS, .status_most = 2, .lines = &vet_lines },
    { .name = "staticcheck", .program = "staticcheck", .package = "go-staticcheck",
      .otherwise = "go-staticcheck",
      .version = LIST("-version"), .languages = LANGUAGES(&go), .roots = LIST("go.mod"),
      .words = LIST("staticcheck", "-f", "text", "./..."),
      .env = LIST("GOCACHE={cache}/go", "XDG_CACHE_HOME={cache}/go", "GOPROXY=off",
                  "GOTOOLCHAIN=local"),
      .status = STATUS_FINDINGS, .breaks = LIST("compile"), .lines = &staticcheck_lines },
    { .name = "golangci-lint", .program = "golangci-lint",
      .install = "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
      .languages = LANGUAGES(&go), .roots = LIST("go.mod"), .only_configured = true,
      .config = LIST(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
      .config_runs = LIST("plugins", "custom"),
      .words = LIST("golangci-lint", "run", "--show-stats=false", "--output.text.path=stdout",
                    "--output.text.print-issued-lines=false", "--output.text.colors=false",
                    "{settings}", "./..."),
      .bare = LIST("--no-config"),
      .env = LIST("GOCACHE={cache}/go", "GOLANGCI_LINT_CACHE={cache}/golangci-lint",
                  "GOPROXY=off", "GOTOOLCHAIN=local"),
      .status = STATUS_FINDINGS, .lines = &golangci_lines },

    /* Build scripts and macros are code that runs while it looks. */
    { .name = "clippy", .program = "cargo-clippy", .package = "rust-clippy", .runs_code = true,
      .languages = LANGUAGES(&rust), .roots = LIST("Cargo.toml"), .outermost = true,
      .words = LIST("cargo", "clippy", "--offline", "--quiet", "--workspace", "--all-targets",
                    "--message-format=json"),
      .env = LIST("CARGO_TARGET_DIR=/tmp/hone-target", "CARGO_INCREMENTAL=0"),
      .status = STATUS_ERRORS, .status_most = 101, .breaks = LIST("", "E0*"),
      .read = clippy_json_read },

    { .name = "yamllint", .program = "yamllint", .package = "yamllint",
      .languages = LANGUAGES(&yaml), .batch = 64, .reads_others = true,
      .config = LIST(".yamllint", ".yamllint.yaml", ".yamllint.yml"),
      .words = LIST("yamllint", "-f", "parsable", "{settings}", "{files}"),
      .bare = LIST("-d", "{extends: relaxed, rules: {line-length: disable}}"),
      .status = STATUS_EITHER, .lines = &yamllint_lines },
    { .name = "actionlint", .program = "actionlint",
      .install = "go install github.com/rhysd/actionlint/cmd/actionlint@latest",
      .version = LIST("-version"), .languages = LANGUAGES(&workflow), .batch = 16,
      .words = LIST("actionlint", "-oneline", "-no-color", "-shellcheck=", "-pyflakes=",
                    "{files}"),
      .status = STATUS_FINDINGS, .lines = &actionlint_lines },
    { .name = "hadolint", .program = "hadolint",
      .install = "brew install hadolint", .languages = LANGUAGES(&dockerfile), .batch = 16,
      .config = LIST(".hadolint.yaml", ".hadolint.yml"),
      .words = LIST("hadolint", "--no-color", "-f", "sarif", "{files}"),
      .status = STATUS_FINDINGS, .read = sarif_read },
    { .name = "markdownlint", .program = "markdownlint",
      .install = "npm install --save-dev markdownlint-cli", .own = true, .only_configured = true,
      .languages = LANGUAGES(&markdown), .batch = 64, .reads_others = true,
      .config = LIST(".markdownlint.json", ".markdownlint.jsonc", ".markdownlint.yaml",
                     ".markdownlint.yml", ".markdownlintrc"),
      .words = LIST("markdownlint", "--json", "{files}"),
      .report_on_err = true, .status = STATUS_FINDINGS, .read = markdownlint_json_read },
    { .name = "codespell", .program = "codespell", .package = "codespell", .own = true,
      .languages = LANGUAGES(&language_any, &text), .batch = 64, .reads_others = true,
      .only_configured = true,
      .config = LIST(".codespellrc", "setup.cfg [codespell", "pyproject.toml [tool.codespell"),
      .words = LIST("codespell", "--disable-colors", "{files}"),
      .status = STATUS_FINDINGS, .status_most = 65, .lines = &codespell_lines,
      .fixes = FIXES_SAFE_IN_PROSE },
    { .name = "semgrep", .program = "semgrep", .install = "pipx install semgrep", .own = true,
      .only_configured = true, .languages = LANGUAGES(&language_any), .batch = 256,
      .reads_others = true,
      .config = LIST(".semgrep.yml"),
      .words = LIST("semgrep", "scan", "--sarif", "--quiet", "--metrics=off",
                    "--disable-version-check", "--config=.semgrep.yml", "{files}"),
      .status = STATUS_EITHER, .read = sarif_read },
    { .name = NULL },
};
