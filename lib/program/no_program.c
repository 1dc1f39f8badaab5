/* SPDX-License-Identifier: MIT */
/* A build without processes runs no node programs in files: they are refused, in one line. */
#include "lib/base/left_out.h"
#include "lib/program/compile.h"
#include "lib/program/linked.h"
#include <stdlib.h>

static enum peal_status
refuse(const char *path, struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "%s: this build compiles no C files (processes are left out of it)",
                       path);
}

LEFT_OUT_GIVES((refuse(path, error), NULL), struct peal_program_file *, peal_program_load, const char *path, int nodes,
               const struct peal_program_options *options, struct peal_error *error);
LEFT_OUT(peal_program_destroy, struct peal_program_file *file);
LEFT_OUT_GIVES((abort(), 0), int, peal_program_copies, const struct peal_program_file *file);
LEFT_OUT_GIVES((abort(), NULL), const struct peal_failure *, peal_program_run, struct peal_machine *machine,
               struct peal_program_file *file);
LEFT_OUT_GIVES(0, int, peal_program_code, const struct peal_program_file *file);
LEFT_OUT_GIVES(PEAL_PROGRAM_SOURCE, enum peal_program_kind, peal_program_kind, const char *path);
LEFT_OUT_GIVES(refuse(path, error), enum peal_status, function_find, const char *path, const char *function,
               const char *calls, struct peal_error *error);

/* ------------------------------------------------------------------ of a file, which there never is */

LEFT_OUT_GIVES((refuse(path, error), NULL), struct peal_program_file *, program_load_compiled, const char *path,
               int nodes, const struct peal_program_options *options, const struct compiled *program,
               struct peal_error *error);
LEFT_OUT_GIVES(peal_run(machine, program, arg), const struct peal_failure *, peal_program_start,
               struct peal_machine *machine, struct peal_program_file *file, peal_program program, void *arg);

void (*peal_program_function(const struct peal_program_file *file, struct peal_node *me))(void)
{
    abort();
}

LEFT_OUT_GIVES(false, bool, program_keep, struct peal_program_file *file);
LEFT_OUT_GIVES(-1, int, program_left, const struct peal_program_file *file, int nodes);
LEFT_OUT_GIVES(NULL, const struct peal_program_guest *, program_guest, void);
