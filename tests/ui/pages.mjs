// SPDX-License-Identifier: Apache-2.0
//
// pages.mjs - every page of hone ui. See pages.sh.
import { axeOn, context_new, drawn, ensure, equal, finish, go, guarded, hone_json, says, serve, tell, test,
    text_of, tooWide, until, visit } from "../support/ui.mjs";

const [shop] = process.argv.slice(2);
const ui = await serve([shop]);
const runs = (await hone_json(shop, "list")).runs;
const run_of = (dialect) => runs.findLast((one) => one.dialect === dialect).run;
const review = run_of("review"), lanes = run_of("loops"), asks = run_of("cycles");
const status = await hone_json(shop, "status", review);
const { attempts } = await hone_json(shop, "show", review);
const { findings } = await hone_json(shop, "findings", review);
const negative = findings.find((one) => one.text.includes("total negative"));
const halves = findings.find((one) => one.text.includes("rounds halves"));
const name_of = (one) => `${one.job}-${one.attempt}`;
const critic = attempts.find((one) => one.role === "critic");
const broken = attempts.find((one) => one.role === "witness" && one.verdict === "invalid");
const fixer = attempts.find((one) => one.role === "review-fixer");
const base = `#/run/0/${review}`;
const routes = {
    "runs": "#/runs", "run": base, "findings": `${base}/findings`, "attempts": `${base}/attempts`,
    "diff": `${base}/diff`, "plan": `${base}/plan`, "finding": `${base}/finding/${negative.id}`,
    "attempt": `${base}/attempt/${name_of(critic)}`, "diff of a round": `${base}/diff/0`,
    "run with lanes": `#/run/0/${lanes}`, "plan with lanes": `#/run/0/${lanes}/plan`,
    "run that asks": `#/run/0/${asks}`, "reviewers": "#/reviewers", "loops": "#/loops",
    "a loop": "#/loops/quick", "start": "#/start",
};

const context = await context_new(ui, { locale: "en-US" });
const page = await visit(context, "#/runs");

// The fragments of all links in main that begin so.
const links = (begin) => page.locator(`main a[href^="${begin}"]`).evaluateAll((all) =>
    all.map((one) => one.getAttribute("href")));

// ---- what is shown ----

await test("the runs: each with its state, what it found, fixed, left and cost, and a way to it", async () => {
    for (const one of runs) {
        ensure((await links(`#/run/0/${one.run}`)).length > 0, `no link to ${one.run}`);
    }
    const said = await text_of(page);
    for (const words of ["Discounts for customers", "clean", "1.84", "discounts"]) {
        ensure(said.includes(words), `no "${words}"`);
    }
});

await test("the runs: filters by state, dialect, branch and agent, kept over a reload", async () => {
    for (const name of [/state/i, /dialect/i, /branch/i, /agent/i]) {
        ensure(await page.getByRole("main").getByLabel(name).count() > 0, `no filter by ${name}`);
    }
    await page.getByRole("main").getByLabel(/dialect/i).first().selectOption("cycles");
    await until(async () => (await links(`#/run/0/${review}`)).length === 0, "others are gone");
    equal((await links(`#/run/0/${asks}`)).length > 0, true, "the one of cycles");
    await page.reload();
    await drawn(page);
    equal((await links(`#/run/0/${review}`)).length, 0, "others, after a reload");
    await page.getByRole("main").getByLabel(/dialect/i).first().selectOption("");
    await until(async () => (await links(`#/run/0/${review}`)).length > 0, "all are there again");
}, page);

await test("the runs: each filter shows the runs that the API finds by it", async () => {
    const here = page.getByRole("main"), problems = [];
    for (const name of ["State", "Dialect", "Branch", "Agent"]) {
        const values = await here.getByLabel(name).locator("option").evaluateAll((all) =>
            all.map((one) => one.value).filter(Boolean));
        ensure(values.length > 0, `nothing to choose by ${name}`);
        for (const value of values) {
            const found = (await ui.ask(`/runs?${new URLSearchParams({ [name.toLowerCase()]: value })}`)).body.runs;
            const wanted = JSON.stringify(found.map((one) => `#/run/0/${one.run}`).sort());
            const shown = async () => JSON.stringify([...new Set(await links("#/run/0/"))].sort());
            await here.getByLabel(name).selectOption(value);
            await until(async () => await shown() === wanted, "").catch(async () =>
                problems.push(`${name} ${value}: ${await shown()}, wanted ${wanted}`));
        }
        await here.getByLabel(name).selectOption("");
    }
    return problems;
}, page);

