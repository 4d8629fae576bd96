/* SPDX-License-Identifier: Apache-2.0
 *
 * diff.js - what changed: of a round, of a fix, of the whole run.
 *
 *     answer of /diff --> files --> hunks --> lines --> rows --> spans
 *                                                    (unified: a row is a line;
 *                                                     side by side: what went beside what came)
 *
 * 1. A span is a line. Its numbers are drawn by the style sheet from an attribute, so that a copy
 *    of lines has no numbers in it.
 * 2. Lines are made in slices, LINES_AT_ONCE at a time, and parts of PART_LINES that are not seen
 *    are not laid out: 10,000 lines stay smooth.
 * 3. Keys act only while the focus is in the list of changes.
 * 4. What was left out is said: of the whole, and of each file. */
import { h, fill, say } from './dom.js';
import { count, number } from './format.js';
import { path } from './api.js';
import { crumbs, run_link } from './parts.js';

const LINES_AT_ONCE = 1500, PART_LINES = 200;
const LINE_SHOWN_MAX = 2000;
const WORDS_LINE_MAX = 400; /* a longer line is marked as a whole */

/**
 * @typedef {{ old_first: number, old_count: number, new_first: number, new_count: number,
 *             lines: string[] }} Hunk
 * @typedef {{ file: string, old_file?: string, added: number, removed: number, binary?: boolean,
 *             hunks?: Hunk[], cut?: boolean }} File
 * @typedef {{ sign: string, text: string, old: number, new: number, marks?: [number, number] }} Line
 * @typedef {[Line | null, Line | null]} Pair
 */

/** The lines of a hunk with their numbers; 0: it is not on that side.
 * @param {{ old_first: number, new_first: number, lines: string[] }} hunk @returns {Line[]} */
export function lines_of(hunk) {
    let old = hunk.old_first, now = hunk.new_first;

    return hunk.lines.map((line) => {
        const sign = line[0] ?? ' ', text = line.slice(1);

        if (sign === '\\') return { sign, text: text.trim(), old: 0, new: 0 };
        return { sign, text, old: sign === '+' ? 0 : old++, new: sign === '-' ? 0 : now++ };
    });
}

/* The part in which two lines differ, in whole words: where they begin and end alike. */
/** @param {Line} one @param {Line} other */
function mark_words(one, other) {
    const a = one.text, b = other.text, least = Math.min(a.length, b.length);
    let front = 0, back = 0;

    if (Math.max(a.length, b.length) > WORDS_LINE_MAX) return;
    while (front < least && a[front] === b[front]) front++;
    while (back < least - front && a.at(-1 - back) === b.at(-1 - back)) back++;
    const is_word = (/** @type {string | undefined} */ c) => c !== undefined && /[\p{L}\p{N}_]/u.test(c);
    while (front > 0 && is_word(a[front - 1]) && (is_word(a[front]) || is_word(b[front]))) front--;
    while (back > 0 && is_word(a.at(-back)) &&
           (is_word(a.at(-back - 1)) || is_word(b.at(-back - 1)))) back--;
    if (a.slice(0, front).trim().length + back < least / 4) return; /* another line altogether */
    one.marks = [front, a.length - back];
    other.marks = [front, b.length - back];
}

/**
 * Lines that went, beside those that came in their place; where they are one for one, with the
 * words in which they differ.
 * @param {Line[]} lines @returns {Pair[]}
 */
export function pairs_of(lines) {
    /** @type {Pair[]} */
    const pairs = [];

    for (let at = 0; at < lines.length;) {
        const gone = /** @type {Line[]} */ ([]), come = /** @type {Line[]} */ ([]);

        while (lines[at]?.sign === '-') gone.push(lines[at++]);
        while (lines[at]?.sign === '+') come.push(lines[at++]);
        for (let i = 0; i < Math.max(gone.length, come.length); i++) {
            pairs.push([gone[i] ?? null, come[i] ?? null]);
        }
        if (gone.length === come.length) gone.forEach((line, i) => mark_words(line, come[i]));
        if (at < lines.length && lines[at].sign !== '-' && lines[at].sign !== '+') {
            pairs.push([lines[at], lines[at]]);
            at++;
        }
    }
    return pairs;
}

