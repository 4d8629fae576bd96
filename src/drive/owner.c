/* SPDX-License-Identifier: Apache-2.0
 *
 * owner.c - whose run it is.
 *
 * hone's folder lies in the git folder, and a git folder can come in an archive: with a journal,
 * and in it a run that names commands. So each run carries a word that only its user's state folder
 * has. A run with another word, or none, is not gone on with before the user agreed to it.
 *
 * The word is no key: a person who can read the user's state folder is the user. */
#include "drive/open.h"

#include "io/file/file.h"
#include "io/file/scratch.h"
#include "settings/trust.h"

#include <string.h>

enum { WORD_LETTERS = 26 };

static const char file_name[] = "owner";

static const char *read_word(const char *folder, struct arena *arena)
{
    struct str word;
    struct err none;

    (void)scratch_text(folder, file_name, 2 * WORD_LETTERS, arena, &word, &none);
    return arena_cstr(arena, str_trim(word));
}

const char *owner_word(struct arena *arena)
{
    char fresh[WORD_LETTERS + 1];
    struct trust trust;
    const char *word = "";
    struct err none;

    trust_open(&trust);
    if (trust.path) word = read_word(trust.path, arena);
    if (trust.path && !*word) {
        random_word(fresh, WORD_LETTERS);
        if (file_make_folder(trust.path, false, &none) == 0 &&
            scratch_once(trust.path, file_name, str_of(fresh), &none) == 0) {
            word = read_word(trust.path, arena); /* of two that begin at once it is one's */
        }
    }
    trust_close(&trust);
    return word;
}

int owner_check(struct drive *drive, const struct journal_run *row, bool agreed)
{
    const struct hone_value run = { .path = "run", .text = row->id };
    struct run_settings settings;
    struct trust trust;
    int rc = settings_read(str_of(row->settings), &drive->run.arena, &settings, &drive->err);

    if (rc != 0) return err_wrap(&drive->err, "run %s", row->id);
    if (strcmp(settings.owner, owner_word(&drive->run.arena)) == 0) return 0;
    trust_open(&trust);
    if (agreed && !trust_has(&trust, row->workspace, &run)) {
        rc = trust_add(&trust, row->workspace, &run, 1, &drive->err);
    } else if (!agreed && !trust_has(&trust, row->workspace, &run)) {
        rc = err_set(&drive->err, ERR_USAGE, "run %s was begun by another user or on another "
                     "machine, and came with this folder: look at what it runs ('hone show %s', "
                     "'hone log %s'), then go on with 'hone resume --trust %s'", row->id, row->id,
                     row->id, row->id);
    }
    trust_close(&trust);
    return rc;
}
