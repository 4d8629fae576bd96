/* SPDX-License-Identifier: Apache-2.0
 *
 * host_notes.c - a session's notes, read and written whole.
 *
 * 1. The file is replaced by name: a reader sees all of what one writer wrote.
 * 2. A file that has not the form of notes is an error with its name, and is never read in part: a
 *    gate that cannot know what is wanted must not guess. */
#include "run/host_notes.h"

#include "base/hash.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "io/process/signals.h"

#include <string.h>

enum { NOTES_BYTES_MAX = 4 << 20, NAME_BYTES_MAX = 120, VERSION = 1 };

static const char *const state_words[HOST_STATE_COUNT] = {
    [HOST_RUNNING] = "running",
    [HOST_WAITING] = "waiting",
    [HOST_STOPPED] = "stopped",
    [HOST_OVER] = "over",
};

uint64_t host_sum(struct str text)
{
    uint64_t sum = hash_text(HASH_START, text);

    return sum ? sum : 1;
}

const char *host_notes_folder(const char *hone_dir, struct arena *arena)
{
    return arena_printf(arena, "%s/hosted", hone_dir);
}

const char *host_notes_name(struct str session, struct arena *arena)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_";
    bool plain = session.size > 0 && session.size <= NAME_BYTES_MAX;

    for (size_t i = 0; i < session.size && plain; i++) {
        plain = session.data[i] != '\0' && strchr(allowed, session.data[i]);
    }
    return plain ? arena_printf(arena, "%.*s.json", STR_ARG(session)) : "";
}

/* ---- reading ---- */

static const char *text_of(struct host_notes *notes, yyjson_val *object, const char *key)
{
    struct str text = json_str(object, key);

    return arena_cstr(&notes->arena, text.data ? text : STR(""));
}

static uint32_t number_of(yyjson_val *object, const char *key)
{
    uint64_t number = 0;

    return json_uint(object, key, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void read_wanted(struct host_notes *notes, yyjson_val *list)
{
    yyjson_arr_iter iter;
    yyjson_val *item;

    notes->wanted = arena_alloc(&notes->arena, (yyjson_arr_size(list) + 1) *
                                                   sizeof *notes->wanted);
    yyjson_arr_iter_init(list, &iter);
    while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
        notes->wanted[notes->wanted_count++] = (struct host_wanted){
            .job = number_of(item, "job"),
            .attempt = number_of(item, "attempt"),
            .role = text_of(notes, item, "role"),
            .output = text_of(notes, item, "output"),
            .file = text_of(notes, item, "file"),
            .writes = yyjson_get_bool(yyjson_obj_get(item, "writes")),
            .given = yyjson_get_bool(yyjson_obj_get(item, "given")),
            .plain = yyjson_get_bool(yyjson_obj_get(item, "plain")),
            .seen = yyjson_get_bool(yyjson_obj_get(item, "seen")),
            .back = number_of(item, "back"),
        };
    }
}

static struct host_agent *read_agents(struct host_notes *notes, yyjson_val *list, uint32_t *count)
{
    struct host_agent *agents = arena_alloc(&notes->arena, (yyjson_arr_size(list) + 1) *
                                                               sizeof *agents);
    yyjson_arr_iter iter;
    yyjson_val *item;

    *count = 0;
    yyjson_arr_iter_init(list, &iter);
    while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
        agents[(*count)++] = (struct host_agent){
            .id = text_of(notes, item, "id"), .role = text_of(notes, item, "role"),
            .closing = yyjson_get_bool(yyjson_obj_get(item, "closing")),
        };
    }
    return agents;
}

