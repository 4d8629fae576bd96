/* SPDX-License-Identifier: Apache-2.0
 *
 * charts.js - small drawings in SVG: bars of runs, and what was open after each round.
 *
 * An SVG of some hundred shapes follows the colours of the style sheet and can be printed. Each
 * says in its label what it shows; all of its numbers stand in a table beside it. */
import { fill, h, s } from './dom.js';
import { number, number_short } from './format.js';

const GROUPS_MAX = 160; /* columns of a burn-down: of more rounds the last of each group counts */

/**
 * Draws anew where the width is another one. @param {string} look
 * @param {(width: number) => SVGElement} draw
 */
export function chart_new(look, draw) {
    const node = h('div', { class: look });
    let width = 0;
    const redraw = () => width > 0 && fill(node, draw(width));
    const resized = new ResizeObserver(([entry]) => {
        const now = Math.round(entry.contentRect.width);

        if (now === width || now === 0) return;
        width = now;
        redraw();
    });

    resized.observe(node);
    return { node, redraw, end: () => resized.disconnect() };
}

/**
 * How high a row of bars goes: where one value towers above the rest, not up to that one, since
 * the others would be flat. @param {number[]} values
 */
function cap_of(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const usual = sorted[Math.floor((sorted.length - 1) * .9)] ?? 0, most = sorted.at(-1) ?? 0;

    return most > 4 * usual && usual > 0 ? usual * 1.5 : Math.max(most, Number.MIN_VALUE);
}

/**
 * One row of bars, the newest at the right. A bar that goes beyond the row has a cut in it.
 * @param {{ label: string, values: (number | null)[], titles: string[], look: string,
 *           width: number, height: number }} what
 */
export function bars({ label, values, titles, look, width, height }) {
    const cap = cap_of(values.map((value) => value ?? 0));
    const step = width / Math.max(values.length, 1), thick = Math.max(1, Math.min(step - 2, 24));

    return s('svg', { width, height, role: 'img', 'aria-label': label, class: look },
             s('line', { x1: 0, x2: width, y1: height - .5, y2: height - .5, class: 'base' }),
             values.map((value, i) => {
                 const high = value ? Math.min(1, value / cap) * (height - 4) + 2 : 0;
                 const x = i * step + (step - thick) / 2;

                 return s('g', null,
                          s('rect', { x: i * step, y: 0, width: step, height, class: 'catch' }),
                          high > 0 && s('rect', { x, y: height - 1 - high, width: thick,
                                                  height: high, class: 'value' }),
                          (value ?? 0) > cap && s('path', { class: 'cut-mark',
                              d: `M${x - 1} 11l${thick + 2} -4` }),
                          value === null && s('line', { x1: x, x2: x + thick, y1: height - 4,
                                                        y2: height - 4, class: 'none' }),
                          s('title', null, titles[i]));
             }));
}

/** @param {number} most */
function ticks_of(most) {
    const rough = most / 3, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 1;
    const ticks = [];

    for (let tick = 0; tick <= most; tick += step) ticks.push(tick);
    return ticks;
}

/**
 * What is open after each review, split by what caused it.
 * @param {{ at: number, round: number, lane: number, open_change: number, open_fix: number }[]} rounds
 * @param {number} width
 */
export function burndown(rounds, width) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const height = 200 * rem, left = 36 * rem, bottom = 22 * rem, top = 8, room = width - left;
    const lanes = rounds.some((round) => round.lane);
    const per = Math.max(1, Math.ceil(rounds.length / Math.min(GROUPS_MAX, Math.max(1, room / 4))));
    const shown = rounds.filter((_, i) => i % per === per - 1 || i === rounds.length - 1);
    const most = Math.max(1, ...shown.map((round) => round.open_change + round.open_fix));
    const step = room / shown.length, gap = step > 8 ? 2 : step > 3 ? 1 : 0;
    const thick = Math.min(step - gap, 64 * rem);
    const y = (/** @type {number} */ value) => top + (height - top - bottom) * (1 - value / most);
    const last = shown.at(-1);
    const labels = Math.max(1, Math.ceil(shown.length / Math.max(1, room / (44 * rem))));

    return s('svg', { width, height, role: 'img', class: 'burndown', 'aria-label':
                      last ? `Open findings after each review: at the end ${
                          last.open_change} of the change and ${last.open_fix} of a fix.`
                          : 'No review has ended.' },
             s('pattern', { id: 'fix-hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse',
                            patternTransform: 'rotate(45)' },
               s('rect', { width: 5, height: 5, class: 'fix' }),
               s('line', { x1: 0, x2: 0, y1: 0, y2: 5, class: 'hatch' })),
             ticks_of(most).map((tick) => [
                 s('line', { x1: left, x2: width, y1: y(tick), y2: y(tick), class: 'grid-line' }),
                 s('text', { x: left - 6, y: y(tick) + 4, 'text-anchor': 'end' },
                   number_short(tick))]).flat(),
             shown.map((round, i) => {
                 const x = left + i * step + (step - thick) / 2;
                 const { open_change, open_fix } = round;

                 return s('g', null,
                          s('rect', { x: left + i * step, y: top, width: step,
                                      height: height - top - bottom, class: 'catch' }),
                          open_change > 0 && s('rect', { x, y: y(open_change), width: thick,
                              height: y(0) - y(open_change), class: 'change' }),
                          open_fix > 0 && s('rect', { x, y: y(open_change + open_fix),
                              width: thick, height: y(0) - y(open_fix),
                              fill: 'url(#fix-hatch)' }),
                          i % labels === 0 && s('text', { x: x + thick / 2, y: height - 6,
                              'text-anchor': 'middle' }, lanes ? round.at + 1 : round.round),
                          s('title', null, `Round ${round.round}${
                              round.lane ? ` of lane ${round.lane}` : ''}: ${
                              number(open_change)} of the change, ${number(open_fix)} of a fix`));
             }));
}
