/* SPDX-License-Identifier: Apache-2.0
 *
 * fixtures.c - what the unit tests share with the simulator; their programs are linked with this
 * folder alone. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../sim/plans.c"
#include "../sim/trace.c"
/* NOLINTEND(bugprone-suspicious-include) */
