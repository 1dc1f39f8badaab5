/* SPDX-License-Identifier: MIT */
/* From an address in a program to its file and line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the line of the instruction at `offset` in the shared object that is open as file descriptor `fd`.  False
 * without debugging information, or in a build without libdw. */
bool lines_find(int fd, uintptr_t offset, char *file, size_t bytes, int *line);

/* Call `see` with each row of the line tables, from whose offset on instructions are of its line, and, without a file,
 * with the offset of each function.  Nothing without debugging information, or in a build without libdw. */
void lines_each(int fd, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg);

/* A variable of file scope, or static in a function; or a function. */
struct lines_variable {
    uintptr_t begin; /* its offset */
    size_t bytes;
    char name[64]; /* cut if it is longer */
};

/* Find the variable, or the function, in which `offset` lies. */
bool lines_variable(int fd, uintptr_t offset, struct lines_variable *variable);
bool lines_function(int fd, uintptr_t offset, struct lines_variable *function);
