/* SPDX-License-Identifier: MIT */
/* In the browser, included before each file: what Emscripten's C library lacks of glibc's.  There are no system calls,
 * and one processor. */
#pragma once

#include <sched.h>
#include <stddef.h>
#include <sys/types.h>

/* Calls are not on the stack: the line of the running node's program, which lib/browser/program/linked_browser.c
 * knows. */
#define __builtin_return_address(level) program_line()
void *program_line(void);

enum {
    SYS_tgkill,
    SYS_futex,
    SYS_rt_sigprocmask,
    SYS_clone,
    SYS_pidfd_open,
    FUTEX_PRIVATE_FLAG = 128,
    _SC_LEVEL3_CACHE_SIZE = -1
};

long syscall(long number, ...); /* fails with ENOSYS */
void qsort_r(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *, void *), void *arg);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t bytes, const cpu_set_t *set);
