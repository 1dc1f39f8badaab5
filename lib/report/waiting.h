/* SPDX-License-Identifier: MIT */
/* Which nodes wait for which, once nothing moves: nodes that wait for ever, cycles of them, what they wait for in
 * words, what nearly matches, and calls that are missing. */
#pragma once

#include "lib/machine/rules.h"

/* stuck.c: the nodes that wait for ever, whatever those that poll do; a flag per node, which the caller frees.  NULL
 * without memory. */
bool *find_stuck(const struct peal_machine *machine);
/* cycle.c: the nodes that wait for one another in a cycle, of those that are flagged (`among` NULL: of all); the caller
 * frees it; NULL: none. */
int *find_cycle(const struct peal_machine *machine, const bool *among, int *length);

/* wait_reason.c: the collective that the node is in, NULL: none. */
const char *collective_entered(const struct node *node);
/* Whether the request belongs to the call that the node is blocked in, as far as every engine can decide alike (under
 * MPI a send may be complete that is not on the machine): posted in its collective, or on its line; none does where the
 * call waits for earlier posts. */
bool request_is_of_call(const struct peal_machine *machine, const struct node *node, const struct request *request);
/* Whether the node's blocked call has requests of its own, and this is not one of them. */
bool request_is_of_before(const struct peal_machine *machine, const struct node *node, const struct request *request);
/* Whether the request is a message within a collective whose call has a name: the program made the call, and knows
 * nothing of its messages. */
bool request_is_hidden(const struct node *node, const struct request *request);
/* The request for which the node waits for `next`, or for any; NULL: none. */
const struct request *find_reason(const struct peal_machine *machine, const struct node *node, int next);
/* Whether the node is in peal_split, and waits there for `next` (-1: for any). */
bool node_splits_without(const struct peal_machine *machine, const struct node *node, int next);

/* deadlock.c: describe what the nodes of the cycle wait for; without a cycle (length 0), all flagged nodes that wait,
 * or, if `among` is NULL, all that wait.  Gives the rank that the failure is reported for. */
int say_stuck(const struct peal_machine *machine, const bool *among, const int *cycle, int length, char *text,
              size_t bytes);
/* Describe what one node waits for. */
void say_waiting(const struct peal_machine *machine, int rank, char *text, size_t bytes);
/* Append what nearly matches the request that one node polls for, or how a node of the cycle waits for a lock, and
 * write what would end its loop; "" where that is unknown. */
void say_polled(const struct peal_machine *machine, const struct node *node, const int *cycle, int length, char *text,
                size_t bytes, char fix[ADVICE_BYTES]);

/* wait_advice.c: write how to break the cycle, if all its nodes wait to send, or all to receive; else "". */
void advise_cycle(const struct peal_machine *machine, const int *cycle, int length, char fix[ADVICE_BYTES]);
/* Where nodes of the failure's cycle wait for locks of MPI, add the rule on these locks to the failure. */
void rule_of_locks(struct peal_machine *machine);
/* The lock for which the node waits for `next`, which has it; NULL: it waits for something else. */
const struct request *awaited_lock(const struct peal_machine *machine, int rank, int next);
/* Write how to break a cycle with locks; otherwise nothing. */
void advise_locks(const struct peal_machine *machine, const int *cycle, int length, char fix[ADVICE_BYTES]);
/* What would end the wait of a node whose partner makes no more calls. */
void advise_last(const struct peal_machine *machine, int rank, char fix[ADVICE_BYTES]);

/* near_match.c: a send and a receive, or probe, that face each other and do not match.  Find the nearest miss of the
 * request, and append it: "; the message of node 0 (ring.c:9) and the receive of node 1 (ring.c:12) do not match: the
 * tags differ: 0 and 7". */
struct near_match {
    const struct request *send, *receive;
};
bool near_match(const struct peal_machine *machine, const struct request *request, struct near_match *miss);
void near_match_append(const struct peal_machine *machine, const struct near_match *miss, char *text, size_t bytes);
void near_match_advise(const struct peal_machine *machine, const struct near_match *miss, char fix[ADVICE_BYTES]);

/* Whether the node makes no more calls of messages: it has finished, or waits in MPI_Finalize. */
bool is_at_its_end(const struct node *node);

/* Write which message a receive that nothing matches may mean: one that no node has taken, another node's to this one,
 * or, once its partner has `ended`, the partner's to another node that has ended.  False: there is none. */
bool astray_advise(const struct peal_machine *machine, const struct request *receive, bool ended,
                   char fix[ADVICE_BYTES]);

/* calls_report.c: a call that a node made and another of its group will not make: in words, and the node and the place
 * that made it. */
struct missing {
    char text[900];
    const char *fix;
    int rank;
    const char *file;
    int line;
};
/* Find a call, or a meeting, that one node made and another will never make, since it makes no more calls; with `stuck`
 * also where all waiting nodes wait in such calls. */
bool calls_find_missing(const struct peal_machine *machine, bool stuck, struct missing *missing);
/* Replace the text by a description, if this is a cycle of nodes in which each group's collective waits for a node that
 * is in another group's; else leave it. */
void calls_say_cycle(const struct peal_machine *machine, const int *cycle, int length, struct missing *missing);
/* "a group of 4 nodes made at prog.c:12", "MPI_COMM_WORLD". */
enum { GROUP_WORDS = 300 };
char *group_words(const struct peal_machine *machine, const struct group *group, char text[GROUP_WORDS]);
/* "lock 2 of node 3", of MPI's windows "the lock of node 3", with the window where there are several. */
enum { LOCK_WORDS = 340 };
char *lock_words(const struct peal_machine *machine, const struct request *lock, char text[LOCK_WORDS]);
/* The collective in which the node has this context: "barrier"; NULL: the program itself. */
const char *node_collective(const struct node *node, uint32_t context);
/* Fail the run: a node does not make a call that others made. */
void report_missing(struct peal_machine *machine, const struct missing *missing);

/* What the machine calls: see struct reporter. */
void report_deadlock(struct peal_machine *machine);
void report_hopeless(struct peal_machine *machine);
void report_differences(struct peal_machine *machine);
bool *report_unbuffered(struct peal_machine *machine, struct peal_run_finding *finding);
void report_nodes(struct peal_machine *machine);
/* partner.c: where a partner out of range has failed the run, write the fix that fits what other nodes do there. */
void report_partner(struct peal_machine *machine);
