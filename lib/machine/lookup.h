/* SPDX-License-Identifier: MIT */
/* Which line of a program the code at an address was compiled from. */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the frame of a function that has made a call is left: see struct frame_rule of lib/program/lines.h. */
struct passed_frame {
    bool by_frame_pointer;
    ptrdiff_t end, came_from, frame_pointer;
};

/* A call that functions of the program, one inlined in the other, do no more than pass on. */
struct passed {
    char file[512]; /* where the outermost of them is called; of one that is not inlined where it calls */
    int line;
    char through[2000]; /* they, the outermost first, each a line "send_row\trows.c\t12": where it calls; "": none */
    char function[64];  /* the outermost */
    bool whole;         /* it is not inlined: it is called where its frame leads to */
    struct passed_frame rule;
};

/* Finds lines in this process. */
extern struct line_finder {
    bool (*find)(const char *path, uintptr_t offset, char *file, size_t bytes, int *line); /* NULL: not built */
    bool (*function)(const char *path, uintptr_t offset, char *name, size_t bytes);        /* NULL: not built */
    /* Who passes on the call of MPI, or of the function `callee`, that returns to `offset`; false: nobody.  NULL: not
     * built */
    bool (*passed)(const char *path, uintptr_t offset, const char *callee, struct passed *passed);
    bool alone; /* for crashes, too: no other program may be started */
} line_finder;

/* Find the line of `offset` in the file `path`; false when it is not known. */
bool lookup_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* The line of a frame, looked for from the innermost on: the first that is known, or of the program's own source. */
struct frame_line {
    char file[1024];
    int line; /* 0: none is known yet */
};
/* Look at the next frame; true: it is of the program's own source, so no other is looked for. */
bool lookup_frame(const char *path, uintptr_t offset, struct frame_line *known);
/* Find the line when nothing has crashed: in this process, if the build can. */
bool lookup_site(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* As line_finder.passed; false when nothing is known. */
bool lookup_passed(const char *path, uintptr_t offset, const char *callee, struct passed *passed);
/* Whether a source file belongs to the system, as the headers of the C++ library do, and not to the program. */
bool lookup_is_system(const char *file);
/* Find the function in which `offset` lies; false when it is not known. */
bool lookup_function(const char *path, uintptr_t offset, char *name, size_t bytes);
/* Call act(arg) on a separate stack, since a node's is small; false: there is no thread for it. */
bool lookup_apart(void *(*act)(void *arg), void *arg);

/* The file of the module.  The name of the program's own file may no longer lead to it: it was started by a relative
 * path and changed its directory, or changed its name.  Then `own` holds a name. */
const char *lookup_module_file(const Dl_info *module, char own[40]);
