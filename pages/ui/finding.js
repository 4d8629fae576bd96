/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.js - one finding: what was said and by whom, what became of it, and why it may be left.
 *
 * An act here is `hone waive`: the verb checks, and what it says is shown as it says it. */
import { h, fill, say } from './dom.js';
import { count, number } from './format.js';
import { ApiError, is_stopped, path } from './api.js';
import { hunks_list } from './diff.js';
import { code_block, prose } from './long.js';
import { act_button, card, confirm_act, crumbs, facts, finding_tag, new_id, run_link, severity_tag, table,
         time_ago } from './parts.js';

/** @param {import('./app.js').Params} params */
export function title(params) {
    return `Finding ${params.id?.slice(0, 8)} of ${params.run}`;
}

/** A way to a page of this run. @typedef {(...names: (string | number)[]) => string} To */

const UNRESOLVED = new Map([
    ['unnamed', 'The fixer\u2019s report does not name it.'],
    ['untouched', 'Nothing changed near it after the repair.'],
    ['unproven', 'That it is gone was not proven.'],
]);

/** @param {any} finding */
function said(finding) {
    const { evidence, suggestion, cause, round_first, round_last } = finding;
    const doubt = finding.declined ? 'The fixer names it, and left it as it is.'
                                   : UNRESOLVED.get(finding.unresolved);

    return card('What was said', prose(finding.text),
        evidence && [h('h3', null, 'Evidence'), code_block(evidence)],
        suggestion && [h('h3', null, 'Suggestion'), code_block(suggestion)],
        facts([['Kind', finding.kind], ['First said by', finding.role], ['Tool', finding.tool],
               ['Rounds', round_first === round_last ? number(round_first)
                                                     : `${number(round_first)} to ${number(round_last)}`],
               ['Brought by', cause ? `the fix of round ${cause.round ?? cause}` : 'the change'],
               ['Tried to fix', finding.tries && count(finding.tries, 'time')],
               ['Came back', finding.regressions && count(finding.regressions, 'time')]]),
        doubt && h('p', { class: 'notice' }, doubt));
}

/** @param {any[]} history @param {To} to */
function rounds(history, to) {
    return card('Over the rounds', h('ol', { class: 'steps' }, history.map(({ at, phase, round, lane, iteration, state }) =>
        h('li', null, typeof at === 'number' ? h('a', { href: to('diff', at) }, `${phase} round ${round}`) : 'at last',
          lane > 0 && h('span', { class: 'note' }, ` lane ${lane}`),
          iteration > 1 && h('span', { class: 'note' }, ` iteration ${iteration}`), ' ', finding_tag(state)))));
}

/** @param {any} finding */
function wordings(finding) {
    return card(`Votes: ${number(finding.votes.length)}`, h('ul', { class: 'votes' }, finding.votes.map((/** @type {any} */ vote) =>
        h('li', null,
          h('p', { class: 'row' }, h('strong', null, vote.role),
            h('span', { class: 'note' }, `${vote.by ? `by ${vote.by}, ` : ''}round ${number(vote.round)}`),
            vote.severity && severity_tag(vote.severity),
            vote.stands === false && h('span', { class: 'note' }, 'no longer reported')),
          prose(vote.text),
          vote.evidence && vote.evidence !== finding.evidence && code_block(vote.evidence)))));
}

/** @param {{ file: string, first: number, line?: number, text: string }} source @param {string} when */
function source_block(source, when) {
    const lines = source.text.replace(/\n$/, '').split('\n');
    const digits = String(source.first + lines.length).length;

    return h('figure', { class: 'source' }, h('figcaption', { class: 'note' }, `${when}: ${source.file}`),
             h('pre', { class: 'lines', style: { '--n': `${digits}ch` } }, lines.map((line, at) => {
                 const number_of = source.first + at, mine = number_of === source.line;

                 return h('span', { class: mine ? 'l marked' : 'l', 'data-n': String(number_of).padStart(digits) },
                          mine && h('span', { class: 'unseen' }, 'here: '),
                          line.length > 2000 ? `${line.slice(0, 2000)}\u2026` : line, '\n');
             })));
}

/** @param {any} finding */
function sources({ source, after }) {
    const box = h('div', { class: 'sources' }, source && source_block(source, 'Before'),
                  after && source_block(after, 'After the fix'));
    const turn = h('button', { type: 'button', class: 'turn', onclick: () => {
        say(turn, box.classList.toggle('one') ? 'Side by side' : 'One below the other');
    } }, 'One below the other');

    return source || after ? card('Source', source && after && turn, box) : null;
}

/** @param {any} finding */
function fix({ hunks, fix_why }) {
    if (!hunks?.length) return fix_why ? card('Its fix', h('p', { class: 'note' }, fix_why)) : null;
    return card('Its fix', h('p', { class: 'path note' }, hunks[0].file), hunks_list(hunks));
}

