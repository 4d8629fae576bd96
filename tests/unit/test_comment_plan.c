/* SPDX-License-Identifier: Apache-2.0
 *
 * test_comment_plan.c - a run told on a pull request: what is planned, and that performing it
 * leaves nothing to do. */
#include "format/report/comment.h"

#include "listing_scene.h"
#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { ITEMS_MAX = 6000, POSTED_MAX = 64 };

/* A pull request, and a run that is told there. */
struct scene {
    struct arena arena;
    struct ledger_entry entries[ITEMS_MAX];
    uint32_t count;
    struct listing listing;
    struct comment_about about;
    struct comment_item *items;
    uint32_t item_count;
    uint32_t inline_max;
    struct comment_posted comments[POSTED_MAX];
    struct comment_thread threads[POSTED_MAX];
    struct comment_standing standing;
    uint32_t next_id;
    struct str body; /* of the last plan */
};

static void scene_begin(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->listing = (struct listing){ .run = "7k2m", .version = "1.2.3", .plan = &listing_plan };
    scene->about = (struct comment_about){
        .key = "review", .dialect = "review", .end = "findings remain: all rounds are used up",
        .conclusive = true, .listing = &scene->listing,
    };
    scene->inline_max = COMMENT_INLINE_MAX;
    scene->standing.comments = scene->comments;
    scene->standing.threads = scene->threads;
}

static void scene_end(struct scene *scene)
{
    listing_release(&scene->listing);
    arena_release(&scene->arena);
}

/* A run anew: what it found is told by scene_find(). */
static void scene_run(struct scene *scene)
{
    scene->count = 0;
    scene->listing.count = 0;
}

static struct ledger_entry *scene_find(struct scene *scene, const char *file, uint32_t line,
                                       const char *text)
{
    struct ledger_entry *entry = &scene->entries[scene->count++];

    *entry = (struct ledger_entry){ .role = ROLE_CRITIC, .round_first = 1, .round_last = 1,
        .finding = { .severity = SEVERITY_MEDIUM, .file = str_of(file), .line = line,
                     .text = str_of(text) } };
    entry->fingerprint = entry->finding.fingerprint = finding_fingerprint(&entry->finding);
    return entry;
}

static struct comment_steps scene_plan(struct scene *scene)
{
    const struct comment_posted *ours = comment_ours(&scene->standing, scene->about.key);
    struct comment_memories before, next;
    struct comment_wish wish = { .about = &scene->about, .memories = &next,
                                 .inline_max = scene->inline_max };
    struct buf body;

    scene->listing.count = 0;
    for (uint32_t i = 0; i < scene->count; i++) listing_add(&scene->listing, &scene->entries[i]);
    listing_sort(&scene->listing, LISTING_BY_STATE);
    scene->item_count = comment_items_make(&scene->listing, &scene->arena, &scene->items);
    for (uint32_t i = 0; i < scene->item_count; i++) {
        const struct finding *finding = &scene->items[i].entry->finding;

        scene->items[i].left = finding->line == 0 ? "it is about no line" : NULL;
        scene->items[i].place = (struct comment_place){
            .path = finding->file, .old_path = finding->file, .line = finding->line,
            .start_line = finding->line };
    }
    wish.items = scene->items;
    wish.item_count = scene->item_count;
    before = comment_memories_read(ours ? ours->body : STR(""), &scene->arena);
    next = comment_memories_next(&scene->about, scene->items, scene->item_count, &before,
                                 &scene->arena);
    buf_init(&body, COMMENT_BODY_BYTES_MAX);
    comment_write(&scene->about, &next, &body);
    assert_false(body.overflow);
    scene->body = arena_take(&scene->arena, &body);
    return comment_plan(&wish, scene->body, &scene->standing, &scene->arena);
}

static struct str scene_id(struct scene *scene)
{
    return str_of(arena_printf(&scene->arena, "n%u", ++scene->next_id));
}

static struct comment_thread *scene_thread(struct scene *scene, struct str id)
{
    for (uint32_t i = 0; i < scene->standing.thread_count; i++) {
        if (str_eq(scene->threads[i].id, id) || str_eq(scene->threads[i].first.id, id))
            return &scene->threads[i];
    }
    fail_msg("no thread %.*s", STR_ARG(id));
    return NULL;
}