const KINDS = new Map([['+', 'ins'], ['-', 'del'], ['\\', 'none']]);

/** @param {Line | null} line @param {string} numbers */
function line_span(line, numbers) {
    if (!line) return h('span', { class: 'l gap' });
    const kind = KINDS.get(line.sign) ?? 'same', over = line.text.length - LINE_SHOWN_MAX;
    const text = over > 0 ? line.text.slice(0, LINE_SHOWN_MAX) : line.text;
    const span = h('span', { class: `l ${kind}`, 'data-n': numbers }, line.sign);

    if (line.marks && line.marks[0] < line.marks[1]) {
        const [from, to] = line.marks;
        span.append(h('span', null, text.slice(0, from)), h('b', null, text.slice(from, to)),
                    h('span', null, text.slice(to)));
    } else {
        span.append(h('span', null, text));
    }
    if (over > 0) span.append(h('i', null, ` ${number(over)} characters more`));
    span.append('\n');
    return span;
}

/* The numbers of lines in columns of one width. */
/** @param {number} value @param {number} digits */
const digits_of = (value, digits) => (value ? String(value) : '').padStart(digits);

/**
 * Puts the lines of a hunk into its place, a part of them for each step that is asked for.
 * @param {Hunk} hunk @param {Element} code @param {boolean} sides @param {number} digits
 */
function* put_lines(hunk, code, sides, digits) {
    const lines = lines_of(hunk), pairs = pairs_of(lines), rows = sides ? pairs : lines;

    /** @type {HTMLElement} */ (code).style.setProperty('--n', `${sides ? digits : 2 * digits + 1}ch`);
    for (let at = 0; at < rows.length; at += PART_LINES) {
        const part = h('code', { class: 'part' });
        const some = rows.slice(at, at + PART_LINES);

        part.style.setProperty('contain-intrinsic-block-size', `auto ${some.length * 1.22}rem`);
        for (const row of some) {
            if (row instanceof Array) {
                part.append(line_span(row[0], digits_of(row[0]?.old ?? 0, digits)),
                            line_span(row[1], digits_of(row[1]?.new ?? 0, digits)));
            } else {
                part.append(line_span(row, `${digits_of(row.old, digits)} ` +
                                           digits_of(row.new, digits)));
            }
        }
        code.append(part);
        yield some.length;
    }
}

/** @param {Hunk[]} hunks */
function digits_in(hunks) {
    const last = hunks.at(-1);

    return last ? String(Math.max(last.old_first + last.lines.length,
                                  last.new_first + last.lines.length)).length : 1;
}

/** @param {string} title */
function hunk_shell(title) {
    const code = h('pre', { class: 'lines' });

    return { code, element: h('div', { class: 'hunk', tabindex: -1, role: 'group',
                                       'aria-label': title },
                              h('p', { class: 'hunk-at' }, title), code) };
}

/** @param {Hunk} hunk */
function hunk_title(hunk) {
    const first = hunk.new_first, rows = hunk.new_count ?? hunk.lines.length;

    return rows > 1 ? `lines ${number(first)} to ${number(first + rows - 1)}`
                    : `line ${number(first)}`;
}

/** A few hunks, as they stand at a finding. @param {Hunk[]} hunks @param {boolean} [sides] */
export function hunks_list(hunks, sides = false) {
    const digits = digits_in(hunks);

    return hunks.map((hunk) => {
        const { code, element } = hunk_shell(hunk_title(hunk));

        element.classList.toggle('sides', sides);
        for (const _ of put_lines(hunk, code, sides, digits)); /* all of them */
        return element;
    });
}

/** +12 -3, and in words for who listens. @param {number} added @param {number} removed */
export function counts(added, removed) {
    return h('span', { class: 'counts' },
             h('span', { class: 'ins-count' }, h('span', { class: 'unseen' }, 'added '),
               `+${number(added)}`), ' ',
             h('span', { class: 'del-count' }, h('span', { class: 'unseen' }, 'removed '),
               `\u2212${number(removed)}`));
}

