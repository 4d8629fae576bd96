/* SPDX-License-Identifier: Apache-2.0
 *
 * test_carrier.c - what waits for the program that carries attempts, while it is not there. */
#include "drive/fleet/carrier.h"
#include "test.h"

static void job_queue(struct carrier *carrier, const char *k)
{
    carrier_queue_blob(carrier, k, "sha256-1", "prompt");
    carrier_queue(carrier, &(struct fleet_line){ .kind = FLEET_JOB, .k = str_of(k),
                                                 .pool = STR("default"), .job = STR("{}") });
}

TEST(what_waits_of_an_attempt_is_withdrawn_and_nothing_else)
{
    struct carrier carrier = { .argv = NULL };

    job_queue(&carrier, "R.1.1");
    job_queue(&carrier, "R.2.1");
    carrier_queue_blob(&carrier, "", "base-1", "base"); /* of no attempt */
    job_queue(&carrier, "R.1.1");
    assert_int_equal(carrier_waiting(&carrier), 7);
    carrier_withdraw(&carrier, "R.1.1");
    assert_int_equal(carrier_waiting(&carrier), 3);
    carrier_withdraw(&carrier, "R.1.1");
    carrier_withdraw(&carrier, "R.2");
    assert_int_equal(carrier_waiting(&carrier), 3);
    carrier_withdraw(&carrier, "R.2.1");
    assert_int_equal(carrier_waiting(&carrier), 1);
    carrier_end(&carrier, 0);
    assert_int_equal(carrier_waiting(&carrier), 0);
}

TEST(a_blob_that_is_needed_waits_once_however_much_waits_before_it)
{
    struct carrier carrier = { .argv = NULL };

    for (uint32_t i = 0; i < 1000; i++) job_queue(&carrier, "R.1.1");
    carrier_queue_needed(&carrier, "base-1", "base");
    carrier_queue_needed(&carrier, "base-1", "base");
    assert_int_equal(carrier_waiting(&carrier), 2001);
    carrier_queue_needed(&carrier, "sha256-1", "prompt"); /* that of a job may be withdrawn */
    carrier_queue_needed(&carrier, "sha256-1", "prompt");
    assert_int_equal(carrier_waiting(&carrier), 2002);
    carrier_withdraw(&carrier, "R.1.1");
    assert_int_equal(carrier_waiting(&carrier), 2);
    carrier_end(&carrier, 0);
}
