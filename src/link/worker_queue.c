/* SPDX-License-Identifier: Apache-2.0
 *
 * worker_queue.c - jobs of the pool: as many are asked for as the worker can take.
 *
 *     free 3 --> pull (3, for PULL_MS) --job--> offered (2 left)
 *                  |
 *                  | the server says that it is over, or says nothing for PULL_LATE_MS longer
 *                  v
 *                (none): what was left of it is asked for anew
 *
 * 1. No more is asked for than the worker has room for: wanted, what is left of all pulls, is at
 *    most free. A pull that was given up may be answered all the same: such a job goes back.
 * 2. A pool that no driver has made yet answers nothing. Then a pull is short, and one follows the
 *    other.
 * 3. A job that this worker skipped, or has no room for, goes back to the queue: another worker may
 *    have it. One that was skipped comes back after a pause, else it would come at once. Its driver
 *    is told who skipped it each time that it came (carried.c, 9).
 * 4. A job that is no object, or does not fit into a line, cannot be said to the worker: it goes
 *    back like one that was skipped, and holds no slot.
 * 5. The lease is the driver's: a job says it, and it holds for its run (worker_runs.c).
 *
 * Not here: what becomes of a job that was offered (carry/held.c). */
#include "link/worker.h"

#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PULL_MS = 10000, PULL_FIRST_MS = 1000, PULL_AGAIN_MS = 250, PULL_LATE_MS = 500,
    JOB_BYTES_MAX = FLEET_LINE_BYTES_MAX - 1024, /* the rest of its line */
};

/* ---- pulls: what was asked for ---- */

static void pull_end(struct pulls *pulls, struct pull *pull)
{
    pulls->wanted -= pull->left;
    *pull = pulls->list[--pulls->count];
}

/* The server says that no job comes of it any more. */
static void pulls_over(struct pulls *pulls, uint64_t number)
{
    for (uint32_t i = 0; i < pulls->count; i++) {
        if (pulls->list[i].number != number) continue;
        pull_end(pulls, &pulls->list[i]);
        return;
    }
}

/* A job came. Which pull it is of is not known, and does not matter. */
static void pulls_job(struct pulls *pulls)
{
    struct pull *pull = &pulls->list[0];

    if (pulls->count == 0) return;
    pull->left--;
    pulls->wanted--;
    if (pull->left == 0) pull_end(pulls, pull);
}

/* A pull that nothing was heard of, not even that it is over. */
static void pulls_expire(struct pulls *pulls, uint64_t now_ms)
{
    for (uint32_t i = pulls->count; i-- > 0;) {
        if (now_ms <= pulls->list[i].until_ms) continue;
        pulls->pool_is_there = false;
        pull_end(pulls, &pulls->list[i]);
    }
}

/* How many are to be asked for now. */
static uint32_t pulls_due(const struct pulls *pulls, uint64_t now_ms)
{
    if (pulls->count == PULLS_MAX || now_ms < pulls->next_ms) return 0;
    return pulls->free > pulls->wanted ? pulls->free - pulls->wanted : 0;
}

static uint64_t pulls_wait_ms(const struct pulls *pulls)
{
    return pulls->pool_is_there ? PULL_MS : PULL_FIRST_MS;
}

static void pulls_asked(struct pulls *pulls, uint32_t more, uint64_t now_ms)
{
    pulls->list[pulls->count++] = (struct pull){
        .number = pulls->numbers, .left = more,
        .until_ms = now_ms + pulls_wait_ms(pulls) + PULL_LATE_MS,
    };
    pulls->wanted += more;
}

void queue_free(struct worker *worker, uint32_t n)
{
    worker->pulls.free += n > HELD_MAX ? HELD_MAX : n;
    queue_more(worker, uptime_ms());
}

void queue_more(struct worker *worker, uint64_t now_ms)
{
    struct pulls *pulls = &worker->pulls;
    char subject[SUBJECT_BYTES_MAX], reply[SUBJECT_BYTES_MAX], text[96];
    uint32_t more;

    pulls_expire(pulls, now_ms);
    more = pulls_due(pulls, now_ms);
    if (more == 0 || worker->ending || !bus_is_there(worker->bus)) return;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.%s", worker->pool);
    snprintf(reply, sizeof reply, "%s.p.%u", bus_inbox(worker->bus), ++pulls->numbers);
    snprintf(text, sizeof text, "{\"batch\":%u,\"expires\":%" PRIu64 "}", more,
             pulls_wait_ms(pulls) * 1000000);
    if (bus_say(worker->bus, subject, reply, str_of(text), NULL, 0)) {
        pulls_asked(pulls, more, now_ms);
    }
}

/* The server is there again: it knows of no pull. */
void queue_back(struct worker *worker)
{
    struct pulls *pulls = &worker->pulls;

    *pulls = (struct pulls){ .numbers = pulls->numbers, .free = pulls->free };
}

/* ---- answers to the queue ---- */

static void queue_say(struct worker *worker, const char *ack, const char *word)
{
    if (ack[0]) bus_say(worker->bus, ack, NULL, str_of(word), NULL, 0);
}

