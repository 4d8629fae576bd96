/* SPDX-License-Identifier: Apache-2.0
 *
 * timeline.js - every attempt of a run, by lane and time, to zoom into and to move along.
 *
 * It is a canvas: 10,000 attempts that move are 10,000 elements in SVG and one in a canvas, which
 * is drawn anew in some milliseconds. What a canvas lacks stands beside it: the attempt that is
 * chosen is told in words (a live region), colours are read from the style sheet, and the tab
 * `attempts` is the same as a table.
 *
 * An attempt takes the first free track of its lane. In a track attempts do not overlap, so what is
 * in sight is found by halving.
 *
 *     lane   |----round 1----------|----round 2---
 *     track  |[critic  !][fixer   ]|[critic    v]
 *     track  | [security v]        |......[retry]     dots: waits for its service
 *
 * 1. Only what is in sight is drawn. Of attempts that fall on one pixel the worst is drawn.
 * 2. A verdict is a colour and a sign; attempts that failed or broke their contract are hatched.
 * 3. The page scrolls as ever: the wheel zooms with Ctrl or Cmd only, a finger that moves up or down
 *    moves the page. */
import { fill, h, once_a_frame, say } from './dom.js';
import { count, date, money, number, span, time, time_of_day,
         visible } from './format.js';
import { run_link } from './parts.js';
import { axis_new, axis_ticks } from './timeaxis.js';

const FIT = 1.02, ZOOM_MIN_MS = 200;
/* Pixels, which grow with the page's type (sizes_set). */
let TOP = 24, LABEL = 18, TRACK = 16, GAP = 3, LANE_GAP = 8;

function sizes_set() {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

    [TOP, LABEL, TRACK, GAP, LANE_GAP] = [24, 18, 16, 3, 8].map((size) => Math.round(size * rem));
}

/* From harmless to grave; the look of each stands in the style sheet as --d-NAME. */
const LOOKS = ['wait', 'done', 'clean', 'work', 'found', 'bad'];
/** @type {Record<string, string>} */
const SIGNS = { wait: '\u2013', done: '\u2713', clean: '\u2713', work: '\u25b8', found: '!',
                bad: '\u2717' };

/** How an attempt looks. @param {any} attempt */
function look_of(attempt) {
    if (!attempt.ended_ms) return 'work';
    if (attempt.verdict === 'failed' || attempt.verdict === 'invalid') return 'bad';
    if (attempt.verdict === 'findings') return 'found';
    if (attempt.verdict === 'not played') return 'wait';
    return attempt.judges ?? attempt.for === 'review' ? 'clean' : 'done';
}

/** What became of an attempt, in a word. @param {any} attempt @param {boolean} alive */
export function verdict_of(attempt, alive) {
    if (!attempt.ended_ms) return alive ? 'running' : 'unfinished';
    if (attempt.verdict === 'clean' && !(attempt.judges ?? attempt.for === 'review')) {
        return 'done';
    }
    return attempt.verdict;
}

/* ---- where everything stands ---- */

/**
 * @typedef {{ lane: number, name: string, top: number, height: number, tracks: any[][],
 *             rounds: any[] }} Band
 */

/** @param {import('./run_model.js').RunModel} model @param {number} now_ms */
function layout_of(model, now_ms) {
    /** @type {Map<number, Band>} */
    const bands = new Map();
    const names = new Map(model.status.lane_names?.map((/** @type {any} */ one) =>
        [one.lane, visible([one.name, one.task].filter(Boolean).join(' \u00b7 '))]));
    const band_of = (/** @type {number} */ lane) => {
        let band = bands.get(lane);

        if (!band) {
            band = { lane, name: names.get(lane) ?? `lane ${lane}`, top: 0, height: 0, tracks: [],
                     rounds: [] };
            bands.set(lane, band);
        }
        return band;
    };
    let y = TOP;

    for (const attempt of model.attempts) {
        const { tracks } = band_of(attempt.lane ?? 0);
        const track = tracks.find((one) => end_of(one[one.length - 1], now_ms) <=
                                           attempt.asked_ms);

        if (track) track.push(attempt);
        else tracks.push([attempt]);
    }
    for (const round of model.rounds) band_of(round.lane ?? 0).rounds.push(round);
    const sorted = [...bands.values()].sort((a, b) => a.lane - b.lane);
    for (const band of sorted) {
        band.rounds.sort((a, b) => a.started_ms - b.started_ms);
        band.top = y;
        band.height = LABEL + Math.max(1, band.tracks.length) * (TRACK + GAP) + LANE_GAP;
        y += band.height;
    }
    return { bands: sorted, height: y + 4 };
}

