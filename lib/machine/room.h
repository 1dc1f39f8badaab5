/* SPDX-License-Identifier: MIT */
/* What memory a machine takes, and what the system has left for this process. */
#pragma once

#include <peal/machine.h>

/* Bytes of memory, and of addresses, which are reserved before they are memory. */
struct room {
    uint64_t bytes, addresses;
    const char *bytes_limit, *addresses_limit; /* the names of the nearest limits; NULL: none is known */
};

/* What is left: the smallest of the control groups' limits and the system's available memory; and of the addresses what
 * RLIMIT_AS leaves.  UINT64_MAX where nothing is known. */
struct room room_left(void);

/* What RLIMIT_AS leaves of addresses; UINT64_MAX without such a limit. */
uint64_t room_addresses(void);

/* Let threads share one arena for malloc where only one of them runs at a time: the other arenas grow by a system call
 * for a few pages.  Where RLIMIT_AS limits the addresses, too, since the C library reserves 64 or 128 MB of them for
 * each arena; there large blocks are given back when they are freed.  The first takes effect only before a second
 * thread has called malloc. */
void room_share_heap(bool one_runs);

/* What is left, once the C library has given back what it keeps of freed memory if `needed` is more. */
struct room room_left_for(const struct room *needed);

/* Let the C library keep freed memory, in a process that makes run after run: the first touch of a page takes longer
 * than to write it again.  Not where RLIMIT_AS limits the addresses. */
void room_keep_freed(void);

/* Whether the nodes of such a machine take turns on one stack, as long as nothing looks into the stack of one that is
 * parked. */
bool room_packs(const struct peal_options *options, const char *engine);

/* What a machine made from these options, and its recorded rounds, take: nodes, stacks, tables.  apart: the stacks
 * may be packed.  The two numbers are the transfers recorded, and the requests posted at once. */
struct room room_of_machine(const struct peal_options *options, const char *engine, bool apart, uint64_t transfers,
                            uint64_t requests);

/* The sum of two numbers of bytes, and the product of two numbers; UINT64_MAX where it is larger. */
uint64_t room_add(uint64_t a, uint64_t b);
uint64_t room_times(uint64_t a, uint64_t b);

/* Whether more is needed than is left; then *limit names the limit, and *takes and *left give both sides. */
bool room_lacks(const struct room *needed, const struct room *left, const char **limit, uint64_t *takes,
                uint64_t *remains);

/* "1.2 GB", "310 MB". */
enum { ROOM_TEXT = 24 };
char *room_text(uint64_t bytes, char text[ROOM_TEXT]);

/* Refuse a machine of many nodes for which there is no room, naming how many nodes fit, and fibers where they are
 * built.  errors: PEAL_RESOURCES */
enum peal_status room_for_machine(const struct peal_options *options, const char *engine, bool apart, bool fibers,
                                  struct peal_error *error);
