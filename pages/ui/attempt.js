/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.js - one attempt: what it was asked, what it did, what it answered, how that was judged.
 *
 * Its parts are asked for when they are wanted: the prompt when it is unfolded, the answer once the
 * attempt has ended. While it runs the transcript follows it, by `grew` of the stream. */
import { h, fill } from './dom.js';
import { count, money, number, span } from './format.js';
import { is_stopped, path } from './api.js';
import { code_block, prose } from './long.js';
import { card, crumbs, facts, problem, run_link, severity_tag, time_ago, time_since, verdict_tag } from './parts.js';
import { transcript_view } from './transcript.js';

/** What may hold the answer, the first one that is there: the file that was asked for, what came by MCP, and the last words
 * of a stream, or all that a command said. @param {any} attempt */
const answers_of = (attempt) => ['answer', 'report', attempt.evidence ? 'said' : 'stdout'];

/** @param {import('./app.js').Params} params */
export function title(params) {
    return `Attempt ${params.attempt} of ${params.run}`;
}

/** @param {any} attempt */
const name_of = (attempt) => attempt.attempt_name ?? `${attempt.job}-${attempt.attempt}`;

/** How it stands, in a word. @param {any} attempt */
function standing(attempt) {
    if (attempt.verdict) {
        const more = attempt.verdict === 'failed' && attempt.failure ? ` (${attempt.failure})`
                   : attempt.findings > 0 && attempt.verdict === 'findings' ? ` (${number(attempt.findings)})` : '';

        return verdict_tag(attempt.for === 'review' || attempt.verdict !== 'clean' ? attempt.verdict : 'done', more);
    }
    return verdict_tag(attempt.ended_ms ? 'unfinished' : 'running');
}

/* How long it took, or has been at work. */
/** @param {any} attempt @param {boolean} running @param {number} now_ms */
function took(attempt, running, now_ms) {
    if (attempt.ended_ms && attempt.started_ms) return span(attempt.ended_ms - attempt.started_ms);
    return running && attempt.started_ms ? time_since(attempt.started_ms, now_ms) : '\u2013';
}

/** @param {any} attempt @param {boolean} running @param {import('./app.js').Params} params
 * @param {import('./app.js').Context} context */
function facts_of(attempt, running, params, context) {
    const { repo = '0', run = '' } = params;
    const evidence = attempt.evidence ?? {}, now = context.now_ms();
    const waited = attempt.asked_ms && attempt.started_ms ? attempt.started_ms - attempt.asked_ms : 0;
    const tokens_in = attempt.tokens_in ?? evidence.tokens_in;
    const tokens_out = attempt.tokens_out ?? evidence.tokens_out;
    const cost = attempt.cost ?? evidence.cost_usd;

    const small = (/** @type {unknown} */ when, /** @type {string} */ text) => Boolean(when) &&
        h('span', { class: 'note' }, text); /* a number itself would be shown: 380 and none as 3800 */

    return facts([
        ['By', [attempt.by || attempt.agent || 'not known', small(evidence.model, ` ${evidence.model}`),
                small(evidence.effort, `, effort ${evidence.effort}`)]],
        ['Phase', `${attempt.phase}, round ${attempt.round}` +
                  (attempt.iteration > 1 ? `, iteration ${attempt.iteration}` : '')],
        ['Lane', attempt.lane && number(attempt.lane)],
        ['Began', attempt.started_ms && time_ago(attempt.started_ms, now)],
        ['Took', took(attempt, running, now)],
        ['Waited before', waited > 1000 && span(waited)],
        ['Tokens in, out', (!running || tokens_in > 0) && tokens_in !== undefined && [`${number(tokens_in)}, ${number(tokens_out ?? 0)}`,
            small(evidence.tokens_cached, ` (${number(evidence.tokens_cached ?? 0)} of them cached)`)]],
        ['Cost', cost !== undefined && money(cost)],
        ['Changes', typeof attempt.round_at === 'number' &&
            h('a', { href: run_link(repo, run, 'diff', attempt.round_at) }, 'of this round')],
    ]);
}

/** All attempts of its job, where there are several. @param {any[]} all @param {any} attempt
 * @param {import('./app.js').Params} params */
