/* SPDX-License-Identifier: MIT */
/* A build without processes loads no linked programs whose accesses to memory it could watch. */
#include <peal/watch.h>

bool
peal_watch_begin(peal_touched touched)
{
    (void)touched;
    return false;
}

void
peal_watch_end(void)
{
}

void
peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more)
{
    (void)begin, (void)bytes, (void)writes, (void)more;
}

void
peal_watch_expose(const void *begin, size_t bytes, bool more)
{
    (void)begin, (void)bytes, (void)more;
}

size_t
peal_watch_unwritten(const void *begin, size_t bytes, size_t unit, const void **first)
{
    (void)begin, (void)bytes, (void)unit, (void)first;
    return 0;
}

void
peal_watch_received(struct peal_node *me, const void *begin, size_t bytes, const char *code)
{
    (void)me, (void)begin, (void)bytes, (void)code;
}

bool
peal_block_find(struct peal_node *me, const void *address, const void *call, struct peal_block *block)
{
    (void)me, (void)address, (void)call, (void)block;
    return false;
}

int
peal_block_text(struct peal_node *me, struct peal_block *block, char text[PEAL_BLOCK_TEXT])
{
    (void)me, (void)block;
    text[0] = '\0';
    return 0;
}

void
peal_block_note(const void *begin, size_t bytes, const void *call, bool fresh)
{
    (void)begin, (void)bytes, (void)call, (void)fresh;
}
