/* SPDX-License-Identifier: Apache-2.0
 *
 * forms.c - the table of forms. Services that read rdjson show every entry as a problem, so it has
 * only what is open, unless the user asks for others; SARIF has what is waived as well, which its
 * readers know as suppressed. */
#include "format/report/forms.h"

#include <string.h>

const struct form forms[] = {
    { .name = "text", .write = lines_write,
      .help = "a line FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters) for each, as "
              "compilers write them and editors read them; paths are relative to the workspace, "
              "columns count bytes, what is noted, waived or fixed is a note" },
    { .name = "json", .write = listing_write,
      .help = "one object with run, findings and counts. Of the counts, high, medium and low are "
              "of the open ones" },
    { .name = "sarif", .write = sarif_write, .states = "open,waived",
      .help = "SARIF 2.1.0, with fixes, fingerprints, what became of each (baselineState) and "
              "what is waived as suppressed, for code scanning services" },
    { .name = "rdjson", .write = rdjson_write, .states = "open",
      .help = "for reviewdog; without fixes" },
    { .name = "markdown", .write = markdown_write, .order = LISTING_BY_FILE,
      .help = "a table for each file, for a comment on a pull request; at most 60,000 bytes" },
    { .name = "html", .write = html_write, .story = true,
      .help = "one page with everything in it, for people: the end, rounds as a timeline, what was "
              "open after each, every finding with its history and the fix that resolved it, who "
              "looked, every attempt with its cost. Works offline, without script, on paper; at "
              "most 20 MiB" },
    { .name = NULL },
};

const struct form *form_find(const char *name)
{
    for (const struct form *form = forms; form->name; form++) {
        if (strcmp(name, form->name) == 0) return form;
    }
    return NULL;
}
