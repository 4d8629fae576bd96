/* SPDX-License-Identifier: Apache-2.0
 *
 * timeaxis.js - where a moment stands on a timeline whose long pauses are folded.
 *
 * A run that was stopped in the evening and resumed in the morning worked for an hour in fourteen.
 * Drawn true to scale, the work would be a smear at both ends. So a span in which no attempt was at
 * work, and that is long beside the work, is drawn as a narrow fold. Positions are milliseconds of
 * drawn time, from 0.
 *
 * 1. Positions grow with time: to() and from() are each other's inverse outside of folds.
 * 2. At most FOLDS_MAX pauses are folded, the longest of them. */
const FOLDS_MAX = 50;

/** @typedef {{ start_ms: number, end_ms: number }} Pause */

/**
 * @param {{ asked_ms: number, ended_ms: number }[]} spans by asked_ms
 * @param {number} start_ms @param {number} end_ms
 */
export function axis_new(spans, start_ms, end_ms) {
    const pauses = pauses_of(spans, start_ms, end_ms);
    const paused = pauses.reduce((sum, pause) => sum + pause.end_ms - pause.start_ms, 0);
    const work = Math.max(1, end_ms - start_ms - paused);
    const fold = Math.max(1, work * .03);
    /** @type {{ at_ms: number, x: number, scale: number }[]} */
    const knots = [];
    let x = 0, at_ms = start_ms;

    for (const pause of pauses) {
        knots.push({ at_ms, x, scale: 1 });
        x += pause.start_ms - at_ms;
        knots.push({ at_ms: pause.start_ms, x, scale: fold / (pause.end_ms - pause.start_ms) });
        x += fold;
        at_ms = pause.end_ms;
    }
    knots.push({ at_ms, x, scale: 1 });
    const length = Math.max(1, x + end_ms - at_ms);

    /** @param {'at_ms' | 'x'} member @param {number} value */
    function knot_at(member, value) {
        let low = 0, high = knots.length - 1;

        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (knots[middle][member] <= value) low = middle;
            else high = middle - 1;
        }
        return knots[low];
    }

    return {
        length,
        pauses,
        /** @param {number} ms */
        to(ms) {
            const knot = knot_at('at_ms', ms);
            return knot.x + (ms - knot.at_ms) * knot.scale;
        },
        /** @param {number} position */
        from(position) {
            const knot = knot_at('x', position);
            return knot.at_ms + (position - knot.x) / knot.scale;
        },
    };
}

/** @typedef {ReturnType<typeof axis_new>} Axis */

/** @param {{ asked_ms: number, ended_ms: number }[]} spans @param {number} start_ms
 * @param {number} end_ms @returns {Pause[]} */
function pauses_of(spans, start_ms, end_ms) {
    /** @type {Pause[]} */
    const found = [];
    let until = start_ms, idle = 0;

    for (const { asked_ms, ended_ms } of spans) {
        if (asked_ms - until > 60000) {
            found.push({ start_ms: until, end_ms: asked_ms });
            idle += asked_ms - until;
        }
        until = Math.max(until, ended_ms);
    }
    const long = Math.max(60000, (end_ms - start_ms - idle) * .25);
    return found.filter((pause) => pause.end_ms - pause.start_ms > long)
        .sort((a, b) => b.end_ms - b.start_ms - (a.end_ms - a.start_ms)).slice(0, FOLDS_MAX)
        .sort((a, b) => a.start_ms - b.start_ms);
}

const STEPS_MS = [100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3,
                  1800e3, 3600e3, 7200e3, 10800e3, 21600e3, 43200e3, 86400e3, 172800e3, 604800e3];

/**
 * The ticks between two positions, at round times of the reader's clock.
 * @param {Axis} axis @param {number} first @param {number} last @param {number} count_max
 */
export function axis_ticks(axis, first, last, count_max) {
    const from = axis.from(first), to = axis.from(last);
    const wanted = (last - first) / Math.max(1, count_max);
    const step = STEPS_MS.find((size) => size >= wanted) ?? 30 * 86400e3;
    const zone = new Date(from).getTimezoneOffset() * 60000;
    const ticks = [];

    for (let ms = Math.ceil((from - zone) / step) * step + zone; ms <= to; ms += step) {
        const pause = axis.pauses.find((one) => ms > one.start_ms && ms < one.end_ms);
        if (pause) ms = Math.floor((pause.end_ms - zone) / step) * step + zone;
        else ticks.push(ms);
    }
    return { step_ms: step, ticks };
}
