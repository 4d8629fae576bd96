/* SPDX-License-Identifier: Apache-2.0
 *
 * list.js - a list of any length, of which only what is seen is in the page.
 *
 * All rows have one height. The list is as high as all of them; it scrolls with the page, and the
 * rows around the part that is seen stand in it, moved to their places. For 50,000 rows these are
 * some sixty elements.
 *
 * 1. An element belongs to one index as long as it is in the list; it is drawn anew where its item
 *    is another one.
 * 2. The focus is on the list, not on a row (aria-activedescendant): it stays when rows go.
 *    Up, Down, Page Up, Page Down, Home and End choose a row, Enter opens it.
 * 3. Of a source that is read in pages, a page is asked for when its rows stay in sight for
 *    SETTLE_MS, and at most PAGES_KEPT are kept. */
import { change, fill, h, once_a_frame, say } from './dom.js';
import { number } from './format.js';
import { is_stopped } from './api.js';
import { new_id, problem } from './parts.js';

const BEYOND = 8; /* rows that stand ready above and below */
const FEW = 60; /* so many rows are all there: to be searched for, and read out in a row */
const SETTLE_MS = 60, PAGES_KEPT = 40;

/**
 * @template T
 * @typedef {object} Source where rows come from
 * @property {() => number} total
 * @property {(index: number) => T | undefined} get
 * @property {(first: number, last: number) => void} want rows that are in sight
 */

/**
 * A source of an array that is all there. @template T @param {() => T[]} items
 * @returns {Source<T>}
 */
export function source_of(items) {
    return { total: () => items().length, get: (index) => items()[index], want: () => {} };
}

/**
 * A source that is read in pages.
 * @template T
 * @param {(from: number, count: number) => Promise<{ items: T[], total: number }>} read
 * @param {{ size?: number, on_change: () => void, on_problem: (error: unknown) => void }} options
 */
export function source_paged(read, { size = 200, on_change, on_problem }) {
    /** @type {Map<number, T[]>} */
    let pages = new Map();
    /** @type {Set<number>} */
    let asked = new Set();
    let total = 0, turn = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;

    /** @param {number} page */
    async function load(page) {
        const mine = turn;

        asked.add(page);
        try {
            const answer = await read(page * size, size);
            if (mine !== turn) return;
            total = answer.total;
            pages.delete(page); /* the newest stand last */
            pages.set(page, answer.items);
            while (pages.size > PAGES_KEPT) {
                const oldest = /** @type {number} */ (pages.keys().next().value);
                pages.delete(oldest);
                asked.delete(oldest);
            }
            on_change();
        } catch (error) {
            if (mine !== turn || is_stopped(error)) return;
            asked.delete(page);
            on_problem(error);
        }
    }

    let first_page = 0, last_page = 0;

    return {
        total: () => total,
        /** @param {number} index */
        get: (index) => pages.get(Math.floor(index / size))?.[index % size],
        /** @param {number} first @param {number} last */
        want(first, last) {
            first_page = Math.floor(first / size);
            last_page = Math.floor(Math.max(first, last - 1) / size);
            clearTimeout(timer);
            timer = setTimeout(() => {
                for (let page = first_page; page <= last_page; page++) {
                    if (!asked.has(page)) load(page);
                }
            }, SETTLE_MS);
        },
        /** All anew: the filter is another one. Resolves when the beginning is there. */
        async begin() {
            turn++;
            pages = new Map();
            asked = new Set();
            total = first_page = last_page = 0;
            await load(0);
        },
        /** What is in sight anew, what is out of sight when it is wanted. */
        async again() {
            turn++;
            asked = new Set();
            const kept = pages;
            pages = new Map([...kept].filter(([page]) => page >= first_page && page <= last_page));
            for (let page = first_page; page <= last_page; page++) await load(page);
        },
    };
}

/**
 * @template T
 * @typedef {object} ListOptions
 * @property {string} label
 * @property {string} look a class, whose rules say the columns and the height of a row
 * @property {(string | { text: string, num?: boolean })[]} columns
 * @property {Source<T>} source
 * @property {(item: T, index: number) => (Node | string)[]} row one for each column
 * @property {(item: T) => string | null} link the fragment that a row leads to
 * @property {Node} [empty] is shown where there is no row
 */

