// SPDX-License-Identifier: Apache-2.0
//
// html.mjs - judges pages of hone's HTML report by programs that are not hone's:
//
//   node html.mjs FOLDER PAGE...
//
// FOLDER takes what is made on the way. Each page is
//
// - read by html-validate, and by the Nu validator where there is a Java to run it;
// - shown by the browser, light and dark, 320, 1280 and 3840 pixels wide: axe-core finds nothing,
//   nothing is wider than the window, nothing is asked of any other place, nothing is said on the
//   console;
// - shown without JavaScript, where it has the same text, and every fold can be opened by keyboard;
// - printed: the paper has the text of what is folded;
// - walked: only elements and attributes that hone's writer knows are there, none from what agents,
//   files and people wrote. Those wrote the word "intruder" into every name and text they could.
//
// A line `ok NAME` or `not ok NAME: why` for each.
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { axeOn, launch, tell, tooWide } from "../support/browser.mjs";
import { validate, validateByNu } from "../support/markup.mjs";

const [folder, ...pages] = process.argv.slice(2);

async function look(browser, page, width, colorScheme) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const tab = await context.newPage();
    const asked = [], said = [];

    tab.on("request", (request) => asked.push(request.url()));
    tab.on("console", (message) => said.push(message.text()));
    tab.on("pageerror", (error) => said.push(String(error)));
    await tab.goto(pathToFileURL(page).href);
    await tab.evaluate(() => document.querySelectorAll("details").forEach((d, i) => {
        if (i < 200) d.open = true;
    }));

    const name = `${basename(page)}: ${width} px, ${colorScheme}`;
    tell(`${name}: axe-core`, await axeOn(tab));
    tell(`${name}: no wider than the window`, await tooWide(tab));
    tell(`${name}: asks for nothing`, asked.slice(1));
    tell(`${name}: says nothing`, said);
    await tab.screenshot({ path: join(folder, `${basename(page, ".html")}-${width}-${colorScheme}.png`) });
    await context.close();
}

// Without script: the same text, and folds that open by the keyboard.
async function lookWithout(browser, page) {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const tab = await context.newPage();

    await tab.goto(pathToFileURL(page).href);
    const scripts = await tab.locator("script").count();
    tell(`${basename(page)}: no script`, scripts ? [`${scripts} script elements`] : []);
    const folds = tab.locator("main details:not([open]) > summary");
    if (await folds.count() > 0) {
        const fold = folds.first();
        const id = await fold.evaluate((node) => node.parentElement.outerHTML.length);
        await fold.focus();
        await tab.keyboard.press("Enter");
        const open = await tab.locator("main details[open]").evaluateAll(
            (all, size) => all.some((one) => Math.abs(one.outerHTML.length - size) <= 8), id);
        tell(`${basename(page)}: folds open by keyboard, without script`, open ? [] : ["it stays closed"]);
    }
    await context.close();
}

async function print(browser, page) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const path = join(folder, `${basename(page, ".html")}.pdf`);

    await tab.goto(pathToFileURL(page).href);
    await tab.emulateMedia({ media: "print" });
    const hidden = await tab.evaluate(() => [...document.querySelectorAll("details:not([open])")]
        .filter((one) => [...one.children].slice(1).some((child) =>
            child.getBoundingClientRect().height === 0 && child.textContent.trim() !== "")).length);
    tell(`${basename(page)}: paper has what is folded`, hidden ? [`${hidden} folds are hidden`] : []);
    const pdf = await tab.pdf({ path, format: "A4", printBackground: true });
    tell(`${basename(page)}: prints`, pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 5000
        ? [] : ["no PDF"]);
    await context.close();
}

// What hone's writer makes, and nothing else.
const elements = new Set(("html head meta title style body a header main footer section nav h1 h2 h3 h4 p "
    + "b span div ul ol li dl dt dd details summary figure figcaption table caption thead tbody tr th td "
    + "time code pre del ins mark svg g rect line text path circle defs pattern desc").split(" "));
const attributes = new Set(("lang charset http-equiv content name class href id aria-label "
    + "aria-labelledby aria-hidden role tabindex scope open datetime width height viewBox x y x1 x2 y1 "
    + "y2 rx cx cy r d fill text-anchor patternUnits").split(" "));

async function walk(browser, page) {
    const context = await browser.newContext();
    const tab = await context.newPage();

    await tab.goto(pathToFileURL(page).href);
    const found = await tab.evaluate(() => {
        const all = [];
        const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
        while (walker.nextNode()) {
            const node = walker.currentNode;
            if (node.nodeType === Node.COMMENT_NODE) all.push({ name: "#comment", attributes: [] });
            else all.push({ name: node.localName,
                attributes: [...node.attributes].map((a) => [a.name, a.value]) });
        }
        return all;
    });
    const problems = [];
    for (const element of found) {
        if (!elements.has(element.name)) problems.push(`an element ${element.name}`);
        for (const [name, value] of element.attributes) {
            if (!attributes.has(name)) problems.push(`an attribute ${name} of ${element.name}`);
            if (value.includes("intruder")) problems.push(`${name} of ${element.name} is ${value}`);
            if (name === "href" && !/^#[a-z]+$/.test(value)) problems.push(`a link to ${value}`);
            if (name === "fill" && !/^url\(#p-[a-z]+\)$/.test(value)) problems.push(`fill ${value}`);
        }
    }
    const style = await tab.evaluate(() => [...document.querySelectorAll("style")].map((s) => s.textContent).join(""));
    if (style.includes("intruder")) problems.push("style has text from outside");
    const ids = found.flatMap((e) => e.attributes.filter(([name]) => name === "id").map(([, v]) => v));
    if (new Set(ids).size !== ids.length) problems.push("an id stands twice");
    tell(`${basename(page)}: all elements and attributes are hone's`, problems);

    const bare = await tab.evaluate(() => {
        const text = document.documentElement.textContent;
        return [...text].filter((c) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(c)).length;
    });
    tell(`${basename(page)}: no character hides`, bare ? [`${bare} of them`] : []);
    await context.close();
}

const browser = await launch();
for (const page of pages) {
    await validate(page);
    validateByNu(page);
    await walk(browser, page);
    await lookWithout(browser, page);
    for (const [width, scheme] of [[320, "light"], [1280, "light"], [1280, "dark"], [3840, "dark"]]) {
        await look(browser, page, width, scheme);
    }
    await print(browser, page);
}
await browser.close();
