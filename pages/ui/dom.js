/* SPDX-License-Identifier: Apache-2.0
 *
 * dom.js - elements from texts, and lists that keep their elements.
 *
 * 1. There is no way from a text to markup: texts become text nodes and values of attributes.
 * 2. Every text passes visible(): what an agent wrote cannot hide, reorder or fake what stands
 *    beside it.
 * 3. A link leads to a place of this page and nowhere else.
 * 4. No style attribute is written as text (the page's policy forbids it): `style` takes an object. */
import { visible } from './format.js';

/** @typedef {Node | string | number | false | null | undefined} Child */
/** @typedef {Child | Child[]} Children */
/** @typedef {Record<string, any>} Props */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {Element} element @param {string} name @param {any} value */
function set(element, name, value) {
    if (name.startsWith('on')) {
        element.addEventListener(name.slice(2), value);
    } else if (name === 'style') {
        for (const [key, text] of Object.entries(value)) {
            /** @type {any} */ (element).style.setProperty(key, text);
        }
    } else if (value === false || value === null || value === undefined) {
        element.removeAttribute(name);
    } else if (name === 'href' && !String(value).startsWith('#')) {
        throw new Error(`a link leads out of the page: ${value}`);
    } else if (name === 'value' || name === 'checked') {
        /** @type {any} */ (element)[name] = value;
    } else {
        element.setAttribute(name, value === true ? '' : visible(String(value)));
    }
}

/** @param {Element} element @param {Children[]} children */
function add(element, children) {
    for (const child of children.flat()) {
        if (child === false || child === null || child === undefined || child === '') continue;
        element.append(child instanceof Node ? child : visible(String(child)));
    }
}

/**
 * An element: h('a', { class: 'run', href: '#/runs', onclick: f }, 'Runs', 3).
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Props | null} [props] @param {...Children} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props, ...children) {
    const element = document.createElement(tag);

    for (const name in props) set(element, name, props[name]);
    add(element, children);
    return element;
}

/**
 * The same for SVG.
 * @param {string} tag @param {Props | null} [props] @param {...Children} children
 * @returns {SVGElement}
 */
export function s(tag, props, ...children) {
    const element = document.createElementNS(SVG, tag);

    for (const name in props) set(element, name, props[name]);
    add(element, children);
    return /** @type {SVGElement} */ (element);
}

/** Changes attributes. @param {Element} element @param {Props} props */
export function change(element, props) {
    for (const name in props) set(element, name, props[name]);
}

/** Puts children in place of those that are there. @param {Element} element
 * @param {...Children} children */
export function fill(element, ...children) {
    element.replaceChildren();
    add(element, children);
}

/** Sets a text where it is another. @param {Element} element @param {string | number} text */
export function say(element, text) {
    const safe = visible(String(text));

    if (element.textContent !== safe) element.textContent = safe;
}

/**
 * Makes the children of parent those of items, in their order. An element stays as long as its key
 * is among them, with the focus and the selection in it. Keys are of one list once each.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string | number} key
 * @param {(item: T) => Element} create
 * @param {(element: Element, item: T) => void} [update] an element that stays, its item anew
 */
export function keyed(parent, items, key, create, update) {
    /** @type {Map<string, Element>} */
    const kept = new Map();
    let at = parent.firstElementChild;

    for (const child of parent.children) kept.set(/** @type {any} */ (child).list_key, child);
    for (const item of items) {
        const name = String(key(item));
        let element = kept.get(name);

        kept.delete(name);
        if (!element) {
            element = create(item);
            /** @type {any} */ (element).list_key = name;
        } else if (update) {
            update(element, item);
        }
        if (element === at) at = at.nextElementSibling;
        else parent.insertBefore(element, at);
    }
    for (const element of kept.values()) element.remove();
}

/**
 * One call in the next frame, however often it is asked for.
 * @param {() => void} work @returns {() => void}
 */
export function once_a_frame(work) {
    let asked = false;

    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            work();
        });
    };
}
