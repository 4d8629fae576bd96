/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/ui/assets.h"

#include <string.h>

static const struct asset *named(struct str name)
{
    for (const struct asset *asset = ui_assets; asset->name[0]; asset++) {
        if (str_is(name, asset->name)) return asset;
    }
    return NULL;
}

/* A name as it is, or nothing: there is no folder, no "%2e" and no ".." to be understood. */
const struct asset *asset_find(struct str path)
{
    if (str_is(path, "/")) return named(STR("index.html"));
    return str_starts(path, STR("/ui/")) ? named(str_skip(path, 4)) : NULL;
}

struct str asset_bytes(const struct asset *asset)
{
    return (struct str){ ui_assets_bytes + asset->at, asset->bytes };
}