/** @param {File} file */
function name_of(file) {
    return file.old_file && file.old_file !== file.file ? `${file.old_file} \u2192 ${file.file}`
                                                        : file.file;
}

/* ---- the whole ---- */

const WIDE = '(min-width: 100rem)', ROOM_FOR_TWO = '(min-width: 60rem)';

/**
 * A difference to look at, with its list of files. Returns its element and a function that ends it.
 * @param {{ files: File[], total_files?: number, cut?: boolean }} diff
 */
export function diff_view(diff) {
    const room = matchMedia(ROOM_FOR_TWO);
    let sides = matchMedia(WIDE).matches, timer = 0;
    const list = h('div', { class: 'changes', tabindex: 0, role: 'region',
                            'aria-label': 'Changes. Keys: n and p for the next and previous change, ' +
                                          'f and b for files', onkeydown: on_key });
    const place = h('span', { class: 'place', role: 'status' });
    const toggle = h('button', { type: 'button', class: 'button', onclick: turn });

    /** @param {string} selector @param {number} step */
    function go(selector, step) {
        const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)]);
        const edge = list.getBoundingClientRect().top < 0 ? stick() : stick() + 1;
        const tops = all.map((one) => one.getBoundingClientRect().top);
        const active = all.indexOf(/** @type {any} */ (document.activeElement));
        let at = active >= 0 ? active + step
               : step > 0 ? tops.findIndex((top) => top > edge + 4)
               : tops.findLastIndex((top) => top < edge - 4);

        at = Math.max(0, Math.min(all.length - 1, at < 0 ? (step > 0 ? all.length : 0) : at));
        if (!all[at]) return;
        all[at].focus({ preventScroll: true });
        all[at].scrollIntoView({ block: 'start' });
        say(place, `${selector === '.hunk' ? 'change' : 'file'} ${number(at + 1)} of ${number(all.length)}`);
    }
    /* What stands above the changes all the time covers so much of them. */
    const stick = () => tools.getBoundingClientRect().bottom;

    /** @param {KeyboardEvent} event */
    function on_key(event) {
        const keys = { n: ['.hunk', 1], p: ['.hunk', -1], f: ['.file', 1], b: ['.file', -1] };
        const step = /** @type {any} */ (keys)[event.key];

        if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        go(step[0], step[1]);
    }

    /** @param {string} text @param {string} selector @param {number} step @param {string} key */
    const stepper = (text, selector, step, key) => h('button', {
        type: 'button', class: 'button', onclick: () => go(selector, step), title: `key ${key}`,
    }, text);

    const tools = h('div', { class: 'diff-tools' },
                    stepper('Previous file', '.file', -1, 'b'), stepper('Next file', '.file', 1, 'f'),
                    stepper('Previous change', '.hunk', -1, 'p'),
                    stepper('Next change', '.hunk', 1, 'n'), toggle, place);
    const names = h('ul', { class: 'file-names' }, diff.files.map((file, at) => h('li', null,
        h('button', { type: 'button', class: 'file-name', onclick: () => show(at) },
          h('span', { class: 'path' }, name_of(file)), counts(file.added, file.removed)))));

    /** @param {number} at */
    function show(at) {
        const file = /** @type {HTMLDetailsElement} */ (list.children[at]);

        file.open = true;
        file.focus({ preventScroll: true });
        file.scrollIntoView({ block: 'start' });
    }

    /** @param {File} file */
    function file_shell(file) {
        const why = file.binary ? 'No text: what changed in it is not shown.'
                  : file.hunks?.length ? '' : 'Nothing of its text changed.';

        return h('details', { class: 'file', open: true, tabindex: -1 },
                 h('summary', null, h('span', { class: 'path' }, name_of(file)),
                   counts(file.added, file.removed)),
                 why && h('p', { class: 'note' }, why));
    }

    function draw() {
        sides = sides && room.matches;
        fill(toggle, sides ? 'One below the other' : 'Side by side');
        toggle.hidden = !room.matches;
        list.classList.toggle('sides', sides);
        fill(list, diff.files.map(file_shell));
        clearTimeout(timer);
        slice(put_files());
    }

    function* put_files() {
        for (const [at, file] of diff.files.entries()) {
            const digits = digits_in(file.hunks ?? []);

            for (const hunk of file.hunks ?? []) {
                const { code, element } = hunk_shell(hunk_title(hunk));

                list.children[at].append(element);
                yield* put_lines(hunk, code, sides, digits);
            }
            if (file.cut) {
                list.children[at].append(h('p', { class: 'note' },
                                           'The rest of this file is left out.'));
            }
        }
    }

    /** @param {Generator<number, void>} work */
    function slice(work) {
        for (let lines = 0; lines < LINES_AT_ONCE;) {
            const { done, value } = work.next();

            if (done) return;
            lines += value;
        }
        timer = setTimeout(() => slice(work));
    }

    function turn() {
        sides = !sides;
        draw();
    }

    draw();
    room.addEventListener('change', draw);
    const left_out = (diff.total_files ?? diff.files.length) - diff.files.length;
    const element = h('div', { class: 'diff' },
        (diff.cut || left_out > 0) && h('p', { class: 'notice' }, left_out > 0
            ? `This is not all of it: ${count(left_out, 'file')} more changed, and what is long is cut.`
            : 'This is not all of it: what is long is cut.',
            ' git diff in the workspace shows the rest.'),
        h('nav', { class: 'diff-files', 'aria-label': 'Files that changed' }, names), tools, list);

    return { element, end: () => { clearTimeout(timer); room.removeEventListener('change', draw); } };
}

