/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript.js - what an agent said, thought and did, in order, while it does it.
 *
 *     /transcript?from=BYTES --> items --> entries --> groups of rows
 *                                 |
 *                                 '-- a result joins the call with its id
 *
 * 1. Texts become text nodes. Nothing that an agent wrote is markup, a link or a name of a style.
 * 2. A call, a thought and a result of more than a line are folded. Their bodies are made when they
 *    are opened, so that 20,000 rows cost their heads alone.
 * 3. Rows stand in groups of GROUP; a group that is not seen is not laid out.
 * 4. The view follows the end as long as it stands there. A reader who scrolls up stays where they
 *    are, and is told how much came since.
 * 5. One question is under way at a time: what grew meanwhile is asked for behind it. An answer that
 *    is `anew` takes the place of all before it. */
import { h, fill, say } from './dom.js';
import { count, number } from './format.js';
import { add_long, code_block, prose } from './long.js';
import { problem, tag } from './parts.js';
import { is_stopped } from './api.js';

const GROUP = 50, NOTES_MAX = 200, AT_END = 48, ROWS_AT_ONCE = 400, LINE_MAX = 200;

/**
 * @typedef {{ kind: 'said' | 'thought' | 'tool' | 'result' | 'note', id?: string, tool?: string,
 *             about?: string, text?: string, ok?: boolean, cut?: boolean }} Item
 * @typedef {{ kind: 'said' | 'thought' | 'tool' | 'result' | 'note', item: Item, result?: Item,
 *             lines?: string[], row?: HTMLElement }} Entry
 */

/* ---- items to entries ---- */

/** What is known of a transcript: pure. */
export function transcript_new() {
    /** @type {Map<string, Entry>} */
    const open = new Map(); /* calls whose result has not come */
    /** @type {Entry | null} */
    let last = null;

    return {
        /** Takes an item. Says which entry is new, and which is another than it was.
         * @param {Item} item @returns {{ added?: Entry, changed?: Entry }} */
        take(item) {
            const call = item.kind === 'result' && item.id ? open.get(item.id) : undefined;

            if (call) {
                open.delete(/** @type {string} */ (item.id));
                call.result = item;
                return { changed: call };
            }
            if (item.kind === 'note' && last?.lines && last.lines.length < NOTES_MAX) {
                last.lines.push(item.text ?? '');
                return { changed: last };
            }
            if ((item.kind === 'said' || item.kind === 'thought') && item.id && last &&
                last.kind === item.kind && last.item.id === item.id) {
                last.item = { ...last.item, text: (last.item.text ?? '') + (item.text ?? '') };
                return { changed: last };
            }
            last = { kind: item.kind, item };
            if (item.kind === 'note') last.lines = [item.text ?? ''];
            if (item.kind === 'tool' && item.id) open.set(item.id, last);
            return { added: last };
        },
        /** How many calls wait for their result. */
        waiting: () => open.size,
    };
}