/** @template T @param {ListOptions<T>} options */
export function list_new({ label, look, columns, source, row, link, empty }) {
    const id = new_id();
    const head = h('div', { class: 'list-head', role: 'row', 'aria-rowindex': 1 },
                   columns.map((column) => {
                       const { text, num = false } = typeof column === 'string' ? { text: column }
                                                                                : column;
                       return h('div', { role: 'columnheader', class: num ? 'num' : null }, text);
                   }));
    const body = h('div', { class: 'list-body', role: 'rowgroup' });
    const grid = h('div', { role: 'grid', class: `list ${look}`, tabindex: 0, 'aria-label': label },
                   h('div', { role: 'rowgroup', class: 'list-top' }, head), body);
    const count = h('p', { class: 'note', role: 'status' });
    const node = h('div', null, count, grid, empty);
    /** @type {Map<number, { element: HTMLElement, item: T | undefined }>} */
    const rows = new Map();
    let height = 0, active = 0, over = false;

    function measure() {
        const probe = h('div', { class: 'list-row' }, columns.map(() => h('div', null, '\u00a0')));

        body.append(probe);
        height = probe.getBoundingClientRect().height || 40;
        probe.remove();
    }

    /* An element that is given becomes the cell itself: rows are made by the hundred. */
    /** @param {Node | string} content @param {number} at */
    function cell_of(content, at) {
        const column = columns[at];
        const cell = content instanceof HTMLElement ? content : h('div', null, content);

        cell.setAttribute('role', 'gridcell');
        if (typeof column !== 'string' && column.num) cell.classList.add('num');
        return cell;
    }

    /** @param {number} index @param {T | undefined} item */
    function row_new(index, item) {
        const to = item && link(item);
        const cells = item ? row(item, index) : columns.map(() => '');
        const element = h('div', { role: 'row', class: 'list-row', id: `${id}-${index}`,
                                   'aria-rowindex': index + 2,
                                   'aria-selected': index === active ? 'true' : 'false' },
                          cells.map((cell, i) => cell_of(i === 0 && to ?
                              h('div', null, h('a', { href: to, tabindex: -1 }, cell)) : cell, i)));

        element.style.transform = `translateY(${index * height}px)`;
        if (!item) element.classList.add('late');
        return element;
    }

    function draw() {
        if (over || !node.isConnected) return;
        const total = source.total();
        const top = -body.getBoundingClientRect().top;
        const few = total <= FEW;
        const first = few ? 0 : Math.max(0, Math.floor(top / height) - BEYOND);
        const last = few ? total
                         : Math.min(total, Math.ceil((top + innerHeight) / height) + BEYOND);

        source.want(Math.max(0, Math.min(first, total - 1)), last);
        for (const [index, { element }] of rows) {
            if (index >= first && index < last) continue;
            element.remove();
            rows.delete(index);
        }
        for (let index = first; index < last; index++) {
            const item = source.get(index), old = rows.get(index);
            if (old && (old.item === item || !item)) continue;
            const element = row_new(index, item);
            if (old) old.element.replaceWith(element);
            else body.append(element);
            rows.set(index, { element, item });
        }
    }
    const draw_soon = once_a_frame(draw);

    /* The number of rows is another, or their items are. */
    function refresh() {
        const total = source.total();

        if (over) return;
        if (!height && node.isConnected) measure();
        active = Math.max(0, Math.min(active, total - 1));
        body.style.height = `${total * height}px`;
        change(grid, { 'aria-rowcount': total + 1 });
        grid.hidden = total === 0 && !!empty;
        if (empty) /** @type {HTMLElement} */ (empty).hidden = total !== 0;
        draw();
        mark();
    }

    function mark() {
        for (const [index, { element }] of rows) {
            change(element, { 'aria-selected': index === active ? 'true' : 'false' });
        }
        change(grid, { 'aria-activedescendant': rows.has(active) && `${id}-${active}` });
    }

    /** @param {number} index */
    function choose(index) {
        const total = source.total();

        if (!total) return;
        active = Math.max(0, Math.min(index, total - 1));
        const top = body.getBoundingClientRect().top + active * height;
        const above = head.getBoundingClientRect().bottom;
        if (top < above) scrollBy(0, top - above);
        else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight);
        draw();
        mark();
    }

    grid.addEventListener('keydown', (event) => {
        const screen = Math.max(1, Math.floor(innerHeight / height) - 3);
        /** @type {Record<string, number>} */
        const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + screen,
                     PageUp: active - screen, Home: 0, End: source.total() - 1 };

        if (event.target !== grid || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key in to) {
            event.preventDefault();
            choose(to[event.key]);
        } else if (event.key === 'Enter') {
            const item = source.get(active);
            const where = item && link(item);
            if (where) location.hash = where;
        }
    });
    grid.addEventListener('focus', () => {
        const seen = rows.get(active)?.element.getBoundingClientRect();

        if (!seen || seen.bottom < 0 || seen.top > innerHeight) {
            active = Math.max(0, Math.ceil((head.getBoundingClientRect().bottom -
                                            body.getBoundingClientRect().top) / height));
            active = Math.min(active, Math.max(0, source.total() - 1));
        }
        mark();
    });
    const resized = new ResizeObserver(() => {
        const was = height;

        measure();
        if (was !== height) {
            for (const { element } of rows.values()) element.remove();
            rows.clear();
        }
        refresh();
    });
    resized.observe(grid);
    addEventListener('scroll', draw_soon, { passive: true });
    addEventListener('resize', draw_soon);

    return {
        node,
        refresh,
        /** How many there are, in words. @param {string} text */
        say: (text) => say(count, text),
        /** @param {unknown} error */
        problem: (error) => fill(count, problem(error)),
        end() {
            over = true;
            resized.disconnect();
            removeEventListener('scroll', draw_soon);
            removeEventListener('resize', draw_soon);
        },
    };
}

/** "12 of 345 findings", "345 findings". @param {number} some @param {number} all
 * @param {string} one @param {string} many */
export function how_many(some, all, one, many) {
    const word = all === 1 ? one : many;

    return some === all ? `${number(all)} ${word}` : `${number(some)} of ${number(all)} ${word}`;
}
