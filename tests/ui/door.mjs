// SPDX-License-Identifier: Apache-2.0
//
// door.mjs - who may come in. See door.sh.
import { request } from "node:http";
import { createServer } from "node:http";
import { axeOn, browser, context_new, drawn, ensure, equal, finish, go, guarded, hone_json, says, serve, test,
    text_of, until, visit } from "../support/ui.mjs";

const [work, empty] = process.argv.slice(2);
const [{ run }] = (await hone_json(work, "list")).runs;
const ui = await serve([work, empty]);

// The answer to a request with these headers, as they are: { status, headers, text }.
function plainly(path, headers = {}, method = "GET") {
    return new Promise((resolve, reject) => {
        const asked = request({ host: "127.0.0.1", port: ui.port, path, method, headers }, (answer) => {
            let text = "";
            answer.on("data", (bytes) => { text += bytes; });
            answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
        });
        asked.on("error", reject);
        asked.end(method === "POST" ? "{}" : undefined);
    });
}

const bearer = { Authorization: `Bearer ${ui.token}` };

// ---- without a browser ----

await test("the API needs the token", async () => {
    for (const headers of [{}, { Authorization: "Bearer nonsense" }, { Authorization: `Basic ${ui.token}` },
        { Authorization: `Bearer ${ui.token}x` }, { Cookie: `token=${ui.token}` }]) {
        const { status, text } = await plainly("/api/v1/runs", headers);
        ensure(status === 401, `${JSON.stringify(headers)}: ${status}`);
        ensure(!text.includes(run), "data in an answer that refuses");
    }
    equal((await plainly(`/api/v1/runs?token=${ui.token}`)).status, 401, "a token in the query");
    equal((await plainly("/api/v1/runs", bearer)).status, 200, "the right one");
});

await test("foreign names and foreign pages are refused", async () => {
    for (const headers of [{ Host: "example.org" }, { Host: `example.org:${ui.port}` }, { Host: "127.0.0.1:1" },
        { Origin: "http://example.org" }, { Origin: "null" }, { Origin: "http://127.0.0.1:1" }]) {
        equal((await plainly("/api/v1/runs", { ...bearer, ...headers })).status, 403, JSON.stringify(headers));
    }
    equal((await plainly("/", { Host: "example.org" })).status, 403, "the page itself, by a foreign name");
});

await test("the page holds no data, and says how it may be used", async () => {
    const { status, headers, text } = await plainly("/");

    equal(status, 200, "status");
    ensure(!text.includes(run) && !text.includes(ui.token), "data in the page");
    equal(headers["content-security-policy"], "default-src 'none'; script-src 'self'; style-src 'self'; "
        + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "policy");
    equal(headers["x-content-type-options"], "nosniff", "nosniff");
    equal(headers["referrer-policy"], "no-referrer", "referrer");
    equal(headers["cross-origin-opener-policy"], "same-origin", "opener");
    equal(headers["cross-origin-resource-policy"], "same-origin", "resource");
    equal(headers["set-cookie"], undefined, "cookie");
});

await test("errors of the API are words that a verb would say", async () => {
    const missing = await ui.ask("/repos/0/runs/zzzzzzzz");
    equal([missing.status, missing.body.error.code], [404, "missing"], "no such run");
    ensure(missing.body.error.message.includes("zzzzzzzz"), missing.body.error.message);
    equal((await ui.ask("/repos/7/reviewers")).status, 404, "no such repository");
    equal((await ui.ask("/nothing")).status, 404, "no such path");
    equal((await ui.ask("/runs?count=nonsense")).status, 400, "a number that is none");
    const posted = await ui.ask(`/repos/0/runs/${run}/stop`, { method: "POST", body: "{}" });
    ensure(posted.status >= 400 && posted.status < 500, `a form's content type: ${posted.status}`);
});

await test("files are asked for once: ETag, gzip, and not much of them", async () => {
    const { headers } = await plainly("/", { "Accept-Encoding": "gzip" });
    equal(headers["content-encoding"], "gzip", "encoding");
    ensure(headers.etag, "no ETag");
    equal((await plainly("/", { "If-None-Match": headers.etag, "Accept-Encoding": "gzip" })).status, 304,
        "asked again");
});

// ---- in a browser ----

let context = await context_new(ui);
let page = await visit(context);

