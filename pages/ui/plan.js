/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.js - a plan as a drawing, and as a list of the same for who reads or listens.
 *
 *     plan --> chain of each phase --> places of boxes --> lines between them --> SVG
 *
 * A phase is a band. In it stands its chain: work, review, proof, repair, proof, then, and what
 * follows at the bound. Wide, a chain goes from left to right, and boxes of a kind stand in one
 * column over all phases; narrow, it goes down. Phases follow each other downwards in both.
 *
 * 1. layout() is pure: the same plan and width give the same places.
 * 2. No two boxes overlap, and each lies in the band of its phase.
 * 3. Lines keep to the room between boxes: what passed leaves a gate at the left of its lower edge,
 *    what looks again comes back at the right of it.
 * 4. The drawing is hidden from who listens, for the list below it says all that it shows. */
import { h, s, fill, once_a_frame } from './dom.js';
import { count, money, number, span } from './format.js';
import { path } from './api.js';
import { card, tag, terms } from './parts.js';

/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {boolean} [fan]
 * @property {number} [lanes]
 * @property {string} [work]
 * @property {number} [copies]
 * @property {number} [again]
 * @property {string} [checkpoint]
 * @property {string[]} [reviewers]
 * @property {string[]} [provers]
 * @property {string} [on_fail]
 * @property {string} [repair]
 * @property {boolean} [by_groups]
 * @property {number} [repairs]
 * @property {string} [then]
 * @property {number} [recheck]
 * @property {string} [at_bound]
 * @property {number[]} [needs]
 * @property {string} [passes]
 * @property {string} [until]
 * @typedef {{ state?: string, rounds?: number, lanes?: number[], doing?: string[] }} Now
 * @typedef {{ dialect: string, about: string, phases: Phase[], iterations?: number,
 *             integrate?: string, roles?: { name: string, does: string, command?: string, spec?: string | null }[],
 *             now?: Now[], [member: string]: any }} Plan
 * @typedef {{ kind: string, title: string, lines: string[], phase: number,
 *             x: number, y: number, w: number, h: number, at_work: boolean }} Box
 * @typedef {{ phase: number, x: number, y: number, w: number, h: number }} Band
 * @typedef {{ kind: 'on' | 'again' | 'bound' | 'pass', d: string, text?: string, x?: number,
 *             y?: number }} Edge
 * @typedef {{ width: number, height: number, narrow: boolean, boxes: Box[], bands: Band[],
 *             edges: Edge[] }} Layout
 */

const COLUMNS = ['work', 'review', 'proof', 'repair', 'proof again', 'then', 'bound'];
const BOX_W = 190, LINE_H = 18, BOX_PAD = 12, GAP_X = 44, GAP_Y = 30, BAND_GAP = 26, NAME_W = 116,
      NAME_H = 30, PAD = 14, TRACK = 20, NARROW = 700, ROWS_MAX = 8, LETTERS = 23, NAME_LETTERS = 16, ABOUT_H = 16;

/* ---- what a phase consists of ---- */

/* What follows where nothing is repaired, or no more is. */
const BOUNDS = new Map([['stop', 'the run ends'], ['ask', 'you are asked'],
                        ['escalate', 'you are asked'], ['restart', 'it begins again'],
                        ['proceed', 'noted, and on'], ['stuck', 'the task rests']]);

/** @param {number} most */
const at_most = (most) => `at most ${count(most, 'time')}`;

/** Lines of at most so many letters, broken at blanks; a word that is longer is cut.
 * @param {string} text @param {number} most */
function wrap(text, most) {
    /** @type {string[]} */
    const lines = [];

    for (const word of text.split(' ')) {
        const longer = lines.length ? `${lines.at(-1)} ${word}` : word;

        if (lines.length && [...longer].length <= most) lines[lines.length - 1] = longer;
        else lines.push([...word].length <= most ? word : `${[...word].slice(0, most - 1).join('')}\u2026`);
    }
    return lines;
}

