/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.js - what several pages show alike: times, words of states, the way back, and questions
 * that are asked before something is done.
 *
 * A state is a sign, a word and a colour, in this order of weight: who cannot tell the colours
 * apart reads the sign, who cannot see reads the word. */
import { ApiError } from './api.js';
import { fill, h, say } from './dom.js';
import { ago, span, time } from './format.js';

/** When it was, as "5 min. ago" that grows older by itself. @param {number} ms
 * @param {number} now_ms */
export function time_ago(ms, now_ms) {
    return h('time', { datetime: new Date(ms).toISOString(), title: time(ms), 'data-ago': ms },
             ago(ms, now_ms));
}

/** A span that grows each second. @param {number} ms @param {number} now_ms */
export function time_since(ms, now_ms) {
    return h('time', { 'data-since': ms }, span(now_ms - ms));
}

/** @param {'good' | 'warn' | 'bad' | 'info' | ''} tone @param {string} sign @param {string} word */
export function tag(tone, sign, word) {
    return h('span', { class: `tag ${tone}`, 'data-sign': sign }, word);
}

/** @type {Record<string, ['good' | 'warn' | 'bad' | 'info' | '', string]>} */
const VERDICTS = { clean: ['good', '\u2713'], done: ['good', '\u2713'], findings: ['warn', '!'],
                   invalid: ['bad', '?'], failed: ['bad', '\u2717'], 'not played': ['', '\u2013'],
                   running: ['info', '\u25b8'], waiting: ['', '\u29d6'], unfinished: ['', '\u2026'] };

/** The word of an attempt's or a round's verdict. @param {string} word @param {string} [more] */
export function verdict_tag(word, more = '') {
    const [tone, sign] = VERDICTS[word] ?? ['', '\u00b7'];

    return tag(tone, sign, word + more);
}

/** @type {Record<string, ['bad' | 'warn' | '', string]>} */
const SEVERITIES = { high: ['bad', '\u25b2'], medium: ['warn', '\u25c6'], low: ['', '\u25bd'] };

/** @param {string} word */
export function severity_tag(word) {
    const [tone, sign] = SEVERITIES[word] ?? ['', '\u00b7'];

    return tag(tone, sign, word);
}

/** @type {Record<string, ['good' | 'warn' | 'bad' | 'info' | '', string]>} */
const FINDING_STATES = { new: ['warn', '+'], persisting: ['warn', '='], regressed: ['bad', '\u21ba'],
                         parked: ['warn', '\u2016'], noted: ['', '\u00b7'], waived: ['', '\u2298'],
                         fixed: ['good', '\u2713'] };

/** @param {string} word */
export function finding_tag(word) {
    const [tone, sign] = FINDING_STATES[word] ?? ['', '\u00b7'];

    return tag(tone, sign, word);
}

/** Tones of the server's `end`. @type {Record<string, ['good' | 'warn' | 'bad' | 'info' | '', string]>} */
const TONES = { good: ['good', '\u2713'], left: ['warn', '!'], bad: ['bad', '\u2717'],
                'at work': ['info', '\u25b8'] };

/** How a run stands. @param {string} tone @param {string} word */
export function end_tag(tone, word) {
    const [look, sign] = TONES[tone] ?? ['', '\u00b7'];

    return tag(look, sign, word);
}

/** The way back, above a page's heading: [text, fragment] each, the last one is the page itself.
 * @param {[string, string?][]} steps */
export function crumbs(steps) {
    return h('nav', { 'aria-label': 'Where this is' }, h('ol', { class: 'crumbs' },
             steps.map(([text, to]) => h('li', null, to ? h('a', { href: to }, text)
                                         : h('span', { 'aria-current': 'page' }, text)))));
}

/** A text as the beginning of a sentence. @param {string} text */
export function sentence(text) {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The fragment of a run's page. @param {string | number} repo @param {string} run
 * @param {...(string | number)} rest */
export function run_link(repo, run, ...rest) {
    return `#/${['run', repo, run, ...rest].map((name) => encodeURIComponent(name)).join('/')}`;
}

/** What failed, in words, where it was asked for. @param {unknown} error */
export function problem(error) {
    return h('p', { class: 'problem', role: 'alert' },
             error instanceof ApiError ? error.message : String(error));
}

let ids = 0;

/** A name of an element that no other has. */
export function new_id() {
    return `e${++ids}`;
}

/**
 * Asks before something is done, does it, and says how that went. `act` returns what the server
 * answered, or throws.
 * @param {{ title: string, text: string | Node, body?: Node, act_word: string, bad?: boolean,
 *           act: () => Promise<any>, done: (answer: any) => void }} ask
 */
export function confirm_act({ title, text, body, act_word, bad, act, done }) {
    const id = new_id();
    const says = h('div', null);
    const go = h('button', { class: bad ? 'bad' : 'main' }, act_word);
    const dialog = h('dialog', { 'aria-labelledby': id }, h('h2', { id }, title),
                     h('p', null, text), body, says,
                     h('div', { class: 'acts' },
                       h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
                       go));

    go.addEventListener('click', async () => {
        go.disabled = true;
        say(go, `${act_word}\u2026`);
        try {
            const answer = await act();
            dialog.close();
            done(answer);
        } catch (error) {
            fill(says, problem(error));
            go.disabled = false;
            say(go, act_word);
        }
    });
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

/**
 * A button for an act; where nothing may be changed it says why and does nothing. It can be
 * reached all the same: a reason that cannot be read is none.
 * @param {import('./app.js').Context} context @param {string} word @param {() => void} act
 * @param {import('./dom.js').Props} [props]
 */
export function act_button(context, word, act, props = {}) {
    const why = 'Nothing can be changed here: hone ui was started with --read-only.';

    return h('button', { ...props, type: 'button', 'aria-disabled': context.read_only && 'true',
                         title: context.read_only ? why : props.title,
                         'aria-description': context.read_only ? why : null,
                         onclick: () => {
                             if (context.read_only) context.announce(why);
                             else act();
                         } }, word);
}

/** A part of a page with its heading. @param {string} name @param {...import('./dom.js').Children} what */
export function card(name, ...what) {
    return h('section', { class: 'card' }, h('h2', null, name), ...what);
}

/** Short facts side by side: those that have a value. @param {[string, any][]} rows */
export function facts(rows) {
    return h('dl', { class: 'facts' }, rows.filter(([, what]) => what).map(([term, what]) =>
        h('div', null, h('dt', null, term), h('dd', null, what))));
}

/** Terms and what is said of each, below each other. @param {[string, any][]} rows */
export function terms(rows) {
    return h('dl', { class: 'terms' }, rows.filter(([, what]) => what).flatMap(([term, what]) =>
        [h('dt', null, term), h('dd', null, what)]));
}

/** A table that scrolls by itself where it is too wide. The first cell of a row is its head.
 * @param {string} name @param {string[]} heads @param {any[][]} rows */
export function table(name, heads, rows) {
    return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name }, h('table', null,
        h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))),
        h('tbody', null, rows.map(([first, ...cells]) => h('tr', null, h('th', { scope: 'row' }, first),
                                                          cells.map((cell) => h('td', null, cell)))))));
}
