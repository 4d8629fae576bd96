/* SPDX-License-Identifier: Apache-2.0
 *
 * filters.js - what a list is filtered by: a row of choices that stand in the address, so that a
 * link keeps them. */
import { fill, h } from './dom.js';
import { new_id } from './parts.js';

/**
 * @typedef {object} Filter
 * @property {string} name its name in the address and in the API
 * @property {string} label
 * @property {'choice' | 'text'} [kind]
 * @property {string} [all] the word for no filter
 * @property {(string | [string, string])[]} [options] values, or a value and its word each
 * @property {string} [hint]
 */

/**
 * @param {Filter[]} filters @param {URLSearchParams} query
 * @param {(values: Record<string, string>) => void} on_change
 */
export function filters_new(filters, query, on_change) {
    /** @type {Record<string, string>} */
    const values = {};
    /** @type {Record<string, HTMLSelectElement | HTMLInputElement>} */
    const fields = {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const clear = h('button', { type: 'button', class: 'quiet', onclick: () => {
        for (const name in fields) fields[name].value = values[name] = '';
        changed();
    } }, 'Clear filters');

    function changed() {
        clear.hidden = !Object.values(values).some(Boolean);
        on_change({ ...values });
    }

    /** @param {Filter} filter */
    function field_new(filter) {
        const id = new_id();
        const { name, label, kind = 'choice' } = filter;
        const field = kind === 'text'
            ? h('input', { id, type: 'search', placeholder: filter.hint, spellcheck: 'false' })
            : h('select', { id });

        values[name] = query.get(name) ?? '';
        fields[name] = field;
        if (field instanceof HTMLSelectElement) options_set(filter, field);
        field.value = values[name];
        field.addEventListener(kind === 'text' ? 'input' : 'change', () => {
            values[name] = field.value;
            clearTimeout(timer);
            timer = setTimeout(changed, kind === 'text' ? 200 : 0);
        });
        return h('div', { class: `field ${kind}` }, h('label', { for: id }, label), field);
    }

    /* A value that stands in the address and is none of the options is one all the same. */
    /** @param {Filter} filter @param {HTMLSelectElement} field */
    function options_set({ name, all = 'all', options = [] }, field) {
        const pairs = options.map((option) => typeof option === 'string' ? [option, option]
                                                                         : option);

        if (values[name] && !pairs.some(([value]) => value === values[name])) {
            pairs.push([values[name], values[name]]);
        }
        if (field.dataset.of === JSON.stringify(pairs)) return;
        field.dataset.of = JSON.stringify(pairs);
        fill(field, h('option', { value: '' }, all),
             pairs.map(([value, word]) => h('option', { value }, word)));
        field.value = values[name];
    }

    const node = h('search', { class: 'filters' }, filters.map(field_new), clear);
    clear.hidden = !Object.values(values).some(Boolean);

    return {
        node,
        values: () => ({ ...values }),
        /** @param {Filter} filter its options anew */
        options: (filter) => {
            const field = fields[filter.name];

            if (field instanceof HTMLSelectElement) options_set(filter, field);
        },
        /** @param {Record<string, string>} next */
        set(next) {
            for (const name in fields) fields[name].value = values[name] = next[name] ?? '';
            clear.hidden = !Object.values(values).some(Boolean);
        },
    };
}