/* What a service does with a step. */
static void scene_step(struct scene *scene, const struct comment_step *step)
{
    struct comment_standing *standing = &scene->standing;
    uint32_t i = 0;

    switch (step->deed) {
    case DEED_CREATE:
        scene->comments[standing->comment_count++] =
            (struct comment_posted){ scene_id(scene), step->body, true };
        break;
    case DEED_UPDATE:
    case DEED_DELETE:
        while (!str_eq(scene->comments[i].id, step->id)) assert_true(++i < POSTED_MAX);
        assert_true(scene->comments[i].ours);
        if (step->deed == DEED_UPDATE) {
            scene->comments[i].body = step->body;
        } else {
            memmove(&scene->comments[i], &scene->comments[i + 1],
                    (--standing->comment_count - i) * sizeof *scene->comments);
        }
        break;
    case DEED_INLINE:
        assert_null(step->item->left);
        scene->threads[standing->thread_count++] = (struct comment_thread){
            .id = scene_id(scene), .first = { scene_id(scene), step->body, true },
            .may_resolve = true, .may_reopen = true };
        break;
    case DEED_EDIT:
        assert_true(scene_thread(scene, step->id)->first.ours);
        scene_thread(scene, step->id)->first.body = step->body;
        break;
    case DEED_RESOLVE:
    case DEED_REOPEN:
        scene_thread(scene, step->id)->resolved = step->deed == DEED_RESOLVE;
        break;
    case DEED_DELETE_INLINE:
        i = (uint32_t)(scene_thread(scene, step->id) - scene->threads);
        assert_true(scene->threads[i].first.ours && scene->threads[i].replies == 0);
        memmove(&scene->threads[i], &scene->threads[i + 1],
                (--standing->thread_count - i) * sizeof *scene->threads);
        break;
    case DEED_COUNT:
        fail();
    }
}

/* Plans and performs; then nothing is left to do. deeds: the steps, by their first letters. */
static void expect_deeds(struct scene *scene, const char *deeds)
{
    static const char letters[DEED_COUNT] = {
        [DEED_CREATE] = 'C', [DEED_UPDATE] = 'U', [DEED_DELETE] = 'D', [DEED_REOPEN] = 'O',
        [DEED_RESOLVE] = 'R', [DEED_EDIT] = 'E', [DEED_INLINE] = 'I', [DEED_DELETE_INLINE] = 'X',
    };
    struct comment_steps steps = scene_plan(scene);
    char got[POSTED_MAX] = "";

    for (uint32_t i = 0; i < steps.count; i++) {
        got[i] = letters[steps.items[i].deed];
        scene_step(scene, &steps.items[i]);
    }
    if (deeds) assert_string_equal(got, deeds);
    steps = scene_plan(scene);
    if (steps.count > 0) {
        fprintf(stderr, "%s\ninstead of %s\n", scene->body.data, scene->comments[0].body.data);
        fail_msg("behind %s: %s is left", got, comment_deed_word(steps.items[0].deed));
    }
}

static void expect_body(const struct scene *scene, const char *text)
{
    if (!strstr(scene->body.data, text)) fail_msg("no %s in %s", text, scene->body.data);
}

static void expect_not(const struct scene *scene, const char *text)
{
    if (strstr(scene->body.data, text)) fail_msg("%s in %s", text, scene->body.data);
}

static struct scene scene; /* it is large */

TEST(the_first_time_all_is_made_and_the_second_nothing)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    scene_find(&scene, "b.c", 5, "a leak");
    scene_find(&scene, "b.c", 0, "no tests");
    expect_deeds(&scene, "CII");
    expect_deeds(&scene, "");
    expect_body(&scene, "<!-- hone:comment review -->\n### hone: 3 open (3 medium), 0 fixed\n");
    expect_body(&scene, "| medium | `a.c:3` | bad format | `critic` |\n");
    scene_end(&scene);
}

TEST(what_is_not_reported_any_more_is_resolved)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    scene_find(&scene, "b.c", 5, "a leak");
    expect_deeds(&scene, "CII");
    scene_run(&scene);
    scene_find(&scene, "b.c", 9, "a leak");
    expect_deeds(&scene, "URE");
    assert_true(scene.threads[0].resolved);
    assert_non_null(strstr(scene.threads[0].first.body.data,
                           "**Resolved**: no longer reported\n\n~~**medium**: bad format"));
    expect_body(&scene, "Resolved (1)");
    expect_body(&scene, "- ~~bad format~~ `a.c:3`: no longer reported\n");
    scene_end(&scene);
}

