/* SPDX-License-Identifier: Apache-2.0
 *
 * secret_finding.h - the secrets of one file as findings. */
#ifndef HONE_FORMAT_SECRET_SECRET_FINDING_H
#define HONE_FORMAT_SECRET_SECRET_FINDING_H

#include "core/finding.h"

/* Gives each to add(): by the file's name, and in its content, of which a binary one has none. No
 * secret is in a finding. Texts live in arena. Returns how many more there are than a file may
 * have. */
uint32_t secrets_find(struct str path, struct str content, struct arena *arena,
                      void (*add)(void *context, const struct finding *finding), void *context);

#endif
