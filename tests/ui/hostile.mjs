// SPDX-License-Identifier: Apache-2.0
//
// hostile.mjs - what comes from outside is text. See hostile.sh.
//
// Of each page all elements are walked: none has a name or an attribute that pages of harmless runs
// do not have, none has a word from outside where a browser would act on it, and of two runs that
// differ only in what agents say the pages have the same elements.
import { context_new, ensure, equal, finish, go, guarded, hone_json, says, serve, tell, test, text_of, until, visit,
} from "../support/ui.mjs";

const [loud, plain, sly] = process.argv.slice(2);
const ui = await serve([loud, plain, sly]);
const context = await context_new(ui);
const page = await visit(context, "#/runs");

// The pages of a run: [name, route].
async function routes_of(repo, folder) {
    const routes = [];

    for (const { run } of (await hone_json(folder, "list")).runs) {
        const { findings } = await hone_json(folder, "findings", run);
        const { attempts } = await hone_json(folder, "show", run);
        for (const tab of ["", "/findings", "/attempts", "/diff", "/plan", "/diff/0"]) {
            routes.push([`run${tab}`, `#/run/${repo}/${run}${tab}`]);
        }
        for (const [i, one] of findings.slice(0, 23).entries()) {
            routes.push([`finding ${i}`, `#/run/${repo}/${run}/finding/${one.id}`]);
        }
        for (const one of attempts.slice(0, 7)) {
            routes.push([`attempt ${one.job}-${one.attempt} ${one.role}`,
                `#/run/${repo}/${run}/attempt/${one.job}-${one.attempt}`]);
        }
    }
    return routes;
}

// All that is in the document: [name, [[attribute, value]...]], after every fold was opened.
async function walk(route) {
    await go(page, route);
    await until(async () => (await text_of(page)).length > 30, `${route} has text`);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    let count = 0, same = 0; /* what is folded is made when it is opened, piece by piece */
    await until(async () => {
        const now = await page.evaluate(() => document.querySelector("[aria-busy=true]") ? 0
            : document.querySelectorAll("*").length);
        same = now && now === count ? same + 1 : 0;
        count = now;
        return same > 5;
    }, `${route} is drawn`);
    return page.evaluate(() => [...document.querySelectorAll("*")].map((one) =>
        [one.localName, [...one.attributes].map((each) => [each.name, each.value])]));
}

// Where a browser acts on a value, or looks something up by it.
const acts = /^(on.*|src|srcdoc|srcset|action|formaction|style|class|id|for|name|http-equiv|ping|target|xlink:href)$/;

