/* SPDX-License-Identifier: Apache-2.0
 *
 * theme.js - light or dark as the reader chose, before anything is painted.
 *
 * No module: a module runs behind the first paint. Where nothing is chosen the style sheet goes by
 * the system's setting. */
try {
    const chosen = localStorage.getItem('hone-theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch { /* storage is switched off: the system's setting holds */ }
