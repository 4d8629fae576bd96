/* SPDX-License-Identifier: Apache-2.0
 *
 * long.js - texts of any length: prose with its code apart, and a piece at a time where one is long.
 *
 * What agents write looks like Markdown. It is read here for two things alone, since a page of
 * blocks is easier to read than one block: fences of code, and headings. Every character of the text
 * is still there, as text. */
import { h } from './dom.js';
import { bytes } from './format.js';

const PIECE = 4000, PIECE_MORE = 64000;

/* Where to cut: no pair of surrogates is cut in two. */
/** @param {string} text @param {number} at */
function cut_at(text, at) {
    const code = text.charCodeAt(at - 1);

    return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

/**
 * Appends the text to element, the first `most` characters of it. Behind them a button brings more.
 * @param {Element} element @param {string} text @param {number} [most]
 */
export function add_long(element, text, most = PIECE) {
    if (text.length <= most + most / 4) {
        element.append(h('span', null, text));
        return;
    }
    const at = cut_at(text, most), rest = text.slice(at);

    element.append(h('span', null, text.slice(0, at)), h('button', {
        class: 'more', type: 'button',
        onclick(/** @type {Event} */ event) {
            const button = /** @type {HTMLElement} */ (event.currentTarget);

            button.remove();
            add_long(element, rest, PIECE_MORE);
            const next = /** @type {HTMLElement} */ (element.querySelector('button.more'));
            if (next) next.focus();
        },
    }, `${bytes(rest.length)} more`));
}

/** Text as it is, in the letters of code. @param {string} text @param {number} [most] */
export function code_block(text, most) {
    const block = h('pre', { class: 'code-text', tabindex: 0 });

    add_long(block, text, most);
    return block;
}

/* A fence with what is in it, to its end or that of the text; or a heading. */
const PARTS = /^( {0,3}(?:```|~~~)[^]*?(?:^ {0,3}(?:```|~~~)[`~ ]*|(?![^]))|#{1,6} .*)$/m;

/**
 * The parts of a text in order: prose at even places, code and headings at odd ones.
 * @param {string} text
 */
export function parts_of(text) {
    return text.split(PARTS);
}

const PARTS_MAX = 800, TEXT_MAX = 1 << 20;

/** A text of an agent to read. @param {string} text */
export function prose(text) {
    const parts = text.length > TEXT_MAX ? [text] : parts_of(text);

    return h('div', { class: 'prose' }, (parts.length > PARTS_MAX ? [text] : parts).map((part, at) => {
        const block = at % 2 === 0 ? part.replace(/^\n+|\s+$/g, '') : part;
        const paragraph = h('p', { class: at % 2 && 'heading' });

        if (!block) return null;
        if (at % 2 && block[0] !== '#') return code_block(block);
        add_long(paragraph, block);
        return paragraph;
    }));
}