function siblings(all, attempt, params) {
    const mine = all.filter((one) => one.job === attempt.job);

    if (mine.length < 2) return null;
    return card('All attempts of this job', h('ol', { class: 'siblings' }, mine.map((one) => {
                 const name = name_of(one), here = one.attempt === attempt.attempt;

                 return h('li', { class: 'row' },
                          here ? h('strong', { 'aria-current': 'true' }, name)
                               : h('a', { href: run_link(params.repo ?? 0, params.run ?? '', 'attempt', name) }, name),
                          standing(one), one.problem && h('span', { class: 'note' }, one.problem));
             })));
}

/** How the answer was judged. @param {any} attempt @param {any[]} all
 * @param {import('./app.js').Params} params */
function judged(attempt, all, params) {
    const next = all.find((one) => one.job === attempt.job && one.attempt === attempt.attempt + 1);
    const href = next && run_link(params.repo ?? 0, params.run ?? '', 'attempt', name_of(next));
    const words = [];

    if (attempt.problem) words.push(h('p', { class: attempt.verdict === 'failed' || attempt.verdict === 'invalid' ? 'problem' : 'notice' }, attempt.problem));
    if (attempt.unchanged) words.push(h('p', null, 'It left the tree as it was.'));
    if (attempt.taken_back) words.push(h('p', null, 'The repair before it made things worse, and was taken back.'));
    if (attempt.unresolved > 0) words.push(h('p', null, `${count(attempt.unresolved, 'finding')} it left unresolved.`));
    if (attempt.proof) {
        words.push(h('p', null, attempt.proof === 'read' ? 'There is proof that it read each file of the change.'
                                                         : 'There is no proof of what it read: its agent does not tell.'));
    }
    if (next) words.push(h('p', null, 'It was asked again: ', h('a', { href }, `attempt ${name_of(next)}`), '.'));
    return words;
}

/** @param {any} run_findings @param {any} attempt @param {import('./app.js').Params} params */
function findings_of(run_findings, attempt, params) {
    const mine = run_findings.filter((/** @type {any} */ one) => one.votes?.some((/** @type {any} */ vote) =>
        vote.role === attempt.role && vote.round === attempt.round &&
        (!vote.by || !attempt.by || vote.by === attempt.by)) && (one.lane ?? 0) === (attempt.lane ?? 0));

    if (mine.length === 0) return null;
    return h('ul', { class: 'found' }, mine.map((/** @type {any} */ one) => h('li', null,
        severity_tag(one.severity), ' ',
        h('a', { href: run_link(params.repo ?? 0, params.run ?? '', 'finding', one.id) },
          h('span', { class: 'path' }, `${one.file}${one.line ? `:${one.line}` : ''}`)), ' ',
        h('span', { class: 'soft' }, one.text.split('\n')[0]))));
}

/** @param {any} file @param {boolean} reads as prose */
function file_content(file, reads) {
    if (!file) return h('p', { class: 'note' }, 'Nothing of it was kept.');
    if (!file.content) return h('p', { class: 'note' }, file.problem ?? 'It is empty.');
    return h('div', null, reads ? prose(file.content) : code_block(file.content),
             file.cut && h('p', { class: 'note' }, 'The rest of it is left out.'),
             file.problem && h('p', { class: 'note' }, file.problem));
}

/** What it looked at. @param {any} evidence */
function evidence_of(evidence) {
    if (!evidence) {
        return h('p', { class: 'note' }, 'Its backend does not tell what it did: there is no stream of its events.');
    }
    const list = (/** @type {string} */ name, /** @type {string[]} */ items) => items?.length > 0 &&
        h('details', { open: items.length <= 12 }, h('summary', null, `${name}: ${number(items.length)}`),
          h('ul', { class: 'paths' }, items.map((item) => h('li', { class: 'mono' }, item))));

    return h('div', null,
             h('p', null, [count(evidence.tool_calls ?? 0, 'tool call'), count(evidence.commands ?? 0, 'command'),
                           `${count(evidence.reads ?? 0, 'file')} read`, `${number(evidence.writes ?? 0)} written`,
                           evidence.turns > 0 ? count(evidence.turns, 'turn') : '']
                 .filter(Boolean).join(', '), '.'),
             list('Files read', evidence.files_read), list('Files written', evidence.files_written),
             list('Commands', evidence.commands_run));
}

/** A part that is asked for when it is unfolded.
 * @param {string} name @param {() => Promise<Element>} ask */
