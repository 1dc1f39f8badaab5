/* SPDX-License-Identifier: MIT */
/* Estimates the memory of a machine, and reads what the system has left.  Where /proc is not mounted, or a limit cannot
 * be read, there is no estimate. */
#include "lib/machine/room.h"
#include "lib/machine/host.h"
#include "lib/machine/host_limits.h"
#include "lib/machine/sanitize.h"
#include <peal/observe.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Measured (bench/HISTORY.md): what a process takes before its first node; what each node takes of its own, the
 * pages of its stack that it touches among it; a request; a recorded transfer. */
enum {
    PROCESS_BYTES = 4 << 20,
    FIBER_BYTES = 5600,
    PACKED_BYTES = 1600,
    THREAD_BYTES = 56 << 10,
    REQUEST_BYTES = 150,
    TRANSFER_BYTES = 22,
};

/* Addresses: of each stack; those that the C library reserves for a process and its threads. */
enum { FIBER_STACK = 64 << 10, THREAD_STACK = 8 << 20, BESIDE_STACK = 96 << 10, RESERVED_BYTES = 32 << 20 };

/* A block of so much is given back when it is freed, where addresses are limited. */
enum { LARGE_BLOCK = 1 << 20 };

/* A machine of fewer nodes is not checked: it takes less memory than the check. */
enum { MANY_NODES = 1024 };

uint64_t
room_add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t
room_times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* ------------------------------------------------------------------ what is left */

/* The number after `name` in a file of lines "name number kB"; -1 if it is not there. */
static int64_t
room_read_field(const char *path, const char *name)
{
    char line[200];
    long long number = -1;
    size_t length = strlen(name);
    FILE *in = limits_open(path);

    while (in && number < 0 && fgets(line, sizeof line, in))
        if (strncmp(line, name, length) == 0 && sscanf(line + length, "%lld", &number) != 1)
            number = -1;
    if (in)
        fclose(in);
    return number;
}

static void
take_less(struct room *room, uint64_t bytes, const char *limit)
{
    if (bytes >= room->bytes)
        return;
    room->bytes = bytes;
    room->bytes_limit = limit;
}

/* The room that a control group and those above it leave: their limit less what they use, but for files that can be
 * read again.  With version 1 the limit has another name. */
static void
look_at_group(const char *folder, bool old, void *arg)
{
    struct room *room = arg;
    char path[LIMITS_PATH + 32];

    snprintf(path, sizeof path, "%s/%s", folder, old ? "memory.limit_in_bytes" : "memory.max");
    int64_t limit = limits_number(path);

    if (limit < 0 || limit > INT64_MAX / 2) /* version 1 writes a large number for none */
        return;
    snprintf(path, sizeof path, "%s/%s", folder, old ? "memory.usage_in_bytes" : "memory.current");
    int64_t used = limits_number(path);

    snprintf(path, sizeof path, "%s/memory.stat", folder);
    int64_t files = room_read_field(path, old ? "total_inactive_file " : "inactive_file ");

    used -= files > 0 && files < used ? files : 0;
    take_less(room, limit > used ? (uint64_t)(limit - (used > 0 ? used : 0)) : 0,
              old ? "the control group's memory.limit_in_bytes" : "the control group's memory.max");
}

