/* SPDX-License-Identifier: Apache-2.0
 *
 * forms.c - the table of forms.
 *
 * Services that read rdjson, Checkstyle, code quality or annotations show every entry as a problem,
 * so these have only what is open, unless the user asks for others; SARIF has what is waived as
 * well, which its readers know as suppressed.
 *
 * Bounds: GitHub takes 25,000 results of SARIF at most. The other bounds are what a page can show
 * and a service reads in a few seconds. */
#include "format/report/forms.h"

#include <string.h>

enum { SARIF_MOST = 25000, SERVICE_MOST = 10000 };

const struct form forms[] = {
    { .name = "text", .write = lines_write,
      .help = "a line FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters) for each, as "
              "compilers write them and editors read them; paths are relative to the workspace, "
              "columns count bytes, what is noted, waived or fixed is a note. Where the run has "
              "not said all it could, the last line says so" },
    { .name = "json", .write = listing_write,
      .help = "one object with run, end, unfinished (null, or why there may be more to find), "
              "findings and counts. Of the counts, high, medium and low are of the open ones" },
    { .name = "sarif", .write = sarif_write, .states = "open,waived", .most = SARIF_MOST,
      .fixes = true, .source = true,
      .help = "SARIF 2.1.0, with fixes, fingerprints, what became of each (baselineState) and "
              "what is waived as suppressed, for code scanning services; at most 25,000 findings" },
    { .name = "rdjson", .write = rdjson_write, .states = "open", .most = SERVICE_MOST,
      .fixes = true,
      .help = "for reviewdog, with suggestions where a fix fits the file as it is; at most 10,000 "
              "findings" },
    { .name = "junit", .write = junit_write, .most = SERVICE_MOST,
      .help = "JUnit XML, for test reports: a suite for each reviewer; what is open failed, what "
              "is noted or waived was skipped, what is fixed passed, and a reviewer that could not "
              "answer is an error, as is a run that has not said all it could" },
    { .name = "checkstyle", .write = checkstyle_write, .states = "open", .most = SERVICE_MOST,
      .help = "Checkstyle XML 4.3, for services and editors that read it" },
    { .name = "gitlab", .write = gitlab_write, .states = "open", .most = SERVICE_MOST,
      .help = "a code quality report for merge requests of GitLab" },
    { .name = "github", .write = github_write, .states = "open",
      .help = "annotations of a pull request, as workflow commands on the standard output of a "
              "step of GitHub Actions: at most 10 errors, 10 warnings and 10 notices, which is "
              "what GitHub shows, the worst first" },
    { .name = "github-summary", .write = summary_write, .source = true,
      .help = "Markdown for the summary of a step, the file that GITHUB_STEP_SUMMARY names; at "
              "most 1,000,000 bytes" },
    { .name = "markdown", .write = markdown_write, .source = true,
      .help = "a comment on a pull request: what is open, worst first, and the rest folded; at "
              "most 60,000 bytes" },
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

void form_arrange(const struct form *form, struct listing *listing)
{
    listing_sort(listing, LISTING_BY_STATE);
    listing->left = 0;
    if (form->most > 0 && listing->count > form->most) {
        listing->left = listing->count - form->most;
        listing->count = form->most;
    }
}
