/* SPDX-License-Identifier: Apache-2.0
 *
 * acts.js - what a person does with a run: answer its question, stop it, go on with it.
 *
 * Each is a verb of the program with the same checks; what it said is told in its words. */
import { ApiError } from './api.js';
import { fill, h } from './dom.js';
import { act_button, confirm_act, new_id, sentence } from './parts.js';

/** @param {any} status */
export function lanes_asking(status) {
    return (status.lanes ?? []).filter((/** @type {any} */ lane) => lane.question);
}

/** @param {any} answer */
function words_of(answer) {
    return [answer.said ?? []].flat().join(' ');
}

/**
 * @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context
 * @param {string} act @param {object} body
 */
async function post(model, context, act, body) {
    const answer = await context.api.post(`${model.where}/${act}`, body);

    if (answer.code) throw new ApiError('failed', words_of(answer)); /* the verb refused */
    model.refetch();
    return answer;
}

/** @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context */
function stop(model, context) {
    confirm_act({
        title: 'Stop this run?', bad: true, act_word: 'Stop the run',
        text: 'Its agents are ended. What they have finished is kept, and the run can be resumed.',
        act: () => post(model, context, 'stop', {}),
        done: (answer) => context.announce(words_of(answer) || 'The run was stopped.'),
    });
}

/** @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context */
function resume(model, context) {
    const id = new_id(), spent = model.status.reason === 'budget';
    const field = h('input', { id, type: 'text', spellcheck: 'false', autocomplete: 'off',
                               placeholder: 'usd=10,calls=80' });

    confirm_act({
        title: 'Go on with this run?', act_word: 'Resume',
        text: 'Agents that had finished are not started again, agents that were at work are.',
        body: h('div', { class: 'field' },
                h('label', { for: id }, spent ? 'New limits of the whole run (its budget is spent)'
                                              : 'New limits of the whole run, or nothing'), field,
                h('p', { class: 'note' }, 'Such as ', h('code', null, 'usd=10,calls=80'),
                  '; limits that are not named stay.')),
        act: () => post(model, context, 'resume',
                        field.value.trim() ? { options: { budget: field.value.trim() } } : {}),
        done: (answer) => context.announce(words_of(answer) || 'The run goes on.'),
    });
}

/** The buttons of a run as it stands. @param {import('./run_model.js').RunModel} model
 * @param {import('./app.js').Context} context */
export function act_buttons(model, context) {
    const { status, alive } = model;

    return [
        alive && act_button(context, 'Stop', () => stop(model, context), { class: 'bad' }),
        status.resumable && !status.asks && !status.hosted &&
            act_button(context, 'Resume', () => resume(model, context), { class: 'main' }),
    ].filter(Boolean);
}

/** @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context
 * @param {string} choice @param {string} means */
function answer(model, context, choice, means) {
    confirm_act({
        title: `Answer \u201c${choice}\u201d?`, act_word: 'Answer', bad: choice === 'stop',
        text: means && `${sentence(means)}.`,
        act: () => post(model, context, 'answer', { choice }),
        done: (said) => context.announce(words_of(said) || `Answered: ${choice}.`),
    });
}

/** The question of a run, with what may be answered. @param {any} lane
 * @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context */
export function question_box(lane, model, context) {
    const box = h('section', { class: 'question', 'aria-label': 'The run asks' });
    const text = lane.question_text ?? lane.question;

    fill(box, h('h2', null, 'It asks: ', h('bdi', null, text)),
         lane.lane > 0 && h('p', null, `Lane ${lane.lane}, phase ${lane.phase}, round ${lane.round}`),
         h('dl', { class: 'choices' }, (lane.choices ?? []).map((/** @type {string} */ choice) => {
             const means = lane.choice_texts?.[choice] ?? '';

             return h('div', null,
                      h('dt', null, act_button(context, choice, () =>
                          answer(model, context, choice, means))),
                      h('dd', null, means));
         })),
         model.status.hosted &&
             h('p', { class: 'note' }, 'It runs inside of Claude Code or Codex: answer it there.'));
    return box;
}
