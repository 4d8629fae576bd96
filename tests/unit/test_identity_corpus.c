/* SPDX-License-Identifier: Apache-2.0
 *
 * test_identity_corpus.c - how well findings are recognised, measured on tests/corpus/identity.
 *
 * One half of the source files is for tuning, the other is held out: which is which follows from
 * the hash of the file's name. Only the half that is held out decides. The figures are printed, for
 * the test's own record and for who tunes. */
#include "core/identity.h"

#include "base/hash.h"

#include "reported.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENES_MAX = 64, WORDINGS_MAX = 1024, SCENE_WORDINGS_MAX = 64 };
enum half { TUNED, HELD_OUT, HALVES };

static const char *const names[] = { "identity/c.txt", "identity/systems.txt",
                                     "identity/scripting.txt", "identity/web.txt",
                                     "identity/near.txt" };
static const char *const half_words[HALVES] = { "tuned", "held out" };

struct wording {
    char by; /* a, b, c: reviewers; r: a again, in the next round */
    uint32_t defect;
    struct finding finding;
};

/* What is told of one source file. */
struct scene {
    enum half half;
    struct str path;
    struct line_hunk moved; /* of its next round */
    uint32_t first, count;
};

static struct scene scenes[SCENES_MAX];
static struct wording wordings[WORDINGS_MAX];
static uint32_t scene_count, wording_count, defect_count;
static char *texts[sizeof names / sizeof *names];

static uint32_t number_of(struct str text)
{
    uint64_t number = 0;

    if (!str_number(text, &number)) fail_msg("no number: %.*s", STR_ARG(text));
    return (uint32_t)number;
}

static struct line_hunk moved_of(struct str rest)
{
    struct str word;
    uint32_t line;

    str_cut(&rest, ' ', &word);
    line = number_of(word);
    if (str_starts(rest, STR("-"))) { /* so many lines before it are gone */
        uint32_t lines = number_of(str_skip(rest, 1));

        return (struct line_hunk){ .old_line = line - lines, .old_count = lines,
                                   .new_line = line - lines - 1 };
    }
    return (struct line_hunk){ .old_line = line - 1, .new_line = line,
                               .new_count = number_of(rest) };
}

static void scene_begin(struct str path)
{
    assert_true(scene_count < SCENES_MAX);
    scenes[scene_count++] = (struct scene){
        .half = hash_text(HASH_START, path) >> 20 & 1 ? HELD_OUT : TUNED,
        .path = path, .first = wording_count,
    };
}

static void wording_add(char by, struct str rest)
{
    struct scene *scene = &scenes[scene_count - 1];
    struct wording *wording = &wordings[wording_count++];
    struct str line;

    assert_true(wording_count < WORDINGS_MAX && scene_count > 0 && defect_count > 0);
    str_cut(&rest, ' ', &line);
    *wording = (struct wording){ .by = by, .defect = defect_count };
    wording->finding = (struct finding){ .file = scene->path, .line = number_of(line),
                                         .text = rest };
    wording->finding.fingerprint = finding_fingerprint(&wording->finding);
    assert_true(++scene->count <= SCENE_WORDINGS_MAX);
}

static int load(__attribute__((unused)) void **state)
{
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct str rest = report_load(names[i]), line, word;

        texts[i] = (char *)(uintptr_t)rest.data;
        while (str_cut(&rest, '\n', &line)) {
            if (line.size == 0 || line.data[0] == '#') continue;
            str_cut(&line, ' ', &word);
            if (str_is(word, "file")) scene_begin(line);
            else if (str_is(word, "moved")) scenes[scene_count - 1].moved = moved_of(line);
            else if (str_is(word, "defect")) defect_count++;
            else if (word.size == 1 && strchr("abcr", word.data[0])) wording_add(*word.data, line);
            else fail_msg("%s: %.*s", names[i], STR_ARG(word));
        }
    }
    return 0;
}

