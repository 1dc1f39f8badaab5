/* SPDX-License-Identifier: MIT */
/* A few pages of shared memory, mapped over and over. */
#include "lib/base/hollow.h"
#include "lib/base/grow.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, SHARED = 8 << 20 };
static const size_t MAX_HOLLOW = SIZE_MAX >> (sizeof(size_t) < 8 ? 0 : 22);
static const uint64_t SIDE = UINT64_C(5) << 30; /* more than a block of 2^31 bytes and an int's range */

static struct {
    bool on, lacked;
    char *shared; /* the pages, once they are there; NULL */
    struct hollow_block *blocks;
    size_t count, capacity;
} hollow;

bool
hollow_is_on(void)
{
    return hollow.on;
}

void
hollow_prepare(void)
{
    void *memory = sizeof(size_t) < sizeof SIDE || hollow.shared
                       ? MAP_FAILED
                       : mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED)
        hollow.shared = memory;
}

bool
hollow_begin(void)
{
    hollow_prepare();
    hollow.on = hollow.shared != NULL;
    return hollow.on;
}

bool
hollow_lacked(void)
{
    return hollow.lacked;
}

void
hollow_lack(size_t bytes)
{
    hollow.lacked |= hollow.on && bytes <= MAX_HOLLOW; /* an overflowed length does not mean short memory */
}

void
hollow_clear(void)
{
    hollow.lacked = false;
    while (hollow.count > 0) {
        const struct hollow_block *block = &hollow.blocks[--hollow.count];

        munmap(block->reserved, block->reserved_bytes);
    }
}

void
hollow_end(void)
{
    hollow_clear();
    free(hollow.blocks);
    hollow.on = false;
    hollow.blocks = NULL;
    hollow.capacity = 0;
}

/* Map the pages to this many bytes from here on. */
static bool
repeat(char *begin, size_t bytes)
{
#ifdef __linux__
    for (size_t done = 0; done < bytes; done += SHARED) {
        size_t now = bytes - done < SHARED ? bytes - done : SHARED;

        /* an old size of 0 keeps the mapping and makes another */
        if (mremap(hollow.shared, 0, now, MREMAP_MAYMOVE | MREMAP_FIXED, begin + done) == MAP_FAILED)
            return false;
    }
    return true;
#else
    (void)begin, (void)bytes;
    return false;
#endif
}

char *
hollow_get(size_t header, size_t bytes, int owner)
{
    size_t room = (bytes + PAGE - 1) / PAGE * PAGE, all = (size_t)(2 * SIDE) + PAGE + room;

    if (header > PAGE || bytes > MAX_HOLLOW ||
        !grow(&hollow.blocks, &hollow.capacity, hollow.count + 1, sizeof *hollow.blocks))
        return NULL;
    char *reserved = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (reserved == MAP_FAILED) {
        hollow_lack(bytes);
        return NULL;
    }
    char *begin = reserved + SIDE + PAGE;

    if (mprotect(begin - PAGE, PAGE, PROT_READ | PROT_WRITE) != 0 || !repeat(begin, room)) {
        munmap(reserved, all);
        hollow_lack(bytes);
        return NULL;
    }
    hollow.blocks[hollow.count++] = (struct hollow_block){begin, bytes, owner, reserved, all};
    return begin;
}

const struct hollow_block *
hollow_at(uintptr_t address)
{
    for (size_t i = 0; i < hollow.count; i++)
        if (address - (uintptr_t)hollow.blocks[i].reserved < hollow.blocks[i].reserved_bytes)
            return &hollow.blocks[i];
    return NULL;
}
