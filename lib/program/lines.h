/* SPDX-License-Identifier: MIT */
/* From an address in a program to its file and line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the line of the instruction at `offset` in the shared object that is open as file descriptor `fd`.  False
 * without debugging information, or in a build without libdw. */
bool lines_find(int fd, uintptr_t offset, char *file, size_t bytes, int *line);

/* Find the column, too; of a declaration it is that of the name. */
bool lines_place(int fd, uintptr_t offset, char *file, size_t bytes, int *line, int *column);

/* Call `see` with each row of the line tables (instructions from its offset on are of its line), and, without a file,
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

/* Call `see` with each function, or each variable. */
void lines_functions(int fd, void (*see)(void *arg, const struct lines_variable *function), void *arg);
void lines_variables(int fd, void (*see)(void *arg, const struct lines_variable *variable), void *arg);

/* An array of fixed length: a variable of the code from `begin` to before `end`, or of file scope (both 0). */
struct lines_array {
    uintptr_t begin, end;
    size_t count, bytes; /* of elements, and of all of it */
    int line;
};

/* Call `see` with each array that is declared outside of the system's headers. */
void lines_arrays(int fd, void (*see)(void *arg, const struct lines_array *array), void *arg);

/* Stack frames of functions, and the variables in them, from unwind tables and debugging information. */

/* How the frame of a function that has made a call is found.  Its end is DWARF's canonical frame address. */
struct frame_rule {
    bool known;
    bool by_frame_pointer;   /* the end is this register's value plus `end`; else the stack pointer's after the call */
    ptrdiff_t end;           /* in bytes */
    ptrdiff_t came_from;     /* where the return address is, from the end on */
    ptrdiff_t frame_pointer; /* where its caller's is, from the end on; 0: it is still in the register */
    char function[64];       /* its name, cut if it is longer; "": not known */
};

/* Find the rule for the function whose call returns to `offset`; not known without tables, or in a build without
 * libdw. */
void frames_rule(int fd, uintptr_t offset, struct frame_rule *rule);

/* A byte of a frame, and its registers, all from the frame's end on. */
struct frame_place {
    ptrdiff_t at, stack_pointer, frame_pointer;
};

/* Find the variable of that function in which the byte lies, with its offset from the frame's end; of several in one
 * place the one that ends last. */
bool frames_variable(int fd, uintptr_t offset, const struct frame_place *place, struct lines_variable *variable);
