/* SPDX-License-Identifier: MIT */
/* Which line of a program the code at an address was compiled from. */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds lines in this process. */
extern struct line_finder {
    bool (*find)(const char *path, uintptr_t offset, char *file, size_t bytes, int *line); /* NULL: not built */
    bool (*function)(const char *path, uintptr_t offset, char *name, size_t bytes);        /* NULL: not built */
    bool alone; /* for crashes, too: no other program may be started */
} line_finder;

/* Find the line of `offset` in the file `path`; false when it is not known. */
bool lookup_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* Find the line when nothing has crashed: in this process, if the build can. */
bool lookup_site(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* Find the function in which `offset` lies; false when it is not known. */
bool lookup_function(const char *path, uintptr_t offset, char *name, size_t bytes);
/* Call act(arg) on a separate stack, since a node's is small; false: there is no thread for it. */
bool lookup_apart(void *(*act)(void *arg), void *arg);

/* The file of the module.  The name of the program's own file may no longer lead to it: it was started by a relative
 * path and changed its directory, or changed its name.  Then `own` holds a name. */
const char *lookup_module_file(const Dl_info *module, char own[40]);
