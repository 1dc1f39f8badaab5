/* SPDX-License-Identifier: MIT */
/* A build without processes: there are no signals and no child that a parent watches.  A node that crashes ends the
 * process, in the browser the module; the page reports it. */
#include "lib/child/box.h"
#include "lib/child/supervise.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

struct black_box *black_box;

static void begins(struct peal_machine *machine) {}
static void starts(void) {}
static void ended(const struct peal_machine *machine) {}
/* Not reached: only signals make a node leave in these ways. */
static void report(struct node *node, enum node_exit way) {}

static void
no_child_overflowed(struct node *node)
{
    failure_set(node->machine, node->rank, PEAL_CRASH, node->file, node->line,
                "node %d crashed: its stack of %zu KiB overflowed: peal run --stack gives it more%s", node->rank,
                node->machine->stacks.stack_bytes / 1024, node->file ? " (before its call at this line ended)" : "");
}

static bool
no_child_survives(void (*act)(struct node *), struct node *node)
{
    act(node);
    return true;
}

static void
no_child_lose(struct node *node, enum abandon_reason why)
{
    fprintf(stderr, "peal: node %d does not stop, or its thread has ended\n", node->rank);
    exit(PEAL_FAILED);
}

__attribute__((constructor)) static void
offer(void)
{
    static const struct crash_hooks hooks = {.begins = begins,
                                             .starts = starts,
                                             .expires = starts,
                                             .ended = ended,
                                             .install = begins,
                                             .restore = begins,
                                             .report = report,
                                             .overflowed = no_child_overflowed,
                                             .abandon = begins,
                                             .survives = no_child_survives,
                                             .lose = no_child_lose};

    crash_hooks = &hooks;
}

/* ------------------------------------------------------------------ checks: the box that a child would share */

struct black_box *box_create(void) { return calloc(1, sizeof(struct black_box)); }

void box_destroy(struct black_box *box) { free(box); }

void box_use(struct black_box *box, pid_t parent) {}
void box_ask(struct black_box *box, pid_t child) {}

void
box_words(const struct crash_note *words, double seconds, const char *after, char text[BOX_TEXT])
{
    text[0] = '\0';
}

void
box_fix(const struct crash_note *words, bool known, char *fix, size_t bytes)
{
    if (bytes > 0)
        fix[0] = '\0';
}

void box_stage(enum box_stage stage) {}
void signals_hold(void) {}

/* ------------------------------------------------------------------ runs: the child that a parent would supervise */

bool peal_supervisor_wanted(void) { return false; }

/* Only a command that starts its own children would call the following. */

void peal_supervisor_destroy(struct peal_supervisor *supervisor) {}

struct peal_supervisor *
peal_supervisor_fork(bool *parent, struct peal_error *error)
{
    *parent = true;
    peal_refuse(error, PEAL_RESOURCES, "this build starts no processes");
    return NULL;
}

void peal_supervised_reports(struct peal_supervisor *supervisor) {}
void peal_supervised_shown(struct peal_supervisor *supervisor) {}
bool peal_supervised_has_shown(const struct peal_supervisor *supervisor) { return false; }
void peal_supervised_done(struct peal_supervisor *supervisor, int code) {}

enum peal_supervised
peal_supervise(struct peal_supervisor *supervisor, double seconds, int *code)
{
    *code = PEAL_RESOURCES;
    return PEAL_SUPERVISED_DONE;
}

void peal_supervisor_recover(struct peal_supervisor *supervisor, struct peal_machine *machine) {}