await test("the runs: the trend of found, fixed, left, cost and duration, as drawings and as a table", async () => {
    equal(await page.getByRole("region", { name: "Trend of the newest runs" }).getByRole("img").count(), 5, "drawings");
    await page.getByText("As a table").click();
    const cells = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: review }) })
        .getByRole("cell");
    const { found, fixed, left } = status.counts;
    await until(async () => await cells.count() >= 5, "the table");
    equal((await cells.allInnerTexts()).slice(0, 4), [found, fixed, left, "$1.84"].map(String), "of a run");
    ensure(/^[\d.]+\s?m?s$/.test((await cells.allInnerTexts())[4]), "how long it took");
    await page.getByText("As a table").click();
}, page);

await test("a run: its end in plain words, what was found and fixed, what it cost of its budget", async () => {
    await go(page, base);
    for (const words of ["clean", "the last review found nothing", "$1.84 of $8.00", "$6.16 left", "discounts"]) {
        await says(page, words);
    }
    equal([status.reason ?? status.state, findings.length], [status.reason ?? status.state, 7], "the scene");
}, page);

await test("a run: a timeline of every attempt, with who, how long, verdict and retries", async () => {
    const timeline = page.getByRole("region", { name: "Timeline" });
    await until(async () => (await timeline.innerText()).includes(`${attempts.length} attempts`), "all are there");
    await timeline.locator("canvas").focus();
    const told = [];
    const track = [...Array(6).fill("ArrowRight"), ...Array(6).fill("ArrowLeft"), "ArrowDown"];
    for (const key of ["Home", ...Array(5).fill(track).flat()]) {
        await page.keyboard.press(key);
        told.push(await timeline.getByRole("status").innerText());
    }
    const problems = ["critic", "pedant", "witness", "security-reviewer", "silent-failure-hunter"]
        .filter((role) => !told.some((words) => words.startsWith(role))).map((role) => `${role} is not told`);
    for (const word of ["findings", "invalid", "clean", "claude", "$0.08", "try 2"]) {
        if (!told.some((words) => words.includes(word))) problems.push(`nothing is told of ${word}: ${told[0]}`);
    }
    await page.keyboard.press("Enter");
    await page.waitForFunction((to) => location.hash.startsWith(to), `${base}/attempt/`);
    await go(page, base);
    return problems;
}, page);

await test("a run: the timeline is zoomed by buttons and by keyboard", async () => {
    const timeline = page.getByRole("region", { name: "Timeline" });
    const drawing = () => timeline.locator("canvas").evaluate((one) => one.toDataURL());
    const whole = await drawing();
    for (const [closer, back] of [
        [() => timeline.getByRole("button", { name: "Zoom in" }).click(),
            () => timeline.getByRole("button", { name: "Show all" }).click()],
        [() => page.keyboard.press("+"), () => page.keyboard.press("0")],
        [async () => {
            await timeline.locator("canvas").hover();
            await page.keyboard.down("Control");
            await page.mouse.wheel(0, -400);
            await page.keyboard.up("Control");
        }, () => page.keyboard.press("0")]]) {
        await closer();
        await until(async () => await drawing() !== whole, "it is another drawing");
        await back();
        await timeline.locator("canvas").focus();
    }
}, page);

await test("a run: the burn-down, split by cause, as a drawing that has words", async () => {
    const said = (await text_of(page)).toLowerCase();
    ensure(/by (a|the) fix|a fix|fixes/.test(said), "nothing about what a fix brought");
    const named = await page.locator("main svg[role=img], main figure, main [role=img]").evaluateAll((all) =>
        all.map((one) => one.getAttribute("aria-label") ?? one.textContent));
    ensure(named.some((words) => /open|left|found|burn/i.test(words)), `drawings: ${named}`);
    equal(await page.locator("main svg.burndown title").allTextContents(), status.rounds.map((one) =>
        `Round ${one.round}: ${one.open_change} of the change, ${one.open_fix} of a fix`), "its columns");
    ensure(status.rounds.some((one) => one.open_change > 0) && status.rounds.some((one) => one.open_fix > 0), "the scene");
}, page);

await test("findings: all of them, in the order that is chosen, and those that fit a text", async () => {
    await go(page, `${base}/findings`);
    await until(async () => (await links(`${base}/finding/`)).length >= findings.length, "all are there");
    for (const one of findings) {
        ensure((await links(`${base}/finding/${one.id}`)).length > 0, `no ${one.id}`);
    }
    await page.getByRole("main").getByRole("searchbox").or(page.getByRole("main").getByRole("textbox")).first()
        .fill("receipt");
    await until(async () => (await links(`${base}/finding/`)).length === 1, "one fits");
}, page);