uint64_t
room_addresses(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    int64_t pages = limits_number("/proc/self/statm");
    uint64_t used = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;

    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

void
room_share_heap(bool one_runs)
{
#ifdef __GLIBC__
    bool limited = room_addresses() != UINT64_MAX;

    if (limited || one_runs)
        mallopt(M_ARENA_MAX, 1);
    if (limited)
        mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
#else
    (void)one_runs;
#endif
}

struct room
room_left(void)
{
    struct room left = {.bytes = UINT64_MAX, .addresses = room_addresses()};
    int64_t available = room_read_field("/proc/meminfo", "MemAvailable:");

    if (available >= 0)
        take_less(&left, (uint64_t)available << 10, "MemAvailable");
    limits_groups("memory", look_at_group, &left);
    if (left.addresses != UINT64_MAX)
        left.addresses_limit = "`ulimit -v`";
    return left;
}

struct room
room_left_for(const struct room *needed)
{
    struct room left = room_left();

#ifdef __GLIBC__
    if ((needed->bytes > left.bytes || needed->addresses > left.addresses) && malloc_trim(0))
        left = room_left();
#else
    (void)needed;
#endif
    return left;
}

void
room_keep_freed(void)
{
#ifdef __GLIBC__
    if (room_addresses() != UINT64_MAX)
        return;
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

/* ------------------------------------------------------------------ what is needed */

int peal_packed_from = 1 << 16; /* fewer have their pages soon enough */

bool
room_packs(const struct peal_options *options, const char *engine)
{
    return strcmp(engine, "fibers") == 0 && options->nodes >= peal_packed_from &&
           (options->carriers == PEAL_CARRIERS_AUTO || options->carriers == 1) && !ADDRESS_SANITIZER &&
           !THREAD_SANITIZER;
}

struct room
room_of_machine(const struct peal_options *options, const char *engine, bool apart, uint64_t transfers,
                uint64_t requests)
{
    bool threads = strcmp(engine, "threads") == 0, packed = apart && room_packs(options, engine);
    uint64_t each = threads ? THREAD_BYTES : packed ? PACKED_BYTES : FIBER_BYTES;
    uint64_t nodes = (uint64_t)options->nodes, stack = options->stack_bytes;
    uint64_t recorded = options->rounds == PEAL_ROUNDS_NONE ? 0 : room_times(transfers, TRANSFER_BYTES);
    uint64_t tables = room_add(recorded, room_times(requests, REQUEST_BYTES));
    struct room room = {.bytes = room_add(PROCESS_BYTES, room_add(tables, nodes * each))};

    if (packed)
        stack = each;
    else if (stack == 0)
        stack = threads ? THREAD_STACK : FIBER_STACK;
    room.addresses = room_add(room_times(nodes, stack + (threads ? BESIDE_STACK : 0)), RESERVED_BYTES);
    room.addresses = room_add(room.addresses, tables);
    return room;
}

bool
room_lacks(const struct room *needed, const struct room *left, const char **limit, uint64_t *takes, uint64_t *remains)
{
    bool bytes = needed->bytes > left->bytes, addresses = needed->addresses > left->addresses;

    if (!bytes && !addresses)
        return false;
    bytes = bytes && (!addresses || left->bytes <= left->addresses);
    *limit = bytes ? left->bytes_limit : left->addresses_limit;
    *takes = bytes ? needed->bytes : needed->addresses;
    *remains = bytes ? left->bytes : left->addresses;
    return true;
}

char *
room_text(uint64_t bytes, char text[ROOM_TEXT])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double number = (double)bytes / 1000;
    size_t unit = 0;

    for (; number >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1000;
    snprintf(text, ROOM_TEXT, "%.3g %s", number, units[unit]);
    return text;
}

enum peal_status
room_for_machine(const struct peal_options *options, const char *engine, bool apart, bool fibers,
                 struct peal_error *error)
{
    const char *limit;
    uint64_t takes, remains;
    char needed_text[ROOM_TEXT], left_text[ROOM_TEXT];

    if (options->nodes < MANY_NODES || strcmp(engine, "mpi") == 0 || !PEAL_THREADS)
        return PEAL_OK;
    struct room needed = room_of_machine(options, engine, apart, 0, 0), left = room_left_for(&needed);

    if (!room_lacks(&needed, &left, &limit, &takes, &remains))
        return PEAL_OK;
    struct peal_options fewer = *options;
    int fits = 0, too_many = options->nodes;

    while (too_many - fits > 1) {
        fewer.nodes = fits + (too_many - fits) / 2;
        struct room some = room_of_machine(&fewer, engine, apart, 0, 0);

        if (some.bytes <= left.bytes && some.addresses <= left.addresses)
            fits = fewer.nodes;
        else
            too_many = fewer.nodes;
    }
    return peal_refuse(error, PEAL_RESOURCES, "%d nodes on %s take about %s, and %s are left (%s): %d nodes fit%s",
                       options->nodes, engine, room_text(takes, needed_text), room_text(remains, left_text), limit,
                       fits, strcmp(engine, "threads") == 0 && fibers ? ", and more with --engine fibers" : "");
}