/** What else is to be said of a phase. @param {Plan} plan @param {number} at @returns {string[]} */
function traits_of({ phases }, at) {
    const { fan, lanes, needs } = phases[at];

    return [fan ? `for each task${lanes ? `, ${lanes} at once` : ''}` : '',
            needs?.length ? `needs ${needs.map((one) => phases[one]?.name).join(', ')}` : ''].filter(Boolean);
}

/** What stands below the name of a phase. @param {Plan} plan @param {number} at */
function about_of(plan, at) {
    const now = plan.now?.[at];

    return [now?.rounds ? count(now.rounds, 'round') : '', lanes_text(now)].filter(Boolean)
        .concat(traits_of(plan, at));
}

/** @param {Phase} phase @returns {{ kind: string, title: string, lines: string[] }[]} */
function chain_of(phase) {
    const chain = [], reviewers = phase.reviewers ?? [];

    if (phase.work) {
        chain.push({ kind: 'work', title: 'work', lines: [
            phase.work,
            (phase.copies ?? 1) > 1 ? `${number(phase.copies ?? 1)} side by side` : '',
            phase.again ? `again, ${at_most(phase.again)}` : '',
            phase.checkpoint ? `${phase.checkpoint} looks on` : '',
        ] });
    }
    if (reviewers.length === 0) return chain;
    const left_out = reviewers.length - ROWS_MAX;
    chain.push({ kind: 'review', title: phase.until ? `review until ${phase.until}` : 'review',
                 lines: [...reviewers.slice(0, ROWS_MAX), left_out > 0 ? `and ${left_out} more` : ''] });
    if (!phase.repair || phase.repairs === 0) {
        const text = BOUNDS.get((phase.repair ? phase.at_bound : phase.on_fail) ?? '');

        if (text) chain.push({ kind: 'bound', title: 'else', lines: [text] });
        return chain;
    }
    const provers = phase.provers ?? [];
    if (provers.length) chain.push({ kind: 'proof', title: 'proof', lines: provers });
    chain.push({ kind: 'repair', title: 'repair', lines: [
        phase.repair, phase.by_groups ? 'one for each group' : '',
        phase.repairs === undefined ? 'as often as it takes' : at_most(phase.repairs)] });
    if (provers.length) chain.push({ kind: 'proof again', title: 'proof again', lines: provers });
    if (phase.then) chain.push({ kind: 'then', title: 'then', lines: [phase.then] });
    if (phase.repairs !== undefined && phase.at_bound) {
        chain.push({ kind: 'bound', title: 'at the bound', lines: [BOUNDS.get(phase.at_bound) ?? phase.at_bound] });
    }
    return chain;
}

/* What a lane that stands in a phase does, by the box of it. */
const DOES = new Map([['work', ['working', 'joining', 'checking']], ['review', ['reviewing']],
                      ['repair', ['repairing']], ['then', ['finishing']], ['merge', ['integrating']]]);

/** @param {Plan} plan @returns {Omit<Box, 'x' | 'y' | 'w'>[][]} */
function rows_of(plan) {
    return plan.phases.map((phase, at) => {
        const now = plan.now?.[at], chain = chain_of(phase);

        if (phase.fan && plan.integrate) {
            chain.push({ kind: 'merge', title: 'merge',
                         lines: [plan.integrate, 'when all of a group passed'] });
        }
        return chain.map((part) => {
            const lines = part.lines.filter(Boolean).flatMap((line) => wrap(line, LETTERS));
            const does = DOES.get(part.kind) ?? [];
            const at_work = now?.state === 'at work' &&
                            (now.doing ?? []).some((word) => does.includes(word));

            return { ...part, lines, phase: at, at_work,
                     h: BOX_PAD * 2 + LINE_H * (lines.length + 1) };
        });
    });
}

/* ---- where everything stands ---- */

/** A line with round corners through points. @param {number[][]} points */
function bend(points) {
    const r = 8;
    let d = `M${points[0][0]} ${points[0][1]}`;

    for (let i = 1; i < points.length - 1; i++) {
        const [x, y] = points[i], [x0, y0] = points[i - 1], [x1, y1] = points[i + 1];
        const before = Math.min(r, Math.hypot(x - x0, y - y0) / 2);
        const behind = Math.min(r, Math.hypot(x1 - x, y1 - y) / 2);

        d += `L${x - Math.sign(x - x0) * before} ${y - Math.sign(y - y0) * before}` +
             `Q${x} ${y} ${x + Math.sign(x1 - x) * behind} ${y + Math.sign(y1 - y) * behind}`;
    }
    return `${d}L${points.at(-1)?.join(' ')}`;
}

