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
import { act_button, crumbs, finding_tag, new_id, problem, run_link, severity_tag, time_ago } from './parts.js';

/** @param {import('./app.js').Params} params */
export function title(params) {
    return `Finding ${params.id?.slice(0, 8)} of ${params.run}`;
}

/** @param {string} name @param {...import('./dom.js').Children} what */
const card = (name, ...what) => h('section', { class: 'card' }, h('h2', null, name), ...what);

/** @param {any} finding */
const place_of = (finding) => finding.line ? `${finding.file}:${finding.line}` : finding.file;

/* ---- what was said ---- */

/** @param {any} finding @param {import('./app.js').Params} params */
function said(finding, params) {
    const parts = [['Evidence', finding.evidence], ['Suggestion', finding.suggestion]];
    const of = run_link(params.repo ?? 0, params.run ?? '', 'findings');

    return card('What was said', prose(finding.text),
        parts.filter(([, text]) => text).map(([name, text]) => [h('h3', null, name), code_block(text)]).flat(),
        h('dl', { class: 'facts' },
          [['Kind', finding.kind], ['Reported first by', finding.role], ['Tool', finding.tool],
           ['Rounds', finding.round_first === finding.round_last ? number(finding.round_first)
               : `${number(finding.round_first)} to ${number(finding.round_last)}`],
           ['Caused by', finding.cause === null || finding.cause === undefined ? 'the change'
               : `the fix of round ${finding.cause.round ?? finding.cause}`],
           ['Tried to fix', finding.tries ? count(finding.tries, 'time') : ''],
           ['Came back', finding.regressions ? count(finding.regressions, 'time') : '']]
              .filter(([, text]) => text).map(([term, text]) => h('div', null, h('dt', null, term), h('dd', null, text)))),
        finding.unresolved && h('p', { class: 'notice' }, finding.unresolved === 'unnamed'
            ? 'The fixer\u2019s report does not name it.'
            : finding.unresolved === 'untouched' ? 'Nothing changed near it after the repair.'
            : 'That it is gone was not proven.'),
        finding.declined && h('p', { class: 'notice' }, 'The fixer names it, and left it as it is.'),
        h('p', { class: 'small' }, h('a', { href: of }, 'All findings of this run')));
}

/* ---- what became of it ---- */

/** @param {any[]} history @param {import('./app.js').Params} params */
function rounds(history, params) {
    return card('Over the rounds', h('ol', { class: 'steps' }, history.map((one) => h('li', null,
        h('a', { href: run_link(params.repo ?? 0, params.run ?? '', 'diff', one.at) },
          `${one.phase} round ${one.round}`),
        one.lane > 0 && h('span', { class: 'note' }, ` lane ${one.lane}`),
        one.iteration > 1 && h('span', { class: 'note' }, ` iteration ${one.iteration}`),
        ' ', finding_tag(one.state)))));
}

/** @param {any[]} seen @param {import('./app.js').Params} params @param {number} now_ms */
function runs(seen, params, now_ms) {
    return card('Over the runs', h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Over the runs' },
        h('table', null,
          h('thead', null, h('tr', null, ['Run', 'When', 'State', 'Line'].map((name) => h('th', { scope: 'col' }, name)))),
          h('tbody', null, seen.map((one) => h('tr', null,
              h('th', { scope: 'row' }, one.run === params.run ? `${one.run} (this one)`
                  : h('a', { href: run_link(params.repo ?? 0, one.run, 'finding', one.id) }, one.run)),
              h('td', null, one.created ? time_ago(one.created_ms ?? Date.parse(one.created), now_ms) : '\u2013'),
              h('td', null, finding_tag(one.state)), h('td', null, one.line ? number(one.line) : '\u2013')))))));
}

/** @param {any[]} votes */
function wordings(votes) {
    return card(`Votes: ${number(votes.length)}`, h('ul', { class: 'votes' }, votes.map((vote) => h('li', null,
        h('p', { class: 'row' }, h('strong', null, vote.role), vote.by && h('span', { class: 'note' }, `by ${vote.by}`),
          h('span', { class: 'note' }, `round ${number(vote.round)}`),
          vote.severity && severity_tag(vote.severity)),
        prose(vote.text), vote.evidence && code_block(vote.evidence)))));
}

