/* SPDX-License-Identifier: MIT */
/* A node's memory: blocks in a list, freed one by one, when a collective returns, or when the run ends.
 *
 * The last large blocks freed are kept for the node's next allocations until its end: the system provides fresh pages
 * at a tenth of the speed at which words are copied. */
#include "lib/machine/memory.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include "lib/machine/rules.h"
#include <stdlib.h>

enum { LARGE = 32 << 10, SPARES = 4 };

struct memory_block {
    struct memory_block *next, *previous;
    struct peal_node *view;   /* the view it was allocated on */
    size_t bytes;             /* after this header */
    _Alignas(16) char data[]; /* as malloc aligns */
};

/* A spare block of at least `bytes`, and at most twice that. */
static struct memory_block *
take_spare(struct node *node, size_t bytes)
{
    for (struct memory_block **spare = &node->spare; *spare; spare = &(*spare)->next)
        if ((*spare)->bytes >= bytes && (*spare)->bytes / 2 <= bytes) {
            struct memory_block *block = *spare;

            *spare = block->next;
            return block;
        }
    return NULL;
}

/* Keep the block, and the last few of those kept before. */
static void
keep_spare(struct node *node, struct memory_block *block)
{
    struct memory_block **last = &node->spare;

    block->next = node->spare;
    node->spare = block;
    for (int i = 0; i < SPARES && *last; i++)
        last = &(*last)->next;
    free(*last);
    *last = NULL;
}

void
memory_clear(struct node *node)
{
    for (struct memory_block *block; (block = node->spare); free(block))
        node->spare = block->next;
}

static struct memory_block *
fresh(struct node *node, size_t bytes, bool zero)
{
    size_t total = sizeof(struct memory_block) + bytes;
    struct memory_block *block;

    if (bytes >= LARGE && (block = take_spare(node, bytes))) {
        if (zero)
            memset(block->data, 0, bytes);
        return block;
    }
    for (;;) {
        /* calloc knows which pages are zero already; it aligns for any type, as malloc does */
        block = zero ? calloc(1, total) : malloc(total);
        if (block || !node->spare)
            break;
        memory_clear(node);
    }
    if (block)
        block->bytes = bytes;
    return block;
}

static void *
memory_get(struct peal_node *me, size_t words, bool zero, const char *file, int line)
{
    struct node *node = me->node;
    size_t bytes, total;

    node->inside = true;
    file = me->file ? me->file : file;
    line = me->file ? me->line : line;
    if (__builtin_mul_overflow(words, peal_word_bytes(me), &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct memory_block), &total) || total > PTRDIFF_MAX) {
        node_advise_length(me, words);
        peal_fail_at(me, PEAL_BAD_SIZE, file, line,
                     "cannot allocate %zu words of %zu bytes: that is more than an address space", words,
                     peal_word_bytes(me));
    }
    const struct memory_hooks *hooks = node->machine->memory_hooks;
    struct memory_block *block = hooks
                                     ? hooks->get(node, sizeof *block, bytes, zero, me->collective != NULL, file, line)
                                     : fresh(node, bytes, zero);

    if (!block)
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, file, line, "no memory for %zu words (%zu bytes) on node %d", words, bytes,
                     node->rank);
    if (hooks)
        block->bytes = bytes;
    block->view = me;
    me->blocks++;
    block->previous = NULL;
    block->next = node->blocks;
    if (block->next)
        block->next->previous = block;
    node->blocks = block;
    node->inside = false;
    return block->data;
}

static void
memory_block_release(struct node *node, struct memory_block *block)
{
    if (node->machine->memory_hooks)
        node->machine->memory_hooks->put(node, block);
    else
        free(block);
}

static void
memory_block_return(struct node *node, struct memory_block *block)
{
    block->view->blocks--;
    if (block->previous)
        block->previous->next = block->next;
    else
        node->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
    if (block->bytes >= LARGE && !node->machine->memory_hooks)
        keep_spare(node, block);
    else
        memory_block_release(node, block);
}

void
memory_leave(struct peal_node *view)
{
    struct memory_block *next;

    for (struct memory_block *block = view->node->blocks; view->blocks > 0; block = next) {
        next = block->next;
        if (block->view == view)
            memory_block_return(view->node, block);
    }
}

void
memory_release(struct node *node)
{
    for (struct memory_block *block; (block = node->blocks); memory_block_release(node, block))
        node->blocks = block->next;
}

/* ------------------------------------------------------------------ the calls */

void *
peal_alloc_at(struct peal_node *me, size_t words, const char *file, int line)
{
    return memory_get(me, words, true, file, line);
}

void *
peal_scratch_at(struct peal_node *me, size_t words, const char *file, int line)
{
    return memory_get(me, words, false, file, line);
}

void
peal_free(struct peal_node *me, void *memory)
{
    const struct memory_hooks *hooks = me->node->machine->memory_hooks;
    struct memory_block *block = (struct memory_block *)((char *)memory - offsetof(struct memory_block, data));

    if (!memory)
        return;
    me->node->inside = true;
    if (hooks)
        hooks->frees(me->node, memory, sizeof *block, __builtin_return_address(0));
    else if (block != (block->previous ? block->previous->next : me->node->blocks))
        peal_fail_at(me, PEAL_OUT_OF_BOUNDS, __builtin_return_address(0), PEAL_CODE,
                     "node %d frees memory that does not come from peal_alloc", me->node->rank);
    memory_block_return(me->node, block);
    me->node->inside = false;
}
