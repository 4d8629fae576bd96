// SPDX-License-Identifier: Apache-2.0
//
// bench_pages.mjs - hone ui, measured in a browser. See bench_pages.sh.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { context_new, drawn, finish, go, hone_json, serve, until } from "../support/ui.mjs";

const [small, big, live] = process.argv.slice(2);
const EVENTS = 300, SCROLLS = 120;

function print(name, got, wanted, unit, less = true) {
    const over = (less ? got <= wanted : got >= wanted) ? "" : less ? "  <-- over" : "  <-- under";

    console.log(`${name.padEnd(58)} ${got.toFixed(2).padStart(9)} ${unit.padEnd(6)} `
        + `(wanted: ${less ? "at most" : "at least"} ${wanted})${over}`);
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

// Until a run's page is drawn: what was open after its rounds, and all attempts on its timeline.
async function overviewed(page, attempts) {
    const words = `${attempts.toLocaleString("en-US")} attempts`;

    await page.locator("main svg.burndown").waitFor();
    await page.getByRole("region", { name: "Timeline" }).getByText(words).waitFor();
}

// Seconds from the address to that.
async function opens(ui, route, attempts) {
    const context = await context_new(ui, { locale: "en-US" });
    const page = await context.newPage();

    await page.goto(ui.address);
    await drawn(page);
    const began = performance.now();
    await go(page, route);
    await overviewed(page, attempts);
    const took = (performance.now() - began) / 1000;
    return { context, page, took };
}

// ---- opening ----

async function opening(folder) {
    const { attempt_count } = await hone_json(folder, "status", "big");
    const began = performance.now();
    const ui = await serve([folder]);
    const cold = await opens(ui, "#/run/0/big", attempt_count);
    const since_start = (performance.now() - began) / 1000;
    const warm = [];

    for (let i = 0; i < 5; i++) {
        const one = await opens(ui, "#/run/0/big", attempt_count);
        warm.push(one.took);
        await one.context.close();
    }
    return { ui, ...cold, attempts: attempt_count, cold: cold.took, since_start, warm: at(warm.sort((a, b) => a - b), 0.5) };
}

const little = await opening(small);
await little.ui.stop();
const much = await opening(big);
print("10,000 attempts and 50,000 findings: its page, opened first", much.cold, 1, "s");
print("... with the start of hone ui and of the page before it", much.since_start, 5, "s");
print("... opened again", much.warm, 1, "s");
print("... beside a run of 20 attempts", much.warm / little.warm, 10, "times");

// ---- scrolling ----

// Frames while what scrolls in the page is moved by so many pixels in each of them.
function frames(page, pixels) {
    return page.evaluate(({ count, by }) => new Promise((resolve) => {
        const scrolls = [...document.querySelectorAll("main, main *")].filter((one) =>
            one.scrollHeight > one.clientHeight + 400 && /auto|scroll/.test(getComputedStyle(one).overflowY));
        const target = scrolls.sort((a, b) => b.scrollHeight - a.scrollHeight)[0]
            ?? document.scrollingElement;
        const gaps = [];
        let last = 0;

        function frame(now) {
            if (last) gaps.push(now - last);
            last = now;
            target.scrollTop += by;
            if (gaps.length < count) requestAnimationFrame(frame);
            else resolve({ gaps, moved: target.scrollTop, elements: document.querySelectorAll("*").length });
        }
        requestAnimationFrame(frame);
    }), { count: SCROLLS, by: pixels });
}

const devtools = await much.context.newCDPSession(much.page);
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });

// What the page's thread has worked so far, whatever else this machine does: milliseconds.
async function worked() {
    const { metrics } = await devtools.send("Performance.getMetrics");

    return metrics.find((one) => one.name === "TaskDuration").value * 1000;
}

async function scrolling(name, route, pixels) {
    await go(much.page, route);
    if (route.endsWith("big")) await overviewed(much.page, much.attempts);
    else await much.page.locator(`main a[href*="/finding/"], main a[href*="/attempt/"]`).first().waitFor();
    const before = await worked();
    const { gaps, moved, elements } = await frames(much.page, pixels);
    const each = (await worked() - before) / gaps.length;
    gaps.sort((a, b) => a - b);
    const all = gaps.reduce((sum, gap) => sum + gap, 0);
    print(`${name}: frames a second`, gaps.length * 1000 / all, 58, "1/s", false);
    print("... the longest of 95 in a hundred frames", at(gaps, 0.95), 20, "ms");
    print("... work of the page's thread for a frame", each, 8, "ms");
    console.log(`    (${Math.round(moved)} px scrolled, ${elements} elements)`);
}

await scrolling("findings, scrolled slowly", "#/run/0/big/findings", 40);
await scrolling("findings, scrolled fast", "#/run/0/big/findings", 1500);
await scrolling("attempts, scrolled", "#/run/0/big/attempts", 200);
await scrolling("timeline and rounds, scrolled", "#/run/0/big", 40);
await much.ui.stop();
await much.context.close();

// ---- from the disk to the screen ----

const writer = spawn(join(process.env.SUPPORT, "big_run"), ["1", "10000", "50000", "live"],
    { cwd: live, stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: writer.stdout });
await once(lines, "line"); // the run is there
const ui = await serve([live]);
const context = await context_new(ui);
const page = await context.newPage();

async function event() {
    const done = once(lines, "line");
    writer.stdin.write("\n");
    await done;
    return Date.now();
}

for (let i = 0; i < 30; i++) await event();
await page.goto(ui.address);
await drawn(page);
await go(page, "#/run/0/big");
// The time of the frame behind each change of what is shown.
await page.evaluate(() => {
    globalThis.changed = [];
    new MutationObserver((changes) => {
        if (changes.every((one) => one.target.closest?.("time") || one.target.parentElement?.closest("time"))) return;
        requestAnimationFrame(() => globalThis.changed.push(Date.now()));
    }).observe(document.querySelector("main"),
        { subtree: true, childList: true, attributes: true, characterData: true });
});
const took = [];
for (let i = 0; i < EVENTS; i++) {
    await page.evaluate(() => { globalThis.changed.length = 0; });
    const began = await event();
    const seen = await until(() => page.evaluate((from) => globalThis.changed.find((one) => one >= from), began),
        "the event is seen", 5000).catch(() => began + 5000);
    took.push(seen - began);
}
took.sort((a, b) => a - b);
print("an event, from the disk to the screen: half of them", at(took, 0.5), 75, "ms");
print("... 99 in a hundred", at(took, 0.99), 150, "ms");
writer.stdin.end();
await ui.stop();
await finish();
