/* SPDX-License-Identifier: MIT */
/* A build without processes has no compiler: what lib/program does beside node programs is refused, in one line. */
#include "lib/program/compiler.h"
#include "lib/program/lines.h"
#include "lib/program/linked.h"
#include "lib/program/sampled.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

program_source program_compiled; /* that nobody calls */

enum peal_program_needs peal_program_needs(const char *path) { return PEAL_PROGRAM_NEEDS_NOTHING; }
enum peal_program_needs linked_needs(const unsigned char *bytes, size_t size) { return PEAL_PROGRAM_NEEDS_NOTHING; }

enum peal_status
folder_make(char folder[PATH_MAX], struct peal_error *error)
{
    folder[0] = '\0';
    return peal_refuse(error, PEAL_RESOURCES, "this build starts no solver (processes are left out of it)");
}

void peal_sample_functions(const char *names) {}
void compiler_remove(int at, const char *name, int depth) {}
void program_reserve(int copies) {}
bool lines_find(int fd, uintptr_t offset, char *file, size_t bytes, int *line) { return false; }
