/* SPDX-License-Identifier: MIT */
/* Who waits for whom, once nothing moves: nodes that wait for ever, cycles of them, what they wait for in words, what
 * nearly matches, and messages that are lent. */
#ifndef LIB_MACHINE_WAITING_H
#define LIB_MACHINE_WAITING_H

#include "lib/machine/machine.h"

/* stuck.c: the nodes that wait for ever, whatever those that poll do; a flag a node, the caller's to free.  NULL
 * without memory. */
bool *find_stuck(const struct peal_machine *machine);
/* cycle.c: the nodes that wait for one another in a cycle, of those that are flagged (`among` NULL: of all); the
 * caller's to free; NULL: none. */
int *find_cycle(const struct peal_machine *machine, const bool *among, int *length);
/* deadlock.c: describe what the nodes of the cycle wait for, without one (length 0) all that wait and are flagged,
 * with NULL all that wait; gives the rank that the failure is reported for. */
int say_stuck(const struct peal_machine *machine, const bool *among, const int *cycle, int length, char *text,
              size_t bytes);
/* Write how the cycle is broken, if all its nodes wait to send, or all to receive; "" else. */
void advise_cycle(const struct peal_machine *machine, const int *cycle, int length, char fix[ADVICE_BYTES]);
/* Describe what one node waits for. */
void say_waiting(const struct peal_machine *machine, int rank, char *text, size_t bytes);
/* Append what misses that which one node polls for, and write what would end its loop; "" where that is not known. */
void say_polled(const struct peal_machine *machine, const struct node *node, char *text, size_t bytes,
                char fix[ADVICE_BYTES]);
/* All that wait are stuck, or with `among` the flagged ones. */
void failure_deadlock(struct peal_machine *machine, const bool *among);

/* near.c: a send and a receive, or probe, that face each other and do not match.  Find what misses the request by
 * least; append it: "; the message of node 0 (ring.c:9) and the receive of node 1 (ring.c:12) do not match: the tags
 * differ: 0 and 7". */
struct near_miss {
    const struct request *send, *receive;
};
bool near_miss(const struct peal_machine *machine, const struct request *request, struct near_miss *miss);
void near_miss_append(const struct peal_machine *machine, const struct near_miss *miss, char *text, size_t bytes);
void near_miss_advise(const struct peal_machine *machine, const struct near_miss *miss, char fix[ADVICE_BYTES]);

/* lend.c: nothing can move.  Copy the words that nodes wait to send, and release them; with `told` those that would
 * wait for ever without are a finding, as soon as one of the messages is taken.  false if that helps no node. */
bool machine_lend(struct peal_machine *machine, void (*release)(struct peal_machine *, struct node *), bool told);
/* A lent message is taken; forget those that never were. */
void loan_repaid(struct peal_machine *machine, uint32_t id);
void loans_forget(struct peal_machine *machine);

#endif
