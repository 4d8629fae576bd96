/* SPDX-License-Identifier: Apache-2.0
 *
 * run.js - one run: how it stands, what it asks, what it has spent, and its tabs.
 *
 * The head is kept while the tabs change. Each tab is a module like a page: render(panel, params,
 * context); the context of a tab has the run's model, too.
 *
 * 1. A part of the head is drawn anew only when what it says has changed: a button keeps the focus
 *    while the run goes on. */
import { act_buttons, lanes_asking, question_box } from './acts.js';
import { change, fill, h, say } from './dom.js';
import { money, number, number_short, span, time, time_of_day } from './format.js';
import { crumbs, end_tag, problem, run_link, sentence, time_ago, time_since, verdict_tag } from './parts.js';
import { is_stopped } from './api.js';
import { run_model_new } from './run_model.js';
import { task_line } from './runs.js';
import { name_of } from './timeline.js';

/** @type {[string, string, string][]} the tab's name in the address, its word, its module */
const TABS = [['', 'Overview', './overview.js'], ['findings', 'Findings', './findings.js'],
              ['attempts', 'Attempts', './attempts.js'], ['diff', 'Diff', './diff.js'],
              ['plan', 'Plan', './plan.js']];

/** @param {import('./app.js').Params} params */
export function title({ run, tab }) {
    return `Run ${run}${tab ? `, ${tab}` : ''}`;
}

/* ---- the parts of the head ---- */

/** @param {any} status */
function standing(status) {
    const { end } = status;

    return h('div', { class: 'standing' },
             h('p', { class: 'standing-line' }, end_tag(end.tone, end.word), ' ',
               h('span', null, end.line)),
             end.tone !== 'at work' &&
                 h('p', { class: 'soft' }, `${sentence(end.meaning)}.`, end.next && [' ', h('strong', null,
               'Next: '), `${end.next}.`]),
             status.unfinished && end.tone !== 'at work' && h('p', { class: 'note' },
               `This run ${status.unfinished}. There may be more to find than is listed.`));
}

/** Whether its last attempt has ended, and its service is asked again at a known time.
 * @param {any} job @param {number} now_ms */
function is_waiting(job, now_ms) {
    return Boolean(job.waits_until) && Date.parse(job.waits_until) > now_ms;
}

/** @param {any} job @param {any} lane @param {any} model @param {number} now_ms */
function job_row(job, lane, model, now_ms) {
    const waits = is_waiting(job, now_ms);
    const done = job.progress?.[0];
    const started = job.started_ms ?? Date.parse(job.started);

    return h('li', null, verdict_tag(waits ? 'waiting' : 'running'), ' ',
             h('a', { href: run_link(model.repo, model.run, 'attempt', name_of(job)) },
               h('bdi', null, job.role)), ' ',
             h('span', { class: 'soft' }, job.by || job.agent || '', ' '),
             model.status.lanes.length > 1 && h('span', { class: 'soft' }, `lane ${lane.lane} `),
             waits ? ['for ', job.waits_text, ' until ', time_of_day(Date.parse(job.waits_until))]
                   : time_since(started, now_ms),
             done && [' ', h('progress', { max: done.total, value: done.done,
                                           'aria-label': `${done.done} of ${done.total} ${done.of}` }),
                      ` ${number(done.done)} of ${number(done.total)} ${done.of}`]);
}

/** What works now. @param {any} model @param {number} now_ms */
function working(model, now_ms) {
    const rows = (model.status.lanes ?? []).flatMap((/** @type {any} */ lane) =>
        (lane.jobs ?? []).filter((/** @type {any} */ job) => !job.ended || is_waiting(job, now_ms))
            .map((/** @type {any} */ job) => job_row(job, lane, model, now_ms)));

    if (!model.alive || rows.length === 0) return null;
    return h('section', { class: 'working', 'aria-label': 'At work now' },
             h('ul', null, rows.slice(0, 12)),
             rows.length > 12 && h('p', { class: 'note' }, `and ${number(rows.length - 12)} more`));
}

/** @param {string} word @param {string} value @param {string | null} href @param {string} [look]
 * @param {string} [more] */
function tile(word, value, href, look = '', more = '') {
    return h('li', { class: `tile ${look}` },
             h(href ? 'a' : 'div', href ? { href } : null, h('strong', null, value), ' ',
               h('span', null, word)), more && h('small', null, more));
}

