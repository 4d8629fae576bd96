// SPDX-License-Identifier: Apache-2.0
//
// modules.mjs - what the modules of the page compute. See modules.sh.
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const folder = process.argv[2];
const module_of = (name) => import(pathToFileURL(join(folder, name)));
const { layout_of } = await module_of("plan.js");
const { lines_of, pairs_of } = await module_of("diff.js");
const { first_line, transcript_new } = await module_of("transcript.js");
const { parts_of } = await module_of("long.js");
const { looks_words, precision, sorted } = await module_of("reviewers.js");

function test(name, body) {
    const problems = [body() ?? []].flat();
    console.log(problems.length ? `not ok ${name}: ${problems[0]}` : `ok ${name}`);
    for (const problem of problems.slice(1, 20)) console.log(`    ${problem}`);
    if (problems.length) process.exitCode = 1;
}

function differs(got, wanted) {
    const one = JSON.stringify(got), other = JSON.stringify(wanted);
    return one === other ? [] : [`${one}, wanted ${other}`];
}

// ---- a plan's drawing ----

const gate = { reviewers: ["critic", "witness"], on_fail: "repair", repair: "fixer", repairs: 4, at_bound: "stop" };
const plans = {
    "one gate": [{ name: "R1", ...gate }],
    "a proven gate": [{ name: "R1", ...gate, provers: ["analyzer", "test"], then: "committer", until: "settled" }],
    "work alone": [{ name: "1", work: "planner", copies: 2 }, { name: "2", work: "builder", again: 50, checkpoint: "looker" }],
    "gates that look again elsewhere": [{ name: "execution", work: "executor", ...gate },
        { name: "docs", ...gate, recheck: 0 }, { name: "delivery", work: "deliver", needs: [0, 1] }],
    "lanes": [{ name: "plan", work: "planner" }, { name: "build", fan: true, lanes: 4, work: "builder", ...gate },
        { name: "whole", ...gate, recheck: 1 }],
    "no repair": [{ name: "3", reviewers: ["reviewer"], on_fail: "restart" }, { name: "9", reviewers: ["last"], on_fail: "stop" }],
    "many reviewers, long names": [{ name: "a name that is far too long for its place", ...gate,
        reviewers: Array.from({ length: 16 }, (_, at) => `reviewer-of-what-is-quite-particular-${at}`) }],
    "no phase": [],
};

function problems_of({ boxes, bands, edges, width, height }) {
    const problems = [];
    for (const [at, one] of boxes.entries()) {
        const band = bands[one.phase];
        if (one.x < band.x || one.y < band.y || one.x + one.w > band.x + band.w || one.y + one.h > band.y + band.h) {
            problems.push(`${one.title} of phase ${one.phase} leaves its band`);
        }
        for (const other of boxes.slice(at + 1)) {
            if (one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h &&
                other.y < one.y + one.h) problems.push(`${one.title} and ${other.title} overlap`);
        }
    }
    for (const { d } of edges) {
        if (!/^M[-\d. LHVQ]+$/.test(d)) problems.push(`a line is ${d}`);
        for (const [, x] of d.matchAll(/[ML](-?[\d.]+) /g)) {
            if (x < 0 || x > width) problems.push(`a line leaves the drawing at ${x}`);
        }
    }
    if (bands.length && !(height > 0)) problems.push(`its height is ${height}`);
    return problems;
}

for (const [name, phases] of Object.entries(plans)) {
    const plan = { dialect: "x", about: "", phases, integrate: "integrator" };
    test(`${name}: no two boxes overlap, each stands in its phase`, () => [300, 600, 1200, 3000].flatMap((width) =>
        problems_of(layout_of(plan, width)).map((problem) => `${width}: ${problem}`)));
}
test("a narrow drawing is not wider than its place", () => {
    const { width } = layout_of({ phases: plans.lanes, integrate: "integrator" }, 280);
    return differs(width <= 280, true);
});
test("each reviewer has a line up to eight, the rest is counted", () => {
    const { boxes } = layout_of({ phases: plans["many reviewers, long names"] }, 1200);
    return differs(boxes[0].lines.at(-1), "and 8 more");
});
test("where the run is: the box of what is done, and no other", () => {
    const now = [{ state: "at work", doing: ["repairing"] }];
    const { boxes } = layout_of({ phases: plans["one gate"], now }, 1200);
    return differs(boxes.filter((one) => one.at_work).map((one) => one.kind), ["repair"]);
});

// ---- a difference ----

const hunk = { old_first: 3, new_first: 5, lines: [" a", "-call(left, 1)", "+call(right, 1)", "+more", " b",
    "-gone", "\\ No newline at end of file"] };
