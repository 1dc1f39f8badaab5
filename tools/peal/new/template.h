/* SPDX-License-Identifier: MIT */
/* The files of tools/peal/new/, which are part of the command: starts of programs with words in @ for the parts that
 * differ, and the bodies of solutions; and the list of machines. */
#pragma once

#include <stdio.h>

extern const char new_program[], new_fortran_program[], new_python_program[], new_algorithm[], new_mpi_algorithm[],
    new_assignment[], new_handout[], new_starter[], new_solution[], new_driver[], new_bodies[], new_machines[];

/* What stands for @NAME@; name NULL after the last. */
struct template_word {
    const char *name, *text;
};

/* Write the text with its words.  A line that begins with @?NAME@ is written only if that is not empty, one that begins
 * with @!NAME@ only if it is; a line may begin with several. */
void template_write(FILE *out, const char *text, const struct template_word *words);
