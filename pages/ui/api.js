/* SPDX-License-Identifier: Apache-2.0
 *
 * api.js - questions to the server, and its errors in words.
 *
 * 1. The token goes into a header and nowhere else.
 * 2. What fails is an ApiError with a code: the server's own (usage, missing, busy, forbidden,
 *    failed), `denied` (401: the token is not the server's), `gone` (no answer) or `stopped` (the
 *    page that asked has ended).
 * 3. A GET is asked again by who wants it, a POST never: it may have been done. */

export class ApiError extends Error {
    /** @param {string} code @param {string} message */
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/** Whether the page need not tell of it: it ended before the answer. @param {unknown} error */
export function is_stopped(error) {
    return error instanceof ApiError && error.code === 'stopped';
}

/** A path of texts, each safe in it: path('repos', 0, 'runs', id). @param {...(string|number)} names */
export function path(...names) {
    return `/${names.map((name) => encodeURIComponent(name)).join('/')}`;
}

/**
 * Options behind a '?': without those that are empty, a list as several.
 * @param {Record<string, any>} [query]
 */
export function query_text(query) {
    const out = new URLSearchParams();

    for (const [name, value] of Object.entries(query ?? {})) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== '' && one !== null && one !== undefined) out.append(name, String(one));
        }
    }
    return out.size ? `?${out}` : '';
}

/** @param {Response} response @returns {Promise<ApiError>} */
async function problem(response) {
    if (response.status === 401) {
        return new ApiError('denied', 'The server does not know this page\u2019s token.');
    }
    const body = await response.json().catch(() => null);
    const message = body?.error?.message ?? `The server answered ${response.status}.`;

    return new ApiError(body?.error?.code ?? 'failed', message);
}

/**
 * @param {string} token
 * @param {(error: ApiError) => void} on_denied
 */
export function api_new(token, on_denied) {
    /** @param {string} where @param {RequestInit} init */
    async function ask(where, init) {
        let response;

        try {
            response = await fetch(`/api/v1${where}`, {
                ...init, cache: 'no-store',
                headers: { ...init.headers, Authorization: `Bearer ${token}` },
            });
            if (response.ok) return await response.json();
        } catch (error) {
            if (init.signal?.aborted) throw new ApiError('stopped', 'no longer wanted');
            throw new ApiError('gone', 'hone ui does not answer. It may have ended.');
        }
        const said = await problem(response);
        if (said.code === 'denied') on_denied(said);
        throw said;
    }

    return {
        /** @param {string} where @param {Record<string, any>} [query] @param {AbortSignal} [signal]
         * @returns {Promise<any>} */
        get: (where, query, signal) => ask(where + query_text(query), { signal }),
        /** @param {string} where @param {object} [body] @returns {Promise<any>} */
        post: (where, body = {}) => ask(where, {
            method: 'POST', body: JSON.stringify(body),
            headers: { 'Content-Type': 'application/json' },
        }),
    };
}

/** @typedef {ReturnType<typeof api_new>} Api */
