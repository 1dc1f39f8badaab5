/* SPDX-License-Identifier: MIT */
/* One entry for all posts, a note that travels with a message, and more ways to wait: for libraries that offer another
 * interface on top of Peal's.  peal_wait, peal_wait_all and peal_test work on these handles, too.
 *
 * On the engine mpi these calls fail as bad-request. */
#ifndef PEAL_POST_H
#define PEAL_POST_H

#include <peal/machine.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ posts */

enum peal_post_kind { PEAL_POST_SEND, PEAL_POST_RECEIVE };

/* When a send is complete, whatever the machine's delivery. */
enum peal_send_mode {
    PEAL_STANDARD,    /* as the machine delivers */
    PEAL_SYNCHRONOUS, /* only when it is carried to its receive, never at the post */
    PEAL_BUFFERED,    /* at the post: the machine copies the words.  Carried when its receive takes it, as others are */
};

/* A post.  Members that are not set are 0. */
struct peal_post {
    enum peal_post_kind kind;
    enum peal_send_mode mode;        /* of a send */
    const struct peal_piece *pieces; /* the message is gathered from, or scattered to, these, in their order */
    int piece_count;
    int peer;      /* PEAL_ANY_SOURCE but for sends */
    int tag;       /* PEAL_ANY_TAG but for sends */
    uint64_t note; /* of a send: travels with the message, and is not charged */
    bool lenient;  /* of a receive: a longer message is no failure: what fits is delivered, all of it is charged */
};

/* A handle that no post gives. */
#define PEAL_NO_HANDLE ((struct peal_handle){0, 0})

/* Which message came; of a send: the node itself, with its tag, words and note. */
struct peal_envelope {
    int source;
    int tag;
    size_t words;     /* that were sent */
    size_t delivered; /* of these: fewer only where a lenient receive had no room for all */
    uint64_t note;    /* the send's, 0 unless it had one */
};

/* Post a send or a receive.  Returns at once unless the box is full.
 *
 *   owner    copies *post and the list of pieces; the machine borrows the pieces' data until a wait consumes the handle,
 *            that of a buffered send only during the call
 *   blocks   while the box is full, as peal_send_async
 *   errors   as peal_send_async and peal_recv_async, bad-size also for a negative number of pieces; truncation when a
 *            longer message matches a receive that is not lenient                                    */
#define peal_post(me, post) peal_post_at(me, post, PEAL_HERE)
PEAL_API struct peal_handle peal_post_at(struct peal_node *me, const struct peal_post *post, const char *file,
                                         int line);

/* Post a send and a receive, of which one may be NULL, and wait for both: the short way for blocking calls.  Gives the
 * receive's envelope; without a receive, the send's.
 *
 *   blocks   until both are complete, or the run failed
 *   errors   as peal_post; bad-request if `send` is no send or `receive` is none, or both are NULL   */
#define peal_exchange(me, send, receive) peal_exchange_at(me, send, receive, PEAL_HERE)
PEAL_API struct peal_envelope peal_exchange_at(struct peal_node *me, const struct peal_post *send,
                                               const struct peal_post *receive, const char *file, int line);

/* ------------------------------------------------------------------ waits */

/* Wait until the request is complete, consume the handle, and give its envelope; sizes are in words of `me`.
 *
 *   blocks   until a round completes the request, or the run failed
 *   errors   as peal_wait                                                                           */
#define peal_finish(me, handle) peal_finish_at(me, handle, PEAL_HERE)
PEAL_API struct peal_envelope peal_finish_at(struct peal_node *me, struct peal_handle handle, const char *file,
                                             int line);

/* Whether the request is complete.  Consumes nothing and never rests; writes *envelope, unless NULL, if it is.
 *
 *   errors   as peal_wait                                                                           */
#define peal_ready(me, handle, envelope) peal_ready_at(me, handle, envelope, PEAL_HERE)
PEAL_API bool peal_ready_at(struct peal_node *me, struct peal_handle handle, struct peal_envelope *envelope,
                            const char *file, int line);

/* Rest for exactly one round, as peal_next_round; but so many of them, on end, count as one round of polling: 100. */
#define peal_sleep(me) peal_sleep_at(me, PEAL_HERE)
PEAL_API void peal_sleep_at(struct peal_node *me, const char *file, int line);

/* ------------------------------------------------------------------ views */

/* Give the same node in the same group and context, with words of `word_bytes` bytes: a multiple of the machine's.  Sizes in
 * calls on it, those of collectives too, are in its words; rounds, transfers and charges are in the machine's.  What is
 * entered or split from it has its words, too.
 *
 *   owner    peal_view_end gives it back with what was allocated on it; requests that were posted on it are waited for by then
 *   errors   bad-size if word_bytes is no multiple of the machine's                                  */
#define peal_view(me, word_bytes) peal_view_at(me, word_bytes, PEAL_HERE)
PEAL_API struct peal_node *peal_view_at(struct peal_node *me, size_t word_bytes, const char *file, int line);
PEAL_API void peal_view_end(struct peal_node *view);

/* ------------------------------------------------------------------ findings */

/* Record a finding: peal_find(me, kind, places, count, format, ...).  It has the node and the place of this call first, then
 * `count` other places, whose lines may be PEAL_CODE; its text is one line.  One of the same kind at the same places is only counted.
 *
 *   owner    copies everything
 *   errors   out-of-memory                                                                          */
#define peal_find(me, kind, places, count, ...) peal_find_at(me, kind, places, count, PEAL_HERE, __VA_ARGS__)
PEAL_API void peal_find_at(struct peal_node *me, enum peal_failure_kind kind, const struct peal_place *places,
                           int count, const char *file, int line, const char *format, ...) PEAL_PRINTF(7, 8);

PEAL_END

#endif