/** What was found, and what became of it. @param {any} model */
function tiles(model) {
    const { status } = model, counts = status.counts ?? {};
    const to = (/** @type {string} */ state) =>
        `${run_link(model.repo, model.run, 'findings')}?state=${state}`;
    const grave = ['high', 'medium', 'low'].filter((word) => counts[word] > 0)
        .map((word) => `${number(counts[word])} ${word}`).join(', ');
    const aside = (counts.noted ?? 0) + (counts.waived ?? 0);

    return h('ul', { class: 'tiles' },
             tile('found', number_short(counts.found ?? 0),
                  run_link(model.repo, model.run, 'findings')),
             tile('fixed', number_short(counts.fixed ?? 0), to('fixed'), 'good'),
             tile('left', number_short(counts.left ?? 0), to('open'),
                  counts.left ? 'warn' : '', grave),
             tile('set aside', number_short(aside), to(counts.noted ? 'noted' : 'waived'), '',
                  aside ? `${number(counts.noted ?? 0)} noted, ${number(counts.waived ?? 0)} waived`
                        : ''),
             tile(model.rounds.length === 1 ? 'round' : 'rounds', number_short(model.rounds.length),
                  null));
}

const BUDGETS = { usd: ['Cost', money], tokens: ['Tokens', number_short], time_ms: ['Time', span],
                  calls: ['Calls', number] };

/** A bar for each limit with what is spent, reserved for who is at work, and left; a number where
 * there is none. @param {any} status */
function budget(status) {
    return h('dl', { class: 'budget' }, Object.entries(BUDGETS).map(([name, [word, say_it]]) => {
        const row = status.budget?.[name], format = /** @type {(n: number) => string} */ (say_it);

        if (!row) return null;
        const inside = name === 'tokens' && row.spent > 0 &&
            `, ${format(status.usage?.tokens_out ?? 0)} of them written`;
        const unknown = name === 'usd' && !row.spent && status.cost === null;
        const spent = unknown ? 'not told' : format(row.spent);

        if (row.limit === null) {
            return h('div', null, h('dt', null, /** @type {string} */ (word)),
                     h('dd', null, spent, inside));
        }
        const rest = [row.reserved > 0 && `${format(row.reserved)} reserved`,
                      `${format(row.left)} left`].filter(Boolean).join(', ');
        return h('div', null, h('dt', null, /** @type {string} */ (word)),
                 h('dd', null, `${spent} of ${format(row.limit)}`, inside,
                   meter(row, `${word}: ${spent} of ${format(row.limit)} spent, ${rest}`),
                   h('small', null, rest)));
    }));
}

/** @param {any} row @param {string} label */
function meter(row, label) {
    const part = Math.min(1, row.spent / row.limit);
    const kept = Math.min(1 - part, (row.reserved ?? 0) / row.limit);
    const bar = h('div', { class: `meter${part >= 1 ? ' full' : ''}`, role: 'meter',
                           'aria-valuemin': 0, 'aria-valuemax': 100,
                           'aria-valuenow': Math.round(part * 100), 'aria-label': label });

    bar.style.setProperty('--part', String(part));
    bar.style.setProperty('--kept', String(kept));
    return bar;
}

/** @param {any} model @param {import('./app.js').Context} context */
function facts(model, context) {
    const { status } = model;
    /** @type {[string, import('./dom.js').Child | import('./dom.js').Child[]][]} */
    const rows = [
        ['Run', h('code', null, status.run)],
        ['Dialect', status.dialect],
        ['Looks at', status.scope || status.since || ''],
        ['Branch', status.branch && h('bdi', null, status.branch)],
        ['Agents', status.agents?.length > 0 && h('bdi', null, status.agents.join(', '))],
        ['Started', time(status.created_ms)],
        ['Last event', time_ago(status.updated_ms, context.now_ms())],
        ['Workspace', h('bdi', { class: 'mono' }, status.workspace)],
    ];

    return h('dl', { class: 'facts' }, rows.filter(([, value]) => value).map(([word, value]) =>
        h('div', null, h('dt', null, word), h('dd', null, value))));
}

/* ---- the page ---- */

