/* SPDX-License-Identifier: MIT */
/* Each descriptor has a duplicate above all numbers that the program may use itself: loops that close all possible
 * descriptors end before it.  A call that closes all open descriptors (close_range) closes the duplicates, too. */
#include "lib/child/box.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX = 64, HIGH = 1 << 16 /* the kernel's table of descriptors reaches this far */ };

static int copies[MAX]; /* of each descriptor; -1: it was not open */

enum { DESCRIPTORS, FILE_SIZE };
static const __rlimit_resource_t kinds[] = {[DESCRIPTORS] = RLIMIT_NOFILE,
                                            [FILE_SIZE] = RLIMIT_FSIZE,
                                            RLIMIT_AS,
                                            RLIMIT_DATA,
                                            RLIMIT_STACK,
                                            RLIMIT_NPROC,
                                            RLIMIT_MEMLOCK};
enum { KINDS = sizeof kinds / sizeof *kinds };
static struct rlimit limits[KINDS];

void
saved_fds_keep(void)
{
    for (int i = 0; i < KINDS; i++)
        getrlimit(kinds[i], &limits[i]);
    struct rlimit all = {limits[DESCRIPTORS].rlim_max, limits[DESCRIPTORS].rlim_max};
    rlim_t above = limits[DESCRIPTORS].rlim_cur; /* where the program's numbers end */

    if (above > HIGH || above + MAX > all.rlim_max)
        above = all.rlim_max < 2 * MAX ? MAX : (all.rlim_max < HIGH ? all.rlim_max : HIGH) - MAX;
    setrlimit(RLIMIT_NOFILE, &all);
    for (int file = 0; file < MAX; file++)
        copies[file] = fcntl(file, F_DUPFD_CLOEXEC, (int)above);
    setrlimit(RLIMIT_NOFILE, &limits[DESCRIPTORS]);
}

/* Whether a report still has a descriptor, memory and space in files, after a limit was lowered for good. */
static bool
limits_suffice(void)
{
    enum { MEMORY = 4 << 20, FILE_BYTES = 1 << 20 };
    struct rlimit files;
    int another = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    bool numbered = another >= 0 || errno == EBADF;
    void *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool writes = getrlimit(RLIMIT_FSIZE, &files) != 0 || files.rlim_cur >= FILE_BYTES ||
                  files.rlim_cur >= limits[FILE_SIZE].rlim_cur;

    if (another >= 0)
        close(another);
    if (memory != MAP_FAILED)
        munmap(memory, MEMORY);
    return numbered && memory != MAP_FAILED && writes;
}

enum saved_fds_state
saved_fds_restore(void)
{
    bool all = true, lowered = false;

    for (int i = 0; i < KINDS; i++) {
        struct rlimit now, soft = limits[i];

        if (setrlimit(kinds[i], &limits[i]) == 0 || getrlimit(kinds[i], &now) != 0)
            continue;
        lowered |= now.rlim_max < limits[i].rlim_max;
        soft.rlim_max = now.rlim_max; /* which nobody but root may raise */
        if (soft.rlim_cur > soft.rlim_max)
            soft.rlim_cur = soft.rlim_max;
        setrlimit(kinds[i], &soft);
    }
    for (int file = 0; file < MAX; file++)
        if (copies[file] >= 0 && fcntl(file, F_GETFD) < 0)
            all &= dup2(copies[file], file) == file;
    return !all ? SAVED_FDS_CLOSED : !lowered || limits_suffice() ? SAVED_FDS_RESTORED : SAVED_FDS_LIMITED;
}