TEST(a_run_that_has_not_looked_at_all_resolves_nothing)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene_run(&scene);
    scene.about.conclusive = false;
    scene.about.end = "failed: an agent could not run";
    expect_deeds(&scene, "U");
    expect_body(&scene, "### hone: failed: an agent could not run; nothing is open in what was "
                        "judged\n");
    expect_body(&scene, "Reported before, and not judged again (1)");
    expect_body(&scene, "- bad format `a.c:3`\n");
    expect_not(&scene, "clean");
    scene.about.conclusive = true; /* the next one looks, and it is gone */
    expect_deeds(&scene, "URE");
    scene_end(&scene);
}

TEST(what_the_run_says_of_a_finding_is_said)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    scene_find(&scene, "b.c", 5, "a leak");
    expect_deeds(&scene, "CII");
    scene.entries[0].state = FINDING_WAIVED;
    scene.entries[1].state = FINDING_FIXED;
    expect_deeds(&scene, "URERE");
    expect_body(&scene, "~~bad format~~ `a.c:3`: waived\n");
    expect_body(&scene, "~~a leak~~ `b.c:5`: fixed\n");
    scene_end(&scene);
}

TEST(what_comes_back_is_opened_again)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.entries[0].state = FINDING_FIXED;
    expect_deeds(&scene, "URE");
    scene.entries[0].state = FINDING_REGRESSED;
    expect_deeds(&scene, "UOE");
    assert_false(scene.threads[0].resolved);
    assert_null(strstr(scene.threads[0].first.body.data, "Resolved"));
    expect_not(&scene, "Resolved");
    scene_end(&scene);
}

TEST(what_a_person_did_to_a_thread_stands)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.threads[0].resolved = true; /* a person says: never mind */
    expect_deeds(&scene, "");
    scene.entries[0].state = FINDING_FIXED;
    expect_deeds(&scene, "UE");
    scene.threads[0].resolved = false; /* a person says: it is not */
    expect_deeds(&scene, "");
    scene_end(&scene);
}

TEST(a_thread_that_cannot_be_resolved_says_it_in_words)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.threads[0].may_resolve = false;
    scene.entries[0].state = FINDING_FIXED;
    expect_deeds(&scene, "UE");
    scene_end(&scene);
}

TEST(what_a_stranger_wrote_is_left_alone)
{
    struct comment_posted before;

    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.comments[0].ours = scene.threads[0].first.ours = false;
    before = scene.comments[0];
    scene.entries[0].state = FINDING_PERSISTING;
    expect_deeds(&scene, "CI"); /* of our own */
    scene.entries[0].state = FINDING_FIXED;
    expect_deeds(&scene, "URE");
    assert_true(str_eq(scene.comments[0].body, before.body));
    assert_false(scene.threads[0].resolved);
    scene_end(&scene);
}

TEST(of_two_that_were_made_at_once_the_oldest_stays)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.comments[1] = scene.comments[0];
    scene.comments[1].id = STR("twice");
    scene.standing.comment_count = 2;
    scene.threads[1] = scene.threads[0];
    scene.threads[1].id = STR("t2");
    scene.threads[1].first.id = STR("n2x");
    scene.threads[2] = scene.threads[1];
    scene.threads[2].id = STR("t3");
    scene.threads[2].first.id = STR("n3x");
    scene.threads[2].replies = 1; /* somebody has answered there */
    scene.standing.thread_count = 3;
    expect_deeds(&scene, "DX");
    assert_int_equal(scene.standing.comment_count, 1);
    assert_true(str_is(scene.comments[0].id, "n1"));
    assert_int_equal(scene.standing.thread_count, 2);
    scene_end(&scene);
}

TEST(keys_do_not_see_each_other)
{
    scene_begin(&scene);
    scene_find(&scene, "a.c", 3, "bad format");
    expect_deeds(&scene, "CI");
    scene.about.key = "review2";
    expect_deeds(&scene, "CI");
    scene.about.key = "revie";
    expect_deeds(&scene, "CI");
    scene.about.key = "review";
    expect_deeds(&scene, "");
    assert_true(comment_key_fits(STR("a.b_c-1")));
    assert_false(comment_key_fits(STR("")));
    assert_false(comment_key_fits(STR("a b")));
    assert_false(comment_key_fits(STR("a--b")));
    assert_false(comment_key_fits(STR("a>b")));
    scene_end(&scene);
}

