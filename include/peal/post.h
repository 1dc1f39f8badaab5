/* SPDX-License-Identifier: MIT */
/* One entry for all posts, a note that travels with a message, more ways to wait, and strands: for libraries that offer
 * another interface on top of Peal's.  peal_wait, peal_wait_all and peal_test work on these handles, too.
 *
 * On the engine mpi these calls fail as bad-request. */
#ifndef PEAL_POST_H
#define PEAL_POST_H

#include <peal/machine.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ posts */

enum peal_post_kind {
    PEAL_POST_SEND,
    PEAL_POST_RECEIVE,
    PEAL_POST_PROBE, /* complete when a message is there that a receive in its place would take; leaves the message */
    PEAL_POST_MATCHED_PROBE, /* the same, and keeps the message for a receive that names it */
    /* one-sided: the node posts both ends */
    PEAL_POST_PUT, /* the words go to the peer's memory: a message to the peer */
    PEAL_POST_GET, /* the words come from the peer's memory: a message from the peer */
    /* the words go to the peer, and what `apply` makes of them and its memory comes back: two messages */
    PEAL_POST_UPDATE,
    PEAL_POST_LOCK,   /* complete when the peer's lock `tag` is the node's: two messages without words */
    PEAL_POST_UNLOCK, /* gives the lock `message` back: a message without words */
};

/* When a send is complete, whatever the machine's delivery. */
enum peal_send_mode {
    PEAL_STANDARD,    /* as the machine delivers */
    PEAL_SYNCHRONOUS, /* only when it is carried to its receive, never at the post */
    PEAL_READY, /* as a standard one; bad-request is found unless its receive is posted by the round after its post */
    PEAL_BUFFERED, /* at the post: the machine copies the words.  Carried when its receive takes it, as others are */
};

/* The memory of the peer that a put, a get or an update is about.
 *
 * The machine calls apply(memory, words, result, count, closure) when the message to the peer is delivered, of a get
 * when the message from it is: in the order of admission, after the words of all other messages, while no node runs.
 * It reads or writes `memory` and the `count` words of the post, and of an update writes the result.  It calls nothing
 * of Peal's. */
struct peal_remote {
    void *memory; /* as many words as the post has, unless `apply` knows better */
    void (*apply)(void *memory, void *words, void *result, size_t count,
                  void *closure); /* NULL: the words are copied */
    void *closure;
    void *result; /* of an update: the words of the message that comes back */
    size_t result_words;
};

/* A post.  Members that are not set are 0.  Of a probe only the peer and the tag count. */
struct peal_post {
    enum peal_post_kind kind;
    enum peal_send_mode mode;        /* of a send */
    const struct peal_piece *pieces; /* the message is gathered from, or scattered to, these, in their order */
    int piece_count;
    struct peal_handle
        /* of a receive: what a matched probe keeps; of an unlock: the lock.  Then peer and tag do not count */
        message;
    int peer; /* PEAL_ANY_SOURCE but for sends */
    int tag;  /* PEAL_ANY_TAG but for sends */
    /* of a send: travels with the message, and is not charged; of a receive: a synchronous send gets it */
    uint64_t note;
    bool lenient; /* of a receive: a longer message is not a failure: what fits is delivered, all of it is charged */
    /* of a lock: others that share it may have it at the same time; of a put that combines: the order of several that
     * share does not matter, unless an update comes between them */
    bool shared;
    bool combines;             /* of a put with a function to apply: what it leaves there depends on what was there */
    struct peal_remote remote; /* of a put, a get or an update */
};

/* A handle that no post gives. */
#define PEAL_NO_HANDLE ((struct peal_handle){0, 0})

/* Which message came, or is there; of a send: the node itself, with its tag, words and note; of a synchronous send with
 * the note of its receive, if that has one. */
struct peal_envelope {
    int source;
    int tag;
    size_t words;     /* that were sent */
    size_t delivered; /* of these: fewer only where a lenient receive had no room for all, 0 of a probe */
    uint64_t note;    /* the send's; 0 if it had none, and for a receive that peal_post has not posted */
    bool cancelled;   /* nothing came: the request was taken back */
    struct peal_handle
        /* of a matched probe: the message, for one receive of this node; of a lock: the lock, for one unlock; else
         * PEAL_NO_HANDLE */
        message;
};

