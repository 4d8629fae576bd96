// SPDX-License-Identifier: Apache-2.0
//
// markup.mjs - pages as validators read them: html-validate, and the Nu validator where there is a
// Java to run it. Both are of tests/npm.
import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { require, tell } from "./browser.mjs";

const { HtmlValidate, FileSystemConfigLoader } = require("html-validate");

// Rules of style that say nothing about whether a page is right are left out.
const rules = {
    extends: ["html-validate:recommended", "html-validate:document", "html-validate:a11y"],
    rules: {
        "no-trailing-whitespace": "off", // inside what agents wrote
        "void-style": "off",             // the page is XML, too
        "attribute-boolean-style": "off",
        "long-title": "off",
        "prefer-native-element": "off",  // what is scrolled is a group, and no field set
        "svg-focusable": "off",          // for a browser that is gone
        "no-raw-characters": "error",
    },
};

// more: rules of these pages alone.
export async function validate(page, more = {}) {
    const validator = new HtmlValidate(new FileSystemConfigLoader({ root: true, ...rules,
        rules: { ...rules.rules, ...more } }));
    const report = await validator.validateFile(page);
    const problems = report.results.flatMap((result) =>
        result.messages.map((m) => `${m.line}:${m.column} ${m.ruleId}: ${m.message}`));

    tell(`${basename(page)}: html-validate`, problems);
}

// Advice is none of our business: the slash of an empty element is there because the page is XML.
// One Java reads all of them.
export function validateByNu(...pages) {
    const name = pages.length === 1 ? basename(pages[0]) : `${pages.length} pages`;
    const jar = require.resolve("vnu-jar/build/dist/vnu.jar");
    const run = spawnSync("java", ["-Xss4m", "-jar", jar, "--format", "json", ...pages],
        { encoding: "utf8", timeout: 120000 });

    if (run.error && run.error.code === "ENOENT") {
        console.log(`${name}: not read by the Nu validator: there is no java`);
        return;
    }
    let problems;
    try {
        problems = JSON.parse(run.stderr).messages.filter((m) => m.type === "error"
            || m.subType === "warning").map((m) => `${basename(m.url ?? "")}:${m.lastLine}: ${m.message}`);
    } catch (error) {
        problems = [`${error.message}: ${run.stderr.slice(0, 200)}`];
    }
    tell(`${name}: the Nu validator`, problems);
}
