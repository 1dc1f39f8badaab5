/* SPDX-License-Identifier: MIT */
/* A build without processes loads no programs whose accesses to memory it could watch. */
#include "lib/base/left_out.h"
#include "lib/memory/blame.h"
#include "lib/memory/branches.h"
#include "lib/memory/heap.h"
#include "lib/memory/watch.h"
#include <stdio.h>

LEFT_OUT_GIVES(PEAL_OK, enum peal_status, watch_prepare, int nodes, struct peal_error *error);
LEFT_OUT(watch_loaded, const struct peal_program_file *file, enum instrument how);
LEFT_OUT(watch_fini, void);
LEFT_OUT(watch_begin, struct peal_machine *machine, const struct vectors *data);
LEFT_OUT_GIVES((struct watch_variables){0}, struct watch_variables, watch_variables, void);
LEFT_OUT_GIVES(false, bool, heap_leaked, bool mpi, struct peal_finding *finding);
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