/* Post a send, a receive, a probe or a one-sided request: peal_post(me, post).  Returns at once unless the box is full;
 * probes take no place in a box, one-sided requests one in the outbox until their message is carried.
 *
 * One-sided messages have the ports, the place in the order of admission and the charge of others; a message from the
 * peer is in the order of what the poster sends.  An answer, the second message of an update or a lock, is in the order
 * before everything that is posted after the round that delivered its cause.  A lock is one of a context, a peer and a
 * number (the tag); it is granted in the order in which the requests arrive, at once to all that share it and are not
 * behind one that does not.
 *
 *   owner    copies *post and the list of pieces; the machine borrows the pieces' data until a wait consumes the
 *            handle, that of a buffered send only during the call; it uses the peer's memory until the message is
 *            delivered, and the result and the closure as long as the data
 *   blocks   while the box is full, as peal_send_async
 *   errors   bad-request if `message` is not one, or was received or unlocked, for an update without `apply`, for
 *            several pieces with one, and where memory is watched; bad-size for memory at NULL; lost-request for a lock
 *            that is held at the end; as peal_send_async and peal_recv_async, bad-size also for a negative number of
 *            pieces; truncation when a longer message matches a receive that is not lenient */
#define peal_post(me, ...) peal_post_at(me, __VA_ARGS__, PEAL_HERE)
PEAL_API struct peal_handle peal_post_at(struct peal_node *me, const struct peal_post *post, const char *file,
                                         int line);

/* Post a send and a receive, of which one may be NULL, and wait for both: the short way for blocking calls.  Gives the
 * receive's envelope; without a receive, the send's.
 *
 *   blocks   until both are complete, or the run failed
 *   errors   as peal_post; bad-request if `send` is not a send, `receive` is not a receive, or both are NULL */
#define peal_exchange(me, send, receive) peal_exchange_at(me, send, receive, PEAL_HERE)
PEAL_API struct peal_envelope peal_exchange_at(struct peal_node *me, const struct peal_post *send,
                                               const struct peal_post *receive, const char *file, int line);

/* A standard send or a receive of one piece. */
struct peal_short_post {
    struct peal_piece piece;
    int peer, tag;
    uint64_t note; /* as peal_post's */
    bool lenient;  /* of a receive */
};

/* Post it as peal_post does, kind PEAL_POST_SEND or PEAL_POST_RECEIVE, if that cannot fail: the post is valid, and
 * there is room.  True: writes *handle.  False, with nothing done: peal_post does it, or says
 * what is wrong. */
#define peal_post_short(me, kind, post, handle) peal_post_short_at(me, kind, post, handle, PEAL_HERE)
PEAL_API bool peal_post_short_at(struct peal_node *me, enum peal_post_kind kind, const struct peal_short_post *post,
                                 struct peal_handle *handle, const char *file, int line);

/* Exchange as peal_exchange does if that cannot fail: the posts are valid, and there is room; of both sides at once,
 * only if the node has no other requests open.  True: writes *envelope, unless NULL.  False, with nothing done:
 * peal_exchange does it, or says what is wrong.
 *
 *   blocks   as peal_exchange
 *   errors   truncation as peal_post                                                                 */
#define peal_exchange_short(me, send, receive, envelope) peal_exchange_short_at(me, send, receive, envelope, PEAL_HERE)
PEAL_API bool peal_exchange_short_at(struct peal_node *me, const struct peal_short_post *send,
                                     const struct peal_short_post *receive, struct peal_envelope *envelope,
                                     const char *file, int line);

/* Look for a message: as a probe that answers at once if one is there, else after a rest of exactly one round.  True:
 * writes *envelope.  A rest counts as polling.
 *
 *   errors   as peal_post; bad-request unless `probe` is a probe                                     */
#define peal_probe_now(me, probe, envelope) peal_probe_now_at(me, probe, envelope, PEAL_HERE)
PEAL_API bool peal_probe_now_at(struct peal_node *me, const struct peal_post *probe, struct peal_envelope *envelope,
                                const char *file, int line);

/* ------------------------------------------------------------------ waits */

/* Wait until the request is complete, consume the handle, and give its envelope; sizes are in words of `me`.
 *
 *   blocks   until a round completes the request, or the run failed
 *   errors   as peal_wait                                                                           */
#define peal_wait_envelope(me, handle) peal_wait_envelope_at(me, handle, PEAL_HERE)
PEAL_API struct peal_envelope peal_wait_envelope_at(struct peal_node *me, struct peal_handle handle, const char *file,
                                                    int line);

/* Wait until the requests of handles[0 .. count) are complete, consume these, and write the envelope of each to
 * envelopes[0 .. count).  Handles that are PEAL_NO_HANDLE are left out, and so are their envelopes.
 *
 *   blocks   until a round completes the last of them, or the run failed
 *   errors   as peal_wait                                                                           */
#define peal_wait_envelopes(me, handles, count, envelopes)                                                             \
    peal_wait_envelopes_at(me, handles, count, envelopes, PEAL_HERE)
