/* SPDX-License-Identifier: Apache-2.0
 *
 * app.js - the shell: who may come in, which page is shown, and what every page can use.
 *
 * A page is a module with title(params) and render(main, params, context); render returns a
 * function that ends it. That function may have a member `goes_to(params)`: the page takes the new
 * parameters itself and returns true, as where only a tab of it changes.
 *
 * 1. The token comes in the address's fragment or from another tab of this browser, is kept in
 *    this tab's session, and leaves the address at once.
 * 2. Of several navigations the last one is shown: what an older one still loads is thrown away.
 * 3. After a navigation the page's heading has the focus, and its title is announced. */
import { ApiError, api_new, is_stopped } from './api.js';
import { change, fill, h, say } from './dom.js';
import { ago, span, time } from './format.js';
import { stream_open } from './stream.js';

/**
 * @typedef {{ repo?: string, run?: string, tab?: string, id?: string, attempt?: string,
 *             at?: string, name?: string, query: URLSearchParams }} Params
 * @typedef {{ repo: number, name: string, workspace: string, branch: string | null,
 *             problem?: string | null }} Repository
 * @typedef {(() => void) & { goes_to?: (params: Params) => boolean }} End
 * @typedef {object} Page
 * @property {(params: Params) => string} title
 * @property {(main: HTMLElement, params: Params, context: Context) => End | Promise<End>} render
 * @typedef {object} Context what every page can use
 * @property {import('./api.js').Api} api
 * @property {AbortSignal} signal is aborted when the page ends: hand it to api.get
 * @property {Repository[]} repositories
 * @property {boolean} read_only
 * @property {string} version
 * @property {(listener: (message: import('./stream.js').Message) => void) => void} subscribe until
 *     the page ends; after `again` fetch anew
 * @property {(text: string) => void} announce to who cannot see it
 * @property {(fragment: string, replace?: boolean) => void} navigate '#/runs'
 * @property {(query: Record<string, string>) => void} keep puts what the page is filtered by into
 *     the address, without a navigation
 * @property {() => number} now_ms the server's clock
 */

/** Longer paths first where one begins with another. @type {[string, string][]} */
const ROUTES = [
    ['runs', './runs.js'],
    ['run/:repo/:run', './run.js'],
    ['run/:repo/:run/finding/:id', './finding.js'],
    ['run/:repo/:run/attempt/:attempt', './attempt.js'],
    ['run/:repo/:run/diff/:at', './diff.js'],
    ['run/:repo/:run/:tab', './run.js'],
    ['reviewers', './reviewers.js'],
    ['loops', './loops.js'],
    ['loops/:name', './loops.js'],
    ['start', './start.js'],
];

/** The bar: what it says, where it leads, and what the path begins with. */
const NAV = [['Runs', 'runs', 'run'], ['Reviewers', 'reviewers', 'reviewers'],
             ['Loops', 'loops', 'loops'], ['New run', 'start', 'start']];

/** @param {string} id @returns {HTMLElement} */
const by_id = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = by_id('main'), bar = by_id('bar'), banner = by_id('banner'), said = by_id('said');

/* ---- who may come in ---- */

const KEY = 'hone-token';

/** The token of an address or as it is typed. @param {string} text */
function token_in(text) {
    return new URLSearchParams(text.slice(text.indexOf('#') + 1)).get('token') ?? '';
}

/* Tabs that have a token give it to one that asks. A channel knows name and port. */
const tokens = new BroadcastChannel('hone-token');
tokens.onmessage = ({ data }) => {
    const token = sessionStorage.getItem(KEY);

    if (data.wanted && token) tokens.postMessage({ token });
};

/** @returns {Promise<string>} */
function token_of_others() {
    return new Promise((resolve) => {
        const asks = new BroadcastChannel('hone-token');
        const end = (/** @type {string} */ token) => {
            asks.close();
            resolve(token);
        };

        asks.onmessage = ({ data }) => data.token && end(data.token);
        asks.postMessage({ wanted: true });
        setTimeout(() => end(''), 300);
    });
}

async function token_find() {
    const given = token_in(location.hash);

    if (given) {
        const to = new URLSearchParams(location.hash.slice(1)).get('to') ?? '/runs';
        sessionStorage.setItem(KEY, given);
        history.replaceState(null, '', `#${to}`);
        return given;
    }
    const token = sessionStorage.getItem(KEY) ?? await token_of_others();
    if (token) sessionStorage.setItem(KEY, token);
    return token;
}

/** Says that the token is missing or wrong, and takes another. @param {string} why */
function show_door(why) {
    const field = h('input', { id: 'token', type: 'text', autocomplete: 'off', spellcheck: 'false',
                               required: true, class: 'wide' });
    const form = h('form', { class: 'door' }, h('label', { for: 'token' }, 'Address or token'),
                   h('div', { class: 'row' }, field,
                     h('button', { class: 'main' }, 'Open')));

    form.addEventListener('submit', (event) => {
        event.preventDefault();
        const token = token_in(field.value) || field.value.trim();
        if (!token) return;
        sessionStorage.setItem(KEY, token);
        location.reload();
    });
    document.title = 'hone: no token';
    fill(banner);
    fill(main, h('section', { class: 'empty' }, h('h1', { tabindex: -1 }, 'Which hone ui?'),
                 h('p', null, why, ' Open the address that ', h('code', null, 'hone ui'),
                   ' printed in its terminal, or put it here.'), form));
    field.focus();
}

