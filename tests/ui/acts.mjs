// SPDX-License-Identifier: Apache-2.0
//
// acts.mjs - what can be done in the pages. See acts.sh.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axeOn, context_new, drawn, ensure, equal, finish, go, guarded, hone_begins, hone_json, hone_says, says,
    serve, tell, test, text_of, until, visit } from "../support/ui.mjs";

const [shop] = process.argv.slice(2);
const { hold } = process.env;
const ui = await serve([shop]);
const listed = async () => (await hone_json(shop, "list")).runs;
const word_of = async (run) => (await hone_json(shop, "status", run)).word;
const run_of = async (dialect) => (await listed()).find((one) => one.dialect === dialect).run;
const review = await run_of("review"), asks = await run_of("cycles");
const context = await context_new(ui);
const page = await visit(context, `#/run/0/${asks}`);
const main = page.getByRole("main");

// Tab, until what has the focus fits, as one does who has a keyboard alone.
async function tab_to(fits, what) {
    for (let i = 0; i < 120; i++) {
        if (await page.evaluate(fits)) return;
        await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not come to ${what}`);
}

// By keyboard alone: a button of the page, and the one of the dialog that asks whether it is meant.
async function press_by_keys(word, meant) {
    const is_at = (name, where) => `document.activeElement.localName === "button" && document.activeElement.textContent
        === "${name}" && document.activeElement.closest("${where}") !== null`;

    await tab_to(is_at(word, "main"), word);
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    tell(`a dialog (${word}): axe-core`, await axeOn(page));
    await tab_to(is_at(meant, "dialog"), `${meant}, of the dialog`);
    await page.keyboard.press("Space");
    await page.locator("dialog[open]").waitFor({ state: "hidden" });
}

// Presses a button of that name, and what asks whether it is meant, where something asks.
async function press(name) {
    const button = page.getByRole("button", { name }).first();
    await button.click();
    const dialog = page.locator("dialog[open]");
    await until(async () => await dialog.count() || true, "pressed");
    if (!await dialog.count()) return;
    const violations = await axeOn(page);
    tell(`a dialog (${name}): axe-core`, violations);
    await dialog.getByRole("button").last().click();
    await dialog.waitFor({ state: "hidden" });
}

const post = (path, body, headers = { "Content-Type": "application/json" }) =>
    ui.ask(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });

// By the server, or by the verb, whose exit status is in the answer.
const is_refused = ({ status, body }) => status >= 400 || body.code !== 0;

// ---- what the API refuses ----

await test("an act needs JSON, and a choice that there is", async () => {
    const path = `/repos/0/runs/${asks}/answer`;
    for (const [body, headers, wanted] of [
        ["choice=accept", { "Content-Type": "application/x-www-form-urlencoded" }, [400, 415]],
        [{ choice: "accept" }, {}, [400, 415]], ["{", undefined, [400]], ["[]", undefined, [400]],
        [{ choice: "nonsense" }, undefined, [400]], [{}, undefined, [400]],
    ]) {
        const { status } = await post(path, body, headers);
        ensure(wanted.includes(status), `${JSON.stringify(body)}: ${status}`);
    }
    equal((await post(`/repos/0/runs/zzzzzzzz/stop`, {})).status, 404, "no such run");
    equal(await word_of(asks), "to decide", "it asks still");
});

await test("a run starts with no option that is not on the list", async () => {
    const count = (await listed()).length;
    for (const options of [{ agent: "*=cmd:touch /tmp/x" }, { trust: true }, { "no-sandbox": true },
        { test: "touch x" }, { "--agent": "x" }, { nonsense: 1 }]) {
        const answer = await post("/repos/0/runs", { dialect: "review", task: "x", options });
        ensure(answer.status === 400 || answer.status === 403, `${JSON.stringify(options)}: ${answer.text}`);
    }
    for (const dialect of ["../x", "--help", "", 7]) {
        const answer = await post("/repos/0/runs", { dialect, task: "x", options: {} });
        ensure(is_refused(answer), `${dialect}: ${answer.text}`);
    }
    equal((await listed()).length, count, "runs");
});

// ---- in the page ----

await test("a question is answered, and the run is what the answer makes of it", async () => {
    await press(/accept/i);
    await until(async () => await word_of(asks) !== "to decide", "it is answered");
    await until(async () => !await page.getByRole("button", { name: /accept/i }).count(), "the question has gone");
    const { word } = (await ui.ask(`/repos/0/runs/${asks}`)).body;
    await says(page, word);
}, page);

await test("a run that has ended cannot be answered: what the verb says is shown", async () => {
    const verb = await hone_says(shop, "answer", asks, "accept");
    const answer = await post(`/repos/0/runs/${asks}/answer`, { choice: "accept" });
    equal(answer.body.code, verb.status, "the exit status");
    const words = verb.err.trim().replace(/^hone: /, "").split("\n")[0].slice(0, 40);
    ensure(answer.text.includes(words), `"${words}" is not in ${answer.text}`);
});

writeFileSync(hold, "critic");
writeFileSync(join(shop, "shop/price.py"), `${readFileSync(join(shop, "shop/price.py"), "utf8")}# more\n`);
const live = hone_begins(shop, "run", "review", "--agent", "*=claude", "--", "Held for a while");
const held = await until(async () => (await listed()).find((one) => one.task === "Held for a while")?.run,
    "a run begins");

await test("a run that is at work is stopped, by keyboard alone", async () => {
    await go(page, `#/run/0/${held}`);
    await says(page, "running");
    await press_by_keys("Stop", "Stop the run");
    await live.ended;
    await says(page, "was stopped");
    equal(await word_of(held), "interrupted", "its state");
    await until(async () => !await page.getByRole("button", { name: /^stop/i }).count(), "no button stops it");
}, page);

await test("what was stopped goes on, by keyboard alone, and ends", async () => {
    rmSync(hold);
    await press_by_keys("Resume", "Resume");
    await says(page, "clean", 30000);
    await until(async () => (await word_of(held)) === "clean", "it has ended");
}, page);

await test("a finding is waived with a reason, and not without one", async () => {
    const { findings } = await hone_json(shop, "findings", review);
    const one = findings.find((each) => each.text.includes("floats"));
    await go(page, `#/run/0/${review}/finding/${one.id}`);
    await page.getByRole("button", { name: /^waive/i }).first().click();
    const scope = page.locator("dialog[open]");
    const reason = scope.getByLabel(/reason|why/i).first();
    await reason.waitFor();
    tell("the form of a waiver: axe-core", await axeOn(page));
    await scope.getByRole("button", { name: /^waive/i }).last().click();
    await reason.waitFor();
    ensure(!(await hone_says(shop, "waive", "--list")).out.includes(one.id), "waived without a reason");
    await reason.fill("Cents come <b>next week</b>");
    await scope.getByRole("button", { name: /^waive/i }).last().click();
    await until(() => {
        try { return readFileSync(join(shop, ".hone/waivers.yaml"), "utf8").includes("next week"); }
        catch { return false; }
    }, "it stands in .hone/waivers.yaml");
    await says(page, "waived");
}, page);

await test("Escape leaves a form, and what had the focus has it again", async () => {
    await go(page, `#/run/0/${review}/findings`);
    const { findings } = await hone_json(shop, "findings", review);
    const one = findings.find((each) => each.text.includes("negative"));
    await go(page, `#/run/0/${review}/finding/${one.id}`);
    const opener = page.getByRole("button", { name: /^waive/i }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel(/reason|why/i).first().waitFor();
    await page.keyboard.press("Escape");
    await until(async () => !await page.locator("dialog[open]").count(), "the form has gone");
    ensure(/waive/i.test(await page.evaluate(() => document.activeElement.textContent)), "the focus is elsewhere");
}, page);

await test("a start shows the preview that the terminal gives, and then starts", async () => {
    await go(page, "#/start");
    const dialect = main.getByLabel(/dialect|loop/i).first();
    await dialect.selectOption("review");
    await main.getByLabel(/task/i).first().fill("Started in the page");
    const terminal = (await hone_says(shop, "run", "review", "--preview", "--", "Started in the page"));
    const preview = (await ui.ask("/repos/0/preview?dialect=review&task=Started%20in%20the%20page")).body;
    const json = JSON.parse((await hone_says(shop, "run", "review", "--preview", "--json", "--",
        "Started in the page")).out);
    equal(preview.agents, json.agents, "agents, of the API and of the verb");
    await says(page, "critic");
    await says(page, "claude");
    await says(page, "what differs from HEAD");
    ensure(terminal.out.includes("critic"), terminal.out + terminal.err);
    await main.getByRole("button", { name: /^start/i }).first().click();
    const started = await until(async () =>
        (await listed()).find((each) => each.task === "Started in the page")?.run, "there is a new run");
    await page.waitForFunction((run) => location.hash.includes(run), started);
    await drawn(page);
    await says(page, "clean", 30000);
}, page);

await test("a start that cannot be says why, and starts nothing", async () => {
    const count = (await listed()).length;
    const answer = await post("/repos/0/runs", { dialect: "cycles", task: "", options: {} });
    const verb = await hone_says(shop, "run", "cycles");
    ensure(is_refused(answer), answer.text);
    const words = verb.err.trim().split("\n").pop().replace(/^hone: /, "").slice(0, 30);
    ensure(answer.text.includes(words), `"${words}" is not in ${answer.text}`);
    equal((await listed()).length, count, "runs");
});

guarded("acts", context);
await ui.stop();
await finish();
