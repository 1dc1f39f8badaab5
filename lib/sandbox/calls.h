/* SPDX-License-Identifier: MIT */
/* The fence around system calls: seccomp filters. */
#ifndef LIB_SANDBOX_CALLS_H
#define LIB_SANDBOX_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Put it up around this process, which is about to load a stranger's program; *denied as of sandbox_program.  False: there is none. */
bool calls_fence(atomic_int *denied);

#endif
