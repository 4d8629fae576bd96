# SPDX-License-Identifier: Apache-2.0
#
# pack.awk - the page's modules as one module, without what only their readers need.
#
#   awk -v folder=pages/ui -v module=app.js -f tools/pack.awk    the module and all that it needs
#   awk -v folder=pages/ui -v style=style.css -f tools/pack.awk  a style sheet
#
# The modules run as they stand, too; packed they are one answer in place of thirty, and six tenths
# of the bytes. Each becomes a block, which is a scope of its own:
#
#   import { h, s as svg } from './dom.js';      { const { h, s: svg } = m['dom.js'];
#   export function bars() {}               -->    function bars() {}
#                                                  m['charts.js'] = { bars, }; }
#
# 1. A module stands behind those that it imports; no two import each other.
# 2. What is loaded when it is wanted (a module's name as a text) is a part of it, too.
# 3. Comments begin a line or end one; no text goes over several lines. A module that keeps to
#    neither does not parse, and each test of the page fails.

# A file's lines without comments and indents, joined.
function lean(name,    line, out, comment)
{
    while ((getline line < (folder "/" name)) > 0) {
        sub(/^ +/, "", line)
        if (comment) {
            if (line ~ /\*\/$/) comment = 0
            continue
        }
        gsub(/\/\*\* @[^*]*\*\/ */, "", line)
        sub(/ *\/\* [^*]*\*\/$/, "", line)
        if (line ~ /^\/\*/ && line !~ /\*\//) comment = 1
        else if (line != "" && line !~ /^\/\*.*\*\/$/) out = out line "\n"
    }
    close(folder "/" name)
    return out
}

# The name in './NAME', the first of a text.
function named(text)
{
    return match(text, /'\.\/[a-z_]+\.js'/) ? substr(text, RSTART + 3, RLENGTH - 4) : ""
}

function pack(name,    text, rest, line, imports, body, exports, from, count, lines, i, whole)
{
    if (name in seen) return
    seen[name] = 1
    rest = text = lean(name)
    while ((from = named(rest)) != "") {
        rest = substr(rest, RSTART + RLENGTH)
        pack(from)
    }
    count = split(text, lines, "\n")
    for (i = 1; i < count; i++) {
        line = lines[i]
        if (whole != "" || line ~ /^import /) {
            whole = whole line " "
            if (line !~ /;$/) continue
            from = named(whole)
            sub(/^import /, "const ", whole)
            sub(/ from .*/, "", whole)
            gsub(/ as /, ": ", whole)
            imports = imports whole " = m['" from "'];\n"
            whole = ""
            continue
        }
        if (line ~ /^export /) {
            sub(/^export /, "", line)
            from = line
            sub(/^(async function|function\*?|class|const|let) /, "", from)
            sub(/[^A-Za-z0-9_].*/, "", from)
            exports = exports from ", "
        }
        gsub(/await import\(/, "await m_import(", line)
        body = body line "\n"
    }
    printf "{\n%s%sm['%s'] = { %s};\n}\n", imports, body, name, exports
}

BEGIN {
    if (style) {
        printf "%s", lean(style)
    } else {
        print "const m = {}, m_import = async (name) => m[name.slice(2)];"
        pack(module)
    }
}
