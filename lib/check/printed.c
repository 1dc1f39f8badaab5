/* SPDX-License-Identifier: MIT */
/* Keeps the output of a case's first run in a file in memory, and compares the others with it node by node. */
#include "lib/check/printed.h"
#include <limits.h>
#include <peal/hints.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void
printed_init(struct printed *printed)
{
    *printed = (struct printed){.fd = memfd_create("peal-check", MFD_CLOEXEC)};
}

void
printed_fini(struct printed *printed)
{
    if (printed->fd >= 0)
        close(printed->fd);
    free(printed->first);
    free(printed->last);
}

void
printed_begin_case(struct printed *printed)
{
    free(printed->first);
    printed->first = NULL;
}

void
printed_begin_run(const struct printed *printed)
{
    if (printed->fd >= 0 && ftruncate(printed->fd, 0) == 0)
        lseek(printed->fd, 0, SEEK_SET);
}

/* The run's output, sorted by node: "0: ...\n0: ...\n1: ...".  NULL without memory. */
static char *
take_text(const struct printed *printed)
{
    off_t bytes = lseek(printed->fd, 0, SEEK_END);
    char *raw = calloc((size_t)bytes + 1, 1), *sorted = calloc((size_t)bytes + 2, 1), *to = sorted;
    ssize_t got = raw ? pread(printed->fd, raw, (size_t)bytes, 0) : -1;

    if (!raw || !sorted || got < 0) {
        free(raw);
        free(sorted);
        return NULL;
    }
    for (int node = 0, next; node < INT_MAX; node = next) {
        next = INT_MAX;
        for (char *line = raw, *end; *line; line = end) {
            int of = atoi(line);

            end = strchr(line, '\n');
            end = end ? end + 1 : line + strlen(line);
            if (of == node)
                to = mempcpy(to, line, (size_t)(end - line));
            else if (of > node && of < next)
                next = of;
        }
    }
    free(raw);
    return sorted;
}

void
printed_keep(struct printed *printed)
{
    free(printed->first);
    printed->first = take_text(printed);
}

/* After "3: ". */
static const char *
after_tag(const char *line)
{
    const char *colon = strstr(line, ": ");

    return colon ? colon + 2 : line;
}

bool
printed_same(struct printed *printed, struct peal_finding *finding)
{
    const char *one = printed->first, *other;

    free(printed->last);
    printed->last = take_text(printed);
    if (!printed->last)
        return true;
    if (!one) {
        printed->first = printed->last;
        printed->last = NULL;
        return true;
    }
    other = printed->last;
    if (strcmp(one, other) == 0)
        return true;
    while (*one && strncmp(one, other, strcspn(one, "\n") + 1) == 0) {
        other += strcspn(one, "\n") + 1;
        one += strcspn(one, "\n") + 1;
    }
    int node = atoi(*other ? other : one);

    finding->kind = PEAL_ORDER_DEPENDENT;
    snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(order_source));
    one = after_tag(one);
    other = after_tag(other);
    snprintf(finding->message, sizeof finding->message,
             "node %d prints \"%.*s\"; when messages come in another order, it prints \"%.*s\"", node,
             (int)(strcspn(other, "\n") < 200 ? strcspn(other, "\n") : 200), other,
             (int)(strcspn(one, "\n") < 200 ? strcspn(one, "\n") : 200), one);
    return false;
}