/* ---- the bar ---- */

const here = h('span', { class: 'link-state' });

function theme_now() {
    const chosen = document.documentElement.dataset.theme;

    if (chosen) return chosen;
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

function theme_button() {
    const button = h('button', { class: 'quiet', onclick: () => {
        const next = theme_now() === 'dark' ? 'light' : 'dark';

        document.documentElement.dataset.theme = next;
        try { localStorage.setItem('hone-theme', next); } catch { /* until the page is closed */ }
        name();
        window.dispatchEvent(new Event('theme'));
    } });
    const name = () => say(button, theme_now() === 'dark' ? 'Light' : 'Dark');

    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        name();
        window.dispatchEvent(new Event('theme'));
    });
    name();
    return button;
}

/** @param {boolean} read_only */
function show_bar(read_only) {
    const links = NAV.map(([text, to, begin]) => h('a', { href: `#/${to}`, 'data-begin': begin },
                                                   text));

    fill(bar, h('a', { class: 'brand', href: '#/runs' }, 'hone'),
         h('nav', { 'aria-label': 'Pages' }, links),
         h('div', { class: 'bar-end' }, read_only && h('span', { class: 'tag' }, 'read-only'), here,
           theme_button()));
}

/** @param {string} path */
function mark_bar(path) {
    for (const link of bar.querySelectorAll('nav a')) {
        const begin = /** @type {HTMLElement} */ (link).dataset.begin;

        change(link, { 'aria-current': path.split('/')[0].replace(/^runs$/, 'run') === begin &&
                                       'page' });
    }
}

/* ---- the server: here, gone, back ---- */

/** @type {ReturnType<typeof stream_open> | null} */
let stream = null;
/** @type {import('./stream.js').State} */
let state = { state: 'off' };
/** @type {Set<(message: import('./stream.js').Message) => void>} */
const listeners = new Set();
let ahead_ms = 0; /* the server's clock before this one */
let token = '';
/** @type {((value: any) => void) | null} */
let known = null; /* is called when the stream has begun, here or in another tab */

/** @param {import('./stream.js').Message} message */
function tell(message) {
    if (typeof message.now_ms === 'number') ahead_ms = message.now_ms - Date.now();
    for (const listener of [...listeners]) listener(message);
}

/** @param {import('./stream.js').State} next */
function on_state(next) {
    const was = state.state;

    known?.(undefined);

    state = next;
    if (next.state === 'denied') deny();
    if (next.state !== was) {
        say(here, next.state === 'here' ? 'live' : next.state === 'gone' ? 'not live' : '');
        here.dataset.state = next.state;
        if (next.state === 'here' && was === 'gone') announce('hone ui answers again.');
    }
    show_banner();
}

const wait = h('span', { 'aria-hidden': 'true' }); /* each second another: not to be read out */
const gone = h('p', { class: 'banner' },
               h('strong', null, 'hone ui does not answer.'),
               ' What is shown is as it was. Runs go on without it. ', wait, ' ',
               h('button', { class: 'quiet', onclick: () => stream?.hurry() }, 'Try now'));

function show_banner() {
    const is_gone = state.state === 'gone';

    if (is_gone && !gone.isConnected) fill(banner, gone);
    if (!is_gone && gone.isConnected) gone.remove();
    if (is_gone) {
        const left = Math.max(0, Math.ceil(((state.retry_at_ms ?? 0) - Date.now()) / 1000));
        say(wait, left ? `Next try in ${span(left * 1000)}.` : 'Trying\u2026');
    }
}

function deny() {
    sessionStorage.removeItem(KEY);
    stream?.close();
    leave();
    show_door(root ? 'hone ui was started again, and this page has the token of the start before.'
                   : 'The server does not know this token: it is of an earlier start, or not whole.');
}

/** @param {string} text */
function announce(text) {
    say(said, '');
    setTimeout(() => say(said, text), 50); /* the same text again is told again */
}

/* ---- routing ---- */

/** @type {{ end: End, module: string, stop: AbortController,
 *           listeners: ((message: import('./stream.js').Message) => void)[] } | null} */
let shown = null;
let turn = 0; /* of navigations */

/** @param {string} hash @returns {{ module: string, path: string, params: Params } | null} */
function route_of(hash) {
    const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
    const names = path.split('/').filter(Boolean);

    for (const [pattern, module] of ROUTES) {
        const parts = pattern.split('/');
        /** @type {any} */
        const params = { query: new URLSearchParams(query) };

        if (parts.length !== names.length) continue;
        const fits = parts.every((part, i) => {
            if (!part.startsWith(':')) return part === names[i];
            try {
                params[part.slice(1)] = decodeURIComponent(names[i]);
                return true;
            } catch {
                return false;
            }
        });
        if (fits) return { module, path, params };
    }
    return null;
}

