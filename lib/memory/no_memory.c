/* SPDX-License-Identifier: MIT */
/* A build without processes loads no programs whose accesses to memory it could watch. */
#include "lib/memory/blame.h"
#include "lib/memory/branches.h"
#include "lib/memory/heap.h"
#include "lib/memory/watch.h"
#include <peal/watch.h>
#include <stdio.h>

enum peal_status
watch_prepare(int nodes, struct peal_error *error)
{
    (void)nodes, (void)error;
    return PEAL_OK;
}

void
watch_loaded(const struct peal_program_file *file, enum instrument how)
{
    (void)file, (void)how;
}

void
watch_fini(void)
{
}

void
watch_begin(struct peal_machine *machine, const struct vectors *data)
{
    (void)machine, (void)data;
}

struct watch_variables
watch_variables(void)
{
    return (struct watch_variables){0};
}

bool
heap_leaked(struct peal_finding *finding)
{
    (void)finding;
    return false;
}

void
blame_explain(const struct peal_failure *failure, struct peal_finding *finding)
{
    (void)failure, (void)finding;
}

void
branches_forget(void)
{
}

void
branches_case(size_t words)
{
    (void)words;
}

void
branches_end(void)
{
}

int
branches_sizes(struct branch_size *sizes, int most)
{
    (void)sizes, (void)most;
    return 0;
}

void
branches_unreached(const char *file, char *text, size_t bytes)
{
    (void)file;
    if (bytes > 0)
        text[0] = '\0';
}

/* ------------------------------------------------------------------ for the library beneath linked programs */

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
