/* SPDX-License-Identifier: MIT */
/* Signals of a node: notes for the report, and for the parent process that watches this one (signals.c, crash.c,
 * box.h). */
#ifndef LIB_MACHINE_CRASH_H
#define LIB_MACHINE_CRASH_H

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
/* The address that was accessed; crash_no_address: the processor does not say, since the value is none. */
extern const void *const crash_no_address;
const void *crash_address(const siginfo_t *info);

/* Forget the suspicion that a buffer is a pointer, unless the crash is by what has been written over that. */
void crash_weigh_suspicion(struct node *node);

/* Say in words what the signal means: "abort". */
char *crash_words(int signal, const void *address, char text[160]);
/* Whether a pointer that is NULL was followed. */
bool crash_by_null(int signal, const void *address);
/* Find the line of `offset` in the file `path`; false when it is not known. */
bool crash_find_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* Find the line when nothing has crashed: in this process, if the build can. */
bool crash_find_site(const char *path, uintptr_t offset, char *file, size_t bytes, int *line);
/* The file of the module.  The name of the program's own file may no longer lead to it: it was started by a relative
 * path and changed its directory, or changed its name.  Then `own` holds a name. */
const char *crash_module_file(const Dl_info *module, char own[40]);
/* What the system refused a node before it crashed: "fopen("x"): Permission denied"; NULL: nothing.  Set when a program
 * is loaded; NULL: unknown.  Called in signal handlers, too. */
extern const char *(*crash_refused)(int rank);
/* "; before that, ...", or "" when the node was refused nothing. */
void crash_refusal(int rank, char *text, size_t bytes);
/* The address as an offset in the program's file; false when it lies elsewhere.  Called in signal handlers, too. */
bool crash_offset(const struct image *image, uintptr_t address, uintptr_t *offset);

/* Let this thread, which is not a node, act on a node whose memory may have been overwritten.  False if it crashed. */
bool crash_survives(void (*act)(struct node *), struct node *node);
/* The handler of signals that end a node, or the process where no node runs. */
void signals_crashed(int signal, siginfo_t *info, void *context);
/* The node has not stopped long after its time was up: no signal reaches it, or it loops where it cannot be stopped.
 * Ends this process, and reports what is known of the node. */
_Noreturn void crash_lose_stuck(struct node *node);
/* What is not a node has called that function, from that code. */
_Noreturn void crash_lose_stray(const void *code, const char *call);
/* The node's thread does not end, though the node has. */
_Noreturn void crash_lose_staying(struct node *node);
/* The thread in which the node ran has ended without the node's having finished. */
_Noreturn void crash_lose_ended(struct node *node);

#endif