/* ---- the page, and the tab of a run ---- */

/** @param {import('./app.js').Params} params */
export function title(params) {
    return params.at === undefined ? `Changes of ${params.run}` : `Changes of a round of ${params.run}`;
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const { repo = '0', run = '', at } = params;
    const where = path('repos', repo, 'runs', run);
    const diff = await context.api.get(`${where}/diff`, { round: at }, context.signal);
    const state = await context.api.get(where, {}, context.signal);
    const round = state.rounds?.find((/** @type {any} */ one) => String(one.at) === at);
    const sum = (/** @type {'added' | 'removed'} */ member) =>
        diff.files.reduce((/** @type {number} */ all, /** @type {File} */ file) => all + file[member], 0);
    const view = diff.why ? null : diff_view(diff);

    if (at !== undefined) {
        const near = (/** @type {number} */ step) =>
            state.rounds?.find((/** @type {any} */ one) => one.at === Number(at) + step);
        const link = (/** @type {any} */ one, /** @type {string} */ text) =>
            one && h('a', { class: 'button', href: run_link(repo, run, 'diff', one.at) }, text);

        main.append(crumbs([['Runs', '#/runs'], [run, run_link(repo, run)],
                            ['Changes', run_link(repo, run, 'diff')], [`round ${round?.round ?? at}`]]),
                    h('div', { class: 'spread' },
                      h('h1', { tabindex: -1 }, `What round ${round?.round ?? at} changed`),
                      h('div', { class: 'row' }, link(near(-1), 'Round before'),
                        link(near(1), 'Round after'))));
    }
    if (at === undefined && state.rounds?.length) {
        main.append(h('nav', { class: 'row small', 'aria-label': 'Changes of a round' },
                      h('span', { class: 'soft' }, 'Of one round:'),
                      state.rounds.map((/** @type {any} */ one) => h('a', {
                          href: run_link(repo, run, 'diff', one.at) },
                          `${one.phase} ${one.lane > 0 ? `lane ${one.lane} ` : ''}round ${one.round}`))));
    }
    main.append(diff.why ? h('p', { class: 'notice' }, diff.why)
              : diff.files.length === 0 ? h('p', { class: 'notice' }, 'Nothing changed.')
              : h('p', { class: 'row' }, count(diff.total_files ?? diff.files.length, 'file'), ' changed ',
                  counts(sum('added'), sum('removed'))));
    if (view && diff.files.length) main.append(view.element);
    return () => view?.end();
}
