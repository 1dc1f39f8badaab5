/* SPDX-License-Identifier: MIT */
/* A build without processes loads no programs whose accesses to memory it could watch. */
#include "lib/base/left_out.h"
#include "lib/memory/blame.h"
#include "lib/memory/branches.h"
#include "lib/memory/heap.h"
#include "lib/memory/watch.h"
#include <peal/watch.h>
#include <stdio.h>

LEFT_OUT_GIVES(PEAL_OK, enum peal_status, watch_prepare, int nodes, struct peal_error *error);
LEFT_OUT(watch_loaded, const struct peal_program_file *file, enum instrument how);
LEFT_OUT(watch_fini, void);
LEFT_OUT(watch_begin, struct peal_machine *machine, const struct vectors *data);
LEFT_OUT_GIVES((struct watch_variables){0}, struct watch_variables, watch_variables, void);
LEFT_OUT_GIVES(false, bool, heap_leaked, struct peal_finding *finding);
LEFT_OUT(blame_explain, const struct peal_failure *failure, struct peal_finding *finding);
LEFT_OUT(branches_forget, void);
LEFT_OUT(branches_case, size_t words);
LEFT_OUT(branches_end, void);
LEFT_OUT_GIVES(0, int, branches_sizes, struct branch_size *sizes, int most);

void
branches_unreached(const char *file, char *text, size_t bytes)
{
    if (bytes > 0)
        text[0] = '\0';
}

/* ------------------------------------------------------------------ for the library beneath linked programs */

LEFT_OUT_GIVES(false, bool, peal_watch_begin, peal_touched touched);
LEFT_OUT(peal_watch_end, void);
LEFT_OUT(peal_watch_hold, const void *begin, size_t bytes, bool writes, bool more);
LEFT_OUT(peal_watch_expose, const void *begin, size_t bytes, bool more);
LEFT_OUT_GIVES(0, size_t, peal_watch_unwritten, const void *begin, size_t bytes, size_t unit, const void **first);
LEFT_OUT(peal_watch_received, struct peal_node *me, const void *begin, size_t bytes, const char *code);
LEFT_OUT_GIVES(false, bool, peal_block_find, struct peal_node *me, const void *address, const void *call,
               struct peal_block *block);

int
peal_block_text(struct peal_node *me, struct peal_block *block, char text[PEAL_BLOCK_TEXT])
{
    text[0] = '\0';
    return 0;
}

LEFT_OUT(peal_block_note, const void *begin, size_t bytes, const void *call, bool fresh);