static bool read_root(struct host_notes *notes, yyjson_val *root)
{
    yyjson_val *seal = yyjson_obj_get(root, "seal");
    struct str state = json_str(root, "state");
    uint64_t owner = 0;
    uint32_t i = 0;

    while (i < HOST_STATE_COUNT && !str_is(state, state_words[i])) i++;
    if (number_of(root, "version") != VERSION || i == HOST_STATE_COUNT) return false;
    notes->state = (enum host_state)i;
    notes->session = text_of(notes, root, "session");
    notes->run = text_of(notes, root, "run");
    notes->dialect = text_of(notes, root, "dialect");
    notes->workspace = text_of(notes, root, "workspace");
    notes->phase = text_of(notes, root, "phase");
    notes->blocks = number_of(root, "blocks");
    (void)json_uint(root, "blocked_ms", &notes->blocked_ms);
    (void)json_uint(root, "clock_ms", &notes->clock.ms);
    (void)json_uint(root, "clock_up_ms", &notes->clock.up_ms);
    (void)json_uint(root, "clock_boot", &notes->clock.boot);
    notes->drifts = number_of(root, "drifts");
    notes->told = yyjson_get_bool(yyjson_obj_get(root, "told"));
    (void)json_uint(root, "owner", &owner);
    notes->owner = (long)owner;
    (void)json_uint(root, "state_sum", &notes->state_sum);
    (void)json_uint(root, "events", &notes->events);
    if (seal) {
        notes->seal.usable = json_uint(seal, "a", &notes->seal.sum[0]) &&
                             json_uint(seal, "b", &notes->seal.sum[1]);
        notes->seal.large = yyjson_get_bool(yyjson_obj_get(seal, "large"));
    }
    read_wanted(notes, yyjson_obj_get(root, "wanted"));
    notes->agents = read_agents(notes, yyjson_obj_get(root, "agents"), &notes->agent_count);
    notes->ended = read_agents(notes, yyjson_obj_get(root, "ended"), &notes->ended_count);
    notes->closed = number_of(root, "closed");
    notes->unclosable = yyjson_get_bool(yyjson_obj_get(root, "unclosable"));
    notes->rounds_told = number_of(root, "rounds_told");
    return true;
}

int host_notes_read(struct host_notes *out, const char *hone_dir, struct str session,
                    struct err *err)
{
    struct arena arena = { 0 };
    const char *name = host_notes_name(session, &arena);
    const char *folder = host_notes_folder(hone_dir, &arena);
    yyjson_doc *doc = NULL;
    struct buf text;
    int rc = *name ? 0 : err_set(err, ERR_MISSING, "no session has such a name");

    *out = (struct host_notes){ .state = HOST_OVER };
    buf_init(&text, NOTES_BYTES_MAX);
    if (rc == 0) rc = scratch_read(folder, name, &text, err);
    if (rc == 0) {
        rc = json_read(buf_str(&text), &doc, err);
        if (rc == 0 && !read_root(out, yyjson_doc_get_root(doc))) {
            rc = err_set(err, ERR_FORMAT, "these are not the notes of a session");
        }
        if (rc != 0) err_wrap(err, "%s/%s", folder, name);
    }
    yyjson_doc_free(doc);
    buf_release(&text);
    arena_release(&arena);
    if (rc != 0) host_notes_release(out);
    return rc;
}

static bool is_searched(const struct host_notes *notes, const struct host_search *search)
{
    if (notes->owner <= 0) return false;
    if (search->around_us) return host_is_ancestor(notes->owner);
    if (notes->state != HOST_RUNNING) return false;
    if (search->workspace && strcmp(notes->workspace, search->workspace) != 0) return false;
    if (search->run && strcmp(notes->run, search->run) != 0) return false;
    if (search->but_session && strcmp(notes->session, search->but_session) == 0) return false;
    return process_exists(notes->owner);
}

const char *host_run_at_work(const char *hone_dir, const struct host_search *search,
                             struct arena *arena)
{
    const char *const *names = folder_names(host_notes_folder(hone_dir, arena), "", arena);
    const char *run = NULL;

    for (; *names && !run; names++) {
        struct str session = str_of(*names);
        struct host_notes notes;
        struct err none;

        if (!str_ends(session, STR(".json"))) continue;
        session.size -= strlen(".json");
        if (host_notes_read(&notes, hone_dir, session, &none) != 0) continue;
        if (is_searched(&notes, search)) run = arena_cstr(arena, str_of(notes.run));
        host_notes_release(&notes);
    }
    return run;
}

/* ---- writing ---- */

static void put_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                     const char *text)
{
    yyjson_mut_obj_add_val(doc, object, key, json_text(doc, str_of(text)));
}