await test("the token leaves the address and the history, and no cookie has it", async () => {
    await says(page, "review");
    ensure(!page.url().includes(ui.token), page.url());
    equal(await context.cookies(), [], "cookies");
    equal(await page.evaluate(() => document.cookie), "", "document.cookie");
    ensure(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(ui.token), "localStorage");
    await go(page, "#/loops");
    const seen = [];
    page.on("framenavigated", (frame) => seen.push(frame.url()));
    for (let back = 0; back < 3; back++) {
        await page.goBack().catch(() => {});
        seen.push(page.url());
    }
    ensure(!seen.some((url) => url.includes(ui.token)), seen.join(" "));
    const state = await context.storageState();
    ensure(!JSON.stringify(state).includes(ui.token), "what the browser keeps");
    await page.goto(`${ui.origin}/#/runs`);
}, page);

await test("a reload stays in, a tab of another browser does not come in", async () => {
    await page.reload();
    await drawn(page);
    await says(page, "review");
    const other = await context_new(ui);
    const alien = await other.newPage();
    await alien.goto(`${ui.origin}/#/run/0/${run}`);
    await drawn(alien);
    ensure(!(await text_of(alien, "body")).includes("review"), "it shows a run");
    await says(alien, "token");
    ensure(await alien.locator("h1").count() === 1, "no heading");
    const violations = await axeOn(alien);
    guarded("without a token", other);
    await other.close();
    return violations;
}, page);

await test("a wrong token is said to be one, and shows nothing", async () => {
    const other = await context_new(ui);
    const alien = await other.newPage();
    await alien.goto(`${ui.origin}/#token=nonsense`);
    await drawn(alien);
    await says(alien, "token");
    ensure(!alien.url().includes("nonsense"), "it stays in the address");
    ensure(!(await text_of(alien, "body")).includes("review"), "it shows a run");
    await other.close();
});

await test("a page of another server gets nothing", async () => {
    const thief = createServer((_, answer) => answer.end("<!doctype html><title>thief</title>"));
    await new Promise((resolve) => thief.listen(0, "127.0.0.1", resolve));
    const other = await browser.newContext();
    const alien = await other.newPage();
    await alien.goto(`http://127.0.0.1:${thief.address().port}/`);
    const got = await alien.evaluate(async ({ origin, token }) => {
        const tries = [fetch(`${origin}/api/v1/runs`),
            fetch(`${origin}/api/v1/runs`, { headers: { Authorization: `Bearer ${token}` } }),
            fetch(`${origin}/`)];
        return (await Promise.allSettled(tries)).map((one) => one.status);
    }, { origin: ui.origin, token: ui.token });
    equal(got, ["rejected", "rejected", "rejected"], "fetches");
    const framed = await alien.evaluate((origin) => new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.onload = () => {
            try { resolve(frame.contentWindow.length >= 0 && frame.contentDocument ? "own" : "foreign"); }
            catch { resolve("foreign"); }
        };
        frame.src = `${origin}/`;
        document.body.append(frame);
    }), ui.origin);
    const inside = alien.frames().find((frame) => frame.url().startsWith(ui.origin));
    const shown = inside ? await inside.evaluate(() => document.querySelector("#bar") !== null).catch(() => false)
        : false;
    ensure(framed && !shown, "it is shown in a frame");
    await other.close();
    thief.close();
});

