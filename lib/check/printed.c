/* SPDX-License-Identifier: MIT */
/* Keeps the output of a case's first run in a file in memory, and compares the others with it node by node. */
#include "lib/check/printed.h"
#include "lib/base/text.h"
#include <limits.h>
#include <peal/hints.h>
#include <stdlib.h>
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

char *
printed_by_node(int fd)
{
    off_t bytes = lseek(fd, 0, SEEK_END);
    char *raw = bytes < 0 ? NULL : calloc((size_t)bytes + 1, 1);
    char *sorted = raw ? calloc((size_t)bytes + 2, 1) : NULL, *to = sorted;
    ssize_t got = sorted ? pread(fd, raw, (size_t)bytes, 0) : -1;

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
    printed->first = printed_by_node(printed->fd);
}

/* Copy the line without its "3: ", if it is one of this node's. */
static void
copy_line(const char *line, int node, char to[200])
{
    const char *colon = strstr(line, ": ");
    const char *from = colon ? colon + 2 : line;
    struct peal_text out = empty_text(to, 200);

    if (*line && atoi(line) == node)
        peal_append(out, "%.*s", (int)strcspn(from, "\n"), from);
}

void
printed_differ(const char *one, const char *other, struct printed_difference *difference)
{
    while (*one && strncmp(one, other, strcspn(one, "\n") + 1) == 0) {
        other += strcspn(one, "\n") + 1;
        one += strcspn(one, "\n") + 1;
    }
    const int of_one = *one ? atoi(one) : INT_MAX, of_other = *other ? atoi(other) : INT_MAX;

    difference->node = of_one < of_other ? of_one : of_other;
    copy_line(one, difference->node, difference->one);
    copy_line(other, difference->node, difference->other);
}

bool
printed_same(struct printed *printed, struct peal_finding *finding)
{
    const char *one = printed->first, *other;

    free(printed->last);
    printed->last = printed_by_node(printed->fd);
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
    struct printed_difference difference;

    printed_differ(one, other, &difference);
    finding->kind = PEAL_ORDER_DEPENDENT;
    snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(order_source));
    snprintf(finding->message, sizeof finding->message,
             "node %d prints \"%s\"; when messages come in another order, it prints \"%s\"", difference.node,
             difference.other, difference.one);
    return false;
}
