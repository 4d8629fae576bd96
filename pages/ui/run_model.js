/* SPDX-License-Identifier: Apache-2.0
 *
 * run_model.js - what the page of a run knows of it, kept as it is by the stream.
 *
 * The run's document comes first. Its attempts come in pieces behind it, when a part of the page
 * wants them. What the stream says goes in at once; what it does not say (how the run stands in
 * words, its budget) is fetched again, at most each STATUS_MS while the run is at work.
 *
 * 1. Attempts stand in the order in which they were asked for, each name once.
 * 2. An attempt or a round that changes is a new object: who holds the old one sees that. */
import { path } from './api.js';
import { name_of } from './timeline.js';
import { once_a_frame } from './dom.js';

const PIECE = 2000, STATUS_MS = 1500;

/** @param {import('./app.js').Context} context @param {string} repo @param {string} run */
export async function run_model_new(context, repo, run) {
    const where = path('repos', repo, 'runs', run);
    /** @type {Set<(what: string) => void>} */
    const listeners = new Set();
    /** @type {Map<string, number>} */
    const places = new Map(); /* of attempts, by name */
    /** @type {Promise<void> | null} */
    let loading = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let fetched_ms = 0;

    const model = {
        repo, run, where,
        /** @type {any} */ status: await context.api.get(where, {}, context.signal),
        /** @type {any[]} */ attempts: [],
        /** @type {any[]} */ rounds: [],
        alive: false,
        /** Whether all attempts are there. */
        complete: false,
        /** Is called with `status` or `attempts` after a change. @param {(what: string) => void} listener */
        on(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
        /** Fetches the attempts, once. */
        load_attempts() {
            loading ??= load().catch((error) => {
                loading = null;
                throw error;
            });
            return loading;
        },
        refetch: status_soon,
    };

    function settle() {
        model.rounds = model.status.rounds ?? [];
        model.alive = model.status.state === 'running';
    }
    settle();
    fetched_ms = Date.now();

    const say_status = once_a_frame(() => listeners.forEach((one) => one('status')));
    const say_attempts = once_a_frame(() => listeners.forEach((one) => one('attempts')));

    /** @param {any[]} attempts */
    function take_attempts(attempts) {
        for (const attempt of attempts) {
            const name = name_of(attempt), at = places.get(name);

            if (at === undefined) {
                places.set(name, model.attempts.length);
                model.attempts.push(attempt);
            } else {
                model.attempts[at] = attempt;
            }
        }
        const last = model.attempts.length - attempts.length;
        const sorted = model.attempts.every((one, i) => i <= last || i === 0 ||
            one.asked_ms >= model.attempts[i - 1].asked_ms);
        if (!sorted) {
            model.attempts.sort((a, b) => a.asked_ms - b.asked_ms);
            model.attempts.forEach((one, i) => places.set(name_of(one), i));
        }
        say_attempts();
    }

    async function load() {
        for (let from = 0, total = 1; from < total;) {
            const answer = await context.api.get(`${where}/attempts`, { from, count: PIECE },
                                                 context.signal);

            total = answer.total ?? answer.attempts.length;
            take_attempts(answer.attempts);
            if (answer.attempts.length === 0) break;
            from += answer.attempts.length;
        }
        model.complete = true;
        say_attempts();
    }

    async function status_now() {
        timer = undefined;
        fetched_ms = Date.now();
        try {
            model.status = await context.api.get(where, {}, context.signal);
            settle();
            say_status();
        } catch { /* gone or ended: the shell says so, and `again` follows */ }
    }

    function status_soon(pause = 0) {
        if (timer && pause) return;
        clearTimeout(timer);
        timer = setTimeout(status_now, pause);
    }

    /** @param {any} message */
    function take(message) {
        const { row, lanes, counts, rounds = [], attempts = [] } = message;
        const was = model.status;
        const kept = [...model.rounds];

        for (const round of rounds) kept[round.at] = round;
        model.status = { ...was, ...row, lanes: lanes ?? was.lanes, counts: counts ?? was.counts,
                         rounds: kept };
        settle();
        if (loading) take_attempts(attempts);
        say_status();
        const other = ['state', 'reason', 'asks', 'standing'].some((name) =>
            was[name] !== model.status[name]);
        status_soon(other ? 0 : Math.max(1, fetched_ms + STATUS_MS - Date.now()));
    }

    context.subscribe((message) => {
        if (message.kind === 'again') {
            status_soon();
            if (loading) {
                loading = null;
                model.load_attempts().catch(() => {});
            }
        } else if (message.kind === 'run' && message.run === model.status.run &&
                   String(message.repo) === repo) {
            take(message);
        }
    });
    context.signal.addEventListener('abort', () => clearTimeout(timer));
    return model;
}

/** @typedef {Awaited<ReturnType<typeof run_model_new>>} RunModel */
