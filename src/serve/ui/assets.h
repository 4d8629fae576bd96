/* SPDX-License-Identifier: Apache-2.0
 *
 * assets.h - the files of the page, as gzip made them, in the program: pages/ui, by tools/embed.c.
 *
 * They hold no data and are the same for all: who asks for one needs no token. */
#ifndef HONE_SERVE_UI_ASSETS_H
#define HONE_SERVE_UI_ASSETS_H

#include "base/str.h"

/* Texts and no pointers: there are none to set right when hone starts. */
struct asset {
    char name[48];
    char type[40];
    char etag[20];      /* with its quotes */
    uint32_t at, bytes; /* in ui_assets_bytes, gzipped */
};

extern const struct asset ui_assets[]; /* an empty name ends */
extern const char ui_assets_bytes[];

/* Of a path as it was asked for; NULL: there is none there. */
const struct asset *asset_find(struct str path);
struct str asset_bytes(const struct asset *asset);

#endif
