/* SPDX-License-Identifier: Apache-2.0
 *
 * start.js - a run is started here with what `hone run` would say of it first.
 *
 *     what is chosen --> /preview --> agents, scope, what it writes, what it can take, problems
 *                                            |
 *                           can_start --> Start --> POST /runs --> its page
 *
 * 1. Each change asks for the preview anew; of several answers the one to the last question counts.
 * 2. Nothing is started whose preview was not seen: Start is of the preview that is shown.
 * 3. Which options there are is the server's list, a part of those of the terminal: no agent's
 *    command, no trust, no sandbox. */
import { h, fill, say } from './dom.js';
import { ApiError, is_stopped, path } from './api.js';
import { repo_choice, repo_of } from './loops.js';
import { most_text } from './plan.js';
import { act_button, problem, run_link, tag, terms } from './parts.js';

export function title() {
    return 'Start a run';
}

const WAIT_MS = 250;

/** A part of what `hone run` takes: [name, label, what it says, the dialect that it is of, choices].
 * Without choices it is a text, with none of them a switch.
 * @type {[string, string, string, string, string[]?][]} */
const OPTIONS = [
    ['spec', 'Specification', 'a file: what is to be built', 'cycles'],
    ['tasks', 'Tasks', 'a file: JSON, or a checklist in Markdown', 'loops'],
    ['plan', 'Plan', 'a file: begin with this plan', 'session'],
    ['effort', 'Effort', 'how closely and how often is reviewed', 'loops', ['low', 'medium', 'high', 'max']],
    ['lite', 'Lite', 'without Codex and its last phase', 'iterate', []],
    ['since', 'Since', 'look at what has changed since this commit', ''],
    ['all', 'Everything', 'look at all of it, not at a change', '', []],
    ['until', 'Until', 'until what a gate goes on', '', ['seed', 'settled', 'lean', 'thorough', 'clean']],
    ['budget', 'Budget', 'in all: usd=5,tokens=2M,time=2h,calls=40 or some of them', ''],
    ['no-fix', 'Only look', 'nothing is repaired', '', []],
    ['isolate', 'Apart', 'a fixer works in a work tree of its own', '', []],
];

/** @param {typeof OPTIONS[number]} option @param {any} value @param {(value: any) => void} turn */
function option_field([name, label, about, , choices], value, turn) {
    const id = `option-${name}`, described = { id, 'aria-describedby': `${id}-about` };
    const words = [h('label', { for: id }, label), h('span', { class: 'note', id: `${id}-about` }, about)];
    const of = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target);

    if (choices?.length === 0) {
        return h('div', { class: 'check' }, h('input', { ...described, type: 'checkbox', checked: value === true,
            onchange: (/** @type {Event} */ event) => turn(of(event).checked || undefined) }), words);
    }
    return h('div', { class: 'field' }, words[0], choices
        ? h('select', { ...described, onchange: (/** @type {Event} */ event) => turn(of(event).value || undefined) },
            ['', ...choices].map((word) => h('option', { value: word, selected: word === (value ?? '') },
                                             word || 'as the loop has it')))
        : h('input', { ...described, type: 'text', value: value ?? '', autocomplete: 'off', spellcheck: 'false',
                       oninput: (/** @type {Event} */ event) => turn(of(event).value.trim() || undefined) }), words[1]);
}

