/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_wiring.c - settings of a host with any bytes: refused in one line, or changed so that twice
 * is once, out again gives the old bytes, and what is left is still JSON. */
#include "install/wiring.h"

#include "format/json/json.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char hooks[] =
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"hone hook\"}]}],"
    "\"PreToolUse\":[{\"matcher\":\"x\",\"hooks\":[{\"type\":\"command\",\"command\":\"y\"}]}]}}";

static const struct wiring wiring = { .plugin = "/opt/plugin", .command = "hone hook",
                                      .hooks = { hooks, sizeof hooks - 1 } };

static const struct {
    wiring_edit *merge, *strip;
} hosts[] = { { wiring_claude_merge, wiring_claude_strip },
              { wiring_codex_merge, wiring_codex_strip } };

static struct str edit(wiring_edit *how, struct str text, struct arena *arena, bool *done)
{
    struct err err = { 0 };
    struct str kept = { "", 0 };
    struct buf out;
    int rc;

    buf_init(&out, WIRING_BYTES_MAX);
    rc = how(&wiring, text, &out, &err);
    assert(rc == 0 || (rc == ERR_USAGE && err.text[0] && out.size == 0));
    if (rc == 0) kept = arena_copy(arena, buf_str(&out));
    *done = rc == 0;
    buf_release(&out);
    return kept;
}

static void check_json(struct str text)
{
    struct err err;

    assert(str_trim(text).size == 0 || wiring_check_object(text, &err) == 0);
}

static void check_host(uint32_t host, struct str text, struct arena *arena)
{
    struct str once, bare, again;
    struct err err;
    struct buf out;
    bool done, gone;

    once = edit(hosts[host].merge, text, arena, &done);
    if (!done) return;
    check_json(once);
    again = edit(hosts[host].merge, once, arena, &done);
    assert(done && str_eq(again, once));
    bare = edit(hosts[host].strip, text, arena, &done);
    assert(done);
    check_json(bare);
    again = edit(hosts[host].strip, bare, arena, &done);
    assert(done && str_eq(again, bare));
    if (!str_eq(bare, text)) return; /* something of ours was in it before */
    buf_init(&out, WIRING_BYTES_MAX);
    assert(wiring_unmerge(&wiring, hosts[host].merge, hosts[host].strip, once, &text, &out, &gone,
                          &err) == 0);
    assert(!gone && str_eq(buf_str(&out), text));
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };
    struct buf out;

    for (uint32_t i = 0; i < sizeof hosts / sizeof *hosts; i++) check_host(i, text, &arena);
    buf_init(&out, WIRING_BYTES_MAX);
    wiring_claude_forget(text, &out);
    buf_clear(&out);
    (void)wiring_agent_toml(text, &out, &(struct err){ 0 });
    buf_release(&out);
    arena_release(&arena);
    return 0;
}
