/* SPDX-License-Identifier: MIT */
/* End a process's children, and theirs, which become its own since it has asked for that (PR_SET_CHILD_SUBREAPER). */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void
children_end(void)
{
    char path[64];
    int child;
    bool found = true;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    while (found) {
        FILE *list = fopen(path, "re");

        found = list && fscanf(list, "%d", &child) == 1 && kill(child, SIGKILL) == 0;
        if (found)
            waitpid(child, NULL, 0);
        if (list)
            fclose(list);
    }
}
