/* SPDX-License-Identifier: Apache-2.0
 *
 * erase.h - a folder with all that is in it, gone. */
#ifndef HONE_IO_FILE_ERASE_H
#define HONE_IO_FILE_ERASE_H

#include "base/err.h"

/* Removes a folder of ours, never following a link. Folders in it that we may not write to are
 * opened first: tools protect their caches like that. Not there: fine. */
int folder_erase(const char *path, struct err *err);

#endif
