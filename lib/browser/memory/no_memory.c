/* SPDX-License-Identifier: MIT */
/* A build without processes loads no programs whose accesses to memory it could watch. */
#include "lib/memory/branches.h"
#include "lib/memory/heap.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/watch.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

enum peal_status watch_prepare(int nodes, struct peal_error *error) { return PEAL_OK; }
void watch_loaded(const struct peal_program_file *file, enum instrument how) {}
void watch_fini(void) {}
unsigned watch_written(const void *word) { return 0; }
void watch_guard(const struct row *row) {}
void watch_begin(struct peal_machine *machine, const struct vectors *data) {}
struct watch_variables watch_variables(void) { return (struct watch_variables){0}; }
void peal_watch_receive(struct peal_node *me, struct peal_piece *pieces, int count, const char *code) {}
void peal_watch_came(struct peal_node *me, const void *begin, size_t bytes, const char *code) {}
bool heap_leaked(bool mpi, struct peal_finding *finding) { return false; }
void report_fault_explain(struct peal_fault *fault) {}
void branches_forget(void) {}
void branches_case(size_t words) {}
void branches_end(void) {}
int branches_arrays(size_t word_bytes, struct branch_size *sizes, int most) { return 0; }
int branches_sizes(const char *of, struct branch_size *sizes, int most) { return 0; }

void
branches_unreached(const char *file, char *text, size_t bytes)
{
    if (bytes > 0)
        text[0] = '\0';
}
