/* SPDX-License-Identifier: MIT */
/* The library beneath linked programs, which registers itself. */
#include "lib/program/compile.h"

static const struct peal_runtime_hooks *guest;

void
peal_runtime_hooks(const struct peal_runtime_hooks *wants)
{
    guest = wants;
}

const struct peal_runtime_hooks *
runtime_hooks(void)
{
    return guest;
}
