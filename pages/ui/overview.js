/* SPDX-License-Identifier: Apache-2.0
 *
 * overview.js - a run at a glance: its timeline, what was open after each round, its rounds. */
import { burndown, chart_new } from './charts.js';
import { h, say } from './dom.js';
import { number, span, time_of_day } from './format.js';
import { list_new, source_of } from './list.js';
import { problem, run_link, verdict_tag } from './parts.js';
import { timeline_new } from './timeline.js';
import { is_stopped } from './api.js';

export function title() {
    return 'Overview';
}

/** Whose round it is, where there are several lanes. @param {number} lane
 * @param {import('./run_model.js').RunModel} model */
function lane_name(lane, { status }) {
    const known = status.lane_names?.find((/** @type {any} */ one) => one.lane === lane);

    return status.lanes?.length > 1 && [h('bdi', null, known?.name ?? `lane ${lane}`), ', '];
}

/** @param {any} round @param {import('./run_model.js').RunModel} model */
function round_row(round, model) {
    const ended = round.repaired_ms ?? round.ended_ms;

    return [
        h('span', null, lane_name(round.lane, model), `round ${round.round}`),
        h('bdi', null, round.phase),
        round.ended_ms ? verdict_tag(round.verdict) : verdict_tag(model.alive ? 'running'
                                                                              : 'unfinished'),
        number(round.findings ?? 0),
        number(round.open_change ?? 0),
        number(round.open_fix ?? 0),
        h('span', null, number(round.fixed ?? 0), round.untouched && h('span', { class: 'soft',
            title: 'the fix changed nothing' }, ' (no change)')),
        number(round.set_aside ?? 0),
        h('span', null, ended ? span(ended - round.started_ms) : '\u2013'),
        time_of_day(round.started_ms),
    ];
}

const COLUMNS = ['Round', 'Phase', 'Verdict', { text: 'Findings', num: true },
                 { text: 'Open, change', num: true }, { text: 'Open, fix', num: true },
                 { text: 'Fixed', num: true }, { text: 'Set aside', num: true },
                 { text: 'Took', num: true }, { text: 'Began', num: true }];

/** @param {HTMLElement} panel @param {import('./app.js').Params} _params
 * @param {import('./app.js').Context & { model: import('./run_model.js').RunModel }} context */
export async function render(panel, _params, context) {
    const { model } = context;
    const timeline = timeline_new(model, context);
    const reviewed = () => model.rounds.filter((round) => round?.ended_ms);
    const sum = h('p', { class: 'soft small' });
    const chart = chart_new('burndown-box', (width) => burndown(reviewed(), width));
    const rounds = list_new({
        label: 'Rounds', look: 'rounds', columns: COLUMNS,
        source: source_of(() => model.rounds.filter(Boolean)),
        row: (round) => round_row(round, model),
        link: (round) => run_link(model.repo, model.run, 'diff', round.at),
        empty: h('p', { class: 'note' }, 'No round has begun.'),
    });
    const failed = h('div', null);

    function refresh() {
        const last = reviewed().at(-1);

        timeline.refresh();
        chart.redraw();
        rounds.refresh();
        say(sum, last && !last.open_change && !last.open_fix ? 'Nothing is open after the last review.'
            : last ? `${number(last.open_change)} of the change and ${
            number(last.open_fix)} that a fix brought are open after the last review.`
            : 'No review has ended yet.');
    }

    panel.append(failed, timeline.node,
                 h('section', { class: 'card', 'aria-label': 'Burn-down' },
                   h('div', { class: 'spread' }, h('h2', null, 'Open after each review'),
                     h('ul', { class: 'legend' },
                       h('li', null, h('span', { class: 'swatch change', 'aria-hidden': 'true' }),
                         'of the change'),
                       h('li', null, h('span', { class: 'swatch fix', 'aria-hidden': 'true' }),
                         'brought by a fix'))), chart.node, sum),
                 h('section', { 'aria-label': 'Rounds' }, h('h2', null, 'Rounds'), rounds.node));
    const off = model.on(refresh);
    refresh();
    model.load_attempts().catch((error) => {
        if (!is_stopped(error)) failed.append(problem(error));
    });
    return () => {
        off();
        timeline.end();
        chart.end();
        rounds.end();
    };
}