function judge(what, found, names, attributes) {
    const problems = [];

    for (const [name, all] of found) {
        if (names && !names.has(name)) problems.push(`${what}: an element ${name}`);
        for (const [attribute, value] of all) {
            if (attributes && !attributes.has(attribute)) problems.push(`${what}: an attribute ${attribute}`);
            if (acts.test(attribute) && /intruder|evil/.test(value)) {
                problems.push(`${what}: ${attribute} of ${name} is ${value}`);
            }
            if (attribute === "href" && !/^(#|\/ui\/|data:image\/svg)/.test(value)) {
                problems.push(`${what}: a link to ${value}`);
            }
        }
    }
    return problems;
}

// But for the button below a text that is long: what is hostile is longer than what is plain.
const names_in = (found) => found.filter(([, all]) => !all.some(([name, value]) => name === "class" && value === "more"))
    .map(([name]) => name);

// ---- the same run, told plainly ----

const of_plain = await routes_of(1, plain), of_loud = await routes_of(0, loud);
const names = new Set(), attributes = new Set(), trees = new Map();

for (const [what, route] of [...of_plain, ["runs", "#/runs"], ["reviewers", "#/reviewers"], ["loops", "#/loops"],
    ["a loop", "#/loops/quick"], ["start", "#/start"]]) {
    const found = await walk(route);
    for (const [name, all] of found) {
        names.add(name);
        for (const [attribute] of all) attributes.add(attribute);
    }
    trees.set(what, found);
}

await test("hostile findings and transcripts: pages of the same elements as harmless ones", async () => {
    const problems = [];
    equal(of_loud.map(([what]) => what), of_plain.map(([what]) => what), "the pages of both runs");
    for (const [what, route] of of_loud) {
        const found = await walk(route);
        problems.push(...judge(what, found, names, attributes));
        const main = await text_of(page);
        if (main.includes("cannot be shown")) problems.push(`${what}: ${main.slice(0, 200)}`);
        if (!/^(attempt|finding)/.test(what)) continue; /* others draw times, which differ */
        const one = names_in(found), other = names_in(trees.get(what));
        const at = [...one, "end"].findIndex((name, i) => name !== other[i]);
        if (one.join() !== other.join()) {
            problems.push(`${what}: ${one.length} elements, and ${other.length} where it is harmless; from ${at} on ${
                JSON.stringify(found.slice(at - 3, at + 3))}, and ${JSON.stringify(trees.get(what).slice(at - 3, at + 3))}`);
        }
    }
    return problems;
}, page);

await test("what is hostile is there to read", async () => {
    const { run } = (await hone_json(loud, "list")).runs[0];
    const { findings } = await hone_json(loud, "findings", run);
    const one = findings.find((each) => each.text.includes("<img"));
    ensure(one, "the scene");
    await go(page, `#/run/0/${run}/finding/${one.id}`);
    await says(page, one.text.slice(0, 60));
}, page);

await test("marks of direction and escapes do not act on what stands beside them", async () => {
    const { run } = (await hone_json(loud, "list")).runs[0];
    const { findings } = await hone_json(loud, "findings", run);
    const one = findings.find((each) => /gnp[.]exe/.test(each.text));
    ensure(one, "the scene");
    await go(page, `#/run/0/${run}/finding/${one.id}`);
    const bare = await page.evaluate(() => {
        const found = [];
        const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const { data, parentElement } = walker.currentNode;
            if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(data)) found.push(`control in ${parentElement.localName}`);
            if (!/[\u202a-\u202e\u2066-\u2069]/.test(data)) continue;
            for (let at = parentElement; ; at = at.parentElement) {
                const { unicodeBidi, display } = getComputedStyle(at);
                if (/isolate|plaintext/.test(unicodeBidi) || /block|flex|grid|table-cell|list-item/.test(display)) break;
                if (at === document.body) { found.push("bidi"); break; }
            }
        }
        return found;
    });
    return bare;
}, page);

await test("a line of a megabyte is shown in bounds, and the page answers", async () => {
    const { run } = (await hone_json(loud, "list")).runs[0];
    await go(page, `#/run/0/${run}/attempt/1-1`);
    await says(page, "long long long");
    const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll("main *")].map((one) =>
        [...one.childNodes].filter((node) => node.nodeType === 3).reduce((sum, node) => sum + node.data.length, 0))));
    ensure(longest <= 1 << 20, `${longest} characters in one element`);
    await page.keyboard.press("End");
    equal(await page.evaluate(() => 1 + 1), 2, "it answers");
}, page);

// ---- names of everything else ----

await test("hostile folders, branches, tasks, files, loops: text as well", async () => {
    const problems = [];
    const routes = [...await routes_of(2, sly), ["runs", "#/runs"], ["loops", "#/loops"], ["its loop", "#/loops/sly"],
        ["reviewers", "#/reviewers"], ["start", "#/start"]];
    for (const [what, route] of routes) problems.push(...judge(what, await walk(route), null, attributes));
    const known = new Set([...names, "dl", "dt", "dd", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
        "caption", "details", "summary", "svg", "g", "path", "rect", "text", "title", "line", "circle"]);
    for (const [what, route] of routes.slice(0, 20)) problems.push(...judge(what, await walk(route), known, null));
    return problems.filter((one) => !/an attribute (x|y|d|r|cx|cy|x1|x2|y1|y2|points|transform|colspan)$/.test(one));
}, page);

await test("the title of the page and what is announced are text", async () => {
    const { run } = (await hone_json(sly, "list")).runs.at(-1);
    await go(page, `#/run/2/${run}`);
    tell("no text of the task is an element", (await page.locator("title, [aria-live]").evaluateAll((all) =>
        all.filter((one) => one.children.length).map((one) => one.outerHTML))));
}, page);

await until(() => true, "all is asked");
guarded("hostile", context);
await ui.stop();
await finish();
