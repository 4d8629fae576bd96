/* SPDX-License-Identifier: Apache-2.0 */
#include "run/exit_code.h"

enum exit_code exit_code_of(enum reason reason)
{
    switch (reason) {
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
        return CODE_DONE;
    case REASON_NOTED:
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
    case REASON_STUCK:
    case REASON_ESCALATED:
    case REASON_PARTIAL:
        return CODE_FINDINGS;
    case REASON_BUDGET:
        return CODE_BUDGET;
    case REASON_WAITING:
        return CODE_WAITING;
    case REASON_UNSEEN:
        return CODE_USAGE;
    case REASON_INTERRUPTED:
        return CODE_INTERRUPTED;
    case REASON_FAILED:
    case REASON_NONE:
    case REASON_COUNT:
        break;
    }
    return CODE_FAILED;
}

enum exit_code exit_code_of_err(const struct err *err)
{
    switch (err->code) {
    case ERR_USAGE:
    case ERR_MISSING:
    case ERR_BUSY:
        return CODE_USAGE;
    case ERR_NONE:
    case ERR_SYSTEM:
    case ERR_FORMAT:
    case ERR_LIMIT:
    case ERR_FAILED:
        break;
    }
    return CODE_FAILED;
}
