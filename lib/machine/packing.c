/* SPDX-License-Identifier: MIT */
/* The frames of nodes that take turns on one stack: copied out when a node parks, and put back at the same place before
 * it goes on.  A million nodes that wait in their first call would hold a page each, of which they use some hundred
 * bytes.  Where nodes wait in the same call most words of their frames are the same: those that differ from the frames
 * of the first one that parked are kept, after a bit for each word that tells whether it does. */
#include "lib/machine/packing.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };

struct packing {
    uint64_t *pattern; /* the upper end of the stack of the first one that parked, 0 below its frames */
    uint64_t *stack;   /* its lower end */
    uint64_t *draft;   /* room for the bits and for what differs */
    int nodes;
    bool begun;
    uint64_t *kept[]; /* of each node */
};

void
packing_free(struct packing *packing)
{
    if (!packing)
        return;
    for (int rank = 0; rank < packing->nodes; rank++)
        free(packing->kept[rank]);
    free(packing->stack);
    free(packing->draft);
    free(packing);
}

struct packing *
packing_make(int nodes, size_t stack_bytes)
{
    struct packing *packing = calloc(1, sizeof *packing + (size_t)nodes * sizeof *packing->kept);

    if (!packing)
        return NULL;
    packing->nodes = nodes;
    packing->stack = calloc(1, stack_bytes);
    packing->draft = malloc(2 * stack_bytes); /* the bits take a 64th */
    if (!packing->stack || !packing->draft) {
        packing_free(packing);
        return NULL;
    }
    packing->pattern = packing->stack + stack_bytes / sizeof *packing->stack;
    return packing;
}

bool
packing_keep(struct packing *packing, int rank, const uint64_t *low, const uint64_t *top)
{
    ptrdiff_t words = top - low;
    size_t bit_words = ((size_t)words + BITS - 1) / BITS, count = bit_words;
    uint64_t **kept = &packing->kept[rank];

    if (!packing->begun)
        memcpy(packing->pattern - words, low, (size_t)words * sizeof *low);
    packing->begun = true;
    for (size_t i = 0; i < bit_words; i++) {
        ptrdiff_t at = (ptrdiff_t)i * BITS + 1; /* from the upper end */
        uint64_t bits = 0;

        for (int bit = 0; bit < BITS && at <= words; bit++, at++) {
            bool differs = top[-at] != packing->pattern[-at];

            packing->draft[count] = top[-at];
            bits |= (uint64_t)differs << bit;
            count += differs;
        }
        packing->draft[i] = bits;
    }
    if (malloc_usable_size(*kept) < count * sizeof **kept) {
        free(*kept);
        *kept = malloc(count * sizeof **kept);
    }
    if (*kept)
        memcpy(*kept, packing->draft, count * sizeof **kept);
    return *kept;
}

void
packing_restore(const struct packing *packing, int rank, uint64_t *low, uint64_t *top)
{
    ptrdiff_t words = top - low;
    size_t bit_words = ((size_t)words + BITS - 1) / BITS;
    const uint64_t *kept = packing->kept[rank], *next = kept + bit_words;

    memcpy(low, packing->pattern - words, (size_t)words * sizeof *low);
    for (size_t i = 0; i < bit_words; i++)
        for (uint64_t bits = kept[i]; bits; bits &= bits - 1)
            top[-((ptrdiff_t)i * BITS + 1 + __builtin_ctzll(bits))] = *next++;
}

void
packing_forget(struct packing *packing, int rank)
{
    free(packing->kept[rank]);
    packing->kept[rank] = NULL;
}
