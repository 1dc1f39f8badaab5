/* SPDX-License-Identifier: MIT */
/* A table of chunks, which are made when first touched; address space is reserved, memory is not. */
#include "lib/memory/shadow.h"
#include "lib/base/grow.h"
#include "lib/labels/labels.h"
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MAX_RUNS = 1 << 14 };
static const size_t TABLE_BYTES = sizeof(uint64_t *) << (ADDRESS_BITS - CHUNK_SHIFT);
/* A chunk's shadows, and after them the values of its words when their frames began. */
static const size_t MAPPED_BYTES = 2 * sizeof(uint64_t) * CHUNK_WORDS;

uint64_t **shadow_chunks;
uint64_t shadow_run;
static uint64_t (*range)(uintptr_t address);

/* All chunks, for freeing them. */
static struct {
    size_t *numbers;
    size_t count, capacity;
} chunks;
static atomic_flag making = ATOMIC_FLAG_INIT; /* guards the list: held while a chunk is made */

static void *
shadow_reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* refused where there are none */
    return memory;
}

enum peal_status
shadow_init(uint64_t (*range_of)(uintptr_t address), struct peal_error *error)
{
    range = range_of;
    if (!shadow_chunks)
        shadow_chunks = shadow_reserve(TABLE_BYTES);
    if (!shadow_chunks)
        return peal_refuse(error, PEAL_RESOURCES, "no address space to watch the memory: raise `ulimit -v`");
    shadow_run = 0;
    return PEAL_OK;
}

void
shadow_fini(void)
{
    for (size_t i = 0; i < chunks.count; i++)
        munmap(shadow_chunks[chunks.numbers[i]], MAPPED_BYTES);
    free(chunks.numbers);
    memset(&chunks, 0, sizeof chunks);
    if (shadow_chunks)
        munmap(shadow_chunks, TABLE_BYTES);
    shadow_chunks = NULL;
}

void
shadow_begin(void)
{
    shadow_run += UINT64_C(1) << SHADOW_RUN;
    if (shadow_run != 0)
        return;
    shadow_run = UINT64_C(1) << SHADOW_RUN; /* the runs' numbers begin again: no shadow may have an old one */
    for (size_t i = 0; i < chunks.count; i++)
        if (madvise(shadow_chunks[chunks.numbers[i]], MAPPED_BYTES, MADV_DONTNEED) != 0)
            memset(shadow_chunks[chunks.numbers[i]], 0, MAPPED_BYTES);
}

static uint64_t *
make_chunk(size_t number)
{
    uint64_t *chunk;

    shadow_lock(&making);
    chunk = shadow_chunks[number];
    if (!chunk && array_grow(&chunks.numbers, &chunks.capacity, chunks.count + 1, sizeof *chunks.numbers) &&
        (chunk = shadow_reserve(MAPPED_BYTES))) {
        __atomic_store_n(&shadow_chunks[number], chunk, __ATOMIC_RELEASE); /* it reads as zeros */
        chunks.numbers[chunks.count++] = number;
    }
    shadow_unlock(&making);
    return chunk;
}

/* The place of the word's shadow, NULL: there is no memory for it. */
static uint64_t *
shadow_slot(uintptr_t address, bool make)
{
    size_t number = address >> CHUNK_SHIFT;
    uint64_t *chunk;

    if (address >> ADDRESS_BITS)
        return NULL;
    chunk = shadow_chunks[number];
    if (!chunk && (!make || !(chunk = make_chunk(number))))
        return NULL;
    return &chunk[address >> 3 & (CHUNK_WORDS - 1)];
}

uint64_t *
shadow_get(uintptr_t address)
{
    uint64_t *slot = shadow_slot(address, false), known;

    if (slot && *slot >> SHADOW_RUN == shadow_run >> SHADOW_RUN)
        return slot;
    if (!(known = range(address)) || !(slot = shadow_slot(address, true)))
        return NULL;
    *slot = known | shadow_run;
    return slot;
}