for (const [name, route] of [["no such run", "#/run/0/zzzzzzzz"], ["no such repository", `#/run/9/${run}`],
    ["no such finding", `#/run/0/${run}/finding/zzzzzzzz`],
    ["no such attempt", `#/run/0/${run}/attempt/99-1`], ["no such round", `#/run/0/${run}/diff/99`],
    ["no such loop", "#/loops/zzzzzzzz"]]) {
    await test(`${name}: says so, and leads on`, async () => {
        await go(page, route);
        const said = await text_of(page);
        ensure(/no |not |cannot|nothing|missing/i.test(said), said);
        ensure(!/undefined|\[object|NaN|TypeError|fault of its own/.test(said), said);
        ensure(await page.locator("a[href^='#/']").count() > 0, "no way on");
        return axeOn(page);
    }, page);
}

await test("an address that is none leads to the runs", async () => {
    await page.evaluate(() => { location.hash = "#/nonsense/at/all"; });
    await page.waitForFunction(() => location.hash.startsWith("#/runs"));
    await drawn(page);
}, page);
guarded("in the page", context);
await context.close();

await test("a repository without a run says how to begin", async () => {
    const alone = await serve([empty]);
    const other = await context_new(alone);
    const bare = await visit(other, "#/runs");
    await says(bare, "hone run");
    const violations = await axeOn(bare);
    for (const route of ["#/reviewers", "#/loops", "#/start"]) {
        await go(bare, route);
        ensure(!/undefined|NaN|\[object/.test(await text_of(bare)), `${route}: ${await text_of(bare)}`);
        violations.push(...await axeOn(bare));
    }
    guarded("an empty repository", other);
    await other.close();
    await alone.stop();
    return violations;
});

await test("--read-only: nothing can be done, and nothing looks as if it could", async () => {
    const still = await serve([work], "--read-only");
    const other = await context_new(still);
    const only = await visit(other, `#/run/0/${run}`);
    await says(only, "read-only");
    for (const route of [`#/run/0/${run}`, `#/run/0/${run}/findings`, "#/start"]) {
        await go(only, route);
        const buttons = await only.getByRole("button", { name: /^(stop|resume|answer|waive|start)\b/i }).all();
        for (const button of buttons) {
            ensure(await button.isDisabled(), `${route}: "${await button.innerText()}" can be pressed`);
        }
    }
    for (const [path, body] of [[`/repos/0/runs/${run}/stop`, {}], [`/repos/0/runs/${run}/resume`, {}],
        [`/repos/0/runs/${run}/answer`, { choice: "accept" }],
        [`/repos/0/runs/${run}/waive`, { finding: "x", reason: "y" }], ["/repos/0/runs", { dialect: "review" }]]) {
        const answer = await still.ask(path, { method: "POST", body: JSON.stringify(body),
            headers: { "Content-Type": "application/json" } });
        equal([answer.status, answer.body?.error.code], [403, "forbidden"], path);
    }
    equal((await still.ask("")).body.read_only, true, "read_only");
    await go(only, `#/run/0/${run}`);
    const violations = await axeOn(only);
    guarded("read-only", other);
    await other.close();
    await still.stop();
    return violations;
});

context = await context_new(ui);
page = await visit(context, `#/run/0/${run}`);

await test("a server that is gone is said to be, and what is shown stays", async () => {
    await until(async () => !(await page.locator("[aria-busy=true]").count()), "it is drawn");
    const before = await text_of(page, "h1");
    await ui.stop("SIGKILL");
    await says(page, "does not answer", 30000);
    const read_out = await page.locator("#banner").ariaSnapshot();
    ensure(/does not answer/.test(read_out) && !/Next try/.test(read_out), `each second is read out: ${read_out}`);
    equal(await text_of(page, "h1"), before, "what was shown");
    return axeOn(page);
}, page);

await test("started again at the same port it has another token: the page says what to do", async () => {
    const again = await serve([work, empty], "--port", String(ui.port));
    ensure(again.token !== ui.token, "the same token");
    await says(page, "started again", 30000);
    ensure(!(await text_of(page, "body")).includes("notes.txt"), "data is still shown");
    const violations = await axeOn(page);
    await page.goto(again.address);
    await drawn(page);
    await page.reload();
    await drawn(page);
    await says(page, "review");
    await again.stop();
    return violations;
}, page);

await test("a tab of the start before is not in the way of one of this start", async () => {
    const before = await serve([work], "--port", String(ui.port));
    const tabs = await context_new(before);
    const old = await visit(tabs, "#/runs");
    await says(old, "live");
    await old.evaluate(() => { globalThis.fetch = () => Promise.reject(new TypeError("held")); });
    await before.stop();
    await says(old, "does not answer", 30000);
    tabs.ui = await serve([work], "--port", String(ui.port));
    const young = await visit(tabs, "#/runs");
    await young.locator("#bar [data-state=here]").waitFor();
    ensure(!(await text_of(young, "body")).includes("does not answer"), "it takes the word of the other");
    await tabs.close();
    await tabs.ui.stop();
});
context.guard.said = context.guard.said.filter((text) => !/Failed to fetch/.test(text));
guarded("gone and back", context);
await finish();
