/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.js - the runs of the repositories that are looked at: what works now, what asks, what became
 * of the others, and whether it gets better.
 *
 * 1. The filters stand in the address; the server filters.
 * 2. A run that changes is drawn anew where it stands; one that is new or gone makes the list be
 *    asked for again, at most each RENEW_MS. */
import { bars, chart_new } from './charts.js';
import { fill, h, say } from './dom.js';
import { filters_new } from './filters.js';
import { count, money, number, number_short, span, time } from './format.js';
import { how_many, list_new, source_paged } from './list.js';
import { run_link, tag, time_ago } from './parts.js';

const TREND_RUNS = 30, RENEW_MS = 1000;

export function title() {
    return 'Runs';
}

/** How a run stands: its tone and its sign go by the reason. @param {any} run */
export function run_tag(run) {
    /** @type {Record<string, ['good' | 'warn' | 'bad' | 'info', string]>} */
    const looks = { clean: ['good', '\u2713'], converged: ['good', '\u2713'],
                    settled: ['good', '\u2713'], failed: ['bad', '\u2717'],
                    crashed: ['bad', '\u2717'], unseen: ['bad', '?'], running: ['info', '\u25b8'],
                    waiting: ['warn', '?'], escalated: ['warn', '?'] };
    const standing = run.asks ? 'waiting' : run.standing === 'ended' ? run.reason : run.standing;
    const [tone, sign] = looks[standing] ?? ['warn', '!'];

    return tag(tone, sign, run.asks ? 'asks you' : run.word);
}

/** The first line of a task. @param {string} task */
export function task_line(task) {
    return task.trim().split('\n', 1)[0] || 'no task';
}

/* ---- the rows ---- */

/** @param {any} run @param {import('./app.js').Context} context */
function row_of(run, context) {
    const many = context.repositories.length > 1;
    const about = [many && context.repositories[run.repo]?.name, run.dialect, run.branch,
                   run.scope].filter(Boolean);
    const standing = run.standing === 'running' && !run.asks;

    return [
        h('span', { class: 'run-name' }, h('bdi', { class: 'run-task' }, task_line(run.task))),
        run_tag(run),
        h('span', { class: 'run-about' }, h('code', null, run.run),
          about.map((text) => h('bdi', null, text))),
        sums_of(run),
        money(run.cost),
        standing ? h('time', { 'data-since': context.now_ms() - run.took_ms }, span(run.took_ms))
                 : span(run.took_ms),
        time_ago(run.updated_ms, context.now_ms()),
    ];
}

/* Found, fixed and left, with a bar that says how much of it is done. @param {any} run */
/** @param {any} run */
function sums_of(run) {
    if (run.found === undefined) return h('span', { class: 'soft' }, 'cannot be read');
    const bar = h('span', { class: 'done-bar', 'aria-hidden': 'true' });

    bar.style.setProperty('--done', run.found ? String(run.fixed / run.found) : '0');
    bar.style.setProperty('--left', run.found ? String(run.left / run.found) : '0');
    return h('span', { class: 'run-sums' },
             h('span', { class: 'sums-text' }, h('b', null, number_short(run.left)), ' left of ',
               number_short(run.found)), bar);
}

/* ---- the trend ---- */

/** @type {[string, string, (run: any) => number | null, (value: number) => string][]} */
const TRENDS = [
    ['Found', 'found', (run) => run.found ?? null, number],
    ['Fixed', 'fixed', (run) => run.fixed ?? null, number],
    ['Left', 'left', (run) => run.left ?? null, number],
    ['Cost', 'cost', (run) => run.cost ?? null, money],
    ['Duration', 'took', (run) => run.took_ms ?? null, span],
];

/** @param {any[]} runs the newest last */
function trend_table(runs) {
    return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Trend' },
             h('table', null, h('caption', null, 'The newest runs, the oldest of them first'),
               h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Run'),
                 TRENDS.map(([name]) => h('th', { scope: 'col', class: 'num' }, name)))),
               h('tbody', null, runs.map((run) => h('tr', null, h('th', { scope: 'row' },
                 h('a', { href: run_link(run.repo, run.run) }, run.run)),
                 TRENDS.map(([, , value, word]) => {
                     const said = value(run);
                     return h('td', { class: 'num' }, said === null ? '\u2013' : word(said));
                 }))))));
}

/** @param {() => any[]} newest */
function trend_new(newest) {
    const table = h('details', null, h('summary', null, 'As a table'));
    const charts = TRENDS.map(([name, look, value, word]) => {
        const sum = h('span', { class: 'trend-last' });
        const chart = chart_new('trend-bars', (width) => {
            const runs = newest(), values = runs.map(value);
            const last = values.at(-1);

            say(sum, last === null || last === undefined ? '\u2013' : word(last));
            return bars({ values, width, height: 40, look: `bars ${look}`,
                          label: `${name} in the newest ${count(runs.length, 'run')}, at last ${
                              sum.textContent}`,
                          titles: runs.map((run, i) => `${run.run}, ${time(run.created_ms)}: ${
                              values[i] === null ? 'not told' : word(values[i])}`) });
        });

        return { chart, node: h('div', { class: 'trend' },
                                h('h2', null, name, ' ', sum), chart.node) };
    });
    const node = h('section', { class: 'card', 'aria-label': 'Trend of the newest runs' },
                   h('div', { class: 'trends' }, charts.map((one) => one.node)), table);

    table.addEventListener('toggle', () => {
        if (table.open && table.children.length === 1) table.append(trend_table(newest()));
    });
    return {
        node,
        refresh() {
            node.hidden = newest().length < 2;
            for (const one of charts) one.chart.redraw();
            while (table.children.length > 1) table.lastElementChild?.remove();
            if (table.open) table.append(trend_table(newest()));
        },
        end: () => charts.forEach((one) => one.chart.end()),
    };
}