/** The first line that says something, of at most LINE_MAX letters. @param {string} text */
export function first_line(text) {
    const line = /\S[^\n]*/.exec(text.slice(0, 4000))?.[0] ?? '';

    return line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}\u2026` : line;
}

/* ---- rows ---- */

const LEFT_OUT = 'The rest of it was left out.';

/** A fold whose body is made when it is first opened.
 * @param {string} kind @param {import('./dom.js').Child[]} head @param {() => Element[]} body */
function fold(kind, head, body) {
    const details = h('details', null, h('summary', null, head));

    details.addEventListener('toggle', () => {
        if (details.open && details.children.length === 1) details.append(...body());
    });
    return h('div', { class: `row-${kind}`, role: 'listitem' }, details);
}

/** @param {Entry} entry */
function call_row(entry) {
    const { item, result } = entry, bad = result?.ok === false;
    const about = item.about || first_line(item.text ?? '');
    const head = [h('span', { class: 'tool' }, item.tool || 'tool'), ' ',
                  h('span', { class: 'about' }, about),
                  bad && tag('bad', '\u2717', 'failed'),
                  !result && h('span', { class: 'pending' }, 'no result yet')];

    return fold(bad ? 'tool failed' : 'tool', head, () => [
        h('h4', null, 'Asked'), code_block(item.text || about),
        h('h4', null, bad ? 'Failed with' : 'Got'),
        result ? code_block(result.text || '(nothing)') : h('p', { class: 'note' }, 'Nothing yet.'),
        ...item.cut || result?.cut ? [h('p', { class: 'note' }, LEFT_OUT)] : [],
    ]);
}

/** @param {Entry} entry @returns {HTMLElement} */
function row_of(entry) {
    const { item } = entry, text = item.text ?? '';

    if (entry.kind === 'tool') return call_row(entry);
    if (entry.kind === 'thought') {
        return fold('thought', [h('span', { class: 'tool' }, 'Thought'), ' ',
                                h('span', { class: 'about' }, first_line(text))],
                    () => [prose(text)]);
    }
    if (entry.kind === 'result') {
        const bad = item.ok === false;

        return fold(bad ? 'result failed' : 'result',
                    [h('span', { class: 'tool' }, bad ? 'Failed' : 'Result'), ' ',
                     h('span', { class: 'about' }, first_line(text))], () => [code_block(text)]);
    }
    if (entry.kind === 'note') {
        const block = h('pre', null);

        add_long(block, (entry.lines ?? [text]).join('\n'));
        return h('div', { class: 'row-note', role: 'listitem' }, block);
    }
    const body = prose(text);
    if (item.cut) body.append(h('p', { class: 'note' }, LEFT_OUT));
    return h('div', { class: 'row-said', role: 'listitem' }, body);
}

/* ---- the view ---- */

/**
 * A transcript that follows what grows. `ask(from)` brings the next part of it.
 * @param {{ ask: (from: number) => Promise<any>, announce: (text: string) => void }} from
 */
export function transcript_view({ ask, announce }) {
    let transcript = transcript_new();
    const list = h('div', { class: 'transcript', tabindex: 0, role: 'list', 'aria-label': 'Transcript' });
    const status = h('p', { class: 'note', role: 'status' }, 'Reading\u2026');
    const down = h('button', { type: 'button', class: 'to-end', hidden: true, onclick: to_end });
    const faults = h('button', { type: 'button', hidden: true, onclick: next_fault });
    const wrong = h('div', null);
    let next = 0, busy = false, wanted = true, over = false, ended = false, missed = 0, rows = 0,
        calls = 0, failed = 0, follows = true;
    /** @type {HTMLElement | null} */
    let group = null;

    const at_end = () => list.scrollHeight - list.scrollTop - list.clientHeight < AT_END;

    function to_end() {
        follows = true;
        missed = 0;
        down.hidden = true;
        list.scrollTop = list.scrollHeight;
    }

    function next_fault() {
        const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('.failed')]);
        const top = list.getBoundingClientRect().top;
        const one = all.find((row) => row.getBoundingClientRect().top > top + 8) ?? all[0];

        one?.scrollIntoView({ block: 'start' });
        one?.querySelector('summary')?.focus({ preventScroll: true });
    }

    /* What was read is not what stands there now: from the first byte on again. */
    function clear() {
        transcript = transcript_new();
        group = null;
        list.replaceChildren();
        rows = calls = failed = missed = 0;
    }

    /** @param {Item} item */
    function take(item) {
        const { added, changed } = transcript.take(item);
        const entry = /** @type {Entry} */ (added ?? changed);
        const old = entry.row, row = row_of(entry);

        if (item.kind === 'tool') calls++;
        if (item.kind === 'result' && item.ok === false) failed++;
        entry.row = row;
        if (old) {
            const was = old.querySelector('details'), is = row.querySelector('details');
            const held = old.contains(document.activeElement);

            old.replaceWith(row);
            if (was?.open && is) is.open = true;
            if (held) row.querySelector('summary')?.focus({ preventScroll: true });
            return;
        }
        if (!group || group.childElementCount >= GROUP) {
            group = h('div', { class: 'group' });
            list.append(group);
        }
        group.append(row);
        rows++;
        if (!follows) missed++;
    }

    function tell() {
        say(status, rows === 0 ? (ended ? 'It said nothing.' : 'It has said nothing yet.')
            : `${count(rows, 'entry', 'entries')}, ${count(calls, 'call')}` +
              `${ended ? '' : ', and it goes on'}`);
        faults.hidden = failed === 0;
        say(faults, `${count(failed, 'failed call')}: next`);
        down.hidden = follows || missed === 0;
        say(down, `${number(missed)} more \u2193`);
    }

    /** Puts items in, a piece in each frame. @param {Item[]} items */
    async function put(items) {
        for (let at = 0; at < items.length && !over; at += ROWS_AT_ONCE) {
            if (at > 0) await new Promise((resolve) => setTimeout(resolve));
            for (const item of items.slice(at, at + ROWS_AT_ONCE)) take(item);
            if (follows) list.scrollTop = list.scrollHeight;
            tell();
        }
    }

    async function read() {
        if (busy || over) return;
        busy = true;
        list.setAttribute('aria-busy', 'true'); /* what is put in is told as a whole */
        try {
            while (wanted && !over) {
                wanted = false;
                const part = await ask(next);

                fill(wrong);
                if (part.anew) clear();
                next = part.next ?? next;
                if (part.more) wanted = true;
                if (part.ended && !part.more && !ended) {
                    ended = true;
                    if (rows > 0) announce('The transcript is complete.');
                }
                await put(part.items ?? []);
                tell();
            }
        } catch (error) {
            if (!is_stopped(error)) fill(wrong, problem(error));
        }
        list.removeAttribute('aria-busy');
        busy = false;
    }

    list.addEventListener('scroll', () => {
        follows = at_end();
        if (follows) missed = 0;
        down.hidden = follows || missed === 0;
    }, { passive: true });
    read();

    return {
        element: h('div', { class: 'transcript-box' },
                   h('div', { class: 'spread' }, status, faults), wrong, list, down),
        /** There may be more. */
        grew() {
            wanted = true;
            read();
        },
        is_ended: () => ended,
        end() { over = true; },
    };
}
