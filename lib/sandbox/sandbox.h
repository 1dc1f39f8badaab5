/* SPDX-License-Identifier: MIT */
/* The limits of a child process that compiles, or loads and runs, untrusted code.
 *
 * The sandbox has three parts, each of which may be missing on a system: limits of the process, Landlock around files
 * (and, where the kernel has them, TCP and signals), a seccomp filter around system calls.  A node of a confirmation
 * also has its own namespaces, and no clock.  Their effect and its limits are documented in
 * peal-check(1). */
#pragma once

#include "lib/sandbox/parts.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Lock this process, in which a compiler will be started: it may read the system's headers, libraries and programs,
 * what Peal's programs need, and the files and folders of `readable` (NULL after the last); it may write in `scratch`.
 * Processes it starts get `seconds` of processor each, and files of some 64 MiB.  Gives the parts that work. */
unsigned sandbox_compiler(const char *scratch, const char *const *readable, const char *compiler, const char *flags,
                          int seconds);

/* Lock this process, which is about to load an untrusted program, until it ends: it runs as a user of its own where
 * the caller is root; it reads the system's libraries and writes no file; it starts no process and no program, opens
 * no socket, signals no other process.  When it tries to, it ends with exit code SANDBOX_EXIT, and the number of the
 * call is in *denied, which the parent shares.  seconds: of processor; 0 no limit.  apart: it is one node, and the
 * others are other processes: it also starts no thread, and makes no call that names a path or another process; it
 * opens files, to load the program, until sandbox_shut.  Returns the parts that work.  thread: only one may run */
unsigned sandbox_program(int seconds, bool apart, atomic_int *denied);
enum { SANDBOX_EXIT = 97 };

/* Lock this process, which is about to execute an interpreter that runs an untrusted program: as sandbox_program, but
 * it executes this file too, and reads the folders (NULL after the last), and it may map memory that it shares with its
 * parent.  A call that is refused fails with EPERM.  bytes: of addresses */
unsigned sandbox_interpreter(const char *file, const char *const *folders, int seconds, uint64_t bytes);

/* Describe the call that was denied to a child that ended this way, "it asked the system for socket, ...". */
char *sandbox_denied(int number, char text[200]);

/* Close the parent's descriptors, except the standard ones and the `count` of `keep`: untrusted code could write
 * there. */
void sandbox_close_others(const int *keep, int count);

/* Move the end of a pipe to an unlikely descriptor.  Returns that one; `fd` itself on failure. */
int sandbox_hide(int fd);

/* In a process that is `apart`: open nothing more, for good; false: it did not work.  The system then never resolves a
 * path, since it refuses the descriptor first.  In its parent: whether a process has done so. */
bool sandbox_shut(void);
bool sandbox_is_shut(pid_t process);

/* apart.c: for a node of a confirmation.  Before it becomes another user, give it namespaces of its own (/proc calls it
 * `number`); after that, a namespace of users and no capabilities.  Take all clocks from it: with one it could measure
 * how long another node computes.  Each returns the parts that work.  sandbox_prepare: make what all nodes need, once
 * for all children of this process. */
unsigned sandbox_separate(int number);
unsigned sandbox_separate_user(void);
unsigned sandbox_take_clocks(void);
void sandbox_prepare(void);

/* Where root is the caller: make some namespaces of networks, once for all children of this process, and in a child
 * join that of its rank, before sandbox_program. */
void sandbox_make_networks(void);
void sandbox_take_network(int rank);

/* Install a filter in this process, which is about to load an untrusted program; `apart` and *denied as of
 * sandbox_program.  False: the filter was not installed. */
bool restrict_calls(bool apart, atomic_int *denied);

/* End a process that ends a thread by a direct system call: its node would never end, without a report.  The C library
 * ends a thread from its own code, outside of `syscall`.  Also keep SIGSYS ours, so that a refused call is named.
 * False: it cannot be told from where a call is made. */
bool forbid_exits(void);

/* Install the filter of sandbox_interpreter. */
bool restrict_interpreter(void);

/* Make the filter of nodes whose number is 1, for all children of this process. */
void prepare_filter(void);
