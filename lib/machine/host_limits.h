/* SPDX-License-Identifier: MIT */
/* Reads the files in which the system keeps its limits. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LIMITS_PATH = 2 * PATH_MAX };

/* The prefix of /proc and /sys in every path: "", or a test's folder. */
extern const char *limits_root;

/* Open a file for reading; NULL where there is none. */
FILE *limits_open(const char *path);

/* The number a file begins with; -1 when there is none ("max", or no such file). */
int64_t limits_number(const char *path);

/* Call `look` with the folder of each control group of this process with this controller, and of those above it; `old`:
 * they are of version 1. */
void limits_groups(const char *controller, void (*look)(const char *folder, bool old, void *arg), void *arg);
