/* SPDX-License-Identifier: MIT */
/* The library beneath linked programs, which registers itself. */
#include "lib/program/compile.h"

static const struct peal_program_guest *guest;

void
peal_program_guest(const struct peal_program_guest *wants)
{
    guest = wants;
}

const struct peal_program_guest *
program_guest(void)
{
    return guest;
}
