/* SPDX-License-Identifier: MIT */
/* Lets one allocation of memory, address space or a thread fail, the n-th of Peal's own code: preloaded by memory.py.
 *
 *   PEAL_TEST_FAIL=N     the number of that call, from 1; 0: none
 *   PEAL_TEST_COUNT=FILE at its end each process appends a line with the number of calls it has seen */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_RANGES = 64 };

static struct range {
    uintptr_t first, last;
    bool peal;
} ranges[MAX_RANGES];
static _Atomic int range_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long calls;
static long failing = -1;

/* Note the object that has the address. */
static int
look_at(struct dl_phdr_info *info, size_t bytes, void *address)
{
    uintptr_t first = UINTPTR_MAX, last = 0, at = *(uintptr_t *)address;
    const char *name = strrchr(info->dlpi_name, '/') ? strrchr(info->dlpi_name, '/') + 1 : info->dlpi_name;

    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

            first = begin < first ? begin : first;
            last = begin + info->dlpi_phdr[i].p_memsz > last ? begin + info->dlpi_phdr[i].p_memsz : last;
        }
    if (at < first || at >= last || range_count == MAX_RANGES)
        return 0;
    /* The command has no name; the program's own calls are not Peal's. */
    ranges[range_count] = (struct range){first, last, !*name || strncmp(name, "libpeal", 7) == 0};
    atomic_fetch_add(&range_count, 1);
    return 1;
}

static bool
is_peals(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < range_count; i++)
            if (at >= ranges[i].first && at < ranges[i].last)
                return ranges[i].peal;
        if (turn == 0) {
            pthread_mutex_lock(&lock);
            dl_iterate_phdr(look_at, &at);
            pthread_mutex_unlock(&lock);
        }
    }
    return false;
}

/* Whether this call is the one that fails. */
static bool
fails(const void *caller)
{
    return failing >= 0 && is_peals(caller) && atomic_fetch_add(&calls, 1) + 1 == failing;
}

__attribute__((constructor)) static void
begin(void)
{
    const char *word = getenv("PEAL_TEST_FAIL");

    failing = word ? atol(word) : -1;
}

__attribute__((destructor)) static void
end(void)
{
    const char *name = getenv("PEAL_TEST_COUNT");
    char line[32];
    int file = name ? open(name, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;

    if (file >= 0 && write(file, line, (size_t)snprintf(line, sizeof line, "%ld\n", atomic_load(&calls))) > 0)
        close(file);
}

#define REAL(type, name, parameters, arguments, failure)                                                               \
    type name parameters                                                                                               \
    {                                                                                                                  \
        static type(*real) parameters;                                                                                 \
                                                                                                                       \
        if (!real)                                                                                                     \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        if (fails(__builtin_return_address(0))) {                                                                      \
            errno = ENOMEM;                                                                                            \
            return failure;                                                                                            \
        }                                                                                                              \
        return real arguments;                                                                                         \
    }

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

/* dlsym may call these. */
void *
malloc(size_t bytes)
{
    if (!fails(__builtin_return_address(0)))
        return __libc_malloc(bytes);
    errno = ENOMEM;
    return NULL;
}

void *
calloc(size_t count, size_t bytes)
{
    if (!fails(__builtin_return_address(0)))
        return __libc_calloc(count, bytes);
    errno = ENOMEM;
    return NULL;
}

REAL(void *, realloc, (void *old, size_t bytes), (old, bytes), NULL)
REAL(void *, reallocarray, (void *old, size_t count, size_t bytes), (old, count, bytes), NULL)
REAL(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes), NULL)
REAL(char *, strdup, (const char *text), (text), NULL)
REAL(char *, strndup, (const char *text, size_t most), (text, most), NULL)
REAL(FILE *, open_memstream, (char **text, size_t *bytes), (text, bytes), NULL)
/* The system's header calls it mmap64, as in Peal. */
REAL(void *, mmap, (void *at, size_t bytes, int protection, int flags, int file, off_t offset),
     (at, bytes, protection, flags, file, offset), MAP_FAILED)
REAL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1)
REAL(int, pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg),
     (thread, attributes, start, arg), EAGAIN)