/** @param {any} preview */
function preview_words(preview) {
    const agents = preview.agents ?? [];

    return terms([
        ['agents', agents.length === 0 ? 'none is chosen'
            : h('ul', { class: 'agents' }, agents.map((/** @type {any} */ one) => h('li', null,
                h('strong', null, one.role), ' ', h('span', { class: 'mono' }, one.spec ?? 'no agent'),
                one.why && h('span', { class: 'note' }, ` ${one.why}`))))],
        ['missing', [preview.missing ?? []].flat().join(', ')],
        ['scope', preview.scope?.text],
        ['writes', [preview.writes ?? []].flat().join(', ')], ['until', preview.until], ['eyes', preview.eyes], ['budget', preview.budget],
        ['takes', preview.most && most_text(preview.most)],
    ]);
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const repo = repo_of(params), of_repo = path('repos', repo);
    const { loops } = await context.api.get(`${of_repo}/loops`, {}, context.signal);
    const asked = params.query.get('dialect');
    let dialect = loops.some((/** @type {any} */ one) => one.name === asked) ? asked : loops[0]?.name;
    let task = '', turn = 0, timer = 0, seen = '';
    /** @type {Record<string, any>} */
    const options = {};
    const fields = h('div', { class: 'options' }), preview_box = h('div', { class: 'stack-small' });
    const says = h('div', null), about = h('p', { class: 'note', id: 'about' });
    const start = act_button(context, 'Start', begin, { class: 'main' });
    const task_field = h('textarea', { id: 'task', rows: 3, class: 'wide', 'aria-describedby': 'task-about',
                                       oninput: () => { task = task_field.value.trim(); later(); } });
    const task_about = h('span', { class: 'note', id: 'task-about' },
                         'What the agents are to do. Some loops have a task of their own.');

    const wanted = () => ({ dialect, ...(task ? { task } : {}), options: { ...options } });

    /** The question of the preview: options of a flag as 1. */
    function query() {
        /** @type {Record<string, any>} */
        const out = { dialect, task };

        for (const [name, value] of Object.entries(options)) out[name] = value === true ? 1 : value;
        return out;
    }

    /** The options of the loop that is chosen; what was said of others is dropped. */
    function show_options() {
        const mine = OPTIONS.filter(([, , , of]) => !of || of === dialect);

        for (const name of Object.keys(options)) {
            if (!mine.some(([known]) => known === name)) delete options[name];
        }
        fill(fields, mine.map((option) => option_field(option, options[option[0]], (value) => {
            if (value === undefined) delete options[option[0]];
            else options[option[0]] = value;
            later();
        })));
    }

    async function look() {
        const mine = ++turn, about_it = JSON.stringify(wanted());

        timer = 0;
        try {
            const preview = await context.api.get(`${of_repo}/preview`, query(), context.signal);

            if (mine !== turn) return;
            seen = preview.can_start === false ? '' : about_it;
            fill(preview_box, preview_words(preview),
                 preview.problem ? h('p', { class: 'problem' }, preview.problem)
                                 : h('p', null, tag('good', '\u2713', 'it can start')));
            context.announce(preview.problem ?? 'It can start.');
        } catch (error) {
            if (mine !== turn || is_stopped(error)) return;
            seen = '';
            fill(preview_box, problem(error));
        }
        ready();
    }

    /** Start is of the preview that is shown. */
    function ready() {
        start.disabled = !context.read_only && seen !== JSON.stringify(wanted());
    }

    function later() {
        fill(says);
        clearTimeout(timer);
        timer = setTimeout(look, WAIT_MS);
        ready();
    }

    async function begin() {
        start.disabled = true;
        say(start, 'Starting\u2026');
        try {
            const answer = await context.api.post(`${of_repo}/runs`, wanted());

            if (!answer.run) throw new ApiError('failed', [answer.said ?? 'It did not start.'].flat().join(' '));
            context.navigate(run_link(repo, answer.run));
            return;
        } catch (error) {
            fill(says, problem(error));
        }
        say(start, 'Start');
        ready();
    }

    function choose() {
        say(about, loops.find((/** @type {any} */ one) => one.name === dialect)?.about ?? '');
        show_options();
    }

    const select = h('select', { id: 'dialect', 'aria-describedby': 'about', onchange: () => {
        dialect = select.value;
        choose();
        later();
    } }, loops.map((/** @type {any} */ one) => h('option', { value: one.name, selected: one.name === dialect }, one.name)));

    choose();
    main.append(h('h1', { tabindex: -1 }, 'Start a run'),
        h('div', { class: 'two start' },
          h('section', { class: 'card stack-small', 'aria-label': 'What is to run' },
            repo_choice(context, repo, (next) => context.navigate(`#/start?repo=${next}&dialect=${dialect}`)),
            h('div', { class: 'field' }, h('label', { for: 'dialect' }, 'Loop'), select, about),
            h('div', { class: 'field' }, h('label', { for: 'task' }, 'Task'), task_field, task_about), fields),
          h('section', { class: 'card stack-small' }, h('h2', null, 'What it would do'), preview_box, says,
            h('p', { class: 'row' }, start))));
    await look();
    return () => clearTimeout(timer);
}