TEST(told_in_other_words_it_keeps_its_comment)
{
    scene_begin(&scene);
    scene_find(&scene, "src/parse.c", 40,
               "the buffer is read behind its end when the input is empty");
    expect_deeds(&scene, "CI");
    scene_run(&scene);
    scene_find(&scene, "src/parse.c", 41,
               "when the input is empty, the buffer is read behind its end");
    expect_deeds(&scene, "U");
    assert_int_equal(scene.standing.thread_count, 1);
    expect_not(&scene, "Resolved");
    scene_end(&scene);
}

TEST(only_so_many_stand_inline)
{
    scene_begin(&scene);
    for (uint32_t i = 0; i < 5; i++) {
        struct ledger_entry *entry = scene_find(&scene, "a.c", i + 1, "");

        entry->finding.text = str_of(arena_printf(&scene.arena, "fault %c", (char)('a' + (int)i)));
        entry->finding.severity = i == 4 ? SEVERITY_HIGH : SEVERITY_LOW;
        entry->fingerprint = finding_fingerprint(&entry->finding);
    }
    scene.inline_max = 2;
    expect_deeds(&scene, "CII");
    assert_non_null(strstr(scene.threads[0].first.body.data, "fault e")); /* the gravest */
    scene.inline_max = 3;
    expect_deeds(&scene, "I");
    scene.inline_max = 0;
    expect_deeds(&scene, "");
    scene_end(&scene);
}

/* "a comment never looks clean when nobody looked" */
TEST(only_a_clean_end_looks_clean)
{
    const struct unlooked unlooked = { STR("x.c"), STR("gcc"), STR("it crashed") };

    scene_begin(&scene);
    scene.about.end = "clean: the last review found nothing";
    scene.about.clean = true;
    expect_deeds(&scene, "C");
    expect_body(&scene, " -->\n### hone: clean: the last review found nothing\n");
    scene.listing.coverage = (struct coverage){ .files = 2, .unlooked_count = 1,
                                                .unlooked = &unlooked };
    scene.about.clean = scene.about.conclusive = false;
    scene.about.end = "partial: nothing was found, but not every file was looked at";
    expect_deeds(&scene, "U");
    expect_body(&scene, "### hone: partial: nothing was found, but not every file was looked at; "
                        "nothing is open in what was judged; 1 file was not looked at\n");
    expect_body(&scene, "x.c");
    scene_find(&scene, "a.c", 1, "bad");
    scene.about.end = "still running";
    expect_deeds(&scene, "UI");
    expect_body(&scene, "### hone: still running; so far 1 open (1 medium), 0 fixed; 1 file");
    scene_end(&scene);
}

TEST(texts_of_agents_change_nothing)
{
    static const char text[] =
        "@octocat #12 GH-3 fixes o/n#4 ![x](http://e.example/p.png) [l](https://e.example)\n"
        "/close\n<!-- hone:finding review 0000000000000000 -->\n</details><img src=x> "
        "\x1b[31m --> \xe2\x80\xae |\n```\n";
    const char *body;

    scene_begin(&scene);
    scene_find(&scene, "a@b<i>.c\n#1", 3, text)->finding.kind = STR("@team`|");
    scene.entries[0].finding.suggestion = str_of(text);
    expect_deeds(&scene, "CI");
    for (uint32_t i = 0; i < 2; i++) {
        struct str all = i ? scene.threads[0].first.body : scene.comments[0].body;
        const char *list = strstr(all.data, "<!-- hone:findings"); /* it is not shown */

        body = arena_cstr(&scene.arena, list ? str_head(all, (size_t)(list - all.data)) : all);
        assert_null(strstr(body, "@octocat"));
        assert_null(strstr(body, "#12"));
        assert_null(strstr(body, "GH-3"));
        assert_null(strstr(body, "n#4"));
        assert_null(strstr(body, "http://"));
        assert_null(strstr(body, "\n/close"));
        assert_null(strstr(body, "0000000000000000 -->"));
        assert_null(strstr(body, "<img"));
        assert_null(strstr(body, "\x1b"));
        assert_null(strstr(body, "\xe2\x80\xae"));
    }
    scene.entries[0].state = FINDING_FIXED;
    expect_deeds(&scene, "URE");
    scene_end(&scene);
}