PEAL_API void peal_wait_envelopes_at(struct peal_node *me, const struct peal_handle *handles, int count,
                                     struct peal_envelope *envelopes, const char *file, int line);

/* Whether the request is complete.  Consumes nothing and never rests; writes *envelope, unless NULL, if it is.
 *
 *   errors   as peal_wait                                                                           */
#define peal_is_complete(me, handle, envelope) peal_is_complete_at(me, handle, envelope, PEAL_HERE)
PEAL_API bool peal_is_complete_at(struct peal_node *me, struct peal_handle handle, struct peal_envelope *envelope,
                                  const char *file, int line);

/* Wait until one of handles[0 .. count) is complete, and give the lowest index of one that is; consume none.  Handles
 * that are PEAL_NO_HANDLE are left out; -1 if all are.
 *
 *   blocks   until a round completes one of them, or the run failed
 *   errors   as peal_wait                                                                           */
#define peal_wait_any(me, handles, count) peal_wait_any_at(me, handles, count, PEAL_HERE)
PEAL_API int peal_wait_any_at(struct peal_node *me, const struct peal_handle *handles, int count, const char *file,
                              int line);

/* Ask how many of handles[0 .. count) are complete, and consume none: at once if at least `enough` of them are, else
 * after a rest of exactly one round, which counts as polling.  Handles that are PEAL_NO_HANDLE do not count.
 *
 *   errors   as peal_wait                                                                           */
#define peal_count_complete(me, handles, count, enough) peal_count_complete_at(me, handles, count, enough, PEAL_HERE)
PEAL_API int peal_count_complete_at(struct peal_node *me, const struct peal_handle *handles, int count, int enough,
                                    const char *file, int line);

/* Cancel a request: if the next round leaves it unmatched, it is complete and its envelope says `cancelled`.  One that
 * is matched or complete by then is not affected.  The handle is waited for as before.
 *
 *   errors   as peal_wait                                                                           */
#define peal_cancel(me, handle) peal_cancel_at(me, handle, PEAL_HERE)
PEAL_API void peal_cancel_at(struct peal_node *me, struct peal_handle handle, const char *file, int line);

/* Consume the handle without a wait: the machine forgets the request when it is complete.  A node whose program has
 * returned ends when all that it has detached is complete; peal_wait_detached waits for that before, while buffers on
 * the stack are there.
 *
 *   owner    the machine borrows the pieces' data until the request is complete
 *   errors   as peal_wait                                                                           */
#define peal_detach(me, handle) peal_detach_at(me, handle, PEAL_HERE)
PEAL_API void peal_detach_at(struct peal_node *me, struct peal_handle handle, const char *file, int line);
#define peal_wait_detached(me) peal_wait_detached_at(me, PEAL_HERE)
PEAL_API void peal_wait_detached_at(struct peal_node *me, const char *file, int line);

/* Have a receive that is not complete deliver to these pieces, which have as many words, in place of its own.  False,
 * with nothing done: it is complete.
 *
 *   owner    copies the list of pieces; the machine borrows their data as those of the post
 *   errors   as peal_wait; bad-request unless it is a receive; bad-size for other words              */
#define peal_redirect(me, handle, pieces, count) peal_redirect_at(me, handle, pieces, count, PEAL_HERE)
PEAL_API bool peal_redirect_at(struct peal_node *me, struct peal_handle handle, const struct peal_piece *pieces,
                               int count, const char *file, int line);

/* Give how many of the node's buffered sends are not carried yet, and in *words how many words of `me` these have. */
#define peal_buffered(me, words) peal_buffered_at(me, words, PEAL_HERE)
PEAL_API int peal_buffered_at(struct peal_node *me, size_t *words, const char *file, int line);

/* Rest for exactly one round, as peal_next_round; but 100 of these on end count as one round of polling. */
#define peal_sleep(me) peal_sleep_at(me, PEAL_HERE)
PEAL_API void peal_sleep_at(struct peal_node *me, const char *file, int line);

/* ------------------------------------------------------------------ choices */

/* How many of the requests of a call are to be complete for it to return. */
enum peal_pick_kind { PEAL_PICK_ONE, PEAL_PICK_SOME, PEAL_PICK_ALL };

/* One of the requests of a call that picks: complete when both handles are.  PEAL_NO_HANDLE is complete. */
struct peal_pickable {
    struct peal_handle handles[2];
    bool open;   /* false: it is not one of the call's, or cannot become complete */
    bool picked; /* written by peal_choose, with what came for the first handle */
    struct peal_envelope came;
    bool seen; /* the explorer's own */
};