/** @param {Box[]} row @param {string} kind */
const box_of = (row, kind) => row.find((box) => box.kind === kind);
/** The last one of what happens: not what follows at a bound. @param {Box[]} row */
const last_of = (row) => row.findLast((box) => box.kind !== 'bound' && box.kind !== 'merge') ?? row[0];
/** Where a phase goes on from. @param {Box[]} row */
const gate_of = (row) => box_of(row, 'merge') ?? box_of(row, 'review') ?? last_of(row);

/** @param {Plan} plan @returns {Layout} */
function layout_wide(plan) {
    const rows = rows_of(plan);
    const used = COLUMNS.filter((kind) => rows.some((row) => row.some((box) => box.kind === kind)));
    /** @type {Box[]} */
    const boxes = [];
    /** @type {Band[]} */
    const bands = [];
    const width = NAME_W + PAD * 2 + used.length * BOX_W + (used.length - 1) * GAP_X;
    const left = (/** @type {string} */ kind) => NAME_W + PAD + used.indexOf(kind) * (BOX_W + GAP_X);
    let y = 0;

    rows.forEach((row, phase) => {
        const chain = row.filter((box) => box.kind !== 'merge');
        const about = about_of(plan, phase).flatMap((line) => wrap(line, NAME_LETTERS));
        const tall = Math.max(...chain.map((box) => box.h), 24 + about.length * ABOUT_H);
        const loops = row.some((box) => box.kind === 'repair');
        const merge = row.find((box) => box.kind === 'merge');
        let bottom = y + PAD + tall + (loops ? TRACK + PAD : PAD);

        for (const box of chain) {
            boxes.push({ ...box, x: left(box.kind), y: y + PAD, w: BOX_W });
        }
        if (merge) {
            const x = left(chain.at(-1) ? gate_of(/** @type {Box[]} */ (chain)).kind : 'work');
            boxes.push({ ...merge, x, y: bottom + GAP_Y - PAD, w: BOX_W });
            bottom += GAP_Y - PAD + merge.h + PAD;
        }
        bands.push({ phase, x: 0, y, w: width, h: bottom - y });
        y = bottom + BAND_GAP;
    });
    return { width, height: y - BAND_GAP, narrow: false, boxes, bands, edges: [] };
}

/** @param {Plan} plan @param {number} width @returns {Layout} */
function layout_narrow(plan, width) {
    const margin = 30, w = width - margin * 2, rows = rows_of(plan);
    /** @type {Box[]} */
    const boxes = [];
    /** @type {Band[]} */
    const bands = [];
    let y = 0;

    rows.forEach((row, phase) => {
        let below = y + NAME_H + about_of(plan, phase).length * ABOUT_H;

        for (const box of row) {
            boxes.push({ ...box, x: margin, y: below, w });
            below += box.h + GAP_Y;
        }
        const bottom = below - GAP_Y + PAD;
        bands.push({ phase, x: 0, y, w: width, h: bottom - y });
        y = bottom + BAND_GAP;
    });
    return { width, height: y - BAND_GAP, narrow: true, boxes, bands, edges: [] };
}

/** Lines of one chain. @param {Box[]} row @param {boolean} narrow @returns {Edge[]} */
function edges_in(row, narrow) {
    /** @type {Edge[]} */
    const edges = [];
    const chain = row.filter((box) => box.kind !== 'merge');

    chain.slice(1).forEach((to, i) => {
        const from = chain[i], kind = to.kind === 'bound' ? 'bound' : 'on';
        const found = from.kind === 'review' && to.kind !== 'bound';
        const text = found ? 'found' : undefined;

        if (narrow) {
            const x = from.x + from.w / 2;
            edges.push({ kind, d: `M${x} ${from.y + from.h}V${to.y}`, text, x: x + 8,
                         y: (from.y + from.h + to.y) / 2 + 4 });
        } else {
            const y = from.y + 30;
            edges.push({ kind, d: `M${from.x + from.w} ${y}H${to.x}`, text,
                         x: from.x + from.w + 4, y: y - 6 });
        }
    });
    return edges;
}

