/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.js - the dialects and loops that can be run here, and the plan of one of them. */
import { h } from './dom.js';
import { count } from './format.js';
import { path } from './api.js';
import { card, crumbs, table } from './parts.js';
import { most_text, plan_view } from './plan.js';

/** @param {import('./app.js').Params} params */
export function title(params) {
    return params.name ? `Loop ${params.name}` : 'Loops';
}

/** Which repository is meant: that of the address, else the first. @param {import('./app.js').Params} params */
export function repo_of(params) {
    return Number(params.query.get('repo') ?? 0);
}

/** The repository in an address: the first one needs no word. @param {number} repo */
export function repo_query(repo) {
    return repo ? `?repo=${repo}` : '';
}

/** To choose between repositories, where there are several.
 * @param {import('./app.js').Context} context @param {number} chosen
 * @param {(repo: number) => void} turn */
export function repo_choice(context, chosen, turn) {
    if (context.repositories.length < 2) return null;
    return h('div', { class: 'field' }, h('label', { for: 'repo' }, 'Repository'),
             h('select', { id: 'repo', onchange: (/** @type {Event} */ event) =>
                 turn(Number(/** @type {HTMLSelectElement} */ (event.target).value)) },
               context.repositories.map((one) => h('option', { value: one.repo,
                   selected: one.repo === chosen }, one.name))));
}

const DOES = new Map([['hone', 'hone itself does it'], ['reads', 'reads'], ['writes', 'reads and writes']]);
const FROM = new Map([['hone', 'comes with hone'], ['user', 'yours'],
                      ['repository', 'of this repository']]);

/** @param {HTMLElement} main @param {number} repo @param {import('./app.js').Context} context */
async function show_list(main, repo, context) {
    const { loops } = await context.api.get(path('repos', repo, 'loops'), {}, context.signal);

    main.append(
        h('div', { class: 'spread' }, h('h1', { tabindex: -1 }, 'Loops'),
          repo_choice(context, repo, (next) => context.navigate(`#/loops${repo_query(next)}`))),
        h('p', { class: 'soft' }, 'A loop is who works, who looks, who repairs, how often, and what ' +
                                  'follows then. Each is shown as a drawing.'),
        h('ul', { class: 'loops' }, loops.map((/** @type {any} */ loop) => h('li', { class: 'card' },
            h('h2', null, h('a', { href: `#/loops/${encodeURIComponent(loop.name)}${repo_query(repo)}` },
                            loop.name)),
            h('p', null, loop.about), loop.problem && h('p', { class: 'problem' }, loop.problem),
            h('p', { class: 'note' }, FROM.get(loop.from) ?? loop.from)))));
    return () => {};
}

/** @param {HTMLElement} main @param {number} repo @param {string} name
 * @param {import('./app.js').Context} context */
async function show_one(main, repo, name, context) {
    const plan = await context.api.get(path('repos', repo, 'loops', name), {}, context.signal);
    const view = plan_view(plan);

    main.append(
        crumbs([['Loops', `#/loops${repo_query(repo)}`], [name]]),
        h('div', { class: 'spread' }, h('h1', { tabindex: -1 }, name),
          h('a', { class: 'button', href: `#/start?dialect=${encodeURIComponent(name)}&repo=${repo}` },
            'Start a run')),
        h('p', null, plan.about), h('p', { class: 'soft' },
            plan.iterations > 1 ? `It may begin again ${count(plan.iterations - 1, 'time')}. ` : '',
            most_text(plan)),
        view.element, plan.roles ? card('Roles', table('Roles', ['Role', 'What it does', 'Who plays it'],
            plan.roles.map((/** @type {any} */ role) => [role.name, DOES.get(role.does) ?? role.does,
                role.command ?? role.spec ?? (role.does === 'hone' ? '\u2013' : 'chosen when a run begins')]))) : '');
    return view.end;
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const repo = repo_of(params);

    return params.name ? show_one(main, repo, params.name, context) : show_list(main, repo, context);
}
