// SPDX-License-Identifier: Apache-2.0
//
// site.mjs - judges the pages of the site by programs that are not hone's:
//
//   node site.mjs PAGE...
//
// Each page is read by html-validate and the Nu validator, and shown by the browser, small and light,
// large and dark: axe-core finds nothing, nothing is wider than the window, nothing is asked of any
// other place, nothing is said on the console. A line `ok NAME` or `not ok NAME: why` for each.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { axeOn, launch, tell, tooWide } from "../support/browser.mjs";
import { validate, validateByNu } from "../support/markup.mjs";

const pages = process.argv.slice(2);
// The sheet lies beside the page, and names of headings begin with their numbers.
const rules = { "require-sri": "off", "valid-id": ["error", { relaxed: true }] };

async function look(tab, page, name) {
    const asked = [], said = [];
    const hears = (request) => { if (!request.url().startsWith("file:")) asked.push(request.url()); };
    const reads = (message) => said.push(message.text());

    tab.on("request", hears);
    tab.on("console", reads);
    await tab.goto(pathToFileURL(page).href);
    tell(`${name}: no wider than the window`, await tooWide(tab));
    tell(`${name}: asks for nothing`, asked);
    tell(`${name}: says nothing`, said);
    tab.off("request", hears);
    tab.off("console", reads); // axe-core asks for the sheet, which no file may
    tell(`${name}: axe-core`, await axeOn(tab));
}

for (const page of pages) await validate(page, rules);
validateByNu(...pages);
const browser = await launch();
for (const [width, colorScheme] of [[320, "light"], [1280, "dark"]]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const tab = await context.newPage();

    for (const page of pages) await look(tab, page, `${basename(page)}: ${width} px, ${colorScheme}`);
    await context.close();
}
await browser.close();
