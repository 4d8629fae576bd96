/* SPDX-License-Identifier: Apache-2.0
 *
 * courier.c - processes that carry deliveries: `hone deliver`.
 *
 * A courier has a session of its own, three descriptors and what it carries: it holds no lock, no
 * terminal and no pipe of the run. It has an end of its own (deliver.c), also where it was left. */
#include "observe/courier.h"

#include "io/file/file.h"
#include "io/process/program.h"
#include "io/process/spawn.h"

int courier_send(struct couriers *couriers, const struct delivery *delivery, const char *what,
                 const char *const *env, struct err *err)
{
    const char *const argv[] = { program_self(), "deliver", NULL };
    struct courier *courier = &couriers->items[couriers->count];
    struct buf text;
    int rc;

    if (couriers->count == COURIERS_MAX) {
        return err_set(err, ERR_LIMIT, "too many are on their way");
    }
    buf_init(&text, DELIVER_BYTES_MAX);
    delivery_write(delivery, &text);
    *courier = (struct courier){ .what = what };
    rc = text.overflow ? err_set(err, ERR_LIMIT, "it is too long") : 0;
    if (rc == 0) {
        rc = background_start(&courier->process, &(struct background_program){
            .argv = argv, .env = env, .cwd = "/", .input = buf_str(&text) }, err);
    }
    if (rc == 0) couriers->count++;
    buf_release(&text);
    return rc;
}

uint32_t couriers_look(struct couriers *couriers, courier_problem *problem, void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < couriers->count; i++) {
        struct courier *courier = &couriers->items[i];
        int status;

        if (!background_look(&courier->process, &status)) {
            couriers->items[kept++] = *courier;
            continue;
        }
        if (status != 0) {
            struct str said = str_trim(buf_str(&courier->process.out));
            struct arena arena = { 0 };

            problem(context, courier->what,
                    said.size ? arena_cstr(&arena, str_last_line(said)) : "it took too long");
            arena_release(&arena);
        }
        background_leave(&courier->process);
    }
    couriers->count = kept;
    return kept;
}

void couriers_leave(struct couriers *couriers, uint64_t wait_ms, courier_problem *problem,
                    void *context)
{
    uint64_t until_ms = now_steady_ms() + wait_ms;

    while (couriers_look(couriers, problem, context) > 0 && now_steady_ms() < until_ms) {
        pause_ms(LOOK_EVERY_MS);
    }
    for (uint32_t i = 0; i < couriers->count; i++) background_leave(&couriers->items[i].process);
    couriers->count = 0;
}
