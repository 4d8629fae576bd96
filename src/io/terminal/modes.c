/* SPDX-License-Identifier: Apache-2.0 */
#include "io/terminal/modes.h"

#include <string.h>
#include <unistd.h>

static bool is_same(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

bool modes_may_set(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void modes_put_back(const struct modes *modes, int fd)
{
    struct termios now;

    if (tcgetattr(fd, &now) == 0 && is_same(&now, &modes->ours)) {
        (void)tcsetattr(fd, TCSANOW, &modes->found);
    }
}