/* A call that returns one, some, or all of several requests, or with `tests` says that they are not complete yet. */
struct peal_pick {
    enum peal_pick_kind kind;
    bool tests;
    struct peal_pickable *list;
    int count;
};

/* Whether the run is one of several that together try all that may be picked; only then may peal_choose be called. */
PEAL_API bool peal_picks(const struct peal_node *me);

/* Have the run's explorer decide which requests the call returns: peal_choose(me, pick).  True: these are `picked` in
 * its list, are complete, and are still to be finished; false: not yet.
 *
 *   blocks   until it is decided, which is when nothing else can move, or the run failed
 *   errors   as peal_wait; bad-request unless peal_picks                                             */
#define peal_choose(me, pick) peal_choose_at(me, pick, PEAL_HERE)
PEAL_API bool peal_choose_at(struct peal_node *me, struct peal_pick *pick, const char *file, int line);

/* ------------------------------------------------------------------ strands */

/* What a strand runs: `me` is the node as the strand sees it. */
typedef void (*peal_strand)(struct peal_node *me, void *arg);

struct peal_call; /* <peal/author.h> */

/* Start another strand of the node, a second flow of control with a stack of its own: peal_start(me, call, run, arg)
 * runs run(own, arg), at once, until that waits.  From then on, whenever a strand of the node waits or ends, the node
 * goes on with the first of its strands that can, in the order of their starts, its program last.  It parks when none
 * can, and has one send and one receive a round, as ever.
 *
 * Every node of the group of `me` starts it, as its n-th collective: what these strands post on `own`, and the
 * collectives that they call on it, meet only one another, in contexts of their own.  To reach other nodes' programs a
 * strand posts on `me`.  `call` says what the strand does, and is compared as peal_declare_call compares it; NULL: a
 * strand.
 *
 * The handle is complete when run has returned.  It is good for one peal_join or peal_join_test, or any other wait or
 * test of a request; on the critical path the strand's clock starts with the node's and is joined with it.
 *
 *   owner    borrows arg and what `call` points to; requests that are posted in the strand are waited for in it
 *   errors   bad-request inside of a collective or a strand; collective-mismatch as peal_declare_call; out-of-memory;
 *            unsupported in a build without Boost.Context; lost-request if the node's program returns before the strand
 *            has ended */
#define peal_start(me, ...) peal_start_at(me, __VA_ARGS__, PEAL_HERE)
PEAL_API struct peal_handle peal_start_at(struct peal_node *me, const struct peal_call *call, peal_strand run,
                                          void *arg, const char *file, int line);

/* Wait until the strand has ended, and consume its handle.
 *
 *   blocks   until the strand has ended, or the run failed
 *   errors   bad-request if the handle is not a strand's, or was joined; deadlock if a strand joins itself */
#define peal_join(me, handle) peal_join_at(me, handle, PEAL_HERE)
PEAL_API void peal_join_at(struct peal_node *me, struct peal_handle handle, const char *file, int line);

/* Whether the strand has ended: true at once, which consumes the handle, if it has; else after a rest of exactly one
 * round, in which the node's other strands go on.  Counts as polling, as peal_test.
 *
 *   errors   as peal_join                                                                           */
#define peal_join_test(me, handle) peal_join_test_at(me, handle, PEAL_HERE)
PEAL_API bool peal_join_test_at(struct peal_node *me, struct peal_handle handle, const char *file, int line);

/* ------------------------------------------------------------------ meetings */

/* An agreement of exactly these nodes. */
struct peal_meeting {
    const int *ranks; /* in the group of `me`, each once; NULL: all of it */
    int count;        /* of ranks */
    int number;       /* tells meetings of the same nodes apart */
    const void *mine; /* `bytes` bytes of this node's, for all */
    void *all;        /* what each of them brought, in the order of ranks; NULL: this node does not want it */
    size_t bytes;     /* of each */
    bool group;       /* make a group of them, in the order of ranks */
};

/* Meet the nodes of `meeting`: each of them calls peal_meet(me, meeting) on a view of the same group, with the same
 * ranks in the same order and the same number.  Calls of two strands of a node at once join two meetings.  Gives the
 * node seen in their new group, with a context of its own; NULL without `group`.  It moves no words and is not charged.
 *
 *   owner    borrows *meeting, and what it points to, until it returns; the view belongs to the run
 *   blocks   until all of them have called it
 *   errors   bad-rank; bad-request for a list that leaves the node out or names one twice; collective-mismatch if they
 *            do not agree on `bytes` and `group`; deadlock if one of them never calls it */
