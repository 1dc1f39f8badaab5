/* SPDX-License-Identifier: MIT */
/* Copies between blocks of watched programs, which take along what is known of the words. */
#include "lib/base/hollow.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_linked.h"

void
watch_copy(void *to, const void *from, size_t bytes, void *pc)
{
    bool aligned = ((uintptr_t)to | (uintptr_t)from) % 8 == 0 && !hollow_holds(bytes);

    watch_range(from, bytes, false, pc);
    watch_range(to, bytes, true, pc);
    if (!aligned || (!watch_node() && !linked_node()))
        return;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t *source = shadow_get((uintptr_t)from + i);
        uint64_t *target = source ? shadow_get((uintptr_t)to + i) : NULL;

        if (target && shadow_region(*source) == REGION_BLOCK && shadow_region(*target) == REGION_BLOCK)
            *target = (*target & ~(uint64_t)0xFF) | (*source & 0xFF);
    }
}