/** The way back of a repair to the gate that looks again.
 * @param {Box[]} row @param {Box[]} again @param {Layout} layout @returns {Edge[]} */
function edges_again(row, again, layout) {
    const from = last_of(row), to = box_of(again, 'review');
    const far = row !== again;

    if (!to || !box_of(row, 'repair')) return [];
    if (layout.narrow) {
        const x = layout.width - (far ? 8 : 15), y1 = from.y + from.h / 2, y2 = to.y + to.h / 2;

        return [{ kind: 'again',
                  d: bend([[from.x + from.w, y1], [x, y1], [x, y2 + (far ? 8 : 0)],
                           [to.x + to.w, y2 + (far ? 8 : 0)]]) }];
    }
    const low = TRACK + Math.max(...row.filter((box) => box.kind !== 'merge')
                                    .map((box) => box.y + box.h));
    const x1 = from.x + from.w / 2, x2 = to.x + to.w - 64, y = low - 5;
    const lane = to.x + to.w + GAP_X - 8, low_edge = to.y + to.h - 14;

    return [{ kind: 'again', text: 'looks again', y, x: (far ? lane : x2) + 8,
              d: far ? bend([[x1, from.y + from.h], [x1, low], [lane, low], [lane, low_edge],
                             [to.x + to.w, low_edge]])
                     : bend([[x1, from.y + from.h], [x1, low], [x2, low], [x2, to.y + to.h]]) }];
}

/** From what passed to the next phase. @param {Box[]} row @param {Box[]} next
 * @param {Layout} layout @returns {Edge} */
function edge_pass(row, next, layout) {
    const from = gate_of(row), to = next[0];
    const passes = from.kind === 'review';

    if (layout.narrow) {
        if (from === row.at(-1)) {
            const x = from.x + from.w - 40;
            return { kind: 'pass', d: `M${x} ${from.y + from.h}V${to.y}` };
        }
        const y1 = from.y + from.h / 2, y2 = to.y + 20;
        return { kind: 'pass',
                 d: bend([[from.x, y1], [12, y1], [12, y2], [to.x, y2]]) };
    }
    const x1 = from.x + 32, x2 = to.x + 32, gap = to.y - PAD - BAND_GAP / 2;
    return { kind: 'pass', text: passes ? 'passed' : undefined, x: x1 + 8,
             y: from.y + from.h + 15,
             d: x1 === x2 ? `M${x1} ${from.y + from.h}V${to.y}`
                          : bend([[x1, from.y + from.h], [x1, gap], [x2, gap], [x2, to.y]]) };
}

/** @param {Layout} layout @param {Plan} plan */
function add_edges(layout, plan) {
    const rows = plan.phases.map((_, at) => layout.boxes.filter((box) => box.phase === at));

    rows.forEach((row, at) => {
        const phase = plan.phases[at], merge = box_of(row, 'merge');

        if (row.length === 0) return;
        layout.edges.push(...edges_in(row, layout.narrow));
        layout.edges.push(...edges_again(row, rows[phase.recheck ?? at] ?? row, layout));
        if (merge) {
            const chain = row.filter((box) => box !== merge);
            layout.edges.push(edge_pass(chain, [merge], layout));
        }
        if (rows[at + 1]?.length) layout.edges.push(edge_pass(row, rows[at + 1], layout));
    });
}

/** @param {Plan} plan @param {number} width there is, in pixels @returns {Layout} */
export function layout_of(plan, width) {
    const wide = layout_wide(plan);
    const layout = width >= Math.min(wide.width, NARROW) && width >= wide.width * .72
        ? wide : layout_narrow(plan, Math.max(240, Math.min(width, 420)));

    add_edges(layout, plan);
    return layout;
}

/* ---- drawn ---- */

