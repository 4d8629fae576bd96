/* SPDX-License-Identifier: Apache-2.0
 *
 * secret_name.c - files that nobody commits, known by their names.
 *
 * A row is a list of patterns (format/text/pattern.h, in small letters) and what may be named alike
 * and is harmless. A pattern without a slash is about the file, not about folders of that name. A
 * name that is often innocent (server.key, service-account.json) also needs a word in the content.
 * */
#include "format/secret/secret.h"

#include "base/byte.h"
#include "base/path.h"
#include "format/text/pattern.h"

#include <string.h>

enum { PATH_BYTES_MAX = 4096 };

static const char *const private_words[] = { "PRIVATE KEY", "OpenSSH", "openssh-key", NULL };
static const char *const account_words[] = { "private_key", NULL };
static const char *const cloud_words[] = { "secret", "token", "private_key", NULL };
static const char *const npm_words[] = { "_authToken=", "_password=", "_auth=", NULL };
static const char *const password_words[] = { "password", NULL };
static const char *const assign_words[] = { "=", NULL };
static const char *const colon_words[] = { ":", NULL };

struct name_rule {
    const char *const *patterns; /* NULL ends */
    const char *const *except;   /* NULL: none */
    struct secret_name name;
};

#define LIST(...) (const char *const[]) { __VA_ARGS__, NULL }

static const struct name_rule rules[] = {
    { LIST("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_*_key"), NULL,
      { "a private SSH key", private_words } },
    { LIST("*.key", "*-key.pem", "*_key.pem", "key.pem", "privkey*.pem", "private*.pem"), NULL,
      { "a private key", private_words } },
    { LIST("*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.ppk", "*.kdbx"), NULL,
      { "a store of keys", NULL } },
    { LIST(".env", ".env.*", "*.env"),
      LIST("*.example", "*.sample", "*.template", "*.tmpl", "*.dist", "*.defaults", "*.schema",
           "example.env", "sample.env", "template.env", "*.example.env", "*.sample.env"),
      { "settings of one machine", assign_words } },
    { LIST("credentials", "credentials.json", "credentials.yml", "credentials.yaml",
           "credentials.csv", "credentials.ini", "credentials.xml", "credentials.txt",
           "client_secret*.json", ".git-credentials", ".dockercfg", "**/.docker/config.json"), NULL,
      { "credentials", NULL } },
    { LIST(".htpasswd", ".pgpass"), NULL,
      { "passwords", colon_words } },
    { LIST("*service-account*.json", "*service_account*.json", "*serviceaccount*.json"), NULL,
      { "the key of a service account", account_words } },
    { LIST(".aws/", ".gcloud/"), NULL,
      { "settings of a cloud account", cloud_words } },
    { LIST("*.dump", "*.pgdump", "*.mysqldump", "dump.sql", "*_dump.sql", "*-dump.sql",
           "*backup*.sql", "*.sql.gz", "*.sql.bz2", "*.sql.xz", "*.sql.zst", "dump.rdb"), NULL,
      { "a dump of a database", NULL } },
    { LIST("*.tfstate", "*.tfstate.backup"), NULL,
      { "a Terraform state, which holds secrets in clear text", NULL } },
    { LIST(".npmrc"), NULL, { "a token for a registry", npm_words } },
    { LIST(".pypirc", ".netrc", "_netrc"), NULL,
      { "a password for a server", password_words } },
};

enum { RULE_COUNT = sizeof rules / sizeof *rules };

static bool matches_one(const char *const *patterns, struct str path)
{
    struct str leaf = path_leaf(path);

    for (; patterns && *patterns; patterns++) {
        struct str pattern = str_of(*patterns);
        if (pattern_matches(pattern, str_has(pattern, '/') ? path : leaf)) return true;
    }
    return false;
}

const struct secret_name *secret_name_of(struct str path)
{
    char small[PATH_BYTES_MAX];

    if (path.size >= sizeof small) return NULL;
    for (size_t i = 0; i < path.size; i++) {
        char byte = path.data[i];
        small[i] = byte_small(byte);
    }
    path.data = small;
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        if (!matches_one(rules[i].patterns, path)) continue;
        return matches_one(rules[i].except, path) ? NULL : &rules[i].name;
    }
    return NULL;
}

/* Behind _authToken= a variable may stand, which is no secret. */
static bool is_variable(struct str rest)
{
    struct str line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    line = str_trim(line);
    return line.size == 0 || line.data[0] == '$' || line.data[0] == '<';
}

bool secret_name_fits(const struct secret_name *name, struct str content)
{
    if (!name->needs) return true;
    for (const char *const *word = name->needs; *word; word++) {
        struct str wanted = str_of(*word), rest = content;

        while (rest.size >= wanted.size) {
            const char *at = memmem(rest.data, rest.size, wanted.data, wanted.size);

            if (!at) break;
            rest = str_skip(rest, (size_t)(at - rest.data) + wanted.size);
            if (name->needs != npm_words || !is_variable(rest)) return true;
        }
    }
    return false;
}
