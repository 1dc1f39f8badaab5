/* SPDX-License-Identifier: MIT */
/* The paths of Peal's own files that compiling needs. */
#pragma once

#include <limits.h>
#include <peal/base.h>

/* The file of the library that runs, if it is a shared one; else "". */
void toolchain_library(char file[PATH_MAX]);

/* The directory that holds peal/peal.h: $PEAL_INCLUDE; the source tree's when the library lies in the build tree; else
 * where the headers were installed. */
enum peal_status toolchain_headers(const char *library, const char **directory, struct peal_error *error);

/* The path of pealcc: beside the library, installed or in the build tree; else that of PATH. */
void toolchain_wrapper(const char *name, char path[PATH_MAX]);

/* Write the paths that a sandbox around a compiler must allow: the folders of the library and of the headers; pealcc,
 * to be run, and the folders of MPI's libraries and modules, to be read.  "" where there is none. */
enum { MPI_FOLDERS = 5 };
void toolchain_needs(char library[], char headers[]);
void toolchain_mpi_needs(char wrapper[], char (*folders)[4096]);

/* Write the path of MPI's library: "" if it is not beside Peal's. */
void toolchain_mpi_library(char path[]);

/* Write the path of the program that is loaded in the place of one that is a process: "" likewise. */
void toolchain_process(char path[]);