void
shadow_set(uintptr_t begin, size_t bytes, enum region region, int owner, bool written)
{
    bool valid = region != REGION_BEYOND && region != REGION_FREED;
    uint64_t whole = shadow_run | shadow_whole(region, owner, false, false);

    for (size_t done = 0; done < bytes; done += 8) {
        uint64_t *slot = shadow_slot(begin + done, true), mask = bytes - done < 8 ? (1U << (bytes - done)) - 1 : 0xFF;

        if (slot)
            *slot = whole | (valid ? mask << SHADOW_VALID : 0) | (valid && written ? mask << SHADOW_WRITTEN : 0);
    }
}

void
shadow_carry(uintptr_t to, uintptr_t from, size_t bytes)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t *source = shadow_get(from + i);
        uint64_t *target = source ? shadow_get(to + i) : NULL;

        if (target && shadow_region(*source) == REGION_BLOCK && shadow_region(*target) == REGION_BLOCK)
            *target = (*target & ~(uint64_t)0xFF) | (*source & 0xFF);
    }
}

void
shadow_forget(uintptr_t begin, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += 8) {
        uint64_t *slot = shadow_slot(begin + done, false);

        if (slot)
            *slot = 0;
    }
}

/* ------------------------------------------------------------------ stacks of linked programs
 *
 * The memory behind the chunk's shadows, where clang's frames keep values, has a bit for each byte. */

/* Whether a variable of 4 bytes there has the pattern of fresh memory. */
__attribute__((no_sanitize("address"))) /* MPI's frames lay there before */
static bool
shadow_variable_is_fresh(uintptr_t at)
{
    return *(const volatile uint32_t *)at == (uint32_t)FRESH_WORD;
}

bool
shadow_looks_fresh(uintptr_t begin, size_t bytes)
{
    uintptr_t at = begin / 4 * 4;

    while (at < begin + bytes && !shadow_variable_is_fresh(at))
        at += 4;
    return at < begin + bytes;
}

void
shadow_store(uintptr_t begin, size_t bytes, bool by_program)
{
    for (uintptr_t at = begin / 4 * 4; at < begin + bytes; at += 4) {
        uint64_t *slot = shadow_variable_is_fresh(at) ? shadow_get(at / 8 * 8) : NULL,
                 mask = shadow_mask(at / 8 * 8, at, at + 4);

        if (slot && shadow_region(*slot) == REGION_STACK)
            slot[CHUNK_WORDS] = by_program ? slot[CHUNK_WORDS] | mask : slot[CHUNK_WORDS] & ~mask;
    }
}

uint64_t
shadow_stored(uintptr_t address)
{
    const uint64_t *slot = shadow_slot(address, false);

    return slot ? slot[CHUNK_WORDS] : 0;
}

/* ------------------------------------------------------------------ frames */

__attribute__((no_sanitize("address"))) /* a frame is not a variable */
void
shadow_frame(uintptr_t begin, uintptr_t end)
{
    const uint64_t holds = SHADOW_HELD_RECEIVES | SHADOW_HELD_SENDS;

    for (uintptr_t at = begin; at < end; at += 8) {
        uint64_t *slot = shadow_get(at);

        if (!slot || (shadow_region(*slot) != REGION_STACK && shadow_region(*slot) != REGION_FRAME))
            continue;
        *slot = (*slot & (SHADOW_WHOSE | holds)) | (uint64_t)REGION_FRAME << SHADOW_REGION | SHADOW_ALL_VALID;
        slot[CHUNK_WORDS] = *(const volatile uint64_t *)at;
    }
}

bool
shadow_is_old(uintptr_t address)
{
    const uint64_t *slot = shadow_slot(address, false);

    return slot && slot[CHUNK_WORDS] == *(const volatile uint64_t *)address;
}

atomic_flag shadow_busy = ATOMIC_FLAG_INIT;

void
shadow_lock(atomic_flag *flag)
{
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) /* acquire: sees the changes of others */
        sched_yield();
}

void
shadow_unlock(atomic_flag *flag)
{
    atomic_flag_clear_explicit(flag, memory_order_release); /* release: shows them to the next one */
}
