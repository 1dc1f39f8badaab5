/* SPDX-License-Identifier: MIT */
/* Other programs, started and waited for. */
#pragma once

#include "lib/base/private.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a program may have as its standard input, output or error instead of a descriptor: this process's own;
 * /dev/null; a pipe that *from reads. */
enum { PEAL_SPAWN_SAME = -1, PEAL_SPAWN_NOTHING = -2, PEAL_SPAWN_PIPE = -3 };

/* Start words[0], which is found along PATH, with these as its descriptors 0, 1 and 2.
 *
 *   owner    the caller closes *from, -1 without a pipe, and waits for *process
 *   errors   an error's number, ENOENT if there is no such program; nothing runs then */
PEAL_PRIVATE int peal_spawn(char *const *words, const int descriptors[3], pid_t *process, int *from);

/* Wait for a process and give its status as waitpid does; `unknown` if it cannot be known. */
PEAL_PRIVATE int peal_spawn_wait(pid_t process, int unknown);

/* The number by which /proc names this process: not getpid's in a namespace whose /proc is an outer one's. */
int process_number(void);

/* Find the file of this name in the folders of PATH, or as it is where the name has a folder: the first regular file
 * with this access (X_OK, R_OK).  owner: the caller frees it; NULL: there is none */
PEAL_PRIVATE char *peal_along_path(const char *name, int access_mode);

/* Write all bytes to a descriptor, a pipe or a socket; false after an error. */
PEAL_PRIVATE bool peal_write_whole(int file, const void *bytes, size_t count);
