/* SPDX-License-Identifier: MIT */
/* The templates of peal new: the files of tools/peal/new/, with words in @ for the parts that differ. */
#pragma once

extern const char new_program[], new_algorithm[], new_mpi_algorithm[];
