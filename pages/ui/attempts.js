/* SPDX-License-Identifier: Apache-2.0
 *
 * attempts.js - every attempt of a run as a table, the newest first: what the timeline draws. */
import { fill, h } from './dom.js';
import { filters_new } from './filters.js';
import { money, number, number_short, span, time_of_day } from './format.js';
import { how_many, list_new, source_of } from './list.js';
import { run_link, time_since, verdict_tag } from './parts.js';
import { name_of, verdict_of } from './timeline.js';

export function title() {
    return 'Attempts';
}

/** @param {any} attempt @param {import('./run_model.js').RunModel} model @param {number} now_ms */
function attempt_row(attempt, model, now_ms) {
    const verdict = verdict_of(attempt, model.alive);
    const waited = attempt.started_ms - attempt.asked_ms;
    const more = verdict === 'findings' ? ` ${number(attempt.findings ?? 0)}`
        : verdict === 'failed' && attempt.failure ? ` (${attempt.failure})` : '';
    const tokens = (attempt.tokens_in ?? 0) + (attempt.tokens_out ?? 0);

    return [
        h('span', null, h('code', null, name_of(attempt)), ' ', h('bdi', null, attempt.role)),
        verdict_tag(verdict, more),
        h('bdi', null, attempt.by ?? attempt.agent ?? ''),
        h('span', null, model.status.lanes?.length > 1 && `lane ${attempt.lane}, `,
          h('bdi', null, attempt.phase), attempt.round ? `, round ${attempt.round}` : ''),
        h('bdi', { class: 'soft', title: attempt.problem ?? null },
          attempt.attempt > 1 && `try ${attempt.attempt} `,
          waited > 1000 && `waited ${span(waited)} `, attempt.problem ?? ''),
        attempt.ended_ms ? span(attempt.ended_ms - attempt.started_ms)
            : model.alive ? time_since(attempt.started_ms, now_ms) : '\u2013',
        tokens ? number_short(tokens) : '\u2013',
        money(attempt.cost),
        time_of_day(attempt.started_ms),
    ];
}

/** @param {HTMLElement} panel @param {import('./app.js').Params} params
 * @param {import('./app.js').Context & { model: import('./run_model.js').RunModel }} context */
export async function render(panel, params, context) {
    const { model } = context;
    /** @type {any[]} */
    let shown = [];
    const names = (/** @type {string} */ member) =>
        [...new Set(model.attempts.map((one) => one[member]).filter(Boolean))].sort();

    await model.load_attempts();
    const filters = filters_new([
        { name: 'verdict', label: 'Verdict', options: ['running', 'clean', 'done', 'findings',
          'invalid', 'failed', 'not played'] },
        { name: 'role', label: 'Role', options: names('role') },
        { name: 'by', label: 'Agent', options: names('by') },
        { name: 'for', label: 'For', options: names('for') },
    ], params.query, (values) => {
        context.keep(values);
        refresh();
        context.announce(how_many(shown.length, model.attempts.length, 'attempt', 'attempts'));
    });
    const empty = h('div', { class: 'empty' });
    const list = list_new({
        label: 'Attempts', look: 'attempts',
        columns: ['Attempt', 'Verdict', 'Agent', 'For', 'Notes', { text: 'Took', num: true },
                  { text: 'Tokens', num: true }, { text: 'Cost', num: true },
                  { text: 'Began', num: true }],
        source: source_of(() => shown), row: (one) => attempt_row(one, model, context.now_ms()),
        link: (one) => run_link(model.repo, model.run, 'attempt', name_of(one)), empty,
    });

    function refresh() {
        const { verdict, role, by, for: purpose } = filters.values();

        shown = model.attempts.filter((one) => (!verdict || verdict_of(one, model.alive) === verdict)
            && (!role || one.role === role) && (!by || one.by === by)
            && (!purpose || one.for === purpose)).reverse();
        list.say(how_many(shown.length, model.attempts.length, 'attempt', 'attempts'));
        list.refresh();
    }

    fill(empty, h('p', null, model.attempts.length ? 'No attempt is like that.'
                                                   : 'No agent was started yet.'));
    panel.append(filters.node, list.node);
    const off = model.on(refresh);
    refresh();
    return () => {
        off();
        list.end();
    };
}