function leave() {
    const old = shown;

    shown = null;
    if (!old) return;
    old.stop.abort();
    for (const listener of old.listeners) listeners.delete(listener);
    old.end();
}

/** @param {unknown} error */
function show_problem(error) {
    const text = error instanceof ApiError ? error.message
        : `This page has a fault of its own: ${error instanceof Error ? error.message : error}`;

    fill(main, h('section', { class: 'empty' }, h('h1', { tabindex: -1 }, 'This cannot be shown'),
                 h('p', null, text),
                 h('p', null, h('button', { onclick: () => go(false) }, 'Try again'), ' ',
                   h('a', { href: '#/runs' }, 'All runs'))));
    if (!(error instanceof ApiError)) console.error(error);
}

/** @param {any} root @param {AbortController} stop @param {any[]} own @returns {Context} */
function context_new(root, stop, own) {
    return {
        api: root.api,
        signal: stop.signal,
        repositories: root.repositories,
        read_only: root.read_only,
        version: root.version,
        subscribe: (listener) => {
            if (stop.signal.aborted) return;
            own.push(listener);
            listeners.add(listener);
        },
        announce,
        navigate: (fragment, replace) => {
            if (!replace) location.hash = fragment;
            else {
                history.replaceState(null, '', fragment);
                go(false);
            }
        },
        keep: (query) => {
            const [path] = location.hash.split('?');
            const kept = Object.entries(query).filter(([, value]) => value);

            history.replaceState(null, '', path + (kept.length ? `?${new URLSearchParams(kept)}`
                                                               : ''));
        },
        now_ms: () => Date.now() + ahead_ms,
    };
}

/** @type {any} */
let root = null;

/** Shows what the address says. @param {boolean} moves whether the focus goes to its heading */
async function go(moves) {
    const mine = ++turn;
    const route = route_of(location.hash);

    if (!route) {
        history.replaceState(null, '', '#/runs');
        return go(moves);
    }
    mark_bar(route.path);
    if (shown && shown.module === route.module && shown.end.goes_to?.(route.params)) return;
    leave();
    main.setAttribute('aria-busy', 'true');
    const stop = new AbortController();
    /** @type {any[]} */
    const own = [];
    try {
        /** @type {Page} */
        const page = await import(route.module);
        if (mine !== turn) return;
        document.title = `${page.title(route.params)} \u00b7 hone`;
        fill(main);
        shown = { end: () => {}, module: route.module, stop, listeners: own };
        const end = await page.render(main, route.params, context_new(root, stop, own));
        if (mine !== turn) return end();
        shown.end = end;
    } catch (error) {
        if (mine !== turn || is_stopped(error)) return;
        show_problem(error);
        const again = (/** @type {any} */ message) => message.kind === 'again' && go(false);
        shown = { end: () => {}, module: '', stop, listeners: [again] };
        listeners.add(again);
    }
    main.removeAttribute('aria-busy');
    if (!moves) return;
    scrollTo(0, 0);
    announce(document.title);
    /** @type {HTMLElement} */ (main.querySelector('h1') ?? main).focus({ preventScroll: true });
}

/* Times that are told as "5 min. ago" or as a span that grows say so each second. */
function tick() {
    if (state.state === 'gone') show_banner();
    if (document.visibilityState === 'hidden') return;
    const now = Date.now() + ahead_ms;
    for (const element of document.querySelectorAll('time[data-ago]')) {
        say(element, ago(Number(/** @type {HTMLElement} */ (element).dataset.ago), now));
    }
    for (const element of document.querySelectorAll('time[data-since]')) {
        say(element, span(now - Number(/** @type {HTMLElement} */ (element).dataset.since)));
    }
}

async function begin() {
    token = await token_find();
    if (!token) return show_door('This page needs the token of a hone ui.');
    const api = api_new(token, deny);
    for (let tries = 0; !root; tries++) {
        try {
            root = { ...await api.get(''), api };
        } catch (error) {
            if (error instanceof ApiError && error.code === 'denied') return;
            on_state({ state: 'gone', retry_at_ms: Date.now() + 1000 });
            await new Promise((resolve) => setTimeout(resolve, 1000));
        }
    }
    ahead_ms = root.now_ms - Date.now();
    show_bar(root.read_only);
    new ResizeObserver(() => { /* what sticks below the bar must know how high it is */
        document.documentElement.style.setProperty('--bar', `${bar.offsetHeight}px`);
    }).observe(bar);
    const began = new Promise((resolve) => { known = resolve; });
    stream = stream_open(token, root.event ?? null, tell, on_state);
    by_id('skip').addEventListener('click', (event) => {
        event.preventDefault();
        main.focus();
    });
    window.addEventListener('hashchange', () => {
        if (token_in(location.hash)) location.reload();
        else go(true);
    });
    setInterval(tick, 1000);
    /* What is fetched when the stream has begun misses nothing. */
    await Promise.race([began, new Promise((resolve) => setTimeout(resolve, 250))]);
    await go(false);
}

begin();
