// SPDX-License-Identifier: Apache-2.0
//
// shop_claude.mjs - plays Claude Code in the little shop of shop.sh: what each role says in each
// round, with the thoughts and calls of tools around it, in the stream that the real program
// writes. Its edits are real ones, of files in the current folder.
//
// For pictures SHOP_PACE is about how many milliseconds a step takes: who answers in no time has no
// timeline. HONE_TASK_ID, HONE_ROLE, HONE_ROUND and HONE_ATTEMPT say who asks. Where the file that SHOP_HOLD
// names exists and has this role in it, the answer waits until it is gone. Where that file says
// "limited" and the role, the service refuses until the second (since 1970) that stands behind it.
import { appendFileSync, existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const { HONE_ROLE: role, HONE_ROUND: round, HONE_TASK_ID: task, SHOP_HOLD: hold,
    SHOP_PACE: pace } = process.env;
const attempt = Number(process.env.HONE_ATTEMPT);

// ---- what is found ----

const negative = { severity: "critical", category: "correctness", file: "shop/cart.py", line: 21 };
const floats = { severity: "warning", category: "correctness", file: "shop/price.py", line: 6 };
const early = { severity: "warning", category: "correctness", file: "shop/till.py", line: 9 };
const silent = { severity: "critical", category: "error-handling", file: "shop/till.py", line: 16 };
const secret = { severity: "critical", category: "security", file: "shop/cart.py", line: 5 };
const halves = { severity: "warning", category: "correctness", file: "shop/price.py", line: 11 };
const naming = { severity: "info", category: "style", file: "shop/cart.py", line: 18 };

const found = {
    "critic.1": [
        { ...negative, description: "A discount that is larger than the sum makes the total negative: "
              + "the till would pay the customer",
          evidence: "return total(self.items) - CODES.get(self.code, 0)",
          suggestion: "Let a discount take at most the sum." },
        { ...floats, description: "Prices are added as floats: 0.1 + 0.2 is not 0.3, and a bill of a "
              + "hundred positions is off by cents",
          evidence: "return sum(price * count for _, price, count in items)",
          suggestion: "Count in cents, as whole numbers." },
        { ...early, description: "The receipt is printed before the payment is confirmed",
          evidence: "print(receipt)", suggestion: "Print it when pay() has returned." },
    ],
    "pedant.1": [
        { ...floats, line: 6, description: "Prices are added as floats, so that the sum of a bill is off by cents",
          evidence: "return sum(price * count for _, price, count in items)",
          suggestion: "Use integers of cents." },
        { ...naming, description: "A method that is called like a number should give one: this one only remembers",
          evidence: "def discount(self, code):", suggestion: "Call it set_code()." },
    ],
    "witness.1": [
        { ...negative, description: "sum() can return less than nothing: a discount larger than the sum "
              + "makes the total negative",
          evidence: "return total(self.items) - CODES.get(self.code, 0)",
          suggestion: "max(0, ...)" },
    ],
    "security-reviewer.1": [
        { ...secret, description: "The codes of all customers stand in the source: who can read the "
              + "repository can shop for nothing",
          evidence: "CODES = {\"WELCOME\": 5, \"STAFF-ONLY\": 500}",
          suggestion: "Read them from the settings of the shop." },
    ],
    "silent-failure-hunter.1": [
        { ...silent, description: "Every error of the card reader is swallowed: the sale counts as "
              + "paid although no money came",
          evidence: "except Exception:\n        pass",
          suggestion: "Let the error through, and keep the sale open." },
        { ...early, line: 10, description: "Should the payment fail, the customer already has the "
              + "receipt in hand", evidence: "print(receipt)", suggestion: "Swap the two lines." },
    ],
    "critic.2": [
        { ...halves, description: "round() rounds halves to the even cent: two discounts of 0.5 cent "
              + "are rounded once up and once down",
          evidence: "return round(value * 100)", suggestion: "Use decimal with ROUND_HALF_UP." },
    ],
    "pedant.2": [
        { ...halves, description: "Halves of a cent go to the even neighbour here, which no bill does",
          evidence: "return round(value * 100)", suggestion: "ROUND_HALF_UP" },
    ],
};

const thoughts = {
    critic: ["The change adds discounts. What can a code do to the sum? I look at cart.py first, then "
        + "at what total() does with the prices.", "CODES.get() returns up to 500, and nothing keeps "
        + "the difference above zero. Is there a check in till.py?"],
    pedant: ["Names first, then numbers."],
    witness: ["I read every line of the change and say only what I can show."],
    "security-reviewer": ["Are there secrets in the change? CODES looks like a table of vouchers."],
    "silent-failure-hunter": ["pay() has an except that catches everything. What does the caller see "
        + "when the card is refused?"],
    "review-fixer": ["Six findings. The negative total and the swallowed error come first; the codes "
        + "need a file of settings that the tests do not have, so I read them from the environment."],
};

// ---- what is done ----

const edits = {
    "review-fixer.1": {
        "shop/cart.py": [["        return total(self.items) - CODES.get(self.code, 0)",
            "        whole = total(self.items)\n        return whole - min(whole, codes().get(self.code, 0))"],
            ["CODES = {\"WELCOME\": 5, \"STAFF-ONLY\": 500}",
             "def codes():\n    return json.loads(os.environ.get(\"SHOP_CODES\", \"{}\"))"],
            ["from shop.price import total", "import json\nimport os\n\nfrom shop.price import total"],
            ["def discount(", "def set_code("]],
        "shop/price.py": [["    return sum(price * count for _, price, count in items)",
            "    return sum(cents(price) * count for _, price, count in items)\n\n\n"
            + "def cents(value):\n    return round(value * 100)"]],
        "shop/till.py": [["    print(receipt)\n    pay(reader, cart)", "    pay(reader, cart)\n    print(receipt)"],
            ["    try:\n        reader.charge(cart.sum())\n    except Exception:\n        pass",
             "    reader.charge(cart.sum())"]],
    },
    "review-fixer.2": {
        "shop/price.py": [["    return round(value * 100)",
            "    return int((Decimal(str(value)) * 100).quantize(0, ROUND_HALF_UP))"],
            ["\"\"\"Prices.\"\"\"\n", "\"\"\"Prices.\"\"\"\n\nfrom decimal import ROUND_HALF_UP, Decimal\n"]],
    },
};

function edit(files) {
    for (const [file, changes] of Object.entries(files)) {
        let text = readFileSync(file, "utf8");
        for (const [from, to] of changes) text = text.replace(from, () => to);
        writeFileSync(file, text);
        tool("Edit", { file_path: file, old_string: changes[0][0], new_string: changes[0][1] },
            `The file ${file} has been updated.`);
    }
}

// ---- the stream ----

let calls = 0;

function line(event) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
}

