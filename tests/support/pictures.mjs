// SPDX-License-Identifier: Apache-2.0
//
// pictures.mjs - pictures of the pages of hone ui, for documents: of the shop's runs. See
// tools/pictures.
//
//   node pictures.mjs SHOP FOLDER ended|live     live: of the run that is at work
import { join } from "node:path";
import { context_new, finish, go, guarded, hone_json, says, serve, test, until, visit } from "./ui.mjs";

const [shop, folder, which] = process.argv.slice(2);
const WIDTH = 1120, RUN_HEIGHT = 1290;
const ui = await serve([shop]);
const { runs } = await hone_json(shop, "list");
const run_of = (fits) => runs.find(fits)?.run;

// A picture is a page as high as this.
async function picture(page, name, route, height, wanted = "h1") {
    await page.setViewportSize({ width: WIDTH, height });
    await go(page, route);
    await page.locator(`main ${wanted}`).first().waitFor();
    await until(() => page.evaluate(() =>
        document.getAnimations().every((one) => one.playState !== "running")), "nothing moves");
    /* Without the room of a bar to scroll by, which is not there. */
    const width = await page.evaluate(() => Math.floor(document.querySelector("#bar").getBoundingClientRect().right));
    await page.screenshot({ path: join(folder, `${name}.png`), clip: { x: 0, y: 0, width, height } });
}

async function ended() {
    const review = run_of((one) => one.dialect === "review" && one.reason === "clean");
    const { findings } = await hone_json(shop, "findings", review);
    const { attempts } = await hone_json(shop, "show", review);
    const negative = findings.find((one) => one.text.includes("total negative"));
    const critic = attempts.find((one) => one.role === "critic");
    const base = `#/run/0/${review}`;

    return [
        ["run", base, RUN_HEIGHT, "svg.burndown"],
        ["lanes", `#/run/0/${run_of((one) => one.dialect === "loops")}`, 760, ".timeline"],
        ["asks", `#/run/0/${run_of((one) => one.asks)}`, 560],
        ["findings", `${base}/findings`, 720, "a[href*='/finding/']"],
        ["finding", `${base}/finding/${negative.id}`, 1180, "pre.lines"],
        ["attempts", `${base}/attempts`, 900, "a[href*='/attempt/']"],
        ["attempt", `${base}/attempt/${critic.job}-${critic.attempt}`, 940, ".found"],
        ["diff", `${base}/diff`, 860, ".add, .l"],
        ["reviewers", "#/reviewers", 720, "table"], ["loops", "#/loops", 620],
        ["loop", "#/loops/test-first", 860, "svg"], ["start", "#/start", 830, ".tag.good"],
    ];
}

function live() {
    const base = `#/run/0/${run_of((one) => one.standing === "running")}`;

    return [["runs", "#/runs", 670, "a[href*='/run/']"], ["live", base, 1040, ".working li"],
        ["plan", `${base}/plan`, 640, "svg .box.at-work"]];
}

const context = await context_new(ui, { locale: "en-US", reducedMotion: "reduce" });
const page = await visit(context, "#/runs");
await says(page, "live");
for (const one of which === "live" ? live() : await ended()) {
    await test(`a picture: ${one[0]}`, () => picture(page, ...one), page);
}
guarded("pictures", context);
await context.close();
if (which !== "live") {
    const night = await context_new(ui, { locale: "en-US", reducedMotion: "reduce", colorScheme: "dark" });
    await test("a picture: dark", async () => picture(await visit(night), "dark", (await ended())[0][1], RUN_HEIGHT,
        "svg.burndown"));
}
await ui.stop();
await finish();