const SIGNS = new Map([['at work', '\u25b8'], ['passed', '\u2713'], ['left', '!'], ['ahead', '']]);

/** A text that fits into so many letters. @param {string} text @param {number} width */
function fit(text, width) {
    const letters = [...text], most = Math.floor(width / 8.5);

    return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}\u2026`;
}

/** @param {Box} box */
function draw_box(box) {
    const group = s('g', { class: `box k-${box.kind.replace(' ', '-')}${box.at_work ? ' at-work' : ''}` },
                    s('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 8 }),
                    s('text', { x: box.x + BOX_PAD, y: box.y + BOX_PAD + 11, class: 'kind' },
                      box.title));

    box.lines.forEach((line, at) => group.append(s('text', {
        x: box.x + BOX_PAD, y: box.y + BOX_PAD + 12 + LINE_H * (at + 1),
        class: at === 0 || box.kind === 'review' || box.kind.startsWith('proof') ? 'who' : 'how',
    }, line)));
    return group;
}

/** Which lanes are in a phase that is walked in several. @param {Now | undefined} now */
function lanes_text(now) {
    const lanes = now?.lanes?.filter((lane) => lane > 0) ?? [];

    return lanes.length ? `lane${lanes.length > 1 ? 's' : ''} ${lanes.slice(0, 6).join(', ')}` +
                          (lanes.length > 6 ? ' \u2026' : '') : '';
}

/** @param {Band} band @param {Plan} plan @param {boolean} narrow */
function draw_band(band, plan, narrow) {
    const phase = plan.phases[band.phase];
    const state = plan.now?.[band.phase]?.state ?? '', sign = SIGNS.get(state) ?? '';
    const about = about_of(plan, band.phase);
    const x = band.x + PAD + (narrow ? 6 : 0), y = band.y + (narrow ? 20 : PAD + 12);
    const group = s('g', { class: `band ${state.replace(' ', '-')}` });

    for (const shift of phase.fan ? [8, 4] : []) {
        group.append(s('rect', { class: 'behind', x: band.x + shift, y: band.y + shift,
                                 width: band.w, height: band.h, rx: 12 }));
    }
    group.append(s('rect', { x: band.x, y: band.y, width: band.w, height: band.h, rx: 12 }),
                 s('text', { x, y, class: 'phase' }, sign && s('tspan', { class: 'sign' }, `${sign} `),
                   fit(phase.name, (narrow ? band.w : NAME_W) - PAD - 14)));
    const lines = narrow ? about.map((line) => fit(line, band.w - 60))
                         : about.flatMap((line) => wrap(line, NAME_LETTERS));
    lines.forEach((line, at) => group.append(s('text', {
        x, y: y + (narrow ? 16 : 20) + at * ABOUT_H, class: 'how' }, line)));
    return group;
}

/** The drawing in a width. @param {Plan} plan @param {number} width */
export function draw_plan(plan, width) {
    const layout = layout_of(plan, width), { width: w, height } = layout;
    const fans = plan.phases.some((phase) => phase.fan) ? 8 : 0;
    const mark = (/** @type {string} */ kind) => s('marker', {
        id: `arrow-${kind}`, viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8,
        markerUnits: 'userSpaceOnUse', orient: 'auto', class: `arrow ${kind}` },
        s('path', { d: 'M0 0L8 4L0 8z' }));

    return s('svg', { class: 'plan', viewBox: `-1 -1 ${w + 2 + fans} ${height + 2 + fans}`,
                      style: { width: `${(w + 2 + fans) / 16}rem` }, 'aria-hidden': 'true' },
             s('defs', null, mark('on'), mark('again'), mark('bound'), mark('pass')),
             layout.bands.map((band) => draw_band(band, plan, layout.narrow)),
             layout.edges.map((edge) => s('path', { class: `edge ${edge.kind}`, d: edge.d,
                                                    'marker-end': `url(#arrow-${edge.kind})` })),
             layout.boxes.map(draw_box),
             layout.edges.filter((edge) => edge.text).map((edge) => s('text', {
                 class: 'edge-text', x: edge.x, y: edge.y }, edge.text)));
}

