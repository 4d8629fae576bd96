/* SPDX-License-Identifier: Apache-2.0 */
#include "format/secret/secret_finding.h"

#include "format/secret/secret.h"

enum { PER_FILE_MAX = 20, HEAD_BYTES = 8000 /* with a NUL in them a file is no text */ };

static struct finding finding_of(struct finding finding)
{
    finding.severity = SEVERITY_HIGH;
    finding.kind = STR("secret");
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

uint32_t secrets_find(struct str path, struct str content, struct arena *arena,
                      void (*add)(void *context, const struct finding *finding), void *context)
{
    const struct secret_name *name = secret_name_of(path);
    struct secret_walk walk = { .text = content };
    struct finding finding;
    struct secret secret;
    uint32_t count = 0;

    if (name && secret_name_fits(name, content)) {
        finding = finding_of((struct finding){
            .file = path,
            .text = str_of(arena_printf(arena, "by its name this file holds %s, and does not "
                                        "belong into a repository", name->what)),
            .suggestion = STR("take it out of the repository and name it in .gitignore; change "
                              "what it holds if it was ever committed"),
        });
        add(context, &finding);
    }
    if (str_has((struct str){ content.data, content.size < HEAD_BYTES ? content.size : HEAD_BYTES },
                '\0')) {
        return 0;
    }
    while (secret_next(&walk, &secret)) {
        if (count++ == PER_FILE_MAX) return 1;
        finding = finding_of((struct finding){
            .file = path, .line = secret.line, .column = secret.column,
            .text = str_of(arena_printf(arena, "%s is in the file: %s", secret.what, secret.shown)),
            .suggestion = STR("take it out of the file; change it if it was ever committed"),
        });
        add(context, &finding);
    }
    return 0;
}