function said(block) {
    line({ type: "assistant", message: { role: "assistant", content: [block] } });
}

function tool(name, input, result, is_error = false) {
    const id = `toolu_${++calls}`;

    said({ type: "tool_use", id, name, input });
    line({ type: "user", message: { role: "user", content: [
        { type: "tool_result", tool_use_id: id, content: result, is_error }] } });
}

function end(result, cost) {
    line({ type: "result", subtype: "success", is_error: false, terminal_reason: "completed",
        total_cost_usd: cost, num_turns: calls + 1, duration_ms: 1000,
        modelUsage: { "claude-stand-in": { inputTokens: 4200 + calls * 900, outputTokens: 380 } },
        result });
}

// Waits without a clock: the folder says when the file has gone.
function held() {
    return new Promise((resolve) => {
        const words = () => readFileSync(hold, "utf8").split(/\s+/);
        const is_held = () => hold && existsSync(hold) && words()[0] !== "limited" && words().includes(role);

        if (!is_held()) return resolve();
        const watcher = watch(dirname(hold), () => {
            if (is_held()) return;
            watcher.close();
            resolve();
        });
    });
}

// Ends here where the service refuses.
function refused() {
    const words = hold && existsSync(hold) ? readFileSync(hold, "utf8").split(/\s+/) : [];
    const resetsAt = words[0] === "limited" && words[1] === role ? Number(words[2]) : 0;

    if (Date.now() >= resetsAt * 1000) return;
    line({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt } });
    line({ type: "result", subtype: "success", is_error: true, api_error_status: 429,
        terminal_reason: "api_error", result: "come back later" });
    process.exit(1);
}

