/* SPDX-License-Identifier: MIT */
/* A build without processes has nothing to put a sandbox around: files of C are not compiled (no_program.c). */
#include "lib/base/left_out.h"
#include "lib/sandbox/sandbox.h"
#include <stdlib.h>

LEFT_OUT_GIVES(0, unsigned, peal_sandbox_parts, void);
LEFT_OUT_GIVES(0, unsigned, sandbox_program, int seconds, atomic_int *denied);
LEFT_OUT(sandbox_leave, void);
LEFT_OUT(sandbox_end, pid_t child);

char *
sandbox_denied(int number, char text[200])
{
    text[0] = '\0';
    return text;
}

LEFT_OUT_GIVES(0, uint64_t, sandbox_memory, pid_t child, bool own);
LEFT_OUT_GIVES(UINT64_MAX, uint64_t, sandbox_memory_limit, void);
LEFT_OUT(sandbox_close_others, const int *keep, int count);
LEFT_OUT_GIVES(fd, int, sandbox_hide, int fd);
