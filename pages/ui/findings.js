/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.js - all findings of a run, of which the server filters, orders and counts. */
import { fill, h } from './dom.js';
import { filters_new } from './filters.js';
import { number } from './format.js';
import { how_many, list_new, source_paged } from './list.js';
import { finding_tag, run_link, severity_tag } from './parts.js';

const RENEW_MS = 1000;

export function title() {
    return 'Findings';
}

/** @type {import('./filters.js').Filter[]} */
const FILTERS = [
    { name: 'text', label: 'Text', kind: 'text', hint: 'words of it' },
    { name: 'state', label: 'State', options: [['open', 'all that are open'], 'new', 'persisting',
      'regressed', 'parked', 'noted', 'waived', 'fixed'] },
    { name: 'severity', label: 'Severity', options: ['high', 'medium', 'low'] },
    { name: 'cause', label: 'Cause', options: [['change', 'the change'], ['fix', 'a fix']] },
    { name: 'file', label: 'File', kind: 'text', hint: 'src/' },
    { name: 'role', label: 'Role', kind: 'text', hint: 'critic' },
    { name: 'order', label: 'Order', all: 'by state', options: [['file', 'by file'],
      ['severity', 'by severity'], ['round', 'by round']] },
];

/** @param {any} finding */
function finding_row(finding) {
    const { cause } = finding;
    const rounds = finding.round_first === finding.round_last ? number(finding.round_first)
        : `${number(finding.round_first)}\u2013${number(finding.round_last)}`;

    return [
        h('bdi', { title: finding.text }, finding.text),
        severity_tag(finding.severity),
        finding_tag(finding.state),
        h('bdi', { class: 'mono', title: finding.file },
          finding.line ? `${finding.file}:${finding.line}` : finding.file),
        h('bdi', null, finding.role),
        h('span', null, cause === null || cause === undefined ? 'the change'
            : `fix of ${typeof cause === 'object' ? cause.round : cause}`),
        rounds,
    ];
}

/** @param {HTMLElement} panel @param {import('./app.js').Params} params
 * @param {import('./app.js').Context & { model: import('./run_model.js').RunModel }} context */
export async function render(panel, params, context) {
    const { model } = context;
    let all = model.status.counts?.found ?? 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const filters = filters_new(FILTERS, params.query, (values) => {
        context.keep(values);
        source.begin().then(() => context.announce(words()));
    });
    const source = source_paged(async (from, size) => {
        const answer = await context.api.get(`${model.where}/findings`,
                                             { ...filters.values(), from, count: size },
                                             context.signal);

        all = answer.counts?.found ?? model.status.counts?.found ?? answer.total;
        return { items: answer.findings, total: answer.total ?? answer.findings.length };
    }, { on_change: refresh, on_problem: (error) => list.problem(error) });
    const empty = h('div', { class: 'empty' });
    const list = list_new({
        label: 'Findings', look: 'findings',
        columns: ['Finding', 'Severity', 'State', 'Place', 'Role', 'Cause',
                  { text: 'Rounds', num: true }],
        source, row: finding_row, empty,
        link: (finding) => run_link(model.repo, model.run, 'finding', finding.id),
    });
    const words = () => how_many(source.total(), Math.max(all, source.total()), 'finding',
                                 'findings');

    function refresh() {
        list.say(words());
        list.refresh();
    }

    fill(empty, h('p', null, all ? 'No finding is like that.' : 'Nothing has been found.'));
    panel.append(filters.node, list.node);
    const off = model.on((what) => {
        if (what !== 'status' || (model.status.counts?.found ?? 0) === all) return;
        timer ??= setTimeout(() => {
            timer = undefined;
            source.again();
        }, RENEW_MS);
    });
    await source.begin();
    return () => {
        off();
        clearTimeout(timer);
        list.end();
    };
}