/* ---- source and fix ---- */

/** @param {{ file: string, first: number, line?: number, text: string }} source @param {string} name
 * @param {boolean} marks */
function source_block(source, name, marks) {
    const lines = source.text.replace(/\n$/, '').split('\n');
    const digits = String(source.first + lines.length).length;

    return h('figure', { class: 'source' }, h('figcaption', { class: 'note' }, name),
             h('pre', { class: 'lines', style: { '--n': `${digits}ch` } }, lines.map((line, at) => {
                 const mine = marks && source.first + at === source.line;

                 return h('span', { class: `l ${mine ? 'marked' : 'same'}`,
                                    'data-n': String(source.first + at).padStart(digits) },
                          mine && h('span', { class: 'unseen' }, 'here: '),
                          line.length > 2000 ? `${line.slice(0, 2000)}\u2026` : line, '\n');
             })));
}

/** @param {any} finding */
function sources(finding) {
    if (!finding.source && !finding.after) return null;
    const box = h('div', { class: 'sources' },
                  finding.source ? source_block(finding.source, `Before: ${finding.source.file}`, true)
                                 : h('p', { class: 'note' }, 'What stood there is not kept.'),
                  finding.after && source_block(finding.after, `Behind the fix: ${finding.after.file}`, false));

    if (!finding.after) return card('Source', box);
    const turn = h('button', { type: 'button', class: 'button turn', onclick: () => {
        const one = box.classList.toggle('one');

        say(turn, one ? 'Side by side' : 'One below the other');
    } }, 'One below the other');
    return h('section', { class: 'card' }, h('div', { class: 'spread' }, h('h2', null, 'Source'), turn), box);
}

/** @param {any} finding */
function fix(finding) {
    const hunks = finding.hunks ?? [];
    /** @type {Map<string, any[]>} */
    const files = new Map();

    for (const hunk of hunks) files.set(hunk.file, [...files.get(hunk.file) ?? [], hunk]);
    if (hunks.length === 0) {
        return finding.fix_why ? card('Its fix', h('p', { class: 'note' }, finding.fix_why)) : null;
    }
    return card('Its fix', [...files].map(([file, some]) => h('div', { class: 'changes' },
        h('p', { class: 'path file-head' }, file), hunks_list(some))));
}

/** @param {any} finding */
function waived(finding) {
    const waiver = finding.waiver && typeof finding.waiver === 'object' ? finding.waiver : null;
    const reason = waiver?.reason ?? finding.reason;

    if (!waiver && finding.state !== 'waived') return null;
    return card('Why it is left', reason ? prose(reason) : h('p', { class: 'note' }, 'No reason is kept.'),
                h('p', { class: 'note' }, [waiver?.owner && `decided by ${waiver.owner}`, waiver?.made && `on ${waiver.made}`,
                                           waiver?.until && `holds until ${waiver.until}`].filter(Boolean).join(', ')));
}

/* ---- acts ---- */

/** @param {string} id @param {import('./app.js').Context} context */
async function copy(id, context) {
    try {
        await navigator.clipboard.writeText(id);
        context.announce(`${id} is copied.`);
        return true;
    } catch {
        context.announce('The browser does not let this page copy.');
        return false;
    }
}

/** Asks why, and how long it holds. @param {any} finding @param {string} where
 * @param {import('./app.js').Context} context @param {(words: string[]) => void} done */