function review() {
    const issues = found[`${role}.${round}`] ?? [];
    const summary = { critical: 0, warning: 0, info: 0 };

    for (const issue of issues) summary[issue.severity]++;
    return JSON.stringify({ issues,
        summary: { ...summary, verdict: issues.length ? "issues_found" : "clean" } }, null, 2);
}

function work() {
    if (role === "review-fixer") {
        edit(edits[`${role}.${round}`] ?? {});
        tool("Bash", { command: "python3 -m pytest -q" }, "3 passed in 0.04s");
        return "# Fix Summary\n\nFixed: shop/cart.py, shop/price.py, shop/till.py\n";
    }
    if (role === "builder") {
        appendFileSync(`${task}.py`, `"""${task}, step ${round}."""\n`);
        tool("Write", { file_path: `${task}.py`, content: `"""${task}, step ${round}."""` }, "File written.");
        return "TASK_COMPLETE";
    }
    if (role === "loop-reviewer" && task === "refunds" && round === "1") {
        return JSON.stringify({ passed: false, interpretedIntent: "money goes back to the card",
            issues: [{ file: "refunds.py", line: 1, type: "dead-code", description: "Nothing calls it yet: "
                + "a refund is written down and no money moves", suggestion: "Call the card reader." }] });
    }
    if (role === "loop-reviewer" || role === "run-reviewer") {
        return JSON.stringify({ passed: true, intentSatisfied: true, issues: [] });
    }
    if (role === "spec-reviewer") {
        return existsSync("answered") ? "## Grade: PASS"
            : "shop/till.py:9 - the receipt names no discount\n\n## Grade: WARN";
    }
    if (role === "implementer" || role === "spec-fixer") {
        appendFileSync("README.md", "Discounts are shown on the receipt.\n");
        return "done";
    }
    return review();
}

readFileSync(0);
line({ type: "system", subtype: "init", model: "claude-stand-in", tools: ["Read", "Grep", "Bash"] });
refused();
for (const thinking of thoughts[role] ?? ["I read the change."]) said({ type: "thinking", thinking });
said({ type: "text", text: "I look at the change and at every file that it touches." });
tool("Bash", { command: `git diff ${process.env.HONE_SINCE || "HEAD"}` },
    "diff --git a/shop/cart.py b/shop/cart.py\n@@ -14,2 +14,8 @@\n+    def discount(self, code):");
const files = [...readdirSync("."), ...readdirSync("shop").map((name) => `shop/${name}`)];
for (const file of files.filter((name) => /\.(py|md)$/.test(name))) {
    tool("Read", { file_path: file }, readFileSync(file, "utf8"));
}
if (role === "critic") {
    tool("Grep", { pattern: "CODES", path: "shop", output_mode: "content" },
        "shop/cart.py:5:CODES = {\"WELCOME\": 5, \"STAFF-ONLY\": 500}");
    tool("Read", { file_path: "shop/missing.py" }, "<tool_use_error>File does not exist.</tool_use_error>", true);
}
// Some are quick and some are slow, always the same.
const steps = 2 + [...`${role}${round}${attempt}`].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 7;
if (pace) await new Promise((resolve) => setTimeout(resolve, steps * Number(pace)));
await held();
if (role === "witness" && round === "1" && attempt === 1) end("I am not sure what to say.", 0.02);
else end(work(), role === "review-fixer" ? 0.31 : 0.08);