static yyjson_mut_val *wanted_value(yyjson_mut_doc *doc, const struct host_wanted *wanted)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_uint(doc, value, "job", wanted->job);
    yyjson_mut_obj_add_uint(doc, value, "attempt", wanted->attempt);
    put_text(doc, value, "role", wanted->role);
    put_text(doc, value, "output", wanted->output);
    put_text(doc, value, "file", wanted->file);
    yyjson_mut_obj_add_bool(doc, value, "writes", wanted->writes);
    yyjson_mut_obj_add_bool(doc, value, "given", wanted->given);
    yyjson_mut_obj_add_bool(doc, value, "plain", wanted->plain);
    yyjson_mut_obj_add_bool(doc, value, "seen", wanted->seen);
    yyjson_mut_obj_add_uint(doc, value, "back", wanted->back);
    return value;
}

static void put_agents(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                       const struct host_agent *agents, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *agent = yyjson_mut_obj(doc);

        put_text(doc, agent, "id", agents[i].id);
        put_text(doc, agent, "role", agents[i].role);
        yyjson_mut_obj_add_bool(doc, agent, "closing", agents[i].closing);
        yyjson_mut_arr_append(list, agent);
    }
    yyjson_mut_obj_add_val(doc, root, key, list);
}

static void put_lists(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct host_notes *notes)
{
    yyjson_mut_val *wanted = yyjson_mut_arr(doc);

    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        yyjson_mut_arr_append(wanted, wanted_value(doc, &notes->wanted[i]));
    }
    yyjson_mut_obj_add_val(doc, root, "wanted", wanted);
    put_agents(doc, root, "agents", notes->agents, notes->agent_count);
    put_agents(doc, root, "ended", notes->ended, notes->ended_count);
    yyjson_mut_obj_add_uint(doc, root, "closed", notes->closed);
    yyjson_mut_obj_add_bool(doc, root, "unclosable", notes->unclosable);
    yyjson_mut_obj_add_uint(doc, root, "rounds_told", notes->rounds_told);
}

int host_notes_write(const struct host_notes *notes, const char *hone_dir, struct err *err)
{
    struct arena arena = { 0 };
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc), *seal = yyjson_mut_obj(doc);
    struct buf text;
    int rc;

    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_add_uint(doc, root, "version", VERSION);
    put_text(doc, root, "session", notes->session);
    put_text(doc, root, "run", notes->run);
    put_text(doc, root, "dialect", notes->dialect);
    put_text(doc, root, "workspace", notes->workspace);
    put_text(doc, root, "phase", notes->phase);
    yyjson_mut_obj_add_str(doc, root, "state", state_words[notes->state]);
    yyjson_mut_obj_add_uint(doc, root, "blocks", notes->blocks);
    yyjson_mut_obj_add_uint(doc, root, "blocked_ms", notes->blocked_ms);
    yyjson_mut_obj_add_uint(doc, root, "clock_ms", notes->clock.ms);
    yyjson_mut_obj_add_uint(doc, root, "clock_up_ms", notes->clock.up_ms);
    yyjson_mut_obj_add_uint(doc, root, "clock_boot", notes->clock.boot);
    yyjson_mut_obj_add_uint(doc, root, "drifts", notes->drifts);
    yyjson_mut_obj_add_bool(doc, root, "told", notes->told);
    yyjson_mut_obj_add_uint(doc, root, "owner", (uint64_t)(notes->owner > 0 ? notes->owner : 0));
    yyjson_mut_obj_add_uint(doc, root, "state_sum", notes->state_sum);
    yyjson_mut_obj_add_uint(doc, root, "events", notes->events);
    if (notes->seal.usable) {
        yyjson_mut_obj_add_uint(doc, seal, "a", notes->seal.sum[0]);
        yyjson_mut_obj_add_uint(doc, seal, "b", notes->seal.sum[1]);
    }
    yyjson_mut_obj_add_bool(doc, seal, "large", notes->seal.large);
    yyjson_mut_obj_add_val(doc, root, "seal", seal);
    put_lists(doc, root, notes);
    buf_init(&text, NOTES_BYTES_MAX);
    json_write(doc, true, &text);
    rc = text.overflow ? err_set(err, ERR_LIMIT, "the notes of the session are too long")
                       : scratch_renew(host_notes_folder(hone_dir, &arena),
                                         host_notes_name(str_of(notes->session), &arena),
                                         buf_str(&text), err);
    buf_release(&text);
    yyjson_mut_doc_free(doc);
    arena_release(&arena);
    return rc;
}

void host_notes_release(struct host_notes *notes)
{
    arena_release(&notes->arena);
    *notes = (struct host_notes){ .state = HOST_OVER };
}

