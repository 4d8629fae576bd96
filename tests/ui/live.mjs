// SPDX-License-Identifier: Apache-2.0
//
// live.mjs - what happens, while it happens. See live.sh.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axeOn, connections, context_new, drawn, ensure, equal, finish, go, guarded, hone_begins, hone_json, says, serve,
    test, text_of, until, visit } from "../support/ui.mjs";

const [shop] = process.argv.slice(2);
const { hold } = process.env;
let ui = await serve([shop]);
const listed = async () => (await hone_json(shop, "list")).runs;
let context = await context_new(ui);

// What the rows of a list say: a filter has words of states as well.
const rows_of = (tab) => text_of(tab, "main [role=grid]");

const let_go = () => rmSync(hold, { force: true });

// A run whose agents of these roles wait until let_go(): { run, child, ended }.
let begun = 0, before = null;
async function begin(...roles) {
    const task = `Live ${++begun}`;

    let_go(); /* of one that a test left behind */
    await before?.ended;
    writeFileSync(hold, roles.join("\n"));
    appendFileSync(join(shop, "shop/price.py"), `# ${task}\n`);
    const process = hone_begins(shop, "run", "review", "--budget", "usd=5,calls=60", "--agent", "*=claude", "--",
        task);
    before = process;
    const run = await until(async () => (await listed()).find((one) => one.task === task)?.run, `${task} begins`);
    return { ...process, run, task };
}

// ---- one tab ----

const page = await visit(context, "#/runs");

await test("a run that begins elsewhere comes into the list, and its end, too", async () => {
    const live = await begin("critic");
    await says(page, live.task);
    await page.locator(`main a[href^="#/run/0/${live.run}"]`).first().waitFor();
    ensure(/running/i.test(await rows_of(page)), "it is not said to run");
    let_go();
    await live.ended;
    await until(async () => !/running/i.test(await rows_of(page)), "it has ended");
}, page);

await test("an attempt is seen at work, then with its verdict; from its event to the screen", async () => {
    const live = await begin("critic", "pedant");
    await go(page, `#/run/0/${live.run}`);
    await says(page, "running");
    await page.locator(`main a[href^="#/run/0/${live.run}/attempt/"]`).first().waitFor();
    await page.reload();
    await drawn(page);
    await says(page, "running");
    let_go();
    await live.ended;
    await says(page, "clean");
    equal((await hone_json(shop, "status", live.run)).word, "clean", "its state");
}, page);

await test("a transcript grows while its agent speaks", async () => {
    const live = await begin("critic");
    const attempt = await until(async () => (await hone_json(shop, "show", live.run)).attempts
        .find((one) => one.role === "critic"), "the critic is at work");
    await go(page, `#/run/0/${live.run}/attempt/${attempt.job}-${attempt.attempt}`);
    await says(page, "I look at the change");
    ensure(!(await text_of(page)).includes("issues_found") && !/"verdict"/.test(await text_of(page)),
        "an answer is there");
    let_go();
    await live.ended;
    await says(page, "How it was judged");
    await until(async () => /issues_found/.test(await text_of(page)), "its answer");
}, page);

await test("a run at work: who works by what, what is reserved and left of its budget, where it is in its plan", async () => {
    const live = await begin("critic");
    const base = `#/run/0/${live.run}`;
    await go(page, base);
    await until(async () => /critic claude/.test(await text_of(page, ".working")), "who is at work, and by what");
    const calls = async () => (await hone_json(shop, "status", live.run)).budget.calls;
    await until(async () => (await calls()).spent + (await calls()).reserved >= 6, "all reviewers were asked");
    const { left, reserved, spent } = await calls();
    await until(async () => (await text_of(page, ".budget")).includes(`${spent} of 60`), `${spent} are spent`);
    ensure(reserved === 0 || (await text_of(page, ".budget")).includes(`${reserved} reserved`), "what is reserved");
    await says(page, `${left} left`);
    const [job] = (await hone_json(shop, "status", live.run)).lanes[0].jobs.filter((one) => !one.ended);
    const problems = [];
    for (const route of [base, `${base}/plan`, `${base}/attempts`, `${base}/attempt/${job.job}-${job.attempt}`]) {
        await go(page, route);
        await says(page, route === base || route.endsWith("plan") ? "at work" : "running");
        ensure(!/not known/.test(await text_of(page)), `${route}: it is not said who plays`);
        problems.push(...(await axeOn(page)).map((words) => `${route}: ${words}`));
    }
    await go(page, `${base}/plan`);
    await page.locator("main svg .box.at-work").waitFor();
    let_go();
    await live.ended;
    await until(async () => await page.locator("main svg .box.at-work").count() === 0, "no box at work");
    return problems;
}, page);

