/* SPDX-License-Identifier: MIT */
/* What every fuzz target has: its entry, and what must hold of any input. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "\nnot so: %s\n", what);
    abort();
}
