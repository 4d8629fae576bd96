/* SPDX-License-Identifier: Apache-2.0
 *
 * diagnostic.h - what a tool said about a file, before it is checked.
 *
 * Each reader turns one tool's format into these. Paths are as the tool wrote them, columns in the
 * unit the tool counts in. analyze/locate.c checks them against the files and makes findings.
 *
 * Room: reports of tools: SARIF, rdjson, compilers and linters read, findings written, fixes chosen
 * and applied to texts. */
#ifndef HONE_FORMAT_REPORT_DIAGNOSTIC_H
#define HONE_FORMAT_REPORT_DIAGNOSTIC_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/finding.h"

#include <stdbool.h>
#include <stdint.h>

enum column_unit { COLUMN_BYTES, COLUMN_UTF16, COLUMN_CODE_POINTS };

/* A stretch of a file. Lines and columns count from 1, 0: not said; the end is exclusive. A line
 * without columns is a whole line: end_line is then the last line that belongs to it. A column
 * with an end_line but no end_column reaches to the end of that line. Neither takes a line end
 * with it: the first column of the next line does, also behind the last line of a file. */
struct place {
    uint32_t line, column, end_line, end_column;
    enum column_unit unit;
    bool by_offset;             /* then only these two count, in units from the file's beginning */
    uint64_t offset, end_offset;
    struct str word;            /* not empty: the place is where the line has this word, once */
};

struct tool_edit {
    struct str file;
    struct place place; /* what is replaced; empty: an insertion */
    struct str text;    /* by what */
};

/* What the tool itself says of a fix; where it says nothing, the table of its row does
 * (analyzer.h): what stands in neither is risky. */
enum fix_class { FIX_UNSAID, FIX_SAFE, FIX_RISKY };

/* One way to mend it: all edits or none. */
struct tool_fix {
    struct str text; /* what it does, in words; may be empty */
    enum fix_class class;
    uint32_t rank;   /* struct fix has it (fix.h) */
    struct tool_edit *edits;
    uint32_t count, cap;
};

struct diagnostic {
    enum severity severity;
    struct str rule;       /* "-Wformat", "bugprone-branch-clone", "SC2086"; may be empty */
    struct str text;
    struct str help;       /* a hint or an address of its documentation; may be empty */
    struct str file;       /* empty: about nothing in particular */
    struct str unit;       /* the file that was being looked at, where it is another; or empty */
    struct place place;
    struct tool_fix *fixes; /* alternatives, the best first */
    uint32_t fix_count, fix_cap;
};

struct diagnostics {
    struct arena arena;    /* holds everything below */
    struct diagnostic *items;
    uint32_t count, cap;
    struct str tool, version; /* as the report names them; may be empty */
    struct str failure;    /* the tool itself says that it could not do its work; empty: it could */
};

enum {
    DIAGNOSTICS_MAX = 100000,
    DIAGNOSTIC_TEXT_BYTES_MAX = 64 * 1024, /* of a message; longer ones are cut, with a note */
    DIAGNOSTIC_EDIT_BYTES_MAX = 1 << 20,   /* of an edit's text; a longer one's fix is left out */
};

/* Both grow the lists in the arena; what they return is zeroed and good until the next call. */
struct diagnostic *diagnostic_add(struct diagnostics *diagnostics); /* NULL: DIAGNOSTICS_MAX */
struct tool_fix *diagnostic_fix_add(struct diagnostics *diagnostics, struct diagnostic *item);
struct tool_edit *tool_edit_add(struct diagnostics *diagnostics, struct tool_fix *fix);
/* A copy in the arena, cut to DIAGNOSTIC_TEXT_BYTES_MAX at a character's border. */
struct str diagnostic_text(struct diagnostics *diagnostics, struct str text);
void diagnostics_release(struct diagnostics *diagnostics);

/* The readers. Each takes a whole report and appends to an empty *out, which is to be released in
 * any case. ERR_FORMAT says what is wrong and where; ERR_LIMIT where there is too much. A reader
 * that succeeds has understood all of it: a report that is truncated, empty or of another format
 * never reads as "nothing found". */
enum {
    SARIF_MESSAGE_BYTES_MAX = 1 << 20, /* of a message with its arguments in it */
    SARIF_PATH_BYTES_MAX = 4096,       /* no system call takes a longer one */
    SARIF_TEXT_BYTES_MAX = 1 << 28,    /* of all texts together: a text may be named many times */
};
int sarif_read(struct str text, struct diagnostics *out, struct err *err);
int rdjson_read(struct str text, struct diagnostics *out, struct err *err); /* rdjsonl, too */
int gcc_json_read(struct str text, struct diagnostics *out, struct err *err);
int tidy_yaml_read(struct str text, struct diagnostics *out, struct err *err);
int cppcheck_xml_read(struct str text, struct diagnostics *out, struct err *err);
int shellcheck_json_read(struct str text, struct diagnostics *out, struct err *err);
int ruff_json_read(struct str text, struct diagnostics *out, struct err *err);
int eslint_json_read(struct str text, struct diagnostics *out, struct err *err);
int clippy_json_read(struct str text, struct diagnostics *out, struct err *err);
int markdownlint_json_read(struct str text, struct diagnostics *out, struct err *err);
int checkstyle_read(struct str text, struct diagnostics *out, struct err *err);
int diff_read(struct str text, struct diagnostics *out, struct err *err);

/* Reports of a line for each finding; the form is data:
 *
 *     "{file}:{line}:{column}: {severity}: {text} [{rule}]"
 *
 * What stands outside of the braces is as it is. {line} and {column} are digits; {severity} and
 * {rule} have no blank in them; {file} is as short and {text} as long as the rest allows. {word} is
 * something that stands in the line that is found, and {fix} what should stand there instead, with
 * which the form needs no {text}. */
struct line_form {
    const char *const *patterns; /* the first that fits a line reads it; NULL ends, as below */
    const char *const *skips;    /* beginnings of lines that say nothing; NULL: none */
    const char *const *severe;   /* beginnings of rules that are errors, where no severity is said;
                                    NULL: none */
    const char *const *light;    /* the same of matters of style */
    const char *rule;            /* where a pattern has none; NULL: "" */
    bool column_from_0;
    enum column_unit unit;
};

/* Lines that begin with a blank go on with the text of the line before. A line that no pattern fits
 * is ERR_FORMAT. An empty report is none: nothing was found. */
int line_report_read(const struct line_form *form, struct str text, struct diagnostics *out,
                     struct err *err);
/* NULL, or what is wrong with a pattern, in words. */
const char *line_pattern_problem(struct str pattern);
extern const struct line_form line_form_gcc; /* what compilers write */

/* A word for how grave it is, as tools say it: "error", "warn", "HIGH"; what is not known is
 * SEVERITY_MEDIUM. */
enum severity severity_of_word(struct str word);

/* A format by the name that a setting has for it. */
struct report_format {
    const char *name; /* "sarif"; NULL ends the list */
    int (*read)(struct str text, struct diagnostics *out, struct err *err);
    const struct line_form *lines; /* or this */
};
const struct report_format *report_format_find(struct str name); /* NULL: none */

/* Whether it is rdjsonl, a diagnostic per line, by what its first line is. Without a byte order
 * mark. */
bool rdjson_is_lines(struct str text);

#endif
