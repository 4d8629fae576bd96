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

/** @typedef {{ kind: 'prose' | 'code' | 'heading', text: string }} Block */

/**
 * The blocks of a text. A fence without its end goes to the end of the text.
 * @param {string} text @returns {Block[]}
 */
export function blocks_of(text) {
    /** @type {Block[]} */
    const blocks = [];
    /** @type {Block['kind']} */
    let kind = 'prose';
    let fence = '';
    /** @type {string[]} */
    let lines = [];

    /** @param {Block['kind']} next */
    function close(next) {
        const whole = kind === 'code' ? lines.join('\n') : lines.join('\n').replace(/^\n+|\s+$/g, '');

        if (whole) blocks.push({ kind, text: whole });
        lines = [];
        kind = next;
    }
    for (const line of text.split('\n')) {
        const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];

        if (kind === 'code') {
            lines.push(line);
            if (mark && mark.startsWith(fence) && line.trim() === mark) close('prose');
        } else if (mark) {
            close('code');
            fence = mark;
            lines.push(line);
        } else if (/^#{1,6} /.test(line)) {
            close('heading');
            lines.push(line);
            close('prose');
        } else {
            lines.push(line);
        }
    }
    close('prose');
    return blocks;
}

const BLOCKS_MAX = 400;

/** A text of an agent to read. @param {string} text */
export function prose(text) {
    const element = h('div', { class: 'prose' });
    const blocks = text.length > 1 << 20 ? [] : blocks_of(text);

    if (blocks.length === 0 || blocks.length > BLOCKS_MAX) {
        const whole = h('p');

        add_long(whole, text);
        element.append(whole);
        return element;
    }
    for (const block of blocks) {
        if (block.kind === 'code') {
            element.append(code_block(block.text));
        } else {
            const part = h('p', { class: block.kind === 'heading' && 'heading' });

            add_long(part, block.text);
            element.append(part);
        }
    }
    return element;
}
