/* SPDX-License-Identifier: MIT */
/* A few pages of shared memory, mapped over and over. */
#include "lib/base/unbacked.h"
#include "lib/base/grow.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, SHARED = 8 << 20 };
static const size_t MAX_UNBACKED = SIZE_MAX >> (sizeof(size_t) < 8 ? 0 : 22);
static const uint64_t SIDE = UINT64_C(5) << 30; /* more than a block of 2^31 bytes and an int's range */

static struct {
    bool on, lacked;
    char *shared; /* the pages, once they are there; NULL */
    struct unbacked_block *blocks;
    size_t count, capacity;
} unbacked;

bool
unbacked_is_on(void)
{
    return unbacked.on;
}

void
unbacked_prepare(void)
{
    void *memory = sizeof(size_t) < sizeof SIDE || unbacked.shared
                       ? MAP_FAILED
                       : mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED)
        unbacked.shared = memory;
}

bool
unbacked_begin(void)
{
    unbacked_prepare();
    unbacked.on = unbacked.shared != NULL;
    return unbacked.on;
}

bool
unbacked_lacked(void)
{
    return unbacked.lacked;
}

void
unbacked_lack(size_t bytes)
{
    unbacked.lacked |= unbacked.on && bytes <= MAX_UNBACKED; /* an overflowed length does not mean short memory */
}

void
unbacked_clear(void)
{
    unbacked.lacked = false;
    while (unbacked.count > 0) {
        const struct unbacked_block *block = &unbacked.blocks[--unbacked.count];

        munmap(block->reserved, block->reserved_bytes);
    }
}

void
unbacked_end(void)
{
    unbacked_clear();
    free(unbacked.blocks);
    unbacked.on = false;
    unbacked.blocks = NULL;
    unbacked.capacity = 0;
}

/* Map the pages to this many bytes from here on. */
static bool
repeat(char *begin, size_t bytes)
{
#ifdef __linux__
    for (size_t done = 0; done < bytes; done += SHARED) {
        size_t now = bytes - done < SHARED ? bytes - done : SHARED;

        /* an old size of 0 keeps the mapping and makes another */
        if (mremap(unbacked.shared, 0, now, MREMAP_MAYMOVE | MREMAP_FIXED, begin + done) == MAP_FAILED)
            return false;
    }
    return true;
#else
    (void)begin, (void)bytes;
    return false;
#endif
}

char *
unbacked_get(size_t header, size_t bytes, int owner)
{
    size_t room = (bytes + PAGE - 1) / PAGE * PAGE, all = (size_t)(2 * SIDE) + PAGE + room;

    if (header > PAGE || bytes > MAX_UNBACKED ||
        !array_grow(&unbacked.blocks, &unbacked.capacity, unbacked.count + 1, sizeof *unbacked.blocks))
        return NULL;
    char *reserved = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (reserved == MAP_FAILED) {
        unbacked_lack(bytes);
        return NULL;
    }
    char *begin = reserved + SIDE + PAGE;

    if (mprotect(begin - PAGE, PAGE, PROT_READ | PROT_WRITE) != 0 || !repeat(begin, room)) {
        munmap(reserved, all);
        unbacked_lack(bytes);
        return NULL;
    }
    unbacked.blocks[unbacked.count++] = (struct unbacked_block){begin, bytes, owner, reserved, all};
    return begin;
}

const struct unbacked_block *
unbacked_at(uintptr_t address)
{
    for (size_t i = 0; i < unbacked.count; i++)
        if (address - (uintptr_t)unbacked.blocks[i].reserved < unbacked.blocks[i].reserved_bytes)
            return &unbacked.blocks[i];
    return NULL;
}