/* Asked until the server has it: a job that is not acknowledged is handed out again. */
void queue_ack(struct worker *worker, const struct held *held)
{
    if (!held->ack[0]) return;
    bus_ask(worker->bus, &(struct question){
        .subject = held->ack, .data = STR("+ACK"), .patience_ms = 4 * held->at.lease_ms,
    });
}

void queue_give_back(struct worker *worker, const char *ack, uint64_t pause_ms)
{
    char word[64];

    snprintf(word, sizeof word, "-NAK {\"delay\":%" PRIu64 "}", pause_ms * 1000000);
    queue_say(worker, ack, pause_ms > 0 ? word : "-NAK");
}

void queue_is_at_it(struct worker *worker, const struct held *held)
{
    queue_say(worker, held->ack, "+WPI");
}

/* ---- jobs ---- */

static void skip_tell(struct worker *worker, const struct skip *skip)
{
    char subject[SUBJECT_BYTES_MAX], name[FLEET_NAME_BYTES_MAX + 32];
    const struct bus_header headers[] = {
        { "Hone-Skip", skip->why }, { "Hone-Missing", skip->missing ? "1" : "0" },
        { "Hone-Worker", name },
    };

    snprintf(subject, sizeof subject, "hone.log.%s", skip->key);
    snprintf(name, sizeof name, "%s %" PRIu64, worker->id, worker->since_ms);
    bus_say(worker->bus, subject, NULL, (struct str){ 0 }, headers, 3);
}

const struct skip *queue_skipped(struct worker *worker, const struct skip *skip)
{
    struct skip *kept = &worker->skipped[worker->skipped_count++ % SKIPPED_KEPT];

    *kept = *skip;
    kept->at_ms = uptime_ms();
    skip_tell(worker, kept);
    return kept;
}

/* NULL: it was not skipped, or long ago. */
static const struct skip *skip_find(const struct worker *worker, struct str key)
{
    for (uint32_t i = 0; i < SKIPPED_KEPT; i++) {
        if (str_is(key, worker->skipped[i].key)) return &worker->skipped[i];
    }
    return NULL;
}

/* Invariant 4. */
static bool job_can_be_said(struct str job)
{
    yyjson_doc *doc = job.size <= JOB_BYTES_MAX ? yyjson_read(job.data, job.size, 0) : NULL;
    bool can = yyjson_is_obj(yyjson_doc_get_root(doc));

    yyjson_doc_free(doc);
    return can;
}

static void job_offer(struct worker *worker, struct str key, const struct bus_message *message)
{
    uint64_t lease_ms = bus_header_number(message, "Hone-Lease");
    const struct skip *skip = skip_find(worker, key);
    struct held *held;

    if (lease_ms < FLEET_LEASE_MS_MIN || lease_ms > FLEET_LEASE_MS_MAX) lease_ms = 0;
    if (skip) skip_tell(worker, skip);
    if (!skip && !job_can_be_said(message->data)) {
        struct skip none = { .why = "it is no job, or too large" };

        loop_tell("the job %.*s is none, or too large: it is left in the queue", STR_ARG(key));
        snprintf(none.key, sizeof none.key, "%.*s", STR_ARG(key));
        skip = queue_skipped(worker, &none);
    }
    if (skip) {
        queue_give_back(worker, message->reply, (lease_ms ? lease_ms : worker->own_lease_ms) / 3);
        return;
    }
    if (worker->pulls.free == 0 || worker->held_count >= HELD_MAX || worker->ending) {
        queue_give_back(worker, message->reply, 0);
        return;
    }
    worker->pulls.free--;
    runs_use(worker, key, lease_ms);
    held = held_new(worker, key, HELD_OFFERED);
    runs_beat(worker);
    snprintf(held->ack, sizeof held->ack, "%s", message->reply);
    (void)fleet_line_role(message->data, held->role);
    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_JOB, .k = key, .job = message->data, .lease_ms = held->at.lease_ms,
    });
}

static void job_came(struct worker *worker, const struct bus_message *message)
{
    struct str key = str_skip(str_of(message->subject), strlen("hone.job.")), pool;
    struct held *held;

    pulls_job(&worker->pulls);
    if (!str_cut(&key, '.', &pool) || !message->reply || !fleet_key_is(key)) return;
    held = held_find(worker, key);
    if (!held) {
        job_offer(worker, key, message);
        return;
    }
    snprintf(held->ack, sizeof held->ack, "%s", message->reply);
    held_happens(worker, held, (struct held_event){ .kind = HELD_OFFERED_AGAIN });
}

/* A job comes under its own subject: under ours comes only how it is with a pull. */
void queue_pulled(void *owner, const struct bus_message *message)
{
    struct worker *worker = owner;
    const char *place = strrchr(message->subject, '.');
    const char *status = bus_header(message, "Status");
    uint64_t number = 0;

    worker->pulls.pool_is_there = true;
    if (!status) {
        job_came(worker, message);
        return;
    }
    if (place) (void)str_number(str_of(place + 1), &number);
    pulls_over(&worker->pulls, number);
    if (strcmp(status, "408") != 0) worker->pulls.next_ms = uptime_ms() + PULL_AGAIN_MS;
}
