/* SPDX-License-Identifier: Apache-2.0
 *
 * reviewers.js - who finds what, and at what price, over the runs of a repository.
 *
 * Precision is what was accepted of what was decided: a finding that nobody repaired or declined yet
 * says nothing for or against its reviewer. */
import { h, fill, keyed, say } from './dom.js';
import { count, money, number, number_short, share } from './format.js';
import { path } from './api.js';
import { card, terms } from './parts.js';
import { repo_choice, repo_of, repo_query } from './loops.js';

export function title() {
    return 'Reviewers';
}

/** @param {any} one @returns {number | null} */
export function precision(one) {
    const decided = one.accepted + one.declined;

    return decided > 0 ? one.accepted / decided : null;
}

/** @type {{ key: string, name: string, about: string, of: (one: any) => any,
 *           text: (value: any) => string, bar?: boolean, up?: boolean }[]} */
const COLUMNS = [
    { key: 'role', name: 'Role', about: '', of: (one) => one.role, text: String, up: true },
    { key: 'by', name: 'By', about: 'the backend that plays it', of: (one) => one.by, text: String, up: true },
    { key: 'looked', name: 'Looked', about: 'how many reviews counted', of: (one) => one.looked, text: number },
    { key: 'found', name: 'Found', about: 'findings it reported', of: (one) => one.found, text: number, bar: true },
    { key: 'alone', name: 'Alone', about: 'that no other reported', of: (one) => one.alone, text: number, bar: true },
    { key: 'confirmed', name: 'Confirmed', about: 'that another reported, too', of: (one) => one.confirmed, text: number, bar: true },
    { key: 'accepted', name: 'Accepted', about: 'that a fixer repaired', of: (one) => one.accepted, text: number, bar: true },
    { key: 'declined', name: 'Declined', about: 'that a fixer left, with a reason', of: (one) => one.declined, text: number, bar: true },
    { key: 'precision', name: 'Precision', about: 'accepted, of what was decided', of: precision, text: share, bar: true },
    { key: 'tokens', name: 'Tokens', about: '', of: (one) => one.tokens, text: number_short },
    { key: 'cost', name: 'Cost', about: '', of: (one) => one.cost, text: money },
    { key: 'each', name: 'Each', about: 'cost of one that was accepted', of: (one) => one.cost_per_accepted, text: money, up: true },
];

/** A reviewer's rows in an order; what has no value stands last.
 * @param {any[]} rows @param {string} key @param {boolean} up */
export function sorted(rows, key, up) {
    const { of } = COLUMNS.find((column) => column.key === key) ?? COLUMNS[0];

    return [...rows].sort((a, b) => {
        const one = of(a), other = of(b);

        if (one === null || one === undefined) return other === null || other === undefined ? 0 : 1;
        if (other === null || other === undefined) return -1;
        const order = typeof one === 'string' ? one.localeCompare(other) : one - other;
        return (up ? order : -order) || a.role.localeCompare(b.role);
    });
}

/** What a look misses, in words. @param {any} looks */
export function looks_words(looks) {
    const grave = looks.first + looks.later_same + looks.later_other;

    if (!looks.enough || !looks.missed) {
        return `${count(looks.runs, 'run')} looked twice, with ${count(grave, 'grave finding')}: too few to ` +
               'say what a look misses, so new runs go by a guess.';
    }
    const missed = looks.missed.map(share);
    return `One look misses ${missed[0]} of what is grave, two miss ${missed[1]}, three ${missed[2]}, ` +
           `four ${missed[3]}, by ${count(looks.runs, 'run')} that looked twice: new runs expect so much to be left.`;
}

/** @param {any} looks */
function looks_bars(looks) {
    if (!looks.enough || !looks.missed) return null;
    return h('dl', { class: 'looks' }, looks.missed.map((/** @type {number} */ part, /** @type {number} */ at) =>
        h('div', null, h('dt', null, count(at + 1, 'look')), h('dd', null, bar(part), share(part)))));
}

/** @param {number} part */
function bar(part) {
    return h('span', { class: 'bar', 'aria-hidden': 'true' },
             h('span', { style: { width: `${Math.max(0, Math.min(1, part)) * 100}%` } }));
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const repo = repo_of(params);
    const doc = await context.api.get(path('repos', repo, 'reviewers'), {}, context.signal);
    const body = h('tbody', null), said = h('p', { class: 'unseen', role: 'status' });
    let key = params.query.get('by') ?? 'found', up = params.query.get('up') === '1';

    /** @param {any} one */
    function row(one) {
        return h('tr', null, COLUMNS.map((column) => {
            const value = column.of(one), none = value === null || value === undefined;

            if (column.key === 'role') return h('th', { scope: 'row' }, value);
            if (column.key === 'by') return h('td', null, value || '\u2013');
            const most = column.key === 'precision' ? 1 : Math.max(1, ...doc.reviewers.map(column.of));
            return h('td', { class: 'num' }, h('span', null, none ? '\u2013' : column.text(value)),
                     column.bar && !none && bar(value / most));
        }));
    }
    const heads = COLUMNS.map((column) => h('th', { scope: 'col', class: column.key === 'role' || column.key === 'by' ? null : 'num' },
        h('button', { type: 'button', class: 'sort', title: column.about || null, onclick: () => {
            up = key === column.key ? !up : column.up ?? false;
            key = column.key;
            order();
            say(said, `sorted by ${column.name}, ${up ? 'least first' : 'most first'}`);
            context.keep({ ...(repo ? { repo: String(repo) } : {}), by: key, up: up ? '1' : '' });
        } }, column.name, h('span', { 'aria-hidden': 'true', class: 'way' }))));

    function order() {
        keyed(body, sorted(doc.reviewers, key, up), (one) => `${one.role}\n${one.by}`, row);
        COLUMNS.forEach((column, at) => {
            const mine = column.key === key;

            if (mine) heads[at].setAttribute('aria-sort', up ? 'ascending' : 'descending');
            else heads[at].removeAttribute('aria-sort');
        });
    }

    main.append(h('div', { class: 'spread' }, h('h1', { tabindex: -1 }, 'Reviewers'),
                  repo_choice(context, repo, (next) => context.navigate(`#/reviewers${repo_query(next)}`))),
                h('p', { class: 'soft' }, `Who finds what, of ${count(doc.runs, 'run')}` +
                  `${doc.unread ? `; ${number(doc.unread)} more could not be read` : ''}.`));
    if (doc.reviewers.length === 0) {
        main.append(h('p', { class: 'notice' }, 'No reviewer has looked in these runs.'));
    } else {
        order();
        main.append(h('section', { class: 'card' },
            h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Reviewers' },
              h('table', { class: 'reviewers' },
                h('caption', null, 'A head of a column sorts by it.'),
                h('thead', null, h('tr', null, heads)), body)), said,
            terms(COLUMNS.map((column) => [column.name, column.about]))));
    }
    main.append(card('What a look misses', looks_bars(doc.looks), h('p', null, looks_words(doc.looks))));
    return () => fill(body);
}