await test("a wait for a rate limit: for what and until when, then how long it was", async () => {
    const live = await begin("limited", "critic", Math.ceil(Date.now() / 1000) + 4);
    await go(page, `#/run/0/${live.run}`);
    await until(async () => /waiting critic claude for the rate limit until \d/.test(
        (await text_of(page, ".works")).replace(/\s+/g, " ")), "that it waits");
    await live.ended;
    const timeline = page.getByRole("region", { name: "Timeline" });
    const { attempts } = await hone_json(shop, "show", live.run);
    await until(async () => (await timeline.innerText()).includes(`${attempts.length} attempts`), "all are there");
    const again = attempts.find((one) => one.role === "critic" && one.attempt === 2);
    ensure(again.started_ms - again.asked_ms > 1000, "the scene");
    await timeline.locator("canvas").focus();
    const is_it = (words) => /^critic.*try 2/s.test(words), told = [""];
    const track = [...Array(9).fill("ArrowRight"), ...Array(9).fill("ArrowLeft"), "ArrowDown"];
    for (const key of ["Home", ...Array(6).fill(track).flat()]) {
        if (is_it(told.at(-1))) break;
        await page.keyboard.press(key);
        told.push(await timeline.getByRole("status").innerText());
    }
    ensure(is_it(told.at(-1)) && /waited \d/.test(told.at(-1)), `the timeline tells of no wait: ${told.at(-1)}`);
    await go(page, `#/run/0/${live.run}/attempts`);
    await until(async () => /try 2 waited \d/.test(await text_of(page)), "the table of attempts does");
}, page);

// ---- many tabs ----

await test("eight tabs are live at once, over one stream", async () => {
    const tabs = [page];
    while (tabs.length < 8) tabs.push(await visit(context, "#/runs"));
    await go(page, "#/runs");
    const live = await begin("critic");
    for (const tab of tabs) await says(tab, live.task);
    await until(() => connections(ui) === 1, `one connection, there are ${connections(ui)}`);
    let_go();
    await live.ended;
    for (const tab of tabs) await until(async () => !/running/i.test(await rows_of(tab)), "each says its end");
    for (const tab of tabs.slice(2)) await tab.close();
}, page);

const [first, second] = context.pages();

await test("where the tab that reads is closed, another reads on", async () => {
    await until(() => connections(ui) === 1, "one stream for two tabs");
    await first.close();
    const live = await begin("critic");
    await says(second, live.task);
    await until(() => connections(ui) === 1, "one stream for one tab");
    let_go();
    await live.ended;
}, second);

await test("a tab that is hidden lets go, and knows all when it is seen again", async () => {
    const see = (state) => second.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => to });
        Object.defineProperty(document, "hidden", { configurable: true, get: () => to === "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
    }, state);
    await see("hidden");
    await until(() => connections(ui) === 0, "no stream");
    const live = await begin("critic");
    let_go();
    await live.ended;
    await see("visible");
    await says(second, live.task);
    await until(() => connections(ui) === 1, "a stream again");
}, second);

// ---- what breaks ----

await test("the network is away, and comes back: nothing is missed", async () => {
    await context.setOffline(true);
    const live = await begin("critic");
    await context.setOffline(false);
    await says(second, live.task, 30000);
    await context.setOffline(true);
    let_go();
    await live.ended;
    await context.setOffline(false);
    await until(async () => !/running/i.test(await rows_of(second)), "its end is seen", 30000);
}, second);

await test("a run that is killed looks killed", async () => {
    const live = await begin("critic");
    await go(second, `#/run/0/${live.run}`);
    await says(second, "running");
    live.child.kill("SIGKILL");
    await live.ended;
    const { word } = await hone_json(shop, "status", live.run);
    await until(async () => !/\brunning\b/i.test(await text_of(second, ".standing")), "it is no more said to run");
    await says(second, word);
    let_go();
    ensure(await second.getByRole("button", { name: /^resume/i }).count() > 0, "no way to go on");
}, second);

await test("hone ui is killed while a run is at work: the run goes on to its end", async () => {
    const live = await begin("critic");
    await go(second, "#/runs");
    await says(second, live.task);
    await ui.stop("SIGKILL");
    await says(second, "does not answer", 30000);
    let_go();
    equal(await live.ended, 0, "its exit status");
    equal((await hone_json(shop, "status", live.run)).word, "clean", "its state");
}, second);

await test("a run that was begun in the page goes on when hone ui is killed", async () => {
    ui = await serve([shop]);
    writeFileSync(hold, "critic");
    const answer = await ui.ask("/repos/0/runs", { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ dialect: "review", task: "Begun by the server", options: {} }) });
    ensure(answer.status === 200, `${answer.status} ${answer.text}`);
    const { run } = answer.body;
    await until(async () => (await hone_json(shop, "status", run)).word === "running", "it is at work");
    await ui.stop("SIGKILL");
    let_go();
    await until(async () => (await hone_json(shop, "status", run)).word === "clean", "it has ended", 30000);
});

await test("SIGTERM ends hone ui at once, with a stream open", async () => {
    ui = await serve([shop]);
    const other = await context_new(ui);
    await visit(other, "#/runs");
    await until(() => connections(ui) === 1, "a stream");
    const began = Date.now();
    await ui.stop("SIGTERM");
    ensure(Date.now() - began < 5000, "it took long");
    await other.close();
});

context.guard.said = context.guard.said.filter((text) => !/Failed to fetch|network/i.test(text));
guarded("live", context);
ensure(readFileSync(join(shop, "README.md"), "utf8").startsWith("# A little shop"), "the shop");
await finish();
