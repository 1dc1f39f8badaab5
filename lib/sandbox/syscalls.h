/* SPDX-License-Identifier: MIT */
/* The sandbox's seccomp filters around system calls. */
#ifndef LIB_SANDBOX_SYSCALLS_H
#define LIB_SANDBOX_SYSCALLS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Install a filter in this process, which is about to load an untrusted program; *denied as of sandbox_program.  False:
 * there is no filter. */
bool restrict_calls(atomic_int *denied);

#endif