/** @param {any} attempt @param {number} now_ms */
function end_of(attempt, now_ms) {
    return attempt.ended_ms || Math.max(now_ms, attempt.started_ms);
}

/** The first of a track that ends behind a moment. @param {any[]} track @param {number} ms
 * @param {number} now_ms */
function first_behind(track, ms, now_ms) {
    let low = 0, high = track.length;

    while (low < high) {
        const middle = (low + high) >> 1;
        if (end_of(track[middle], now_ms) < ms) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- drawing ---- */

/** @param {Element} element */
function paints_of(element) {
    const style = getComputedStyle(element);
    /* light-dark() is worked out for a colour that is used, not for a variable. */
    const probe = h('span', null);
    const of = (/** @type {string} */ name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
    };
    /** @type {Record<string, string>} */
    const paints = {};

    element.append(probe);
    for (const look of LOOKS) paints[look] = of(`d-${look}`);
    for (const name of ['ink', 'soft', 'line', 'card', 'band', 'edge', 'focus', 'bar-ink']) {
        paints[name] = of(name);
    }
    probe.remove();
    paints.font = `${parseFloat(style.fontSize) * .84}px ${style.fontFamily}`;
    return paints;
}

/** @param {CanvasRenderingContext2D} pen @param {string} color */
function hatch_of(pen, color) {
    const tile = new OffscreenCanvas(6, 6), brush = tile.getContext('2d');

    if (!brush) return color;
    brush.strokeStyle = color;
    brush.lineWidth = 2;
    brush.beginPath();
    for (const at of [-6, 0, 6]) {
        brush.moveTo(at, 6);
        brush.lineTo(at + 6, 0);
    }
    brush.stroke();
    return pen.createPattern(tile, 'repeat') ?? color;
}

/**
 * @typedef {object} View what is in sight: positions on the axis, and pixels
 * @property {import('./timeaxis.js').Axis} axis
 * @property {number} first @property {number} last positions
 * @property {number} width @property {number} top @property {number} height pixels
 * @property {number} now_ms @property {boolean} alive @property {any} chosen
 */

/** @param {View} view @param {number} ms */
function x_of({ axis, first, last, width }, ms) {
    return (axis.to(ms) - first) / (last - first) * width;
}

/** @param {CanvasRenderingContext2D} pen @param {any} paints @param {View} view
 * @param {Band} band */
function draw_rounds(pen, paints, view, band) {
    band.rounds.forEach((round, i) => {
        const from = x_of(view, round.started_ms);
        const to = x_of(view, round.repaired_ms || round.ended_ms || view.now_ms);

        if (to < 0 || from > view.width || to - from < 2) return;
        if (i % 2 === 0) {
            pen.fillStyle = paints.band;
            pen.fillRect(from, band.top - view.top, to - from, band.height - LANE_GAP / 2);
        }
        pen.fillStyle = paints.edge;
        if (round.ended_ms && round.repaired_ms) {
            pen.fillRect(x_of(view, round.ended_ms), band.top - view.top + LABEL, 1,
                         band.height - LABEL - LANE_GAP);
        }
    });
}

/* Numbers of rounds stand where there is room, the lane's name at the left. */
/** @param {CanvasRenderingContext2D} pen @param {any} paints @param {View} view
 * @param {Band} band @param {boolean} named */
function draw_labels(pen, paints, view, band, named) {
    const y = band.top - view.top + LABEL / 2 + 1;
    let free = 0;

    pen.textAlign = 'left';
    if (named) {
        const text = band.name.length > 60 ? `${band.name.slice(0, 59)}\u2026` : band.name;

        pen.fillStyle = paints.ink;
        pen.fillText(text, 4, y);
        free = pen.measureText(text).width + 16;
    }
    pen.fillStyle = paints.soft;
    for (const round of band.rounds) {
        const from = x_of(view, round.started_ms);
        const to = x_of(view, round.repaired_ms || round.ended_ms || view.now_ms);
        const text = `round ${round.round}`, wide = pen.measureText(text).width;

        if (to < 0 || from > view.width) continue;
        const x = Math.max(from + 4, free);
        if (x + wide + 4 > to) continue;
        pen.fillText(text, x, y);
        free = x + wide + 8;
    }
}

/** @param {CanvasRenderingContext2D} pen @param {any} paints @param {View} view
 * @param {any} attempt @param {number} from @param {number} to @param {number} y */
function draw_bar(pen, paints, view, attempt, from, to, y) {
    const look = look_of(attempt), wide = Math.max(to - from, 1.5);

    pen.fillStyle = paints[look];
    if (look === 'bad') {
        pen.fillStyle = paints.hatched;
        pen.fillRect(from, y, wide, TRACK);
        if (wide > 3) {
            pen.strokeStyle = paints.bad;
            pen.strokeRect(from + .5, y + .5, wide - 1, TRACK - 1);
        }
    } else if (look === 'work') {
        pen.globalAlpha = view.alive ? 1 : .4;
        pen.fillRect(from, y, wide, TRACK);
        pen.globalAlpha = 1;
    } else if (wide > 6) {
        pen.beginPath();
        pen.roundRect(from, y, wide - 1, TRACK, 2);
        pen.fill();
    } else {
        pen.fillRect(from, y, wide, TRACK);
    }
    if (wide < 13) return;
    const x = Math.max(from, 0) + 3, room = to - x - 3;
    const sign = SIGNS[look] + (attempt.attempt > 1 ? `\u21bb${attempt.attempt}` : '');
    if (look === 'bad') {
        const plate = Math.min(room, room > 50 ? room : 12);
        pen.fillStyle = paints.card;
        pen.fillRect(x - 1, y + 2, plate, TRACK - 4);
    }
    pen.fillStyle = look === 'bad' ? paints.ink : paints['bar-ink'];
    pen.save();
    pen.beginPath();
    pen.rect(x - 1, y, room + 2, TRACK);
    pen.clip();
    pen.fillText(room > 50 ? `${sign} ${visible(attempt.role)}` : sign, x, y + TRACK / 2 + 1);
    pen.restore();
}

/** @param {CanvasRenderingContext2D} pen @param {any} paints @param {View} view
 * @param {any[]} track @param {number} y */
function draw_track(pen, paints, view, track, y) {
    const { axis, first, last, width, now_ms } = view;
    const from_ms = axis.from(first), to_ms = axis.from(last);
    let pixel = -1, worst = -1;

    for (let i = first_behind(track, from_ms, now_ms); i < track.length; i++) {
        const attempt = track[i];
        if (attempt.asked_ms > to_ms) break;
        const asked = x_of(view, attempt.asked_ms), from = x_of(view, attempt.started_ms);
        const to = x_of(view, end_of(attempt, now_ms));

        if (from - asked > 3) { /* a wait: dots */
            pen.fillStyle = paints.edge;
            const begin = Math.max(asked, asked % 4 - 4);
            for (let x = begin + 2; x < Math.min(from - 1, width); x += 4) {
                pen.fillRect(x, y + TRACK / 2 - 1, 2, 2);
            }
        }
        if (to - from < 1) { /* several on one pixel: the worst of them */
            const rank = LOOKS.indexOf(look_of(attempt));
            if (Math.floor(from) === pixel && rank <= worst) continue;
            worst = rank;
            pixel = Math.floor(from);
        }
        draw_bar(pen, paints, view, attempt, from, to, y);
        if (attempt === view.chosen) {
            pen.strokeStyle = paints.focus;
            pen.lineWidth = 2;
            pen.strokeRect(from - 2, y - 2, Math.max(to - from, 1.5) + 4, TRACK + 4);
            pen.lineWidth = 1;
        }
    }
}

/** @param {CanvasRenderingContext2D} pen @param {any} paints @param {View} view
 * @param {any[]} marks */
function draw_axis(pen, paints, view, marks) {
    const { axis, first, last, width, height } = view;
    const { ticks, step_ms } = axis_ticks(axis, first, last, width / 90);

    pen.fillStyle = paints.card;
    pen.fillRect(0, 0, width, TOP);
    pen.fillStyle = paints.soft;
    pen.textAlign = 'left';
    for (const ms of ticks) {
        const x = x_of(view, ms);
        const text = step_ms >= 86400e3 ? date(ms) : time_of_day(ms, step_ms);

        pen.fillRect(x, TOP - 5, 1, 5);
        if (x + pen.measureText(text).width + 4 < width) pen.fillText(text, x + 4, TOP / 2 - 1);
    }
    for (const pause of axis.pauses) {
        const from = x_of(view, pause.start_ms), to = x_of(view, pause.end_ms);

        if (to < 0 || from > width) continue;
        pen.fillStyle = paints.card;
        pen.fillRect(from, 0, to - from, height);
        pen.fillStyle = paints.fold;
        pen.fillRect(from, 0, to - from, height);
        const text = span(pause.end_ms - pause.start_ms), wide = pen.measureText(text).width;
        if (wide + 8 > to - from) continue;
        pen.fillStyle = paints.card;
        pen.fillRect((from + to - wide) / 2 - 4, 2, wide + 8, TOP - 6);
        pen.fillStyle = paints.ink;
        pen.fillText(text, (from + to - wide) / 2, TOP / 2 - 1);
    }
    pen.fillStyle = paints.line;
    pen.fillRect(0, TOP - 1, width, 1);
    pen.strokeStyle = paints.ink;
    pen.setLineDash([3, 3]);
    for (const mark of marks) {
        const x = Math.round(x_of(view, mark.at_ms)) + .5;

        if (x < 0 || x > width) continue;
        pen.beginPath();
        pen.moveTo(x, 0);
        pen.lineTo(x, height);
        pen.stroke();
    }
    pen.setLineDash([]);
}

/* ---- what is told of one attempt ---- */

/** @param {any} attempt @param {import('./run_model.js').RunModel} model @param {number} now_ms */
function attempt_words(attempt, model, now_ms) {
    const verdict = verdict_of(attempt, model.alive);
    const waited = attempt.started_ms - attempt.asked_ms;

    return [
        `${attempt.role}${attempt.by ? ` (${attempt.by})` : ''}`,
        verdict === 'findings' ? count(attempt.findings ?? 0, 'finding') :
            verdict === 'failed' ? `failed (${attempt.failure})` : verdict,
        span(end_of(attempt, now_ms) - attempt.started_ms),
        attempt.attempt > 1 && `try ${number(attempt.attempt)}`,
        waited > 1000 && `waited ${span(waited)}`,
        attempt.cost > 0 && money(attempt.cost),
        `${attempt.phase}, round ${number(attempt.round)}`,
        time(attempt.started_ms),
        attempt.problem,
    ].filter(Boolean);
}

/** @type {Record<string, string>} */
const MARKS = { drifted: 'the files were changed meanwhile', spent: 'the budget was spent' };

function legend() {
    const item = (/** @type {string} */ look, /** @type {string} */ word) =>
        h('li', null, h('span', { class: `swatch ${look}`, 'aria-hidden': 'true' },
                        SIGNS[look] ?? ''), word);

    return h('ul', { class: 'legend' }, item('clean', 'clean'), item('found', 'findings'),
             item('bad', 'failed or invalid'), item('done', 'work or repair'),
             item('work', 'running'), item('wait', 'not played'), item('dots', 'waits'),
             item('fold', 'pause, folded'));
}

/* ---- the part ---- */

/**
 * @param {import('./run_model.js').RunModel} model @param {import('./app.js').Context} context
 */
export function timeline_new(model, context) {
    const canvas = h('canvas', { tabindex: 0, role: 'application',
                                 'aria-roledescription': 'timeline', 'aria-label':
        'Attempts by time. Left and right choose an attempt, up and down another track, Enter ' +
        'opens it, plus and minus zoom, Shift with left and right moves, 0 shows all.' });
    const spacer = h('div', { class: 'timeline-space' }, canvas);
    const box = h('div', { class: 'timeline' }, spacer);
    const tip = h('p', { class: 'timeline-tip', role: 'status' });
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    /** @type {View} */
    const view = { axis: axis_new([], 0, 1), first: 0, last: 1, width: 0, top: 0, height: 0,
                   now_ms: context.now_ms(), alive: true, chosen: null };
    let layout = layout_of(model, view.now_ms), all = true, follows = false;
    let focused = false;
    /** @type {any} */
    let paints = null;

    /* ---- what is in sight ---- */

    function lay_out() {
        const spans = [];

        view.now_ms = context.now_ms();
        view.alive = model.alive;
        for (const attempt of model.attempts) {
            spans.push({ asked_ms: attempt.asked_ms,
                         ended_ms: model.alive || attempt.ended_ms ? end_of(attempt, view.now_ms)
                                                                   : attempt.started_ms });
        }
        if (!model.alive) view.now_ms = model.status.updated_ms;
        const start = Math.min(model.status.created_ms, spans[0]?.asked_ms ?? Infinity);
        const end = spans.reduce((most, one) => Math.max(most, one.ended_ms), start + 1000);

        layout = layout_of(model, view.now_ms);
        const was = { first: view.axis.from(view.first), last: view.axis.from(view.last) };
        const wide = view.last - view.first;
        view.axis = axis_new(spans, start, end);
        if (all) {
            view.first = 0;
            view.last = view.axis.length * FIT;
        } else if (follows) {
            view.last = view.axis.length * FIT;
            view.first = view.last - wide;
        } else {
            view.first = view.axis.to(was.first);
            view.last = Math.max(view.first + 1, view.axis.to(was.last));
        }
        spacer.style.height = `${layout.height}px`;
        if (view.chosen) { /* it may be a newer object of the same name */
            view.chosen = model.attempts.find((one) => name_of(one) === name_of(view.chosen));
        }
        if (!view.chosen) say(tip, hint());
        draw_soon();
    }

    /** @param {number} first @param {number} last */
    function see(first, last) {
        const most = view.axis.length * FIT;
        const wide = Math.min(most, Math.max(ZOOM_MIN_MS, last - first));
        const middle = (first + last) / 2;

        view.first = Math.max(0, Math.min(most - wide, middle - wide / 2));
        view.last = view.first + wide;
        all = wide >= most * .999;
        follows = !all && view.last >= most * .999;
        draw_soon();
    }

    /** @param {number} times @param {number} [x] the pixel that stays where it is */
    function zoom(times, x = view.width / 2) {
        const wide = view.last - view.first, at = view.first + wide * x / view.width;
        const next = Math.max(ZOOM_MIN_MS, Math.min(view.axis.length * FIT, wide * times));

        see(at - next * x / view.width, at + next * (1 - x / view.width));
    }

    /** @param {number} pixels */
    function move(pixels) {
        const by = pixels / view.width * (view.last - view.first);

        see(view.first + by, view.last + by);
    }

    /* ---- drawing ---- */

    function draw() {
        const ratio = Math.min(devicePixelRatio, 2);
        const { width, height } = view;

        if (!width || !canvas.isConnected) return;
        if (!paints) {
            paints = paints_of(box);
            paints.hatched = hatch_of(pen, paints.bad);
            paints.fold = hatch_of(pen, paints.line);
        }
        if (canvas.width !== Math.round(width * ratio) ||
            canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        view.top = box.scrollTop;
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.font = paints.font;
        pen.textBaseline = 'middle';
        pen.fillStyle = paints.card;
        pen.fillRect(0, 0, width, height);
        const seen = layout.bands.filter((band) => band.top + band.height > view.top &&
                                                   band.top < view.top + height);
        for (const band of seen) draw_rounds(pen, paints, view, band);
        for (const band of seen) {
            draw_labels(pen, paints, view, band, layout.bands.length > 1);
            pen.textAlign = 'left';
            band.tracks.forEach((track, i) => draw_track(pen, paints, view, track,
                band.top - view.top + LABEL + i * (TRACK + GAP)));
        }
        draw_axis(pen, paints, view, model.status.marks ?? []);
    }
    const draw_soon = once_a_frame(draw);

    /* ---- choosing ---- */

    /** @param {number} x @param {number} y pixels @returns {any} */
    function attempt_at(x, y) {
        const at = y + view.top;

        for (const band of layout.bands) {
            const track = band.tracks[Math.floor((at - band.top - LABEL) / (TRACK + GAP))];
            if (at < band.top || at >= band.top + band.height || !track) continue;
            const slack = 3 / view.width * (view.last - view.first);
            const position = view.first + x / view.width * (view.last - view.first);
            const i = first_behind(track, view.axis.from(position - slack), view.now_ms);
            const found = track[i];
            return found && view.axis.to(found.asked_ms) <= position + slack ? found : null;
        }
        return null;
    }

    /** @param {number} x @returns {any} */
    function mark_at(x) {
        return model.status.marks?.find((/** @type {any} */ mark) =>
            Math.abs(x_of(view, mark.at_ms) - x) < 4) ?? null;
    }

    /** @param {any} attempt @param {any} [mark] */
    function tell(attempt, mark) {
        if (attempt) {
            const [who, ...rest] = attempt_words(attempt, model, view.now_ms);
            fill(tip, h('strong', null, h('bdi', null, who)), ' ',
                 h('span', null, h('bdi', null, rest.join(' \u00b7 '))));
        } else if (mark) {
            fill(tip, h('strong', null, MARKS[mark.kind] ?? mark.kind),
                 ` ${mark.choice ?? ''} ${time(mark.at_ms)}`);
        } else {
            say(tip, hint());
        }
    }

    function hint() {
        return `${count(model.attempts.length, 'attempt')}. Choose one to open it; drag, pinch or ` +
            'Ctrl and the wheel to look closer.';
    }

    /** @param {any} attempt */
    function choose(attempt) {
        if (!attempt) return;
        view.chosen = attempt;
        const from = view.axis.to(attempt.started_ms);
        const to = view.axis.to(end_of(attempt, view.now_ms));
        const wide = view.last - view.first;
        if (from < view.first || to > view.last) {
            const middle = to - from > wide ? from + wide * .4 : (from + to) / 2;
            see(middle - wide / 2, middle + wide / 2);
        }
        const place = place_of(attempt);
        if (place) {
            const y = place.band.top + LABEL + place.track * (TRACK + GAP);
            if (y - TOP - LABEL < box.scrollTop) box.scrollTop = y - TOP - LABEL;
            else if (y + TRACK > box.scrollTop + view.height) {
                box.scrollTop = y + TRACK + 8 - view.height;
            }
        }
        tell(attempt);
        draw_soon();
    }

    /** @param {any} attempt */
    function place_of(attempt) {
        for (const band of layout.bands) {
            for (let track = 0; track < band.tracks.length; track++) {
                const index = band.tracks[track].indexOf(attempt);
                if (index >= 0) return { band, track, index };
            }
        }
        return null;
    }

    /** @param {number} along in the track @param {number} across over the tracks */
    function step(along, across) {
        const place = place_of(view.chosen);

        if (!place) return choose(first_seen());
        if (along) return choose(place.band.tracks[place.track][place.index + along]);
        const tracks = layout.bands.flatMap((band) => band.tracks);
        const track = tracks[tracks.indexOf(place.band.tracks[place.track]) + across];
        if (!track) return;
        const i = first_behind(track, view.chosen.started_ms, view.now_ms);
        choose(track[Math.min(i, track.length - 1)]);
    }

    function first_seen() {
        const from = view.axis.from(view.first);
        const track = layout.bands.find((band) => band.top >= view.top)?.tracks[0] ??
            layout.bands[0]?.tracks[0];

        return track?.[Math.min(first_behind(track, from, view.now_ms), track.length - 1)];
    }

    function open() {
        if (!view.chosen) return;
        context.navigate(run_link(model.repo, model.run, 'attempt', name_of(view.chosen)));
    }

    canvas.addEventListener('keydown', (event) => {
        const far = view.width * .2;
        /** @type {Record<string, () => void>} */
        const keys = {
            ArrowLeft: () => event.shiftKey ? move(-far) : step(-1, 0),
            ArrowRight: () => event.shiftKey ? move(far) : step(1, 0),
            ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
            '+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2),
            0: () => see(0, Infinity), Home: () => choose(model.attempts[0]),
            End: () => choose(model.attempts.at(-1)), Enter: open, ' ': open,
        };

        if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
    });
    canvas.addEventListener('focus', () => {
        focused = canvas.matches(':focus-visible');
        if (focused && !view.chosen) choose(first_seen());
    });

    /* ---- mouse and fingers ---- */

    /** @type {Map<number, { x: number, y: number }>} */
    const fingers = new Map();
    let dragged = 0;

    const local = (/** @type {PointerEvent | WheelEvent} */ event) => {
        const rect = canvas.getBoundingClientRect();
        return { x: event.clientX - rect.left, y: event.clientY - rect.top };
    };

    canvas.addEventListener('pointerdown', (event) => {
        fingers.set(event.pointerId, local(event));
        dragged = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
        const at = local(event), was = fingers.get(event.pointerId);

        if (!was) {
            const attempt = attempt_at(at.x, at.y), mark = attempt ? null : mark_at(at.x);
            canvas.classList.toggle('over', !!attempt);
            if (attempt !== view.chosen || !attempt) {
                view.chosen = attempt;
                tell(attempt, mark);
                draw_soon();
            }
            return;
        }
        if (fingers.size === 1) {
            dragged += Math.abs(at.x - was.x);
            if (dragged > 4 && !canvas.hasPointerCapture(event.pointerId)) {
                canvas.setPointerCapture(event.pointerId);
            }
            move(was.x - at.x);
        } else {
            const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
            if (other) {
                const before = Math.max(8, Math.abs(was.x - other.x));
                zoom(before / Math.max(8, Math.abs(at.x - other.x)), other.x);
            }
            dragged = 99;
        }
        fingers.set(event.pointerId, at);
    });
    for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'pointerleave'])) {
        canvas.addEventListener(name, (event) => {
            if (name !== 'pointerleave' || !canvas.hasPointerCapture(event.pointerId)) {
                fingers.delete(event.pointerId);
            }
            if (name === 'pointerleave' && !fingers.size && document.activeElement !== canvas) {
                view.chosen = null;
                tell(null);
                draw_soon();
            }
        });
    }
    canvas.addEventListener('click', (event) => {
        const at = local(event);

        if (dragged > 4) return;
        view.chosen = attempt_at(at.x, at.y);
        open();
    });
    canvas.addEventListener('wheel', (event) => {
        const { x } = local(event);

        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * .008), x);
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            move(event.deltaX || event.deltaY);
        }
    }, { passive: false });
    box.addEventListener('scroll', draw_soon, { passive: true });

    /* ---- its life ---- */

    const resized = new ResizeObserver(() => {
        sizes_set();
        lay_out();
        view.width = box.clientWidth;
        view.height = Math.min(layout.height, box.clientHeight || layout.height);
        canvas.style.width = `${view.width}px`;
        canvas.style.height = `${view.height}px`;
        paints = null;
        draw_soon();
    });
    resized.observe(box);
    const repaint = () => {
        paints = null;
        draw_soon();
    };
    addEventListener('theme', repaint);
    const beat = setInterval(() => model.alive && document.visibilityState === 'visible' &&
                                   lay_out(), 1000);
    lay_out();

    const button = (/** @type {string} */ sign, /** @type {string} */ word,
                    /** @type {() => void} */ act) =>
        h('button', { type: 'button', 'aria-label': word, title: word, onclick: act }, sign);
    const node = h('section', { class: 'card', 'aria-label': 'Timeline' },
                   h('div', { class: 'spread' }, h('h2', null, 'Timeline'),
                     h('div', { class: 'row buttons' },
                       button('\u2212', 'Zoom out', () => zoom(2)),
                       button('+', 'Zoom in', () => zoom(.5)),
                       button('\u2190', 'Earlier', () => move(-view.width * .3)),
                       button('\u2192', 'Later', () => move(view.width * .3)),
                       h('button', { type: 'button', onclick: () => see(0, Infinity) },
                         'Show all'))),
                   box, tip, legend());

    return {
        node,
        refresh: once_a_frame(lay_out),
        end() {
            clearInterval(beat);
            resized.disconnect();
            removeEventListener('theme', repaint);
        },
    };
}

/** "3-1". @param {any} attempt */
export function name_of(attempt) {
    return attempt.attempt_name ?? `${attempt.job}-${attempt.attempt}`;
}
