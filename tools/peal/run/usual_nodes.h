/* SPDX-License-Identifier: MIT */
/* The numbers of nodes on which a program is checked where none are given. */
#pragma once

#include <stdio.h>

/* The usual ones, and one more. */
enum { MAX_LISTED_NODES = 8 };

/* List those that the topology can have, ascending, `more` among them (0: none); return how many they are. */
int usual_nodes_list(const char *topology, int more, int list[MAX_LISTED_NODES]);

/* Print them as -p takes them: "1:6", "1,2,4". */
void usual_nodes_print(FILE *out, const int *list, int count);
