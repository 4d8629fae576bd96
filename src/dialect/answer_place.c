/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/answer_place.h"

#include "dialect/quote.h"

enum { PATH_BYTES_MAX = 4096 };

void answer_place_write(const struct run_view *run, const char *path, const char *what,
                        struct buf *out)
{
    if (!path) {
        buf_printf(out, "End with %s as your last message, whole, and with nothing else in that"
                        " message.\n", what);
        return;
    }
    buf_printf(out, "Write %s to the file\n`", what);
    quote_line(out, run->fence, str_of(run->workspace), PATH_BYTES_MAX);
    buf_byte(out, '/');
    quote_line(out, run->fence, str_of(path), PATH_BYTES_MAX);
    buf_text(out, "`\nwith one shell command (Bash) of exactly this form, and nothing before or"
                  " behind it:\n\n    cat > FILE <<'END_OF_ANSWER'\n    ...\n    END_OF_ANSWER\n\n"
                  "That file is your answer; what you say at the end is not read.\n");
}

bool answer_place_is_left(const struct run_view *run, const struct job *job)
{
    bool asked_now = job->state == JOB_RUNNING && job->started_ms == run->engine->now_ms;

    return view_is_hosted(run) && !asked_now;
}
