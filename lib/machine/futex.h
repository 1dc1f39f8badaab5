/* SPDX-License-Identifier: MIT */
/* Sleeping on a word of memory, and waking its sleepers. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#if PEAL_THREADS
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

/* Sleep while *word is `value`, at most `nanoseconds` (0: for ever). */
static inline void
futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds)
{
#if PEAL_THREADS
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
#else /* nobody else can change it */
    (void)word, (void)value, (void)nanoseconds;
#endif
}

static inline void
futex_wake(_Atomic uint32_t *word, int count)
{
#if PEAL_THREADS
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#else
    (void)word, (void)count;
#endif
}