/* ---- another session ---- */

bool host_notes_inherit(const char *hone_dir, const char *run, struct str session,
                        struct arena *arena)
{
    const char *folder = host_notes_folder(hone_dir, arena);
    const char *const *names = folder_names(folder, "", arena);
    bool done = false;

    if (!*host_notes_name(session, arena)) return false;
    for (; *names && !done; names++) {
        struct str other = str_of(*names);
        struct host_notes notes;
        struct err none;

        if (!str_ends(other, STR(".json"))) continue;
        other.size -= strlen(".json");
        if (host_notes_read(&notes, hone_dir, other, &none) != 0) continue;
        if (strcmp(notes.run, run) == 0 && notes.state != HOST_OVER &&
            (notes.owner <= 0 || !process_exists(notes.owner)) &&
            file_remove_in(folder, *names, &none) == 0) {
            notes.session = arena_cstr(&notes.arena, session);
            host_agents_forget(&notes); /* they ended with their host */
            done = host_notes_write(&notes, hone_dir, &none) == 0;
        }
        host_notes_release(&notes);
    }
    return done;
}

/* ---- sub-agents ---- */

/* The list without an agent; true: it was there. */
static bool drop_agent(struct host_agent *agents, uint32_t *count, struct str id)
{
    uint32_t kept = 0, before = *count;

    for (uint32_t i = 0; i < before; i++) {
        if (!str_is(id, agents[i].id)) agents[kept++] = agents[i];
    }
    *count = kept;
    return kept < before;
}

/* The list with one more at its end; once. */
static struct host_agent *with_agent(struct host_notes *notes, struct host_agent *agents,
                                     uint32_t *count, struct host_agent agent)
{
    struct host_agent *grown;

    drop_agent(agents, count, str_of(agent.id));
    grown = arena_alloc(&notes->arena, (*count + 1) * sizeof *grown);
    for (uint32_t i = 0; i < *count; i++) grown[i] = agents[i];
    grown[(*count)++] = agent;
    return grown;
}

void host_agent_add(struct host_notes *notes, struct str id, struct str role)
{
    notes->agents = with_agent(notes, notes->agents, &notes->agent_count, (struct host_agent){
        .id = arena_cstr(&notes->arena, id), .role = arena_cstr(&notes->arena, role) });
}

void host_agent_end(struct host_notes *notes, struct str id, struct str role)
{
    host_agent_remove(notes, id);
    if (notes->unclosable || id.size == 0) return;
    notes->ended = with_agent(notes, notes->ended, &notes->ended_count, (struct host_agent){
        .id = arena_cstr(&notes->arena, id), .role = arena_cstr(&notes->arena, role) });
}

bool host_agent_close(struct host_notes *notes, struct str id)
{
    bool there = drop_agent(notes->ended, &notes->ended_count, id);

    notes->closed += there;
    return there;
}

void host_agents_tell(struct host_notes *notes, bool forget)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < notes->ended_count; i++) {
        if (forget && notes->ended[i].closing) continue;
        notes->ended[kept] = notes->ended[i];
        notes->ended[kept++].closing = true;
    }
    notes->ended_count = kept;
}

void host_agents_forget(struct host_notes *notes)
{
    notes->agent_count = notes->ended_count = notes->closed = 0;
}

struct host_agent *host_agent_find(const struct host_notes *notes, struct str id)
{
    for (uint32_t i = 0; i < notes->agent_count; i++) {
        if (str_is(id, notes->agents[i].id)) return &notes->agents[i];
    }
    return NULL;
}

/* Whether fewer of that role are noted behind this place than are wanted. */
static bool has_room(const struct host_notes *notes, uint32_t at)
{
    const char *role = notes->agents[at].role;
    uint32_t room = 0;

    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        room += strcmp(notes->wanted[i].role, role) == 0;
    }
    for (uint32_t i = at + 1; i < notes->agent_count && room > 0; i++) {
        room -= strcmp(notes->agents[i].role, role) == 0;
    }
    return room > 0;
}

void host_agents_trim(struct host_notes *notes)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < notes->agent_count; i++) {
        if (has_room(notes, i)) notes->agents[kept++] = notes->agents[i];
    }
    notes->agent_count = kept;
}

void host_agent_remove(struct host_notes *notes, struct str id)
{
    drop_agent(notes->agents, &notes->agent_count, id);
}