static int drop(__attribute__((unused)) void **state)
{
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) free(texts[i]);
    return 0;
}

TESTS_WITHIN(load, drop)

/* ---- figures ---- */

struct figure {
    uint32_t told;  /* pairs that were said to be one */
    uint32_t right; /* of these, those that are */
    uint32_t real;  /* pairs that are one */
};

static double precision(struct figure figure)
{
    return figure.told > 0 ? (double)figure.right / figure.told : 0;
}

static double recall(struct figure figure)
{
    return figure.real > 0 ? (double)figure.right / figure.real : 0;
}

static void figure_print(const char *what, enum half half, struct figure figure)
{
    printf("%-34s %-9s precision %.3f (%u of %u), recall %.3f (%u of %u)\n", what,
           half_words[half], precision(figure), figure.right, figure.told, recall(figure),
           figure.right, figure.real);
}

/* No reviewer finds everything: in each pass but the last each leaves out a third, and what it
 * leaves out has neighbours that others tell. */
enum { PASSES = 4 };

static bool is_told(const struct wording *wording, uint32_t pass)
{
    static const uint32_t leaves_out[] = { ['a'] = 0, ['b'] = 1, ['c'] = 2, ['r'] = 1 };

    return pass == PASSES - 1 || (wording->defect + pass) % 3 != leaves_out[(int)wording->by];
}

/* Those of a scene that one of `by` told. */
static uint32_t list_scene(const struct scene *scene, const char *by, uint32_t pass,
                           const struct wording **out)
{
    uint32_t count = 0;

    for (uint32_t i = scene->first; i < scene->first + scene->count; i++) {
        if (strchr(by, wordings[i].by) && is_told(&wordings[i], pass)) out[count++] = &wordings[i];
    }
    return count;
}

static void verbose(const char *what, const struct wording *a, const struct wording *b)
{
    if (!getenv("IDENTITY_SHOW")) return;
    printf("  %s: %.*s:%u %.*s\n", what, STR_ARG(a->finding.file), a->finding.line,
           STR_ARG(a->finding.text));
    if (b) printf("      %u %.*s\n", b->finding.line, STR_ARG(b->finding.text));
}

static void repeat_scene(const struct scene *scene, uint32_t pass, bool with_map,
                         struct figure *figure)
{
    const struct wording *first[SCENE_WORDINGS_MAX], *again[SCENE_WORDINGS_MAX];
    const struct finding *known[SCENE_WORDINGS_MAX], *reported[SCENE_WORDINGS_MAX];
    const struct file_move move = { scene->path, scene->path, &scene->moved, 1 };
    const struct line_map map = { &move, 1 };
    struct identity_sides sides = { .known = known, .reported = reported };
    struct finding carried[SCENE_WORDINGS_MAX];
    uint32_t out[SCENE_WORDINGS_MAX];

    sides.known_count = list_scene(scene, "a", pass, first);
    sides.reported_count = list_scene(scene, "r", pass, again);
    if (with_map && scene->moved.old_line > 0) sides.map = &map;
    for (uint32_t i = 0; i < sides.known_count; i++) {
        carried[i] = first[i]->finding;
        known[i] = &carried[i];
        if (sides.map) (void)line_map_carry(sides.map, &carried[i].file, &carried[i].line);
    }
    for (uint32_t i = 0; i < sides.reported_count; i++) reported[i] = &again[i]->finding;
    identity_match(&sides, out);
    for (uint32_t i = 0; i < sides.reported_count; i++) {
        bool right = out[i] != IDENTITY_NONE && first[out[i]]->defect == again[i]->defect;
        bool real = false;

        for (uint32_t k = 0; k < sides.known_count; k++) {
            real = real || first[k]->defect == again[i]->defect;
        }
        figure->told += out[i] != IDENTITY_NONE;
        figure->right += right;
        figure->real += real;
        if (out[i] != IDENTITY_NONE && !right) verbose("wrong", again[i], first[out[i]]);
        if (out[i] == IDENTITY_NONE && real) verbose("missed", again[i], NULL);
    }
}

