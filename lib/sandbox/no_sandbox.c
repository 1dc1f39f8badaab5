/* SPDX-License-Identifier: MIT */
/* A build without processes has nothing to put a sandbox around: files of C are not compiled (no_program.c). */
#include "lib/sandbox/sandbox.h"
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

unsigned peal_sandbox_parts(void) { return 0; }
unsigned sandbox_program(int seconds, atomic_int *denied) { return 0; }
void sandbox_leave(void) {}
void sandbox_end(pid_t child) {}

char *
sandbox_denied(int number, char text[200])
{
    text[0] = '\0';
    return text;
}

uint64_t sandbox_memory(pid_t child, bool own) { return 0; }
uint64_t sandbox_memory_limit(void) { return UINT64_MAX; }
void sandbox_close_others(const int *keep, int count) {}
int sandbox_hide(int fd) { return fd; }
