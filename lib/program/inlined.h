/* SPDX-License-Identifier: MIT */
/* Functions that are inlined, by the debugging information. */
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

/* The row of the address in the line table of the compilation unit that has it: *unit; NULL: none has. */
Dwarf_Line *inlined_find_row(Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit);

/* Find where the inlined function is called. */
bool inlined_find_call(Dwarf_Die *unit, Dwarf_Die *inlined, char *name, size_t bytes, int *line);
