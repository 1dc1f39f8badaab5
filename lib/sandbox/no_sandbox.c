/* SPDX-License-Identifier: MIT */
/* A build without processes has nothing to put a sandbox around: files of C are not compiled (no_program.c). */
#include "lib/sandbox/sandbox.h"
#include "lib/sandbox/unit.h"
#include <stdlib.h>
#include <string.h>

unsigned
peal_sandbox_parts(void)
{
    return 0;
}

unsigned
sandbox_program(int seconds, atomic_int *denied)
{
    (void)seconds, (void)denied;
    return 0;
}

void
sandbox_leave(void)
{
}

void
sandbox_end(pid_t child)
{
    (void)child;
}

char *
sandbox_denied(int number, char text[200])
{
    (void)number;
    text[0] = '\0';
    return text;
}

uint64_t
sandbox_memory(pid_t child, bool own)
{
    (void)child, (void)own;
    return 0;
}

uint64_t
sandbox_memory_limit(void)
{
    return UINT64_MAX;
}

void
sandbox_close_others(const int *keep, int count)
{
    (void)keep, (void)count;
}

int
sandbox_hide(int fd)
{
    return fd;
}

enum peal_status
unit_compile(struct unit *unit, const struct unit_source *source, struct peal_error *error)
{
    memset(unit, 0, sizeof *unit);
    peal_program_load(source->file ? source->file : "a file", 1, NULL, error);
    return error->status;
}

void
unit_free(struct unit *unit)
{
    (void)unit;
}

void
unit_shorten(const struct unit *unit, const char *given, char *text, size_t bytes)
{
    (void)unit, (void)given, (void)text, (void)bytes;
}

void
unit_replace(const char *name, const char *given, char *text, size_t bytes)
{
    (void)name, (void)given, (void)text, (void)bytes;
}

char *
unit_complaint(const struct unit *unit, const char *given, char text[300])
{
    (void)unit, (void)given;
    text[0] = '\0';
    return text;
}
