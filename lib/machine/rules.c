/* SPDX-License-Identifier: MIT */
/* What the standard of MPI says about each kind of failure and finding, in our words, and how a program is
 * corrected. */
#include <peal/machine.h>

static const struct peal_rule rules[PEAL_FAILURE_KINDS] = {
    [PEAL_DEADLOCK] =
        {"MPI 3.1, 3.4 and 3.5: a call that blocks returns only when its partner has made the matching call",
         "give each call a partner with the same communicator, tag and ranks, in an order in which no cycle "
         "of nodes waits"},
    [PEAL_DEADLOCK_IF_UNBUFFERED] =
        {"MPI 3.1, 3.5: a standard send may wait for its receive; a program that needs it buffered is unsafe",
         "let one node of the cycle receive first, or use MPI_Sendrecv, or MPI_Isend and MPI_Irecv with one wait for "
         "both"},
    [PEAL_LIVELOCK] = {"MPI 3.1, 3.5: progress is promised only for a send and a receive that match",
                       "post what the polling calls wait for"},
    [PEAL_UNMATCHED_MESSAGE] = {"MPI 3.1, 8.7: every communication is complete before MPI_Finalize",
                                "receive the message, or do not send it"},
    [PEAL_LOST_REQUEST] =
        {"MPI 3.1, 8.7 and 3.7.3: a node completes its own communication, by a wait, a successful test or "
         "MPI_Request_free, before MPI_Finalize",
         "wait for each request once, and keep its handle until then"},
    [PEAL_TRUNCATION] = {"MPI 3.1, 3.2.4: a message is at most as long as the receive buffer",
                         "make the receive's count at least the send's, or ask MPI_Probe and MPI_Get_count first"},
    [PEAL_BAD_RANK] = {"MPI 3.1, 3.2.3: a rank is from 0 to one less than the size of the communicator",
                       "compute ranks from MPI_Comm_size; where there is no partner use MPI_PROC_NULL"},
    [PEAL_BUFFER_REUSE] = {"MPI 3.1, 3.7.2, 5.12 and 11.3: until a call is complete, the buffer that it sends is "
                           "not changed, the one that it receives not accessed",
                           "wait for the request, or end the epoch, before the buffer is used again"},
    [PEAL_EARLY_READ] = {"MPI 3.1, 3.7.2, 5.12 and 11.3: until a call is complete, the buffer that it receives is not "
                         "accessed",
                         "wait for the request, or end the epoch, before the buffer is read"},
    [PEAL_COLLECTIVE_MISMATCH] =
        {"MPI 3.1, 5.1 and 5.13: all nodes of a communicator call the same collectives in the same "
         "order, with arguments that match",
         "let every node make the same calls, outside of branches on the rank"},
    [PEAL_ORDER_DEPENDENT] = {"MPI 3.1, 3.5 and 3.7.5: which of several messages a receive from any source takes, and "
                              "which of several requests is complete first, is not defined",
                              "name the source or the request, or make the result the same for every order"},
    [PEAL_BAD_REQUEST] =
        {"MPI 3.1, 3.7.3 and 8.7: a request, a communicator and the library are used only while they are "
         "active",
         "make the calls in the order that the standard gives"},
    [PEAL_LEAK] = {"MPI 3.1, 2.5.1 and 8.7: what a program creates it frees", "free the object before MPI_Finalize"},
    [PEAL_INVALID_ARGUMENT] = {"MPI 3.1, 2.8 and 8.3: a call with an argument that is not allowed is erroneous",
                               "pass a value that is allowed"},
    [PEAL_TYPE_MISMATCH] = {"MPI 3.1, 3.3.1 and 5.1: sender and receiver, and all nodes of a collective, name the same "
                            "basic datatypes in the same order",
                            "use the same datatype in these calls; MPI_BYTE moves untyped bytes"},
    [PEAL_EPOCH] = {"MPI 3.1, 11.5: windows are accessed inside an epoch, and every epoch is opened and closed once",
                    "put the access between the two calls that open and close the epoch"},
    [PEAL_REMOTE_CONFLICT] =
        {"MPI 3.1, 11.3 and 11.7: while a place of a window is updated nobody else accesses it, except "
         "by accumulates with the same operator and basic type",
         "order the two accesses: a fence, an exclusive lock, or a flush and a message between them"},
};

const struct peal_rule *
peal_rule_of(enum peal_failure_kind kind)
{
    return kind < PEAL_FAILURE_KINDS && rules[kind].rule ? &rules[kind] : NULL;
}
