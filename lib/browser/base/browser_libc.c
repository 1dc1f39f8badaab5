/* SPDX-License-Identifier: MIT */
/* In the browser: what Emscripten's C library lacks of glibc's. */
#include "lib/base/browser_libc.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

long
syscall(long number, ...)
{
    (void)number;
    errno = ENOSYS;
    return -1;
}

ssize_t
getrandom(void *bytes, size_t count, unsigned int flags)
{
    (void)flags;
    return getentropy(bytes, count) == 0 ? (ssize_t)count : -1;
}

int
pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t bytes, const cpu_set_t *set)
{
    (void)attributes, (void)bytes, (void)set;
    return ENOSYS;
}

/* ------------------------------------------------------------------ one processor, no other process */

int
sched_getcpu(void)
{
    return 0;
}

int
sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    (void)process, (void)bytes, (void)set;
    errno = ENOSYS;
    return -1;
}

int
__sched_cpucount(size_t bytes, const cpu_set_t *set)
{
    const unsigned char *byte = (const unsigned char *)set;
    int count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += __builtin_popcount(byte[i]);
    return count;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock);

int
pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    (void)thread, (void)clock;
    return ENOSYS;
}

int
posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
    (void)process, (void)file, (void)actions, (void)attributes, (void)words, (void)environment;
    return ENOSYS;
}

pid_t
wait4(pid_t process, int *status, int options, struct rusage *used)
{
    (void)process, (void)status, (void)options, (void)used;
    errno = ECHILD;
    return -1;
}

ssize_t
process_vm_readv(pid_t process, const struct iovec *to, unsigned long pieces, const struct iovec *from,
                 unsigned long from_pieces, unsigned long flags)
{
    (void)process, (void)to, (void)pieces, (void)from, (void)from_pieces, (void)flags;
    errno = ENOSYS;
    return -1;
}

int
prctl(int option, ...)
{
    (void)option;
    errno = ENOSYS;
    return -1;
}

ssize_t
tee(int from, int to, size_t bytes, unsigned flags)
{
    (void)from, (void)to, (void)bytes, (void)flags;
    errno = EINVAL;
    return -1;
}

/* ------------------------------------------------------------------ memory and sorting */

int
madvise(void *memory, size_t bytes, int advice)
{
    (void)memory, (void)bytes, (void)advice;
    errno = ENOSYS;
    return -1;
}

int
memfd_create(const char *name, unsigned flags)
{
    static int count;
    char path[64];

    (void)flags; /* it stays until the module ends */
    snprintf(path, sizeof path, "/tmp/%.32s-%d", name, count++);
    return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

void *
reallocarray(void *memory, size_t count, size_t bytes)
{
    if (__builtin_mul_overflow(count, bytes, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, bytes);
}

/* The order of the sorts that run; one may begin another in its comparison. */
static struct sort_order {
    int (*compare)(const void *, const void *, void *);
    void *arg;
} order;

static int
compare_by_order(const void *a, const void *b)
{
    return order.compare(a, b, order.arg);
}

void
qsort_r(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *, void *), void *arg)
{
    struct sort_order outer = order;

    order = (struct sort_order){compare, arg};
    qsort(base, count, bytes, compare_by_order);
    order = outer;
}
