/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.js - what is new, told once to each browser, however many tabs it has open.
 *
 * A browser keeps six connections to one server: a stream for each tab would use them up. So the
 * tab that holds a lock reads, and tells the others by a channel.
 *
 *          visible            lock                  hidden, or the page ends
 *   HEARS ---------> ASKS ------------> READS ---------------------------------> HEARS
 *                                         |  ^
 *                            it broke off |  | after a pause that grows
 *                                         v  |
 *                                         GONE
 *
 * 1. Only a tab that is seen reads; one that is hidden lets the lock go.
 * 2. Each message that is told names the one before it. A tab that has another as its last one has
 *    missed some, and is told `again`: it fetches anew.
 * 3. 401 ends it: the token will not become right.
 * 4. A stream that was silent for SILENT_MS is dead (the server sends a comment each 15 s). */

const SILENT_MS = 40000;
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15000];
/**
 * @typedef {{ kind: string, [member: string]: any }} Message
 * @typedef {{ state: 'here' | 'gone' | 'denied' | 'off', retry_at_ms?: number }} State
 */

/**
 * The messages of a body of events. Calls `on_bytes` with each piece that comes.
 * @param {ReadableStream<any>} body @param {() => void} on_bytes
 * @returns {AsyncGenerator<{ id: string | null, data: string }>}
 */
async function* events_of(body, on_bytes) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';

    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        on_bytes();
        rest += value;
        const blocks = rest.split(/\r?\n\r?\n/);
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
            let id = null, data = '';
            for (const line of block.split(/\r?\n/)) {
                if (line.startsWith('id:')) id = line.slice(3).trim();
                else if (line.startsWith('data:')) data += line.slice(5).trimStart();
            }
            if (data) yield { id, data };
        }
    }
}

/**
 * @param {string} token
 * @param {string | null} last the message behind which it begins
 * @param {(message: Message) => void} on_message
 * @param {(state: State) => void} on_state
 */
export function stream_open(token, last, on_message, on_state) {
    /* Tabs of one start of the server are together: another one has other runs, and another token. */
    const together = `hone-stream ${token.slice(0, 6)}`;
    const channel = new BroadcastChannel(together);
    /** @type {AbortController | null} */
    let asks = null;
    /** @type {(() => void) | null} */
    let wake = null;
    let over = false;
    /** @type {State | null} */
    let told = null; /* of the tab that reads */

    /** @param {string | null} before @param {string | null} id @param {string} data */
    function take(before, id, data) {
        const missed = last !== null && before !== null && before !== last;

        if (id !== null) last = id;
        if (missed) on_message({ kind: 'again' });
        on_message(JSON.parse(data));
    }

    /** @param {State} state */
    function tell_state(state) {
        told = state;
        on_state(state);
        channel.postMessage({ state });
    }

    /** @param {AbortSignal} signal @param {number} ms */
    function pause(signal, ms) {
        return new Promise((resolve) => {
            const timer = setTimeout(() => wake?.(), ms);

            wake = () => {
                clearTimeout(timer);
                wake = null;
                resolve(undefined);
            };
            signal.addEventListener('abort', () => wake?.(), { once: true });
        });
    }

    /* Reads until the stream ends or breaks. Says whether it had begun. */
    /** @param {AbortSignal} signal */
    async function read(signal) {
        const silence = new AbortController();
        let timer = setTimeout(() => silence.abort(), SILENT_MS);
        const response = await fetch('/api/v1/stream', {
            cache: 'no-store', signal: AbortSignal.any([signal, silence.signal]),
            headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream',
                       ...(last === null ? {} : { 'Last-Event-ID': last }) },
        });

        if (response.status === 401) {
            over = true;
            tell_state({ state: 'denied' });
        }
        if (!response.ok || !response.body) return false;
        if (last === null) on_message({ kind: 'again' }); /* what came before it is not known */
        tell_state({ state: 'here' });
        try {
            for await (const event of events_of(response.body, () => {
                clearTimeout(timer);
                timer = setTimeout(() => silence.abort(), SILENT_MS);
            })) {
                const before = last;
                take(null, event.id, event.data);
                channel.postMessage({ before, ...event });
            }
        } catch { /* it broke off: as if it had ended */ }
        clearTimeout(timer);
        return true;
    }

    /* The lock is held as long as this runs. */
    /** @param {AbortSignal} signal */
    async function read_on(signal) {
        for (let tries = 0; !signal.aborted && !over; tries++) {
            if (await read(signal).catch(() => false)) tries = 0;
            if (signal.aborted || over) break;
            const ms = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
            tell_state({ state: 'gone', retry_at_ms: Date.now() + ms });
            await pause(signal, ms);
        }
        told = null;
    }

    function look() {
        if (document.visibilityState === 'visible' && !asks && !over) {
            asks = new AbortController();
            const { signal } = asks;
            navigator.locks.request(together, { signal }, () => read_on(signal)).catch(() => {});
        } else if (document.visibilityState === 'hidden' && asks) {
            asks.abort();
            asks = null;
        }
    }

    const hurry = () => (wake ? wake() : channel.postMessage({ hurry: true }));

    channel.onmessage = ({ data }) => {
        if (data.state) on_state(data.state);
        else if (data.asks && told) channel.postMessage({ state: told });
        else if (data.hurry) wake?.();
        else if (data.data) take(data.before, data.id, data.data);
    };
    document.addEventListener('visibilitychange', look);
    window.addEventListener('online', hurry);
    look();
    channel.postMessage({ asks: true }); /* another tab may read already */

    return {
        /** Tries at once where it waits. */
        hurry,
        close() {
            over = true;
            asks?.abort();
            document.removeEventListener('visibilitychange', look);
            window.removeEventListener('online', hurry);
            channel.close();
        },
    };
}