static struct figure repeats(enum half half, bool with_map)
{
    struct figure figure = { 0 };

    for (uint32_t i = 0; i < PASSES * scene_count; i++) {
        const struct scene *scene = &scenes[i / PASSES];

        if (scene->half == half) repeat_scene(scene, i % PASSES, with_map, &figure);
    }
    return figure;
}

static void across_scene(const struct scene *scene, uint32_t pass, struct figure *figure)
{
    const struct wording *told[SCENE_WORDINGS_MAX];
    const struct finding *items[SCENE_WORDINGS_MAX];
    uint32_t voters[SCENE_WORDINGS_MAX], out[SCENE_WORDINGS_MAX];
    uint32_t count = list_scene(scene, "abc", pass, told);

    for (uint32_t i = 0; i < count; i++) {
        items[i] = &told[i]->finding;
        voters[i] = (uint32_t)told[i]->by;
    }
    identity_group(&(struct identity_reports){ items, voters, count, NULL }, out);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            bool one = told[i]->defect == told[k]->defect;

            figure->told += out[i] == out[k];
            figure->right += out[i] == out[k] && one;
            figure->real += one;
            if (out[i] == out[k] && !one) verbose("mixed", told[i], told[k]);
            if (out[i] != out[k] && one) verbose("apart", told[i], told[k]);
        }
    }
}

static struct figure across(enum half half)
{
    struct figure figure = { 0 };

    for (uint32_t i = 0; i < PASSES * scene_count; i++) {
        const struct scene *scene = &scenes[i / PASSES];

        if (scene->half == half) across_scene(scene, i % PASSES, &figure);
    }
    return figure;
}

/* ---- what must hold ---- */

TEST(the_corpus_has_at_least_five_hundred_pairs_and_about_half_are_held_out)
{
    uint32_t same[HALVES] = { 0 }, other[HALVES] = { 0 };

    for (uint32_t s = 0; s < scene_count; s++) {
        uint32_t end = scenes[s].first + scenes[s].count;

        for (uint32_t i = scenes[s].first; i < end; i++) {
            for (uint32_t k = i + 1; k < end; k++) {
                bool one = wordings[i].defect == wordings[k].defect;

                same[scenes[s].half] += one;
                other[scenes[s].half] += !one;
            }
        }
    }
    for (uint32_t i = 0; i < HALVES; i++) {
        printf("%-9s %u pairs that are one, %u of one file that are two\n", half_words[i], same[i],
               other[i]);
    }
    assert_true(same[TUNED] + same[HELD_OUT] >= 500);
    assert_true(same[TUNED] * 2 > same[HELD_OUT] && same[HELD_OUT] * 2 > same[TUNED]);
}

TEST(repeats_are_recognised_one_to_one)
{
    struct figure figure;

    figure_print("repeats", TUNED, repeats(TUNED, true));
    figure = repeats(HELD_OUT, true);
    figure_print("repeats", HELD_OUT, figure);
    assert_true(precision(figure) >= 0.95);
    assert_true(recall(figure) >= 0.85);
}

/* After a change that was not told: inside a host, or from outside. */
TEST(repeats_are_recognised_though_it_is_not_known_how_lines_moved)
{
    struct figure figure;

    figure_print("repeats, no line map", TUNED, repeats(TUNED, false));
    figure = repeats(HELD_OUT, false);
    figure_print("repeats, no line map", HELD_OUT, figure);
    assert_true(precision(figure) >= 0.95);
}

TEST(findings_of_several_reviewers_are_grouped)
{
    struct figure figure;

    figure_print("across reviewers", TUNED, across(TUNED));
    figure = across(HELD_OUT);
    figure_print("across reviewers", HELD_OUT, figure);
    assert_true(precision(figure) >= 0.75);
    assert_true(recall(figure) >= 0.70);
}