await test("a finding: every wording, its votes, its history, the hunks, before and after", async () => {
    await go(page, routes.finding);
    for (const words of ["makes the total negative", "sum() can return less than nothing", "critic", "witness",
        "shop/cart.py", "return total(self.items) - CODES.get(self.code, 0)",
        "return whole - min(whole, codes().get(self.code, 0))", "fixed"]) await says(page, words);
    const marked = await page.locator("main pre.lines .l.marked").allInnerTexts();
    equal(marked.filter((line) => line.includes("def sum")).length, 2, `marked: ${marked}`);
}, page);

await test("a finding that a fix brought says so", async () => {
    await go(page, `${base}/finding/${halves.id}`);
    await says(page, "round 1");
    ensure(/fix of round 1|fix/i.test(await text_of(page)), "the cause");
}, page);

await test("an attempt: prompt, answer, how it was judged, what it looked at, cost", async () => {
    await go(page, routes.attempt);
    for (const words of ["critic", "shop/till.py", "Let a discount take at most the sum"]) await says(page, words);
    ensure(/0[.,]08/.test(await text_of(page)), "no cost");
    const { files } = (await ui.ask(`/repos/0/runs/${review}/attempts/${name_of(critic)}?part=prompt`)).body;
    await page.locator("main summary", { hasText: "Prompt" }).click();
    await until(async () => (await page.locator("main details", { hasText: "Prompt" }).first().innerText())
        .includes(files.prompt.content.match(/[A-Za-z ]{30,}/)[0].trim()), "its prompt");
    await page.locator("main summary", { hasText: "Prompt" }).click(); /* what stands below is drawn when it is seen */
    const tokens = page.locator("dt", { hasText: "Tokens" }).locator("xpath=following-sibling::dd");
    equal(await tokens.innerText(), [critic.tokens_in, critic.tokens_out].map((many) =>
        many.toLocaleString("en-US")).join(", "), "tokens");
}, page);

await test("an attempt: its transcript, calls of tools folded, thoughts apart", async () => {
    await says(page, "I look at the change and at every file");
    const result = "shop/cart.py:5:CODES";
    const folded = page.locator("main details", { hasText: "Grep" }).last();
    equal(await folded.evaluate((one) => one.open), false, "the call is folded");
    ensure(!(await text_of(page)).includes(result), "its result is shown");
    await folded.locator("summary").focus();
    await page.keyboard.press("Enter");
    await says(page, result);
    const thought = page.locator("main details", { hasText: "What can a code do to the sum?" }).last();
    ensure(/^Thought/.test(await thought.locator("summary").innerText()), "a thought is told from what is said");
}, page);

await test("an attempt that broke its contract says how, and what came of it", async () => {
    await go(page, `${base}/attempt/${name_of(broken)}`);
    await says(page, "not JSON");
    await says(page, "I am not sure what to say");
}, page);

await test("a diff: of the run, of a round; lines that came and went", async () => {
    /* A line that is out of sight is not laid out, and is no innerText. */
    const holds = (words) => until(async () => (await page.locator("main").textContent()).includes(words), words);
    await go(page, `${base}/diff`);
    await holds("ROUND_HALF_UP");
    await holds("shop/price.py");
    await go(page, routes["diff of a round"]);
    await holds("def cents(value)");
    ensure(!(await page.locator("main").textContent()).includes("quantize"), "what came later is in it");
}, page);

await test("the plan: a drawing, with where the run is", async () => {
    await go(page, `${base}/plan`);
    await page.locator("main svg").first().waitFor();
    for (const words of ["critic", "review-fixer"]) await says(page, words);
}, page);

await test("a run with lanes: each lane with its task", async () => {
    await go(page, routes["run with lanes"]);
    for (const words of ["refunds", "vouchers"]) await says(page, words);
    await go(page, `${routes["run with lanes"]}/attempts`);
    await says(page, "builder");
}, page);

await test("a run that asks: the question, with its choices", async () => {
    await go(page, routes["run that asks"]);
    for (const name of [/continue|one more/i, /accept/i, /stop/i]) {
        ensure(await page.getByRole("main").getByRole("button", { name }).count()
            + await page.getByRole("main").getByRole("radio", { name }).count() > 0, `no ${name}`);
    }
}, page);