test("lines have the numbers of both sides", () => differs(lines_of(hunk).map((one) => [one.old, one.new]),
    [[3, 5], [4, 0], [0, 6], [0, 7], [5, 8], [6, 0], [0, 0]]));
test("what went stands beside what came", () => differs(pairs_of(lines_of(hunk)).map(([left, right]) =>
    [left?.text ?? null, right?.text ?? null]), [["a", "a"], ["call(left, 1)", "call(right, 1)"], [null, "more"],
    ["b", "b"], ["gone", null], ["No newline at end of file", "No newline at end of file"]]));
test("words that differ are marked where a line is one for one", () => {
    const [[left, right]] = pairs_of(lines_of({ old_first: 1, new_first: 1, lines: ["-call(left, 1)", "+call(right, 1)"] }));
    return differs([left.text.slice(...left.marks), right.text.slice(...right.marks)], ["left", "right"]);
});
test("lines that have little in common are not marked", () => {
    const [[left]] = pairs_of(lines_of({ old_first: 1, new_first: 1, lines: ["-return first;", "+while (more) go();"] }));
    return differs(left.marks, undefined);
});
test("no number is lost in a hunk of ten thousand lines", () => {
    const lines = Array.from({ length: 10000 }, (_, at) => "-+ "[at % 3] + at);
    return differs(pairs_of(lines_of({ old_first: 1, new_first: 1, lines })).flat().filter(Boolean).length,
        lines.length + lines.filter((line) => line[0] === " ").length);
});

// ---- a transcript ----

const takes = (items) => {
    const transcript = transcript_new(), entries = [];
    for (const item of items) {
        const { added } = transcript.take(item);
        if (added) entries.push(added);
    }
    return entries;
};
test("a result joins its call, also behind others, and once", () => differs(takes([{ kind: "tool", id: "1", tool: "Read" },
    { kind: "tool", id: "2" }, { kind: "result", id: "1", text: "x", ok: true }, { kind: "result", id: "1", text: "y" }])
    .map((one) => [one.kind, one.result?.text ?? null]), [["tool", "x"], ["tool", null], ["result", null]]));
test("a result without its call stands by itself", () => differs(takes([{ kind: "result", id: "9" }]).length, 1));
test("notes that follow each other are one entry, up to a bound", () => {
    const entries = takes(Array.from({ length: 450 }, (_, at) => ({ kind: "note", text: String(at) })));
    return differs(entries.map((one) => one.lines.length), [200, 200, 50]);
});
test("pieces of one text are one entry", () => differs(takes([{ kind: "said", id: "m", text: "a" },
    { kind: "said", id: "m", text: "b" }, { kind: "thought", id: "m", text: "c" }]).map((one) => one.item.text), ["ab", "c"]));
test("the first line of a text is its first that says something, and not long", () => differs(
    [first_line("\n\n  two\nthree"), first_line(""), first_line("x".repeat(1 << 20)).length], ["two", "", 201]));

// ---- texts ----

test("code and headings stand apart, and no character is lost", () => {
    const text = "# Title\nwords\n```js\nlet a;\n```\nmore\n## Next\n~~~\nopen";
    return [...differs(parts_of(text).filter((_, at) => at % 2), ["# Title", "```js\nlet a;\n```", "## Next", "~~~\nopen"]),
        ...differs(parts_of(text).join(""), text)];
});
test("a text that is made to be slow is not", () => {
    for (const text of ["```\n".repeat(50000), "`".repeat(1 << 20), "# ".repeat(1 << 19), " ".repeat(1 << 20)]) {
        if (parts_of(text).join("") !== text) return "characters are lost";
    }
    return [];
});

// ---- reviewers ----

const one = { role: "a", accepted: 3, declined: 1, cost_per_accepted: null };
const other = { role: "b", accepted: 0, declined: 0, cost_per_accepted: 0.5 };
test("precision is of what was decided", () => differs([precision(one), precision(other)], [0.75, null]));
test("what has no value stands last, whichever way is sorted", () => differs(["precision", "each"].flatMap((key) =>
    [true, false].map((up) => sorted([other, one], key, up).map(({ role }) => role).join(""))), ["ab", "ab", "ba", "ba"]));
test("what a look misses is said only where it was measured", () => [
    ...differs(/too few/.test(looks_words({ runs: 1, first: 1, later_same: 0, later_other: 0, enough: false })), true),
    ...differs(/misses 40\s?%/.test(looks_words({ runs: 9, first: 1, later_same: 0, later_other: 0, enough: true,
        missed: [0.4, 0.2, 0.1, 0.05] })), true)]);
