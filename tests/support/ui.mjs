// SPDX-License-Identifier: Apache-2.0
//
// ui.mjs - what the stories of tests/ui share: `hone ui` as a process, pages of it in a browser with
// a guard around them, and tests.
//
// The guard of a context knows every request of its pages, what the policy for their content
// refused, what they said on the console, and whether text of an agent ran (it calls intruder()).
// guarded() tells what of it is wrong.
//
// 1. Every wait has a condition and a bound. Nothing sleeps.
// 2. A story ends all processes that it began, however it ends, and itself after STORY_MS.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, tell } from "./browser.mjs";

export { axeOn, tell, tooWide } from "./browser.mjs";

const STORY_MS = 200000, WAIT_MS = 15000, POLL_MS = 25;
const { HONE: hone, TOP: top } = process.env;

// ---- processes ----

const children = new Set();

process.on("exit", () => {
    for (const child of children) child.kill("SIGKILL");
});
setTimeout(() => {
    console.log(`not ok ends in time: it is at work after ${STORY_MS} ms`);
    process.exit(1);
}, STORY_MS).unref();
for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => process.exit(1));

function start(program, args, options) {
    const child = spawn(program, args, options);

    children.add(child);
    child.on("exit", () => children.delete(child));
    return child;
}

// A process of hone that goes on beside the test: { child, ended }.
export function hone_begins(folder, ...args) {
    const child = start(hone, args, { cwd: folder, stdio: "ignore" });

    return { child, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

// What a verb says, with its exit status: { status, out, err }.
export function hone_says(folder, ...args) {
    return new Promise((resolve) => {
        execFile(hone, args, { cwd: folder, maxBuffer: 1 << 28 }, (error, out, err) =>
            resolve({ status: error ? error.code : 0, out, err }));
    });
}

export async function hone_json(folder, ...args) {
    return JSON.parse((await hone_says(folder, ...args, "--json")).out);
}

// `hone ui` over these folders, when it says where it is.
export async function serve(folders, ...options) {
    const free = options.includes("--port") ? [] : ["--port", "0"];
    const child = start(hone, ["ui", ...free, ...options, ...folders], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";

    for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (bytes) => { said += bytes; });
    }
    const ended = new Promise((resolve) => child.on("exit", resolve));
    let over = false;
    ended.then(() => { over = true; });
    const found = await until(() => over || said.match(/(http:\/\/127\.0\.0\.1:(\d+))\/#token=(\S+)/),
        "hone ui says where it is");
    if (found === true) throw new Error(`hone ui ended: ${said}`);
    const [address, origin, port, token] = found;
    return {
        address, origin, port: Number(port), token, pid: child.pid, ended,
        said: () => said,
        stop: (signal = "SIGTERM") => { child.kill(signal); return ended; },
        // What the API answers: { status, body }.
        ask: async (path, init = {}) => {
            const answer = await fetch(`${origin}/api/v1${path}`, { ...init,
                headers: { Authorization: `Bearer ${token}`, ...init.headers } });
            const text = await answer.text();
            return { status: answer.status, headers: answer.headers, text,
                body: text.startsWith("{") ? JSON.parse(text) : null };
        },
    };
}

// Connections that the server holds, by what the kernel knows.
export function connections(ui) {
    const port = ui.port.toString(16).toUpperCase().padStart(4, "0");

    return readFileSync("/proc/net/tcp", "utf8").split("\n").filter((line) =>
        line.trim().split(/\s+/)[1]?.endsWith(`:${port}`) && line.trim().split(/\s+/)[3] === "01").length;
}

// ---- waiting ----

// The first value that is true.
export async function until(condition, what, ms = WAIT_MS) {
    const end = Date.now() + ms;

    for (;;) {
        const value = await condition();
        if (value) return value;
        if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
}

// ---- pages ----

export const browser = await launch();

// A browser of its own, with a guard.
export async function context_new(ui, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const guard = { requests: [], refused: [], said: [], ran: [] };

    context.guard = guard;
    context.ui = ui;
    context.setDefaultTimeout(WAIT_MS);
    context.on("request", (request) => guard.requests.push(request.url()));
    context.on("page", (page) => {
        page.on("pageerror", (error) => guard.said.push(String(error)));
        page.on("console", (message) => guard.said.push(`${message.type()}: ${message.text()}`));
        page.on("dialog", (dialog) => {
            if (dialog.type() !== "beforeunload") guard.ran.push(`a dialog: ${dialog.message()}`);
            dialog.dismiss().catch(() => {});
        });
        page.on("popup", (popup) => guard.ran.push(`a window: ${popup.url()}`));
    });
    await context.exposeBinding("intruder", (_, ...args) => { guard.ran.push(args.join(" ") || "it ran"); });
    await context.exposeBinding("guard_refused", (_, text) => { guard.refused.push(text); });
    await context.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) =>
        globalThis.guard_refused(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)));
    return context;
}

