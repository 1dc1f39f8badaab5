/* SPDX-License-Identifier: MIT */
/* A build without processes has nothing to put into a sandbox: C files are not compiled (no_program.c). */
#include "lib/sandbox/sandbox.h"
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

unsigned peal_sandbox_parts(void) { return 0; }
unsigned sandbox_program(int seconds, bool apart, atomic_int *denied) { return 0; }
unsigned sandbox_interpreter(const char *file, const char *const *folders, int seconds, uint64_t bytes) { return 0; }

char *
sandbox_denied(int number, char text[200])
{
    text[0] = '\0';
    return text;
}

void sandbox_close_others(const int *keep, int count) {}
int sandbox_hide(int fd) { return fd; }
void sandbox_prepare(void) {}
void sandbox_make_networks(void) {}
void sandbox_take_network(int rank) {}
bool sandbox_shut(void) { return false; }
bool sandbox_is_shut(pid_t process) { return false; }