/** @param {any} model @param {import('./app.js').Context} context */
function head_new(model, context) {
    const { status } = model;
    const acts = h('div', { class: 'row acts' });
    const boxes = { stands: h('div', null), asks: h('div', null), works: h('div', { class: 'works' }),
                    tiles: h('div', { class: 'tiles-box' }), budget: h('div', null), facts: h('div', null) };
    /** @type {Record<string, string>} */
    const drawn = {};
    const task = task_line(status.task), repository = context.repositories[model.repo];

    /** Where what is told is as it was nothing is drawn. @param {string} name
     * @param {any} said @param {() => void} draw */
    function part(name, said, draw) {
        const text = JSON.stringify(said);

        if (drawn[name] === text) return;
        drawn[name] = text;
        draw();
    }

    function refresh() {
        const { status: now } = model, asking = lanes_asking(now);
        const jobs = (now.lanes ?? []).map((/** @type {any} */ lane) => lane.jobs);

        part('stands', [now.end, now.unfinished], () => fill(boxes.stands, standing(now)));
        part('asks', asking, () => fill(boxes.asks, asking.map((/** @type {any} */ lane) =>
            question_box(lane, model, context))));
        part('acts', [model.alive, now.asks, now.resumable], () =>
            fill(acts, act_buttons(model, context)));
        part('works', [model.alive, jobs], () =>
            fill(boxes.works, working(model, context.now_ms())));
        part('tiles', [now.counts, model.rounds.length], () => fill(boxes.tiles, tiles(model)));
        part('budget', now.budget, () => fill(boxes.budget, budget(now)));
        part('facts', [now.agents, now.updated_ms], () =>
            fill(boxes.facts, facts(model, context)));
    }

    const node = h('div', { class: 'run-head stack' },
                   crumbs([['Runs', '#/runs'], [repository?.name ?? `repository ${model.repo}`,
                            `#/runs?repo=${model.repo}`], [status.run]]),
                   h('div', { class: 'spread' }, h('h1', { tabindex: -1 }, h('bdi', null, task)),
                     acts),
                   status.task.trim() !== task && h('details', null, h('summary', null,
                     'The whole task'), h('pre', { class: 'task' }, h('bdi', null, status.task))),
                   boxes.stands, boxes.asks, boxes.works, boxes.tiles,
                   h('details', { class: 'more', open: innerWidth > 900 }, h('summary', null,
                     'What it has spent, and where it is'),
                     h('div', { class: 'grid' }, boxes.budget, boxes.facts)));

    refresh();
    return { node, refresh };
}

/** @param {any} model */
function tabs_new(model) {
    const links = TABS.map(([name, word]) => h('a', { href: run_link(model.repo, model.run,
        ...(name ? [name] : [])), 'data-tab': name }, word));
    const node = h('nav', { class: 'tabs', 'aria-label': 'Of this run' }, links);

    return {
        node,
        /** @param {string} tab */
        mark(tab) {
            for (const link of links) change(link, { 'aria-current': link.dataset.tab === tab &&
                                                                     'page' });
        },
        refresh() {
            const { counts, attempt_count } = model.status;
            const calls = Math.max(attempt_count ?? 0, model.attempts.length);

            say(links[1], counts ? `Findings ${number_short(counts.found)}` : 'Findings');
            say(links[2], `Attempts ${number_short(calls)}`);
        },
    };
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const model = await run_model_new(context, params.repo ?? '', params.run ?? '');
    const head = head_new(model, context), tabs = tabs_new(model);
    const panel = h('div', { class: 'stack panel' });
    /** @type {{ end: () => void, stop: AbortController } | null} */
    let shown = null;
    let turn = 0;

    function leave() {
        shown?.stop.abort();
        shown?.end();
        shown = null;
        fill(panel);
    }

    /** @param {import('./app.js').Params} next */
    async function show(next) {
        const mine = ++turn, tab = next.tab ?? '';
        const module = TABS.find(([name]) => name === tab)?.[2];
        const stop = new AbortController();

        leave();
        tabs.mark(tab);
        head.node.classList.toggle('compact', tab !== ''); /* the tab has the room */
        document.title = `${title(next)} \u00b7 hone`;
        shown = { stop, end: () => {} };
        panel.setAttribute('aria-busy', 'true');
        context.signal.addEventListener('abort', () => stop.abort());
        try {
            if (!module) throw new Error(`a run has no '${tab}'`);
            const page = await import(module);
            if (mine !== turn) return;
            const end = await page.render(panel, { ...next, tab }, {
                ...context, model, signal: stop.signal,
                subscribe: (/** @type {(message: any) => void} */ listener) =>
                    context.subscribe((message) => stop.signal.aborted || listener(message)),
            });
            if (mine !== turn || context.signal.aborted) end();
            else shown.end = end;
        } catch (error) {
            if (mine === turn && !is_stopped(error)) fill(panel, problem(error));
        }
        if (mine === turn) panel.removeAttribute('aria-busy');
    }

    model.on(() => {
        head.refresh();
        tabs.refresh();
    });
    tabs.refresh();
    main.append(head.node, tabs.node, panel);
    await show(params);

    /** @type {import('./app.js').End} */
    const end = () => {
        turn++;
        leave();
    };
    end.goes_to = (next) => {
        if (next.repo !== params.repo || next.run !== params.run) return false;
        show(next).then(() => context.announce(document.title));
        return true;
    };
    return end;
}
