/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.c - a command line read from left to right, once.
 *
 *   hone [common options] VERB [options, common options, arguments in any order] [-- arguments]
 *
 * 1. The first word that is not an option is the verb; every later one is an argument.
 * 2. An option's value is the rest behind "=", or the next word, even one that begins with "-". A
 *    letter's value may stand right behind it (-CDIR).
 * 3. Behind "--" everything is an argument. A lone "-" is an argument.
 * 4. Options are not abbreviated: what works today must not become ambiguous tomorrow.
 * 5. Of an option given twice the last counts, unless the verb reads all of them (--agent).
 * 6. Options of the same name mean the same in all dialects that have them: whether a value
 *    follows is known before the dialect is.
 *
 * Not here: what values mean (each verb), which dialect an option fits (run.c). */
#include "cmd/parse.h"

#include "cmd/suggest.h"

#include "base/duration.h"
#include "dialect/dialect.h"

#include <assert.h>
#include <string.h>

enum { WORD_SHOWN_MAX = 60 };

/* The words that are still to be read. */
struct words {
    const char *const *at;
    uint32_t left;
};

static int shown(struct str word)
{
    return word.size > WORD_SHOWN_MAX ? WORD_SHOWN_MAX : (int)word.size;
}

static const struct option *option_in(const struct option *table, struct str name, char letter)
{
    for (; table && table->name; table++) {
        if (letter ? table->letter == letter : table->name[0] && str_is(name, table->name)) {
            return table;
        }
    }
    return NULL;
}

const struct dialect_option *dialect_option_in(const struct dialect *dialect, struct str name)
{
    const struct dialect_option *option = dialect->options;

    while (option && option->name && !str_is(name, option->name)) option++;
    return option && option->name ? option : NULL;
}

static const struct dialect_option *dialect_option_find(struct str name)
{
    const struct dialect_option *option = NULL;

    for (uint32_t i = 0; !option && dialects[i]; i++) option = dialect_option_in(dialects[i], name);
    return option;
}

/* The verb's, or that of the verb which it is like. */
static const struct option *own_option(const struct verb *verb, struct str name)
{
    const struct option *own = option_in(verb->options, name, 0);

    return own || !verb->like ? own : option_in(verb->like->options, name, 0);
}

static void offer_all(struct suggest *suggest, const struct option *table)
{
    for (; table && table->name; table++) suggest_offer(suggest, table->name);
}

static int option_unknown(const struct verb *verb, struct str name, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, name);
    if (verb) offer_all(&suggest, verb->options);
    if (verb && verb->like) offer_all(&suggest, verb->like->options);
    for (uint32_t i = 0; verb && verb->dialect_options && dialects[i]; i++) {
        const struct dialect_option *option = dialects[i]->options;
        for (; option && option->name; option++) suggest_offer(&suggest, option->name);
    }
    offer_all(&suggest, common_options);
    if (suggest.best) {
        return err_set(err, ERR_USAGE, "unknown option '--%.*s'; did you mean '--%s'?",
                       shown(name), name.data, suggest.best);
    }
    for (uint32_t i = 0; !verb && verbs[i]; i++) {
        if (!option_in(verbs[i]->options, name, 0)) continue;
        return err_set(err, ERR_USAGE, "option '--%.*s' goes behind its verb: hone %s --%.*s ...",
                       shown(name), name.data, verbs[i]->name, shown(name), name.data);
    }
    return err_set(err, ERR_USAGE, "unknown option '--%.*s'; 'hone %s%s--help' lists them",
                   shown(name), name.data, verb ? verb->name : "", verb ? " " : "");
}

static void take_common(struct call *call, const struct option *option, const char *value)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        { "json", &call->json },
        { "quiet", &call->quiet },
        { "no-color", &call->no_color },
        { "no-pager", &call->no_pager },
        { "help", &call->help },
        { "version", &call->version },
    };

    if (option->letter == 'C') {
        call->folder = value;
        return;
    }
    for (uint32_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(option->name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return;
        }
    }
    assert(!"a common option that no field of struct call holds");
}

/* The value of an option that wants one: what stands behind "=", or the next word. */
static int value_take(struct words *words, const char *dashes, const char *name,
                      const char *argument, const char **value, struct err *err)
{
    if (!argument && *value) {
        return err_set(err, ERR_USAGE, "option '%s%s' takes no value", dashes, name);
    }
    if (!argument || *value) return 0;
    if (words->left == 0) {
        return err_set(err, ERR_USAGE, "option '%s%s' wants a value: %s%s %s", dashes, name,
                       dashes, name, argument);
    }
    *value = words->at[0];
    words->at++;
    words->left--;
    return 0;
}

static int take_long(struct call *call, struct words *words, const char *word, struct err *err)
{
    const char *equals = strchr(word, '=');
    struct str name = { word, equals ? (size_t)(equals - word) : strlen(word) };
    const char *value = equals ? equals + 1 : NULL;
    const struct option *own = call->verb ? own_option(call->verb, name) : NULL;
    const struct option *common = option_in(common_options, name, 0);
    const struct dialect_option *other = NULL;
    const char *argument, *known;
    int rc;

    if (call->verb && call->verb->dialect_options) other = dialect_option_find(name);
    if (!own && !common && !other) return option_unknown(call->verb, name, err);
    argument = own ? own->argument : common ? common->argument : other->argument;
    known = own ? own->name : common ? common->name : other->name;
    rc = value_take(words, "--", known, argument, &value, err);
    if (rc != 0) return rc;
    if (!own && common) {
        take_common(call, common, value);
        return 0;
    }
    call->given[call->given_count++] = (struct given){
        .name = known, .value = value, .of_dialect = !own, .behind = call->argument_count,
    };
    return 0;
}

