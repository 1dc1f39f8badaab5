/* SPDX-License-Identifier: MIT */
/* A build without processes runs no node programs in files: they are refused, in one line. */
#include <peal/program.h>
#include <stdlib.h>

struct peal_program_file *
peal_program_load(const char *path, int nodes, const struct peal_program_options *options, struct peal_error *error)
{
    (void)nodes, (void)options;
    peal_refuse(error, PEAL_RESOURCES, "%s: this build compiles no C files (processes are left out of it)", path);
    return NULL;
}

void
peal_program_destroy(struct peal_program_file *file)
{
    (void)file;
}

int
peal_program_copies(const struct peal_program_file *file)
{
    (void)file;
    abort();
}

const struct peal_failure *
peal_program_run(struct peal_machine *machine, struct peal_program_file *file)
{
    (void)machine, (void)file;
    abort();
}

int
peal_program_code(const struct peal_program_file *file)
{
    (void)file;
    return 0;
}