/* ---- the page ---- */

/** @param {boolean} filtered @param {() => void} clear */
function empty_of(filtered, clear) {
    if (filtered) {
        return h('div', { class: 'empty' }, h('p', null, 'No run is like that.'),
                 h('p', null, h('button', { onclick: clear }, 'Show all runs')));
    }
    return h('div', { class: 'empty' }, h('h2', null, 'No run yet'),
             h('p', null, 'A run reviews what has changed, repairs what was found, and looks again ' +
               'until nothing is left. In a terminal, in the repository:'),
             h('pre', { tabindex: 0 }, 'hone run review --all'),
             h('p', null, 'It appears here as soon as it begins. Or ',
               h('a', { href: '#/start' }, 'start one here'), '.'));
}

/** @param {any} answer @param {import('./app.js').Context} context
 * @returns {import('./filters.js').Filter[]} */
function filters_of(answer, context) {
    /** @type {import('./filters.js').Filter[]} */
    const filters = [
        { name: 'state', label: 'State', options: answer.states ?? [] },
        { name: 'dialect', label: 'Dialect', options: answer.dialects ?? [] },
        { name: 'branch', label: 'Branch', options: answer.branches ?? [] },
        { name: 'agent', label: 'Agent', options: answer.agents ?? [] },
    ];

    if (context.repositories.length > 1) {
        filters.unshift({ name: 'repo', label: 'Repository', options: context.repositories.map(
            ({ repo, name }) => [String(repo), name]) });
    }
    return filters;
}

const COLUMNS = ['Task', 'State', 'Run', 'Findings', { text: 'Cost', num: true },
                 { text: 'At work', num: true }, { text: 'Last event', num: true }];

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    /** @type {any} */
    let answer = {};
    /** @type {any[]} */
    let newest = [];
    /** @type {Map<string, any>} */
    const fresh = new Map(); /* rows that came by the stream */
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const key = (/** @type {any} */ run) => `${run.repo}/${run.run}`;
    const source = source_paged(async (from, size) => {
        answer = await context.api.get('/runs', { ...filters.values(), from, count: size },
                                       context.signal);
        for (const run of answer.runs) fresh.delete(key(run));
        for (const filter of filters_of(answer, context)) filters.options(filter);
        if (from === 0) newest = answer.runs.slice(0, TREND_RUNS).reverse();
        return { items: answer.runs, total: answer.total };
    }, { size: 100, on_change: changed, on_problem: (error) => list.problem(error) });
    const filters = filters_new(filters_of(
        await context.api.get('/runs', { count: 0 }, context.signal), context), params.query,
                                (values) => {
        context.keep(values);
        source.begin().then(() => context.announce(how_many(source.total(), source.total(), 'run',
                                                            'runs')));
    });
    const empty = h('div', null);
    const list = list_new({
        label: 'Runs', look: 'runs', columns: COLUMNS,
        source: { ...source, get: (index) => {
            const run = source.get(index);
            return run && (fresh.get(key(run)) ?? run);
        } },
        row: (run) => row_of(run, context), link: (run) => run_link(run.repo, run.run), empty,
    });
    const trend = trend_new(() => newest);
    const now = h('p', { class: 'soft' });

    function changed() {
        const filtered = Object.values(filters.values()).some(Boolean);
        const at_work = newest.filter((run) => run.standing === 'running').length;
        const asks = newest.filter((run) => run.asks).length;

        fill(empty, empty_of(filtered, () => {
            filters.set({});
            context.keep({});
            source.begin();
        }));
        say(now, [at_work && `${number(at_work)} at work`, asks && `${number(asks)} asking you`]
            .filter(Boolean).join(', '));
        filters.node.hidden = !filtered && source.total() === 0;
        list.say(source.total() ? how_many(source.total(), source.total(), 'run', 'runs') : '');
        list.refresh();
        trend.refresh();
    }

    function renew() {
        timer ??= setTimeout(() => {
            timer = undefined;
            source.again();
        }, RENEW_MS);
    }

    context.subscribe((message) => {
        if (message.kind === 'again') {
            source.again();
        } else if (message.kind === 'run') {
            const known = fresh.has(key(message)) ||
                newest.some((run) => key(run) === key(message));

            fresh.set(key(message), message.row);
            newest = newest.map((run) => key(run) === key(message) ? message.row : run);
            if (!known) renew();
            changed();
        } else if (message.kind === 'gone') {
            renew();
        }
    });
    main.append(h('div', { class: 'spread' }, h('h1', { tabindex: -1 }, 'Runs'), now),
                ...context.repositories.filter((one) => one.problem).map((one) =>
                    h('p', { class: 'problem' }, `${one.name}: ${one.problem}`)),
                trend.node, filters.node, list.node);
    await source.begin();
    return () => {
        clearTimeout(timer);
        list.end();
        trend.end();
    };
}