#define peal_meet(me, ...) peal_meet_at(me, __VA_ARGS__, PEAL_HERE)
PEAL_API struct peal_node *peal_meet_at(struct peal_node *me, const struct peal_meeting *meeting, const char *file,
                                        int line);

/* Declare that the node calls no further collective, although it has not finished: others that wait for it in one wait
 * for ever, which is then the failure collective-mismatch. */
PEAL_API void peal_end_calls(struct peal_node *me);

/* Give a number that the members of the group of `me` share, and no other group of the run has. */
PEAL_API uint32_t peal_context(const struct peal_node *me);

/* Give the group of `me` a name for reports, in place of the one it has.
 *
 *   owner    copies the name                                                                                  */
PEAL_API void peal_name_group(struct peal_node *me, const char *name);

/* ------------------------------------------------------------------ views */

/* Give the same node in the same group and context, with words of `word_bytes` bytes: a multiple of the machine's.
 * Sizes in calls on it, those of collectives too, are in its words; rounds, transfers and charges are in the machine's.
 * What is entered or split from it has its words, too.
 *
 *   owner    peal_view_end gives it back with what was allocated on it; requests that were posted on it are waited for
 *            by then
 *   errors   bad-size if word_bytes is not a multiple of the machine's                               */
#define peal_view(me, word_bytes) peal_view_at(me, word_bytes, PEAL_HERE)
PEAL_API struct peal_node *peal_view_at(struct peal_node *me, size_t word_bytes, const char *file, int line);
PEAL_API void peal_view_end(struct peal_node *view);

/* Give the same node with the group, rank and words of its view `part`, but in the contexts of `me`: so a strand, or a
 * collective, calls the collectives of a part of its nodes.  All members of that group are in the group of `me`, and do
 * the same.
 *
 *   owner    as peal_view
 *   errors   bad-request for a view of another node                                                  */
#define peal_view_part(me, part) peal_view_part_at(me, part, PEAL_HERE)
PEAL_API struct peal_node *peal_view_part_at(struct peal_node *me, const struct peal_node *part, const char *file,
                                             int line);

/* ------------------------------------------------------------------ findings */

/* Record a finding: peal_report(me, kind, places, count, format, ...).  It has the node and the place of this call
 * first, then `count` other places, whose lines may be PEAL_CODE; its text is one line.  One of the same kind at the
 * same places is only counted.
 *
 *   owner    copies everything
 *   errors   out-of-memory                                                                          */
#define peal_report(me, kind, places, count, ...) peal_report_at(me, kind, places, count, PEAL_HERE, __VA_ARGS__)
PEAL_API void peal_report_at(struct peal_node *me, enum peal_failure_kind kind, const struct peal_place *places,
                             int count, const char *file, int line, const char *format, ...) PEAL_PRINTF(7, 8);

/* Advise how to correct the fault that the node reports next, in one line of at most 399 bytes, the fix of its failure
 * or finding: peal_advise(me, PEAL_HINT(name), ...) where a file of the library includes <peal/hints.h>. */
PEAL_API void peal_advise(struct peal_node *me, const char *format, ...) PEAL_PRINTF(2, 3);

/* Note what is allowed but may cause a later crash of the node, and the fix for it: the displacements of a call look
 * like bytes where elements are meant, `displacement` for the block after one of `elements`; or the buffer of the call
 * at this place, on the node's stack, holds a pointer, for a crash by what the call has written over it.
 * owner: borrows call until the end of the run */
PEAL_API void peal_suspect_bytes(struct peal_node *me, const char *call, int displacement, int elements);
PEAL_API void peal_suspect_pointer(struct peal_node *me, const void *buffer, const char *call, const char *file,
                                   int line);

/* Record a finding whose kind, message, rule and fix are set, with its other places (place_count of them, or 0): as
 * peal_report.
 *
 *   owner    copies everything
 *   errors   out-of-memory                                                                          */
#define peal_add_finding(me, finding) peal_add_finding_at(me, finding, PEAL_HERE)
PEAL_API void peal_add_finding_at(struct peal_node *me, const struct peal_run_finding *finding, const char *file,
                                  int line);

/* Record a finding at its own places alone. */
PEAL_API void peal_record_places(struct peal_node *me, const struct peal_run_finding *finding);

/* How many phases the run has had: a phase ends when all nodes wait or have finished.  Within one, nodes hear nothing
 * of each other. */
PEAL_API uint64_t peal_phase(const struct peal_node *me);

/* Whether `address` lies in the node's stack below `frame`, an address of the same stack: in the frame of a function
 * that has returned to the function of `frame`. */
PEAL_API bool peal_frame_ended(const struct peal_node *me, const void *address, const void *frame);

PEAL_END

#endif