/* Letters belong to the common options alone. */
static int take_letter(struct call *call, struct words *words, const char *word, struct err *err)
{
    const struct option *option = option_in(common_options, (struct str){ "", 0 }, word[0]);
    const char *value = word[1] ? word + 1 : NULL;
    char name[2] = { word[0], '\0' };
    int rc;

    if (!option) {
        return err_set(err, ERR_USAGE, "unknown option '-%.*s'; %s", WORD_SHOWN_MAX, word,
                       call->verb ? "put '--' in front of an argument that begins with '-'"
                                  : "'hone --help' lists them");
    }
    rc = value_take(words, "-", name, option->argument, &value, err);
    if (rc != 0) return rc;
    take_common(call, option, value);
    return 0;
}

static int take_word(struct call *call, const char *word, bool behind, struct err *err)
{
    if (!call->verb) return verb_find(word, &call->verb, err);
    call->arguments[call->argument_count++] = word;
    if (!behind) call->plain_count = call->argument_count;
    return 0;
}

/* Neither too few arguments nor too many. */
static int arguments_check(const struct call *call, struct err *err)
{
    const struct argument *argument = call->verb->arguments;
    uint32_t count = 0, needed = 0;

    for (; argument->name; argument++, count++) {
        needed += !argument->optional;
        if (needed <= call->argument_count || argument->optional) continue;
        return err_set(err, ERR_USAGE, "%s: %s is missing%s%s; see 'hone %s --help'",
                       call->verb->name, argument->name, argument->words ? ": " : "",
                       argument->words ? argument->words : "", call->verb->name);
    }
    if (call->argument_count > count && !(count > 0 && argument[-1].many)) {
        const char *extra = call->arguments[count];
        return err_set(err, ERR_USAGE, "%s: '%.*s' is one argument too many%s", call->verb->name,
                       WORD_SHOWN_MAX, extra,
                       count > 0 ? "; put quotes around an argument of several words" : "");
    }
    return 0;
}

int call_parse(struct call *call, int argc, const char *const *argv, struct err *err)
{
    struct words words = { argv + (argc > 0), argc > 0 ? (uint32_t)argc - 1 : 0 };
    bool only_words = false;

    *call = (struct call){ 0 };
    call->arguments = arena_alloc(&call->arena, (words.left + 1) * sizeof *call->arguments);
    call->given = arena_alloc(&call->arena, (words.left + 1) * sizeof *call->given);
    while (words.left > 0) {
        const char *word = words.at[0];
        int rc;

        words.at++;
        words.left--;
        if (only_words || word[0] != '-' || word[1] == '\0') {
            rc = take_word(call, word, only_words, err);
        } else if (word[1] != '-') {
            rc = take_letter(call, &words, word + 1, err);
        } else if (word[2] != '\0') {
            rc = take_long(call, &words, word + 2, err);
        } else {
            only_words = true;
            rc = 0;
        }
        if (rc != 0) return rc;
    }
    if (!call->verb || call->help || call->version) return 0;
    return arguments_check(call, err);
}

void call_release(struct call *call)
{
    arena_release(&call->arena);
    *call = (struct call){ 0 };
}

const char *call_argument(const struct call *call, uint32_t nth)
{
    return nth < call->argument_count ? call->arguments[nth] : NULL;
}

const char *call_value(const struct call *call, const char *name)
{
    const char *value = NULL;

    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (!given->of_dialect && strcmp(given->name, name) == 0) value = given->value;
    }
    return value;
}

bool call_has(const struct call *call, const char *name)
{
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (!given->of_dialect && strcmp(given->name, name) == 0) return true;
    }
    return false;
}

int duration_parse(const char *option, const char *text, uint64_t *ms, struct err *err)
{
    if (duration_read(str_of(text), ms)) return 0;
    return err_set(err, ERR_USAGE, "--%s wants a duration such as 90s, 15m or 2h (0: none), "
                   "not '%.*s'", option, WORD_SHOWN_MAX, text);
}

static int number_parse(const struct call *call, const char *name, uint64_t least, uint32_t *out,
                        struct err *err)
{
    const char *value = call_value(call, name);
    uint64_t number;

    *out = 0;
    if (!value) return 0;
    if (!str_number(str_of(value), &number) || number < least || number > UINT32_MAX) {
        return err_set(err, ERR_USAGE, "--%s wants a number from %u on, not '%.60s'", name,
                       (unsigned)least, value);
    }
    *out = (uint32_t)number;
    return 0;
}

int call_slice(const struct call *call, uint32_t *from, uint32_t *count, struct err *err)
{
    int rc = number_parse(call, "from", 0, from, err);

    return rc == 0 ? number_parse(call, "count", 1, count, err) : rc;
}
