// SPDX-License-Identifier: Apache-2.0
//
// hostile_claude.mjs - plays Claude Code with markup, scripts, escapes and marks of direction in every
// place of its stream where it has a say: what it says and thinks, names of tools, paths, commands,
// results, errors, and findings. What would run calls intruder().
//
// With HOSTILE_PLAIN set each of these is a plain word in its place, and nothing else is different:
// the page of one must have the elements of the page of the other.
import { readFileSync, readdirSync } from "node:fs";

const { HONE_ROLE: role, HONE_ROUND: round, HOSTILE_PLAIN: plain } = process.env;
const payloads = [
    "<img src=x onerror=intruder('img')>", "<script>intruder('script')</script>",
    "</pre></code></td></details></dialog></main><svg onload=intruder('svg')>", "javascript:intruder('url')",
    "\"><a href=\"javascript:intruder('link')\">intruder</a>", "' onmouseover='intruder()' autofocus onfocus='intruder()",
    "\u001b[31mred\u001b[2J\u001b]8;;http://evil.invalid/intruder\u0007link\u001b]8;;\u0007",
    "\u202Egnp.exe\u2066 \u200b\u2028", "a\u0000b", "{{constructor.constructor('intruder()')()}} ${intruder()}",
    "http://evil.invalid/intruder.png", "<iframe srcdoc='<script>parent.intruder()</script>'></iframe>",
    "<style>*{display:none}</style>", "<base href='http://evil.invalid/'>", "&lt;b&gt;&#x3c;b>&amp;",
    "<meta http-equiv=refresh content='0;url=http://evil.invalid/'>", "]]> --> <!-- intruder", "__proto__",
    "<form action=javascript:intruder()><button>intruder</button></form>", "%3Cscript%3E../../../etc/passwd?a=1#b",
    "<math><mtext><table><mglyph><style><img src=x onerror=intruder()>", "constructor", "\ud83d\ude00\u0301",
];
let next = 0;
const bad = () => (next++, plain ? `word${next}` : payloads[next % payloads.length]);
const line = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const said = (block) => line({ type: "assistant", message: { role: "assistant", content: [block] } });
const result = (id, content, is_error = false) => line({ type: "user", message: { role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content, is_error }] } });

readFileSync(0);
line({ type: "system", subtype: "init", model: bad(), tools: [bad()] });
for (let i = 0; i < payloads.length; i++) {
    said({ type: "thinking", thinking: `A thought: ${bad()}` });
    said({ type: "text", text: `A word: ${bad()}` });
    said({ type: "tool_use", id: `t${i}`, name: i % 2 ? "Bash" : bad(),
        input: { command: bad(), file_path: bad(), pattern: bad(), url: bad() } });
    result(`t${i}`, i % 3 ? `A result: ${bad()}` : [{ type: "text", text: bad() }], i % 5 === 0);
    line({ type: `unknown ${plain ? "kind" : payloads[i]}`, text: bad() });
}
process.stdout.write(plain ? "not JSON\n" : "not JSON <img src=x onerror=intruder()>\n");
said({ type: "text", text: `${"long ".repeat(plain ? 200000 : 209715)}${bad()}` });
for (const file of readdirSync(".").filter((name) => !name.startsWith("."))) {
    said({ type: "tool_use", id: `r${file}`, name: "Read", input: { file_path: file } });
    result(`r${file}`, readFileSync(file, "latin1").slice(0, 2000));
}
said({ type: "tool_use", id: "diff", name: "Bash", input: { command: "git diff HEAD; cat *" } });
result("diff", "it was seen");
process.stderr.write(`${bad()}\n`);

const issues = role === "critic" && round === "1" ? payloads.map((_, i) => ({ severity: i % 2 ? "critical" : "warning",
    category: bad(), file: "notes.txt", line: 2 + i, description: `Fault number ${"abcdefghijklmnopqrstuvwxyz"[i].repeat(9)} ${bad()}`,
    evidence: bad(), suggestion: bad() })) : [];
const critical = issues.filter((one) => one.severity === "critical").length;
line({ type: "result", subtype: "success", is_error: false, terminal_reason: "completed", total_cost_usd: 0.1,
    num_turns: 2, duration_ms: 10, modelUsage: { [bad()]: { inputTokens: 1, outputTokens: 1 } },
    result: role === "review-fixer" ? `# Fixed ${bad()}` : JSON.stringify({ issues, summary: { critical,
        warning: issues.length - critical, info: 0, verdict: issues.length ? "issues_found" : "clean" } }) });