// A page of hone ui at a route ("#/runs"), drawn.
export async function visit(context, route = "") {
    const page = await context.newPage();

    await page.goto(context.ui.address);
    await drawn(page);
    if (route) await go(page, route);
    return page;
}

// Another route, by its fragment.
export async function go(page, route) {
    await page.evaluate((to) => { location.hash = to; }, route);
    await page.waitForFunction((to) => location.hash.startsWith(to), route);
    await drawn(page);
}

// A heading is there, and nothing is being loaded.
export async function drawn(page) {
    await page.waitForFunction(() => {
        const main = document.querySelector("main");
        return main?.querySelector("h1") && !document.querySelector("[aria-busy=true]");
    });
}

export function text_of(page, selector = "main") {
    return page.locator(selector).first().innerText();
}

// Until the page says so, in any case of letters.
export async function says(page, text, ms = WAIT_MS) {
    await page.waitForFunction((wanted) => {
        const plain = (words) => words.toLowerCase().replace(/\s+/g, " ");
        return plain(document.body.innerText).includes(plain(wanted));
    }, text, { timeout: ms }).catch(async () => {
        throw new Error(`"${text}" is not on the page: ${(await text_of(page, "body"))
            .replace(/\s+/g, " ").slice(0, 400)}`);
    });
}

// What the console may hold: the browser's own word about an answer that is an error.
const ordinary = /Failed to load resource|net::ERR_|ERR_INTERNET_DISCONNECTED/;

export function guarded(name, context) {
    const { guard, ui } = context;
    const elsewhere = guard.requests.filter((url) =>
        !url.startsWith(`${ui.origin}/`) && !url.startsWith("data:"));

    tell(`${name}: asks for nothing elsewhere`, elsewhere);
    tell(`${name}: no token in an address that is asked for`,
        guard.requests.filter((url) => new URL(url).pathname !== "/" && url.includes(ui.token)));
    tell(`${name}: nothing against the policy of its content`, guard.refused);
    tell(`${name}: nothing on the console`, guard.said.filter((text) => !ordinary.test(text)));
    tell(`${name}: no text of an agent runs`, guard.ran);
}

// ---- tests ----

let pictures = 0;

// Passes when body does not throw; body may return a list of problems. The page, where there is one,
// is kept as a picture when it fails.
export async function test(name, body, page = null) {
    try {
        tell(name, await body() ?? []);
    } catch (error) {
        tell(name, [error.message.split("\n")[0], ...String(error.stack).split("\n").slice(1, 6)]);
        const folder = join(top, "build/ui-failed");
        mkdirSync(folder, { recursive: true });
        const pages = page ? [page] : browser.contexts().flatMap((context) => context.pages());
        for (const one of pages.slice(0, 3)) {
            const path = join(folder, `${process.argv[1].replace(/.*\/|\.mjs$/g, "")}-${++pictures}.png`);
            await one.screenshot({ path, timeout: 5000 }).then(() => console.log(`    ${path}`), () => {});
        }
    }
}

export function equal(got, wanted, what) {
    if (JSON.stringify(got) !== JSON.stringify(wanted)) {
        throw new Error(`${what}: ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
    }
}

export function ensure(good, what) {
    if (!good) throw new Error(what);
}

export async function finish() {
    await browser.close();
    process.exit(process.exitCode ?? 0);
}