/* ---- in words ---- */

/** @param {Now | undefined} now */
function state_tag(now) {
    if (!now?.state || now.state === 'ahead') return null;
    const tone = now.state === 'at work' ? 'info' : now.state === 'passed' ? 'good' : 'warn';

    return tag(tone, SIGNS.get(now.state) ?? '', now.state + (now.rounds ? `, ${count(now.rounds, 'round')}` : ''));
}

/** The plan in words. @param {Plan} plan */
export function plan_words(plan) {
    return h('ol', { class: 'plan-words' }, plan.phases.map((phase, at) => h('li', null,
        h('h3', { class: 'row' }, phase.name === String(at + 1) ? phase.name : `${at + 1}\u2002${phase.name}`, state_tag(plan.now?.[at]),
          h('span', { class: 'note' }, lanes_text(plan.now?.[at]))),
        terms([['passes', phase.passes], ...chain_of(phase).map(({ title: term, lines }) =>
            /** @type {[string, any]} */ ([term, lines.filter(Boolean).join(', ')])),
               ['looks again', phase.repair && phase.repairs !== 0 && plan.phases[phase.recheck ?? at]?.name],
               ['walked', traits_of(plan, at).join('; ')],
               ['merge', phase.fan && plan.integrate && `${plan.integrate}, when all of a group passed`]]))));
}

/** What it can take at most, in words. @param {any} plan */
export function most_text(plan) {
    const { agents_max, rounds_max, measured_runs, measured_same, took_ms_max, cost_max } = plan;

    if (!plan.bounded) return 'No bound but that of a budget: a gate repairs as often as it takes.';
    return `At most ${count(agents_max, 'agent')} started, ${count(rounds_max, 'round')}` +
           `${plan.per_task ? ', for one task' : ''}.` + (measured_runs
        ? ` By ${count(measured_runs, 'earlier run')}${measured_same ? '' : ' of other loops'} at most about ` +
          `${cost_max ? `${money(cost_max)} and ` : ''}${span(took_ms_max)}.`
        : measured_runs === undefined ? '' : ' What that costs is not known: there are no earlier runs here.');
}

/* ---- the view ---- */

/**
 * A plan that is drawn anew where its width changes, or the run went on.
 * @param {Plan} plan
 */
export function plan_view(plan) {
    const drawing = h('div', { class: 'plan-drawing' }), words = h('div', null);
    const draw = () => {
        const width = drawing.clientWidth;

        const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

        if (width > 0) fill(drawing, draw_plan(plan, width / scale));
    };
    const later = once_a_frame(draw);
    let last = 0;
    const observer = new ResizeObserver(([entry]) => {
        if (Math.abs(entry.contentRect.width - last) < 2) return;
        last = entry.contentRect.width;
        later();
    });

    fill(words, plan_words(plan));
    observer.observe(drawing);
    return {
        element: h('div', { class: 'stack' }, drawing,
                   card('The same in words', words)),
        /** @param {Plan} next */
        set(next) {
            if (JSON.stringify(next) === JSON.stringify(plan)) return;
            plan = next;
            draw();
            fill(words, plan_words(plan));
        },
        end: () => observer.disconnect(),
    };
}

const LOOK_MS = 250;

/** @param {import('./app.js').Params} params */
export function title(params) {
    return `Plan of ${params.run}`;
}

/** The tab of a run: its plan, and where it is now. @type {import('./app.js').Page['render']} */
export async function render(place, params, context) {
    const where = path('repos', params.repo ?? 0, 'runs', params.run ?? '', 'plan');
    const ask = () => context.api.get(where, {}, context.signal);
    const view = plan_view(await ask());
    let timer = 0;

    place.append(view.element);
    context.subscribe((message) => {
        const mine = message.kind === 'run' && message.run === params.run &&
                     message.repo === Number(params.repo);

        if ((!mine && message.kind !== 'again') || timer) return;
        timer = setTimeout(async () => {
            timer = 0;
            view.set(await ask().catch(() => null) ?? {});
        }, LOOK_MS);
    });
    return () => {
        clearTimeout(timer);
        view.end();
    };
}
