/* SPDX-License-Identifier: MIT */
/* Files that are part of the command: the templates of peal new, tools/peal/new/, with words in @ for the parts that
 * differ, and the list of machines. */
#pragma once

extern const char new_program[], new_algorithm[], new_mpi_algorithm[], new_machines[];
