/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.js - the runs of the repositories that are looked at. */
import { h } from './dom.js';

/** @param {import('./app.js').Params} _params */
export function title(_params) {
    return 'Runs';
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, _params, context) {
    const { runs } = await context.api.get('/runs', {}, context.signal);

    main.append(h('h1', { tabindex: -1 }, 'Runs'),
                h('ul', null, runs.map((/** @type {any} */ run) => h('li', null, h('a', {
                    href: `#/run/${run.repo}/${run.run}` }, run.run), ' ', run.task))));
    return () => {};
}