function lazy(name, ask) {
    const body = h('div', null);
    const details = h('details', { class: 'card part-fold' }, h('summary', null, h('h2', null, name)), body);

    details.addEventListener('toggle', async () => {
        if (!details.open || body.firstChild) return;
        fill(body, h('p', { class: 'note' }, 'Reading\u2026'));
        try {
            fill(body, await ask());
        } catch (error) {
            if (!is_stopped(error)) fill(body, problem(error));
        }
    });
    return details;
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const { repo = '0', run = '', attempt: name = '' } = params;
    const of_run = path('repos', repo, 'runs', run), where = `${of_run}/attempts/${encodeURIComponent(name)}`;
    const head = h('div', { class: 'stack' }), side = h('div', { class: 'stack' });
    const answer = h('section', { class: 'card' });
    let attempt = /** @type {any} */ (null), wanted = false, busy = false, timer = 0;

    /** @param {...(string | string[])} part */
    const ask_parts = (...part) => context.api.get(where, { part: part.flat() }, context.signal);
    const transcript = transcript_view({
        announce: context.announce,
        ask: (from) => context.api.get(`${where}/transcript`, { from }, context.signal),
    });

    async function show_answer() {
        const names = answers_of(attempt), { files } = await ask_parts(names);
        const file = names.map((name) => files[name]).find((one) => one?.content);

        fill(answer, h('h2', null, 'Answer'),
             file || attempt.verdict !== 'failed' ? file_content(file, !/^\s*[{[]/.test(file?.content ?? ''))
                                                  : h('p', { class: 'note' }, 'It gave none.'));
    }

    async function show() {
        const was = attempt?.verdict;
        const doc = await ask_parts('none');
        const state = await context.api.get(of_run, {}, context.signal);
        const all = doc.job_attempts ?? [];
        const found = doc.for === 'review' && doc.findings > 0
            ? (await context.api.get(`${of_run}/findings`, { role: doc.role, round: doc.round,
                                                             count: 500 }, context.signal)).findings : [];
        const alive = state.standing ? state.standing === 'running' : state.state === 'running';

        attempt = doc;
        const running = !attempt.ended_ms && !attempt.verdict && alive;
        fill(head, crumbs([['Runs', '#/runs'], [run, run_link(repo, run)],
                           ['Attempts', run_link(repo, run, 'attempts')], [name]]),
             h('div', { class: 'spread' },
               h('h1', { tabindex: -1 }, attempt.role, h('span', { class: 'soft' }, ` \u00b7 ${attempt.recheck ? 'recheck' : attempt.for}, attempt ${name}`)),
               running ? verdict_tag('running') : standing(attempt)),
             !running && !attempt.verdict && h('p', { class: 'notice' }, 'It has no end: it died with its run, or waits.'),
             facts_of(attempt, running, params, context));
        const words = judged(attempt, all, params), told = findings_of(found, attempt, params);
        fill(side, (words.length > 0 || told) && card('How it was judged', h('p', null, standing(attempt)), words, told),
             siblings(all, attempt, params),
             card('What it looked at', evidence_of(attempt.evidence)));
        if (attempt.verdict && was !== attempt.verdict) await show_answer();
        else if (!attempt.verdict) fill(answer, h('h2', null, 'Answer'), h('p', { class: 'note' }, 'It has not answered yet.'));
        return running;
    }

    /** The newest of it, one question at a time. */
    async function refresh() {
        timer = 0;
        if (busy) {
            wanted = true;
            return;
        }
        busy = true;
        do {
            wanted = false;
            await show().catch(() => {});
        } while (wanted);
        busy = false;
    }

    await show();
    main.append(head, h('div', { class: 'attempt' },
        h('div', { class: 'stack' },
          lazy('Prompt', async () => file_content((await ask_parts('prompt')).files?.prompt, true)),
          card('Transcript', transcript.element), answer),
        side));
    context.subscribe((message) => {
        const mine = message.run === run && message.repo === Number(repo);

        if (mine && message.kind === 'grew' && message.attempt === name) transcript.grew();
        const news = mine && message.kind === 'run' && (!message.attempts ||
            message.attempts.some((/** @type {any} */ one) => one.job === attempt.job || name_of(one) === name));
        if (!news && message.kind !== 'again') return;
        transcript.grew();
        if (!timer) timer = setTimeout(refresh, 200);
    });
    return () => {
        clearTimeout(timer);
        transcript.end();
    };
}