await test("reviewers: who finds what", async () => {
    await go(page, "#/reviewers");
    await page.locator("main table").first().waitFor();
    for (const words of ["critic", "witness", "precision", "alone"]) await says(page, words);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "critic" }) });
    const { reviewers } = await hone_json(shop, "reviewers");
    const one = reviewers.find(({ role }) => role === "critic"), money = (value) => `$${value.toFixed(2)}`;
    const shown = (await row.getByRole("cell").allInnerTexts()).map((text) => text.trim());
    equal([shown.slice(0, 7), shown.at(-2), shown.at(-1)], [[one.by, one.looked, one.found, one.alone, one.confirmed,
        one.accepted, one.declined].map(String), money(one.cost), money(one.cost_per_accepted)], "of the critic");
    equal(shown[7], `${Math.round(100 * one.accepted / (one.accepted + one.declined))}%`, "its precision");
}, page);

await test("loops: those that come with hone, each with its drawing", async () => {
    await go(page, "#/loops");
    for (const name of ["quick", "panel", "test-first"]) {
        ensure((await links(`#/loops/${name}`)).length > 0, `no ${name}`);
    }
    await page.locator("main a[href='#/loops/quick']").first().click();
    await page.waitForFunction(() => location.hash === "#/loops/quick");
    await drawn(page);
    await page.locator("main svg").first().waitFor();
}, page);

await test("no page has a value that is none", async () => {
    const problems = [];
    for (const [name, route] of Object.entries(routes)) {
        await go(page, route);
        await until(async () => (await text_of(page)).length > 40, `${name} has text`);
        const bad = (await text_of(page)).match(/.{0,30}(undefined|\[object|NaN|Invalid Date|\bnull\b).{0,20}/);
        if (bad) problems.push(`${name}: ${bad[0]}`);
    }
    return problems;
}, page);

// ---- for everybody ----

await test("after a navigation the heading has the focus, and the title names the page", async () => {
    const problems = [], titles = new Set();
    for (const [name, route] of Object.entries(routes)) {
        await page.evaluate(() => {
            document.activeElement?.blur?.();
            location.hash = "#/nowhere";
        });
        await page.waitForFunction(() => location.hash.startsWith("#/runs"));
        await drawn(page);
        if (route !== "#/runs") {
            await page.evaluate((to) => { location.hash = to; }, route);
            await page.waitForFunction(() => document.activeElement?.localName === "h1", null, { timeout: 4000 })
                .catch(() => problems.push(`${name}: the focus is elsewhere`));
        }
        await drawn(page);
        titles.add(await page.title());
        if (await page.locator("h1").count() !== 1) problems.push(`${name}: not one heading of the first level`);
    }
    if (titles.size < 9) problems.push(`titles: ${[...titles]}`);
    return problems;
}, page);

await test("by keyboard: the first stop skips to the content; all that has the focus shows it", async () => {
    await page.goto(`${ui.origin}/#/runs`);
    await drawn(page);
    await page.reload();
    await drawn(page);
    await page.evaluate(() => { document.activeElement?.blur?.(); getSelection()?.removeAllRanges(); });
    await page.keyboard.press("Tab");
    ensure(/skip/i.test(await page.evaluate(() => document.activeElement.textContent)), "no way to skip");
    const problems = [], stops = [];
    for (let i = 0; i < 30; i++) {
        const stop = await page.evaluate(() => {
            const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
            return { what: `${one.getAttribute("role") ?? one.localName} ${one.getAttribute("href") ?? one.textContent.slice(0, 20)}`,
                shown: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
                    || style.boxShadow !== "none",
                inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
        });
        stops.push(stop.what);
        if (stop.what.startsWith("body")) break;
        if (!stop.shown) problems.push(`the focus is not seen: ${stop.what}`);
        if (!stop.inside) problems.push(`the focus is outside of the window: ${stop.what}`);
        await page.keyboard.press("Tab");
    }
    ensure(stops.some((stop) => stop.startsWith("grid")), `no list of runs by keyboard: ${stops.join(", ")}`);
    return problems;
}, page);

await test("by keyboard: arrows and Enter open a run, and its tabs, and go back", async () => {
    await page.getByRole("grid", { name: "Runs" }).focus();
    await page.keyboard.press("Home");
    const chosen = () => page.evaluate(() =>
        document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerHTML ?? "");
    for (let i = 0; i < runs.length && !(await chosen()).includes(`${base}"`); i++) {
        await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await page.waitForFunction((to) => location.hash.startsWith(to), base);
    await page.waitForFunction(() => document.activeElement?.localName === "h1");
    await page.locator(`main a[href="${base}/findings"]`).first().focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((to) => location.hash.startsWith(to), `${base}/findings`);
    await page.goBack();
    await page.waitForFunction((to) => location.hash.replace(/\?.*/, "") === to, base);
    await drawn(page);
}, page);

guarded("all pages", context);
await context.close();

for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 320], ["dark", 320]]) {
    const one = await context_new(ui, { colorScheme: scheme, viewport: { width, height: 800 } });
    const tab = await visit(one);
    const violations = [], wide = [];
    for (const [name, route] of Object.entries(routes)) {
        await go(tab, route);
        await until(async () => (await text_of(tab)).length > 40, `${name} has text`);
        violations.push(...(await axeOn(tab)).map((words) => `${name}: ${words}`));
        wide.push(...(await tooWide(tab)).map((words) => `${name}: ${words}`));
    }
    tell(`${scheme}, ${width} px: axe-core`, violations);
    tell(`${scheme}, ${width} px: no wider than the window`, wide);
    guarded(`${scheme}, ${width} px`, one);
    await one.close();
}

