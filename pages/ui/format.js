/* SPDX-License-Identifier: Apache-2.0
 *
 * format.js - texts, numbers, money, times and spans as the reader's locale writes them.
 *
 * Nothing of it touches the page. Texts of agents, files and tasks pass visible(). */

/* Control characters but for tab and newline; marks that turn the direction of the text around
 * them; characters of no width; separators that some programs take for the end of a line. */
const HIDDEN = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e' +
                          '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb' +
                          '\\u{e0000}-\\u{e007f}\\ud800-\\udfff]', 'gu');

/** @param {string} mark */
function picture(mark) {
    const code = /** @type {number} */ (mark.codePointAt(0));

    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/**
 * The text with what cannot be seen made visible: a control character as its picture, others as
 * their number. The joiner inside of an emoji stays.
 * @param {string} text
 */
export function visible(text) {
    return text.replace(HIDDEN, (mark, at) => {
        if (mark === '\r' && text[at + 1] === '\n') return '';
        if (mark === '\u200d' && /\p{Extended_Pictographic}\ufe0f?$/u.test(text.slice(0, at))) {
            return mark;
        }
        return picture(mark);
    });
}

/** @type {string[] | undefined} */
const locale = typeof navigator === 'undefined' ? undefined : [...navigator.languages];
const plain = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const usd = { style: /** @type {const} */ ('currency'), currency: 'USD',
              currencyDisplay: /** @type {const} */ ('narrowSymbol') };
const dollars = new Intl.NumberFormat(locale, usd);
const cents = new Intl.NumberFormat(locale, { ...usd, maximumFractionDigits: 4 });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const clock_exact = new Intl.DateTimeFormat(locale, { minute: '2-digit', second: '2-digit',
                                                      fractionalSecondDigits: 1 });
const clock_short = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });

/** @param {string} unit @param {number} [digits] */
function unit_format(unit, digits = 0) {
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow',
                                           maximumFractionDigits: digits });
}
const days = unit_format('day'), hours = unit_format('hour'), minutes = unit_format('minute');
const seconds = unit_format('second'), tenths = unit_format('second', 1);
const units_bytes = [unit_format('byte'), unit_format('kilobyte', 1), unit_format('megabyte', 1),
                     unit_format('gigabyte', 1)];

/** 12,345. @param {number} value */
export function number(value) { return plain.format(value); }

/** 12.3K, where there is little room. @param {number} value */
export function number_short(value) { return compact.format(value); }

/** Of a share: 12 %. @param {number} value */
export function share(value) { return percent.format(value); }

/** Dollars; null: no agent reported any. @param {number | null | undefined} value */
export function money(value) {
    if (value === null || value === undefined) return '\u2013';
    return value !== 0 && Math.abs(value) < 0.01 ? cents.format(value) : dollars.format(value);
}

/** @param {number} value */
export function bytes(value) {
    let at = 0;

    while (value >= 1000 && at < units_bytes.length - 1) {
        value /= 1000;
        at++;
    }
    return units_bytes[at].format(value);
}

/** Its two greatest units: 1h 12m. @param {number | null | undefined} ms */
export function span(ms) {
    if (ms === null || ms === undefined || ms < 0) return '\u2013';
    const whole = Math.floor(ms / 1000), minute = Math.floor(whole / 60);
    const hour = Math.floor(minute / 60);

    if (ms < 10000) return tenths.format(Math.round(ms / 100) / 10);
    if (whole < 60) return seconds.format(whole);
    if (minute < 60) return two(minutes, minute, seconds, whole % 60);
    if (hour < 24) return two(hours, hour, minutes, minute % 60);
    return two(days, Math.floor(hour / 24), hours, hour % 24);
}

/** @param {Intl.NumberFormat} great @param {number} many @param {Intl.NumberFormat} small
 * @param {number} rest */
function two(great, many, small, rest) {
    return rest ? `${great.format(many)} ${small.format(rest)}` : great.format(many);
}

/** Day and time. @param {number} ms */
export function time(ms) { return moment.format(ms); }

/** The time alone, as exactly as steps of some milliseconds ask for. @param {number} ms
 * @param {number} [step_ms] */
export function time_of_day(ms, step_ms = 1000) {
    return (step_ms >= 60000 ? clock_short : step_ms >= 1000 ? clock : clock_exact).format(ms);
}

/** The day alone. @param {number} ms */
export function date(ms) { return day.format(ms); }

/** "5 min. ago". @param {number} ms @param {number} now_ms */
export function ago(ms, now_ms) {
    const past = (now_ms - ms) / 1000;

    if (Math.abs(past) < 5) return relative.format(0, 'second');
    if (Math.abs(past) < 60) return relative.format(-Math.round(past), 'second');
    if (Math.abs(past) < 3600) return relative.format(-Math.round(past / 60), 'minute');
    if (Math.abs(past) < 86400) return relative.format(-Math.round(past / 3600), 'hour');
    if (Math.abs(past) < 30 * 86400) return relative.format(-Math.round(past / 86400), 'day');
    return date(ms);
}

/** "1 finding", "3 findings". @param {number} count @param {string} one @param {string} [many] */
export function count(count, one, many = `${one}s`) {
    return `${number(count)} ${count === 1 ? one : many}`;
}
