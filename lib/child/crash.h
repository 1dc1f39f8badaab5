/* SPDX-License-Identifier: MIT */
/* Signals of a node: notes for the report, and for the parent process that watches this one (signals.c, crash.c,
 * box.h). */
#pragma once

#include "lib/machine/image.h"
#include "lib/machine/machine.h"
#include <dlfcn.h>
#include <signal.h>

enum { CRASH_FRAMES = 48 };

/* What happened to the node, or to the program's thread, that runs on this thread. */
struct crash {
    int signal; /* 0: it did not crash */
    const void *address;
    void *counter, *frames[CRASH_FRAMES];
    int frame_count;
    bool waiting; /* in a system call, when the time was up */
};
extern _Thread_local struct crash crash __attribute__((tls_model("initial-exec")));

/* The first frame that is not the handler's own. */
int crash_first_frame(void);
/* The address that was accessed. */
const void *crash_address(const siginfo_t *info);

/* What the machine calls: see struct crash_hooks. */
void crash_report(struct node *node, enum node_exit way);
void crash_overflowed(struct node *node);
void crash_abandon(struct peal_machine *machine);

/* Forget the hint that a buffer is a pointer, unless the crash follows from overwriting that pointer. */
void crash_check_hint(struct node *node);

/* Say in words what the signal means: "abort". */
char *crash_words(int signal, const void *address, char text[160]);
/* Whether a pointer that is NULL was followed. */
bool crash_by_null(int signal, const void *address);
/* Note that the system refused a node this call, for the name in it (NULL: none), with this errno.  Forget all
 * refusals, before a run. */
void crash_note_refusal(int rank, const char *call, const char *name, int reason);
void crash_refusals_forget(void);
/* "; before that, ...", or "" when the node was refused nothing.  Called in signal handlers, too. */
void crash_refusal(int rank, char *text, size_t bytes);
/* The address as an offset in the program's file; false when it lies elsewhere.  Called in signal handlers, too. */
bool crash_offset(const struct image *image, uintptr_t address, uintptr_t *offset);

/* Install the handlers of signals once more. */
void signals_hold(void);
/* The handler of signals that end a node, or the process where no node runs. */
void signals_crashed(int signal, siginfo_t *info, void *context);
/* A thread that is not a node called this function, from this code. */
_Noreturn void crash_lose_stray(const void *code, const char *call);