TEST(what_is_remembered_comes_back_as_it_was)
{
    struct comment_memory items[] = {
        { .id = "00c0ffee00c0ffee", .file = STR("a --> b"), .line = 7, .severity = SEVERITY_HIGH,
          .text = STR("--> <!-- @x #1 \" \\ ` \xc3\xa4") },
        { .id = "00c0ffee00c0ffee-1", .file = STR(""), .text = STR("t"),
          .resolved = STR("fixed") },
    };
    struct comment_memories memories = { .items = items, .count = 2 }, back;
    struct arena arena = { 0 };
    struct buf text;

    buf_init(&text, 1 << 16);
    comment_memories_write(&memories, &text);
    assert_ptr_equal(strstr(buf_cstr(&text), "-->"), buf_cstr(&text) + text.size - 4);
    assert_false(str_has(buf_str(&text), '@'));
    back = comment_memories_read(buf_str(&text), &arena);
    assert_int_equal(back.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(back.items[i].id, items[i].id);
        assert_true(str_eq(back.items[i].file, items[i].file));
        assert_true(str_eq(back.items[i].text, items[i].text));
        assert_true(str_eq(back.items[i].resolved, items[i].resolved));
        assert_int_equal(back.items[i].line, items[i].line);
        assert_int_equal(back.items[i].severity, items[i].severity);
    }
    assert_int_equal(comment_memories_read(STR("<!-- hone:findings {\"findings\":[{\"id\":\"../x\","
        "\"severity\":\"low\"},{\"id\":7}]} -->"), &arena).count, 0);
    assert_int_equal(comment_memories_read(STR("<!-- hone:findings {] -->"), &arena).count, 0);
    buf_release(&text);
    arena_release(&arena);
}

TEST(it_is_not_longer_than_a_service_takes)
{
    static const size_t most[] = { [COMMENT_GITHUB] = 65536, [COMMENT_GITLAB] = 1000000 };

    for (uint32_t service = 0; service < COMMENT_SERVICE_COUNT; service++) {
        uint32_t rows = 0, left = 0, all = 0;
        const char *last;

        scene_begin(&scene);
        scene.about.service = (enum comment_service)service;
        scene.about.files = "https://x.example/o/n/blob/0000/";
        for (uint32_t i = 0; i < ITEMS_MAX; i++) {
            struct ledger_entry *entry = scene_find(&scene, "some/folder/a_file.c", i + 1, "");

            entry->finding.text = str_of(arena_printf(&scene.arena, "fault %u <<<<<<@a@b%s", i,
                i % 7 == 0 ? "-------------------------------------------------------------" : ""));
            entry->fingerprint = i * UINT64_C(0x9e3779b97f4a7c15);
            if (i % 5 == 0) entry->state = FINDING_FIXED;
        }
        scene.inline_max = 3;
        expect_deeds(&scene, "CIII");
        assert_in_range(scene.body.size, 20000, most[service]);
        for (const char *at = scene.body.data; (at = strstr(at, "| medium |")); at++) rows++;
        last = strstr(scene.body.data, " are not listed here");
        assert_non_null(last);
        while (last[-1] != '\n') last--;
        assert_int_equal(sscanf(last, "%u of %u are", &left, &all), 2);
        assert_int_equal(rows + left, all);
        assert_int_equal(all, ITEMS_MAX - ITEMS_MAX / 5);
        scene_end(&scene);
    }
}

/* Whatever stands there and whatever a run says: performed once, nothing is left to do. */
TEST(performed_nothing_is_left_to_do)
{
    static const char *const texts[] = {
        "a leak", "bad format", "the value is read before it was set", "no test for this",
        "the loop never ends when the list is empty", "an index that may be behind the end",
    };
    struct prng random = { .state = 7 };

    for (uint32_t turn = 0; turn < 300; turn++) {
        scene_begin(&scene);
        for (uint32_t run = 0; run < 6; run++) {
            uint32_t count = prng_below(&random, 6);

            scene_run(&scene);
            for (uint32_t i = 0; i < count; i++) {
                struct ledger_entry *entry =
                    scene_find(&scene, prng_below(&random, 2) ? "a.c" : "b.c",
                               prng_below(&random, 9),
                               texts[prng_below(&random, 6)]);

                entry->state = (enum finding_state)prng_below(&random, FINDING_STATE_COUNT);
                entry->ordinal = prng_below(&random, 2);
            }
            scene.about.conclusive = prng_below(&random, 3) > 0;
            scene.inline_max = prng_below(&random, 5);
            for (uint32_t i = 0; i < scene.standing.thread_count; i++) {
                if (prng_below(&random, 4)) continue;
                scene.threads[i].resolved = !scene.threads[i].resolved;
                scene.threads[i].may_resolve = prng_below(&random, 2) > 0;
                scene.threads[i].replies = prng_below(&random, 2);
            }
            expect_deeds(&scene, NULL);
        }
        scene_end(&scene);
    }
}
