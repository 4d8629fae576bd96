// SPDX-License-Identifier: Apache-2.0
//
// browser.mjs - what tests in a real browser share: Debian's chromium by playwright-core, axe-core,
// and lines that tests/run counts. The packages are those of tests/npm, in the folder that npm_tools
// names.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const require = createRequire(join(process.env.npm_tools, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browserPath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();

// `ok NAME`, or `not ok NAME: why` with all that is wrong below it.
export function tell(name, all) {
    const problems = [...new Set(all.map((problem) => String(problem).split("\n    at ").slice(0, 3).join(" < ")))];

    if (problems.length === 0) {
        console.log(`ok ${name}`);
        return;
    }
    process.exitCode = 1;
    console.log(`not ok ${name}: ${String(problems[0]).replace(/\s+/g, " ").slice(0, 300)}`);
    for (const problem of problems.slice(0, 20)) console.log(`    ${problem}`);
}

// Without its sandbox, which root and most containers cannot have: the pages are hone's. It finds no
// name of any host, and asks for nothing of its own.
export function launch() {
    return chromium.launch({ executablePath: browserPath, args: [
        "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
        "--disable-component-update", "--disable-domain-reliability", "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ] });
}

// What axe-core finds wrong with the page as it is, once nothing on it moves: what fades in has less
// contrast while it does.
export async function axeOn(page) {
    await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running"
        || !Number.isFinite(one.effect?.getComputedTiming().endTime)));
    await page.evaluate(axe);
    const result = await page.evaluate(() => globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }));

    return result.violations.flatMap((violation) => violation.nodes.map((node) =>
        `${violation.id}: ${violation.help}: ${node.html.slice(0, 160)}`));
}

// How many pixels the page is wider than its window.
export async function tooWide(page) {
    const wider = await page.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth);

    return wider > 0 ? [`${wider} px too wide`] : [];
}