/** @param {any} finding */
function waived({ state, waiver, reason }) {
    const facts_of = [waiver?.owner && `decided by ${waiver.owner}`, waiver?.made && `on ${waiver.made}`,
                      waiver?.until && `holds until ${waiver.until}`];

    return state === 'waived' && card('Why it is left', prose(waiver?.reason || reason || 'No reason is kept.'),
                                      h('p', { class: 'note' }, facts_of.filter(Boolean).join(', ')));
}

/** Asks why it is left, and how long that holds. @param {any} finding @param {string} of_run
 * @param {import('./app.js').Context} context @param {(words: string) => void} done */
function ask_waive(finding, of_run, context, done) {
    const grave = finding.severity === 'high', ids = [new_id(), new_id(), new_id()];
    const reason = h('textarea', { id: ids[0], rows: 4, maxlength: 4000 });
    const until = h('input', { id: ids[1], type: 'date' }), sure = h('input', { id: ids[2], type: 'checkbox' });

    confirm_act({
        title: 'Leave this finding', act_word: 'Waive',
        text: 'It becomes an entry of .hone/waivers.yaml, which is to be committed.',
        body: h('div', { class: 'options' },
            h('div', { class: 'field' }, h('label', { for: ids[0] }, 'Why it is left: who finds it again reads this'), reason),
            h('div', { class: 'field' }, h('label', { for: ids[1] }, 'Last day on which that holds, or none'), until),
            grave && h('div', { class: 'check' }, sure, h('label', { for: ids[2] }, 'It is grave, and it is left all the same'))),
        act: async () => {
            const answer = await context.api.post(`${of_run}/waive`, {
                finding: finding.id, reason: reason.value.trim(), until: until.value || undefined,
                grave: sure.checked || undefined });

            if (answer.code) throw new ApiError('usage', [answer.said].flat().join(' '));
            return answer;
        },
        done: ({ said: words }) => done([words ?? []].flat().join(' ') || 'It is waived.'),
    });
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const { repo = '0', run = '', id = '' } = params;
    const of_run = path('repos', repo, 'runs', run), where = of_run + path('findings', id);
    const to = /** @type {To} */ ((...names) => run_link(repo, run, ...names));
    const body = h('div', { class: 'stack' }), across = h('div', { 'aria-busy': 'true' });
    let last = '', timer = 0, told = '';

    /** @param {any} finding */
    function acts(finding) {
        const copies = h('button', { type: 'button', onclick: async () => {
            await navigator.clipboard.writeText(finding.id).then(() => say(copies, 'Copied'),
                () => context.announce('The browser does not let this page copy.'));
        } }, 'Copy ID');

        return h('div', { class: 'row' }, copies, (finding.open || finding.state === 'noted') &&
            act_button(context, 'Waive\u2026', () => ask_waive(finding, of_run, context, (words) => {
                told = words;
                context.announce(words);
                show().catch(() => {});
            })));
    }

    async function show() {
        const finding = await context.api.get(where, {}, context.signal);
        const text = JSON.stringify(finding) + told;

        if (text === last) return;
        last = text;
        fill(body,
            crumbs([['Runs', '#/runs'], [run, to()], ['Findings', to('findings')], [finding.id.slice(0, 8)]]),
            h('div', { class: 'spread' },
              h('h1', { tabindex: -1, class: 'path' }, finding.line ? `${finding.file}:${finding.line}` : finding.file),
              acts(finding)),
            h('p', { class: 'row' }, severity_tag(finding.severity), finding_tag(finding.state),
              h('span', { class: 'note mono' }, finding.id)),
            told && h('p', { class: 'notice' }, told), waived(finding),
            h('div', { class: 'two' },
              h('div', { class: 'stack' }, said(finding), sources(finding), fix(finding)),
              h('div', { class: 'stack' }, rounds(finding.history ?? [], to), wordings(finding), across)));
    }

    /* The same finding in other runs. */
    async function show_runs() {
        const doc = await context.api.get(path('repos', repo, 'findings', id, 'runs'), {}, context.signal);
        const seen = doc.findings.flatMap((/** @type {any} */ one) => one.seen);

        fill(across, seen.length > 0 && card('Over the runs', table('Over the runs', ['Run', 'When', 'State', 'Line'],
            seen.map((/** @type {any} */ one) => [
                one.run === run ? `${one.run} (this one)`
                                : h('a', { href: run_link(repo, one.run, 'finding', one.id) }, one.run),
                time_ago(Date.parse(one.created), context.now_ms()), finding_tag(one.state), one.line]))));
    }

    await show();
    main.append(body);
    show_runs().catch((error) => {
        if (!is_stopped(error)) fill(across, h('p', { class: 'note' }, `Over the runs: ${error.message}`));
    }).then(() => across.removeAttribute('aria-busy'));
    context.subscribe((message) => {
        const mine = message.kind === 'run' && message.run === run && message.repo === Number(repo);

        if ((!mine && message.kind !== 'again') || timer) return;
        timer = setTimeout(() => {
            timer = 0;
            show().catch(() => {});
        }, 300);
    });
    return () => clearTimeout(timer);
}