for (const [name, options] of Object.entries({
    "4K": { viewport: { width: 3840, height: 2160 } },
    "zoom 200 %": { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
})) {
    const one = await context_new(ui, options);
    const tab = await visit(one);
    await test(`${name}: no wider than the window`, async () => {
        const wide = [];
        for (const [title, route] of Object.entries(routes)) {
            await go(tab, route);
            wide.push(...(await tooWide(tab)).map((words) => `${title}: ${words}`));
        }
        return wide;
    }, tab);
    await one.close();
}

await test("reduced motion: nothing moves", async () => {
    const one = await context_new(ui, { reducedMotion: "reduce" });
    const tab = await visit(one);
    const problems = [];
    for (const [name, route] of Object.entries(routes)) {
        await go(tab, route);
        const moving = await tab.evaluate(() => document.getAnimations().filter((animation) =>
            Number(animation.effect?.getComputedTiming().duration) > 10).length);
        if (moving) problems.push(`${name}: ${moving} animations`);
    }
    await one.close();
    return problems;
});

await test("numbers and times are those of the reader's locale", async () => {
    const shown = {};
    for (const locale of ["en-US", "de-DE", "ar-EG"]) {
        const one = await context_new(ui, { locale, timezoneId: locale === "de-DE" ? "Asia/Tokyo" : "UTC" });
        const tab = await visit(one, base);
        await tab.locator("main time[datetime]").first().waitFor();
        shown[locale] = await text_of(tab);
        const stamp = await tab.locator("main time[datetime]").first().getAttribute("datetime");
        ensure(!Number.isNaN(Date.parse(stamp)), `datetime ${stamp}`);
        const wide = await tooWide(tab);
        ensure(wide.length === 0, `${locale}: ${wide}`);
        await one.close();
    }
    ensure(shown["en-US"].includes("1.84"), "en-US");
    ensure(shown["de-DE"].includes("1,84"), "de-DE");
    ensure(/[\u0660-\u0669]/.test(shown["ar-EG"]), "ar-EG");
});

await test("printed: the page's text, and no bar", async () => {
    const one = await context_new(ui, { colorScheme: "dark" });
    const tab = await visit(one, base);
    await tab.emulateMedia({ media: "print", colorScheme: "dark" });
    const [ground, bar] = await tab.evaluate(() => [getComputedStyle(document.body).backgroundColor,
        document.querySelector("nav")?.getBoundingClientRect().height ?? 0]);
    ensure(["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"].includes(ground), `dark ground on paper: ${ground}`);
    equal(bar, 0, "height of the bar");
    const pdf = await tab.pdf({ format: "A4" });
    ensure(pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 5000, "no PDF");
    await one.close();
});

await test("all files of the page together: at most 60 kB gzipped", async () => {
    const one = await context_new(ui);
    const sizes = new Map();
    const tab = await one.newPage();
    const devtools = await one.newCDPSession(tab);
    await devtools.send("Network.enable");
    const urls = new Map();
    devtools.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
    devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        const url = urls.get(requestId);
        if (url && !url.includes("/api/") && !url.startsWith("data:") && !sizes.has(url)) {
            sizes.set(url, encodedDataLength);
        }
    });
    await tab.goto(ui.address);
    await drawn(tab);
    for (const route of Object.values(routes)) await go(tab, route);
    const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    console.log(`all files of the page: ${all} bytes in ${sizes.size} files, gzipped, with their heads`);
    ensure(sizes.size >= 4 && all <= 60 * 1024, `${all} bytes`);
    await one.close();
});

await ui.stop();
await finish();
