/* SPDX-License-Identifier: MIT */
/* A build without processes has no compiler: what lib/program does beside node programs is refused, in one line. */
#include "lib/base/left_out.h"
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include "lib/program/lines.h"
#include "lib/program/linked.h"

program_source program_compiled; /* that nobody calls */

LEFT_OUT_GIVES(PEAL_PROGRAM_NEEDS_NOTHING, enum peal_program_needs, peal_program_needs, const char *path);
LEFT_OUT_GIVES(PEAL_PROGRAM_NEEDS_NOTHING, enum peal_program_needs, linked_needs, const unsigned char *bytes,
               size_t size);
LEFT_OUT_GIVES(false, bool, compile_mpi_preload, void);

enum peal_status
folder_make(char folder[PATH_MAX], struct peal_error *error)
{
    folder[0] = '\0';
    return peal_refuse(error, PEAL_RESOURCES, "this build starts no solver (processes are left out of it)");
}

LEFT_OUT(compiler_remove, int at, const char *name, int depth);
LEFT_OUT_GIVES(false, bool, lines_find, int fd, uintptr_t offset, char *file, size_t bytes, int *line);
