// SPDX-License-Identifier: Apache-2.0
//
// several.mjs - many repositories on one page. See several.sh.
import { axeOn, context_new, drawn, ensure, equal, finish, go, guarded, hone_begins, hone_json, says, serve, test,
    text_of, tooWide, until, visit } from "../support/ui.mjs";

const [one, two, none, agent] = process.argv.slice(2);
const ui = await serve([one, two, none]);
const context = await context_new(ui, { locale: "en-US" });
const page = await visit(context, "#/runs");
const main = page.getByRole("main");
const rows = () => text_of(page, "main [role=grid]");
const choose = (label) => main.getByLabel("Repository").first().selectOption({ label });

await test("the runs of all, each with the name of its repository", async () => {
    for (const words of ["Of the first", "Of the second", "Of the second, again"]) await says(page, words);
    for (const [task, name] of [["Of the first", "one"], ["Of the second, again", "two"]]) {
        const about = await main.getByRole("row").filter({ hasText: task }).first().locator("bdi").allInnerTexts();
        ensure(about.includes(name), `${task}: ${about}`);
    }
}, page);

await test("a folder that is no repository is said, once", async () => {
    equal((await text_of(page)).split("not in a git repository").length, 2, "how often");
}, page);

await test("those of one repository alone, also after a reload", async () => {
    await choose("two");
    await until(async () => !(await rows()).includes("Of the first"), "others are gone");
    await page.reload();
    await drawn(page);
    ensure(!(await rows()).includes("Of the first") && (await rows()).includes("again"), await rows());
    await choose("all");
    await until(async () => (await rows()).includes("Of the first"), "all are there");
}, page);

await test("a run that begins in one of them comes, and its page says whose it is", async () => {
    await hone_begins(two, "run", "review", "--no-fix", "--agent", `*=${agent}`, "--", "Begun meanwhile").ended;
    await says(page, "Begun meanwhile");
    const { run } = (await hone_json(two, "list")).runs[0];
    await go(page, `#/run/1/${run}`);
    await main.getByRole("link", { name: "two" }).click();
    await page.waitForFunction(() => location.hash === "#/runs?repo=1");
    await drawn(page);
    ensure(!(await rows()).includes("Of the first"), "it leads to all");
}, page);

await test("reviewers, loops and what can be started are those of the repository that is chosen", async () => {
    await go(page, "#/reviewers");
    await says(page, "of 1 run.");
    await choose("two");
    await says(page, "of 3 runs.");
    await go(page, "#/loops");
    await choose("two");
    await page.waitForFunction(() => /repo=1/.test(location.hash));
    await drawn(page);
    await main.getByRole("link", { name: "quick" }).click();
    await main.getByRole("link", { name: /start/i }).or(main.getByRole("button", { name: /start/i })).first().click();
    await page.waitForFunction(() => location.hash.startsWith("#/start"));
    await drawn(page);
    equal(await main.getByLabel("Repository").inputValue(), "1", "the repository");
    equal(await main.getByLabel("Loop").inputValue(), "quick", "the loop");
}, page);

await test("a run is started where it was chosen, and nowhere else", async () => {
    const before = (await hone_json(one, "list")).runs.length;
    await go(page, "#/start?repo=1");
    await main.getByLabel("Loop").selectOption("review");
    await main.getByLabel("Task").fill("Started in the second");
    await main.getByLabel("Only look").check();
    await main.getByRole("button", { name: "Start" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#/run/1/"));
    await until(async () => (await hone_json(two, "list")).runs[0].task === "Started in the second", "it is there");
    equal((await hone_json(one, "list")).runs.length, before, "runs of the other");
    await until(async () => (await hone_json(two, "list")).runs[0].state === "ended", "it ends", 60000);
}, page);

await test("with axe-core, and narrow", async () => {
    const problems = [];
    for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 });
        for (const route of ["#/runs", "#/runs?repo=1", "#/reviewers?repo=1", "#/loops?repo=1", "#/start?repo=1",
            "#/start?repo=2"]) {
            await go(page, route);
            const found = [...await axeOn(page), ...await tooWide(page)];
            problems.push(...found.map((words) => `${route}, ${width} px: ${words}`));
        }
    }
    return problems;
}, page);

guarded("several", context);
await ui.stop();
await finish();
