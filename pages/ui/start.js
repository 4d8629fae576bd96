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
import { count } from './format.js';
import { ApiError, is_stopped, path } from './api.js';
import { repo_choice, repo_of } from './loops.js';
import { most_text } from './plan.js';
import { act_button, problem, run_link, tag, terms } from './parts.js';

export function title() {
    return 'Start a run';
}

const WAIT_MS = 250;

/** What the server takes, where its preview does not say it. */
const OPTIONS = [
    { name: 'since', about: 'look at what has changed since this commit' },
    { name: 'all', about: 'look at everything', flag: true },
    { name: 'until', about: 'until what a gate goes on', values: ['seed', 'settled', 'lean', 'thorough', 'clean'] },
    { name: 'budget', about: 'what it may use in all: usd=5,tokens=2M,time=2h,calls=40 or some of them' },
    { name: 'no-fix', about: 'only look: nothing is repaired', flag: true },
];

const LABELS = new Map([['since', 'Since'], ['all', 'Everything'], ['until', 'Until'],
                        ['budget', 'Budget'], ['no-fix', 'Only look']]);

/** @param {{ name: string, about: string, flag?: boolean, values?: string[] }} option
 * @param {any} value @param {(value: any) => void} turn */
function option_field(option, value, turn) {
    const id = `option-${option.name}`, label = LABELS.get(option.name) ?? option.name;
    const about = h('span', { class: 'note', id: `${id}-about` }, option.about);
    const described = { id, 'aria-describedby': `${id}-about` };
    const of = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target);

    if (option.flag) {
        return h('div', { class: 'check' }, h('input', { ...described, type: 'checkbox', checked: value === true,
            onchange: (/** @type {Event} */ event) => turn(of(event).checked || undefined) }),
            h('label', { for: id }, label), about);
    }
    if (option.values) {
        return h('div', { class: 'field' }, h('label', { for: id }, label),
                 h('select', { ...described, onchange: (/** @type {Event} */ event) => turn(of(event).value || undefined) },
                   h('option', { value: '' }, 'as the loop has it'),
                   option.values.map((word) => h('option', { value: word, selected: word === value }, word))), about);
    }
    return h('div', { class: 'field' }, h('label', { for: id }, label),
             h('input', { ...described, type: 'text', value: value ?? '', autocomplete: 'off', spellcheck: 'false',
                          oninput: (/** @type {Event} */ event) => turn(of(event).value.trim() || undefined) }), about);
}

/* The files of a scope: which, or how many. */
/** @param {string[] | number | undefined} files */
function files_of(files) {
    if (files instanceof Array) {
        return h('ul', { class: 'paths mono' }, files.map((file) => h('li', null, file)));
    }
    return typeof files === 'number' ? h('span', { class: 'note' }, ` ${count(files, 'file')}`) : null;
}

/** @param {any} preview */
function preview_words(preview) {
    const agents = preview.agents ?? [];

    return terms([
        ['agents', agents.length === 0 ? 'none is chosen'
            : h('ul', { class: 'agents' }, agents.map((/** @type {any} */ one) => h('li', null,
                h('strong', null, one.role), ' ', h('span', { class: 'mono' }, one.spec ?? 'nobody'),
                one.why && h('span', { class: 'note' }, ` ${one.why}`))))],
        ['missing', [preview.missing ?? []].flat().join(', ')],
        ['scope', preview.scope && [preview.scope.text, files_of(preview.scope.files)]],
        ['writes', [preview.writes ?? []].flat().join(', ')], ['budget', preview.budget],
        ['takes', preview.most && most_text(preview.most)],
    ]);
}

/** @type {import('./app.js').Page['render']} */
export async function render(main, params, context) {
    const repo = repo_of(params), of_repo = path('repos', repo);
    const { loops } = await context.api.get(`${of_repo}/loops`, {}, context.signal);
    const asked = params.query.get('dialect');
    let dialect = loops.some((/** @type {any} */ one) => one.name === asked) ? asked : loops[0]?.name;
    let task = '', turn = 0, timer = 0, seen = '', shown_options = '';
    /** @type {Record<string, any>} */
    const options = {};
    const fields = h('div', { class: 'options' }), preview_box = h('div', { role: 'status', class: 'stack-small' });
    const says = h('div', null), about = h('p', { class: 'note', id: 'about' });
    const start = act_button(context, 'Start', begin, { class: 'main' });
    const task_field = h('textarea', { id: 'task', rows: 3, class: 'wide', 'aria-describedby': 'task-about',
                                       oninput: () => { task = task_field.value.trim(); later(); } });
    const task_about = h('span', { class: 'note', id: 'task-about' });

    const wanted = () => ({ dialect, ...(task ? { task } : {}), options: { ...options } });

    /** The question of the preview: options of a flag as 1. */
    function query() {
        /** @type {Record<string, any>} */
        const out = { dialect, task };

        for (const [name, value] of Object.entries(options)) out[name] = value === true ? 1 : value;
        return out;
    }

    /** @param {any} preview */
    function show_options(preview) {
        const list = preview?.options ?? OPTIONS, text = JSON.stringify(list);

        if (text === shown_options) return;
        shown_options = text;
        for (const name of Object.keys(options)) {
            if (!list.some((/** @type {any} */ one) => one.name === name)) delete options[name];
        }
        fill(fields, list.map((/** @type {any} */ one) => option_field(one, options[one.name], (value) => {
            if (value === undefined) delete options[one.name];
            else options[one.name] = value;
            later();
        })));
    }

    async function look() {
        const mine = ++turn, about_it = JSON.stringify(wanted());

        timer = 0;
        try {
            const preview = await context.api.get(`${of_repo}/preview`, query(), context.signal);

            if (mine !== turn) return;
            show_options(preview);
            seen = preview.can_start === false ? '' : about_it;
            fill(preview_box, preview_words(preview),
                 preview.problem ? h('p', { class: 'problem' }, preview.problem)
                                 : h('p', null, tag('good', '\u2713', 'it can start')));
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
        const loop = loops.find((/** @type {any} */ one) => one.name === dialect);

        say(about, loop?.about ?? '');
        say(task_about, loop?.takes_task === 'needed' ? 'This loop needs a task.'
                      : loop?.takes_task === 'none' ? 'This loop takes no task.'
                      : 'What the agents are to do. Some loops have a task of their own.');
        task_field.required = loop?.takes_task === 'needed';
    }

    const select = h('select', { id: 'dialect', 'aria-describedby': 'about', onchange: () => {
        dialect = select.value;
        choose();
        later();
    } }, loops.map((/** @type {any} */ one) => h('option', { value: one.name, selected: one.name === dialect }, one.name)));

    choose();
    show_options(null);
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
