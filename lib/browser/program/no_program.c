/* SPDX-License-Identifier: MIT */
/* A build without processes runs no node programs in files: they are refused, in one line. */
#include "lib/program/linked.h"
#include "lib/program/source.h"
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

static enum peal_status
no_program_refuse(const char *path, struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "%s: this build compiles no C files (processes are left out of it)",
                       path);
}

struct peal_program_file *peal_program_load(const char *path, int nodes, const struct peal_program_options *options,
                                            struct peal_error *error) { no_program_refuse(path, error); return NULL; }
void peal_program_destroy(struct peal_program_file *file) {}
int peal_program_copies(const struct peal_program_file *file) { abort(); }
const struct peal_failure *peal_program_run(struct peal_machine *machine, struct peal_program_file *file)
{ abort(); }
bool compile_mpi_preload(void) { return false; }
bool peal_is_cplusplus(const char *path) { return false; }
void demangle(char *name) {}
int peal_program_code(const struct peal_program_file *file) { return 0; }
enum peal_program_kind peal_program_kind(const char *path) { return PEAL_PROGRAM_SOURCE; }
enum peal_status function_find(const char *path, const char *function, const char *calls, struct peal_error *error)
{ return no_program_refuse(path, error); }

/* ------------------------------------------------------------------ of a file, which there never is */

struct peal_program_file *program_load_compiled(const char *path, int nodes,
                                                const struct peal_program_options *options,
                                                const struct compiled *program, struct peal_error *error)
{ no_program_refuse(path, error); return NULL; }
const struct peal_failure *peal_program_start(struct peal_machine *machine, struct peal_program_file *file,
                                              peal_program program, void *arg)
{ return peal_run(machine, program, arg); }

void (*peal_program_function(const struct peal_program_file *file, struct peal_node *me))(void)
{
    abort();
}

bool program_keep(struct peal_program_file *file) { return false; }
int program_left(const struct peal_program_file *file, int nodes) { return -1; }
const struct peal_runtime_hooks *runtime_hooks(void) { return NULL; }
