/* SPDX-License-Identifier: Apache-2.0
 *
 * How a person names a finding: by the first letters of its name, and of several with the same
 * fingerprint by the number of one. */
#include "run/finding_id.h"

#include "test.h"

static const char *const names[] = {
    "5c3f0a1b2c3d4e5f", "5c3f0a1b2c3d4e5f-1", "5c3f0a1b2c3d4e5f-12", "5c3fffffffffffff",
    "5c3f0a1b2c3d4e5f", /* in another phase */
    "77aa0a1b2c3d4e5f-1",
};

TEST(a_word_names_one_or_says_how_many)
{
    static const struct { const char *word; uint32_t count; const char *name; } rows[] = {
        { "5c3f0a1b2c3d4e5f", 1, "5c3f0a1b2c3d4e5f" },
        { "5c3f0a1b", 1, "5c3f0a1b2c3d4e5f" },        /* as it is shown: the one without a number */
        { "5c3f0a1b-1", 1, "5c3f0a1b2c3d4e5f-1" },
        { "5c3f0a1b-12", 1, "5c3f0a1b2c3d4e5f-12" },
        { "5c3f0a1b2c3d4e5f-1", 1, "5c3f0a1b2c3d4e5f-1" },
        { "5c3f", 2, NULL },
        { "5c3ff", 1, "5c3fffffffffffff" },
        { "77", 1, "77aa0a1b2c3d4e5f-1" },
        { "5c3f0a1b-3", 0, NULL },
        { "", 0, NULL },
        { "-1", 0, NULL },
        { "zz", 0, NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct finding_choice choice = { .word = str_of(rows[i].word) };
        const char *found = NULL;

        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (finding_choose(&choice, str_of(names[k]))) found = names[k];
        }
        if (choice.count != rows[i].count) fail_msg("%s: %u", rows[i].word, choice.count);
        if (rows[i].name) assert_string_equal(found, rows[i].name);
    }
}

TEST(a_name_is_shown_by_eight_letters_and_its_number)
{
    static const struct { const char *name, *shown; } rows[] = {
        { "5c3f0a1b2c3d4e5f", "5c3f0a1b" },
        { "5c3f0a1b2c3d4e5f-12", "5c3f0a1b-12" },
        { "5c3f", "5c3f" }, /* of a file that a person wrote */
        { "", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char shown[LISTING_ID_BYTES];

        assert_string_equal(finding_id_short(str_of(rows[i].name), shown), rows[i].shown);
    }
}
