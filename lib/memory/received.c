/* SPDX-License-Identifier: MIT */
/* The last messages that nodes of watched linked programs received. */
#include "lib/memory/received.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/shadow.h"

struct received {
    int rank;
    const char *begin;
    size_t bytes;
    const char *code; /* NULL: nothing */
};
enum { MAX_RECEIVED = 1 << 12, MAX_SEARCHED = 1 << 20 };
static struct received received[MAX_RECEIVED];
static size_t next_received; /* guarded by shadow_busy, as the list is */

void
received_clear(void)
{
    next_received = 0;
}

void
received_note(int rank, const char *begin, size_t bytes, const char *code)
{
    shadow_lock(&shadow_busy);
    received[next_received++ % MAX_RECEIVED] = (struct received){rank, begin, bytes, code};
    shadow_unlock(&shadow_busy);
}

/* Whether two addresses are in one block, or near each other where there are no blocks. */
static bool
are_together(uintptr_t a, uintptr_t b)
{
    enum { NEAR = 1 << 12 };
    struct peal_block one, other;
    bool is_block = blocks_near(a, &one);

    if (is_block)
        return blocks_near(b, &other) && one.begin == other.begin;
    return a - b + NEAR < 2 * NEAR;
}

const char *
received_from(const struct node *node, uintptr_t address)
{
    size_t searched = 0;
    const char *code = NULL;

    shadow_lock(&shadow_busy);
    for (size_t i = next_received; i-- > 0 && next_received - i <= MAX_RECEIVED && !code && searched < MAX_SEARCHED;) {
        const struct received *one = &received[i % MAX_RECEIVED];
        uintptr_t begin = ((uintptr_t)one->begin + 7) / 8 * 8, end = (uintptr_t)one->begin + one->bytes;

        for (uintptr_t at = begin; one->rank == node->rank && at + 8 <= end && searched < MAX_SEARCHED && !code;
             at += 8, searched++) {
            const uint64_t *shadow = shadow_get(at);

            if (shadow && shadow_owner(*shadow) == node->rank % SHADOW_ANYONE &&
                shadow_region(*shadow) != REGION_FREED && are_together(address, *(const uintptr_t *)at))
                code = one->code;
        }
    }
    shadow_unlock(&shadow_busy);
    return code;
}
