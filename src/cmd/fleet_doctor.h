/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_doctor.h - hone fleet doctor: a fleet tried from end to end. */
#ifndef HONE_CMD_FLEET_DOCTOR_H
#define HONE_CMD_FLEET_DOCTOR_H

#include "cmd/verb.h"

/* Says what works and what does not, with what to do; returns the exit code. */
int fleet_doctor(struct call *call, const char *url);

#endif