function ask_waive(finding, where, context, done) {
    const ids = [new_id(), new_id(), new_id(), new_id()];
    const reason = h('textarea', { id: ids[1], rows: 4, required: true, maxlength: 4000, class: 'wide' });
    const until = h('input', { id: ids[2], type: 'date' });
    const grave = h('input', { id: ids[3], type: 'checkbox', required: true });
    const says = h('div', null), go = h('button', { class: 'main' }, 'Waive');
    const dialog = h('dialog', { 'aria-labelledby': ids[0] }, h('form', { method: 'dialog', class: 'stack', onsubmit: submit },
        h('h2', { id: ids[0] }, 'Leave this finding'),
        h('p', null, severity_tag(finding.severity), ' ', h('span', { class: 'path' }, place_of(finding))),
        h('div', { class: 'field' }, h('label', { for: ids[1] }, 'Why it is left. Who finds it again reads this.'), reason),
        h('div', { class: 'field' }, h('label', { for: ids[2] }, 'Last day on which that holds; none: it has no end'), until),
        finding.severity === 'high' && h('p', { class: 'row' }, grave,
            h('label', { for: ids[3] }, 'It is grave, and it is left all the same.')),
        h('p', { class: 'note' }, 'This writes an entry of .hone/waivers.yaml, which is to be committed.'),
        says, h('div', { class: 'acts' },
                h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), go)));

    /** @param {Event} event */
    async function submit(event) {
        event.preventDefault();
        go.disabled = true;
        fill(says);
        try {
            const answer = await context.api.post(`${where}/waive`, { finding: finding.id, reason: reason.value.trim(),
                ...(until.value ? { until: until.value } : {}), ...(finding.severity === 'high' ? { grave: true } : {}) });

            if (answer.code) throw new ApiError('usage', [answer.said].flat().join(' ') || 'It was not waived.');
            dialog.close();
            done([answer.said ?? []].flat());
        } catch (error) {
            fill(says, problem(error));
            go.disabled = false;
        }
    }
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const { repo = '0', run = '', id = '' } = params;
    const of_run = path('repos', repo, 'runs', run), where = `${of_run}/findings/${encodeURIComponent(id)}`;
    const body = h('div', { class: 'stack' }), across = h('div', null);
    let last = '', timer = 0, told = /** @type {string[]} */ ([]);

    async function show() {
        const finding = await context.api.get(where, {}, context.signal);
        const text = JSON.stringify(finding) + told.join();

        if (text === last) return;
        last = text;
        const can = finding.open || finding.state === 'noted';
        const copies = h('button', { type: 'button', onclick: async () => {
            if (await copy(finding.id, context)) say(copies, 'Copied');
        } }, 'Copy ID');
        fill(body,
            crumbs([['Runs', '#/runs'], [run, run_link(repo, run)], ['Findings', run_link(repo, run, 'findings')],
                    [finding.id.slice(0, 8)]]),
            h('div', { class: 'spread' },
              h('h1', { tabindex: -1, class: 'path' }, place_of(finding)),
              h('div', { class: 'row' }, copies,
                can && act_button(context, 'Waive\u2026', () => ask_waive(finding, of_run, context, (words) => {
                    told = words.length ? words : ['It is waived.'];
                    context.announce(told.join(' '));
                    show().catch(() => {});
                })))),
            h('p', { class: 'row' }, severity_tag(finding.severity), finding_tag(finding.state),
              h('span', { class: 'note mono' }, finding.id)),
            told.length > 0 && h('p', { class: 'notice' }, told.join(' ')),
            waived(finding),
            h('div', { class: 'two' },
              h('div', { class: 'stack' }, said(finding, params), sources(finding), fix(finding)),
              h('div', { class: 'stack' }, rounds(finding.history ?? [], params),
                wordings(finding.votes ?? []), across)));
    }

    await show();
    main.append(body);
    context.api.get(path('repos', repo, 'findings', id, 'runs'), {}, context.signal).then((doc) => {
        const seen = (doc.findings ?? []).flatMap((/** @type {any} */ one) => one.seen ?? []);

        if (seen.length > 0) across.append(runs(seen, params, context.now_ms()));
    }).catch((error) => { if (!is_stopped(error)) fill(across, h('p', { class: 'note' }, `Other runs: ${error.message}`)); });
    context.subscribe((message) => {
        const mine = message.kind === 'run' && message.run === run && message.repo === Number(repo);

        if ((mine || message.kind === 'again') && !timer) {
            timer = setTimeout(() => {
                timer = 0;
                show().catch(() => {});
            }, 300);
        }
    });
    return () => clearTimeout(timer);
}
