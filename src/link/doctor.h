/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.h - what works with a server, and what to do where something does not: `hone-link
 * doctor`. */
#ifndef HONE_LINK_DOCTOR_H
#define HONE_LINK_DOCTOR_H

#include "link/bus.h"

/* A line for each thing it tried. 0: all is well. */
int doctor_look(const struct bus_target *target);

#endif
