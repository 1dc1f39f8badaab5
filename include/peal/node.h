/* SPDX-License-Identifier: MIT */
/* The calls of a node program.  Every call takes the node it is made on, `me`, and only the thread that runs that node
 * may make it.  Sizes are in words of peal_word_bytes(me) bytes; ranks, tags and rounds are int.
 *
 * A wrong call (a rank out of range, a handle waited for twice, ...) is a failure of the run: it does not return.  The
 * calls below are macros that add the caller's file and line; the functions that they call end in _at. */
#ifndef PEAL_NODE_H
#define PEAL_NODE_H

#include <peal/base.h>
#include <stdarg.h>

PEAL_BEGIN

struct peal_node;

/* Far from every rank and tag: (rank - 1) % size, -1 on node 0, is a wrong rank and not any source. */
#define PEAL_ANY_SOURCE (-2000000001)
#define PEAL_ANY_TAG (-2000000101)
#define PEAL_NO_COLOR (-1)

/* One posted request.  Good for one wait. */
struct peal_handle {
    uint32_t slot;
    uint32_t generation;
};

/* The message that a receive got; after a wait for a send: the node itself, its tag and words. */
struct peal_message {
    int source;
    int tag;
    size_t words;
};

/* One piece of a message that is gathered from, or scattered to, several places. */
struct peal_piece {
    void *data;
    size_t words;
};

#define PEAL_HERE __FILE__, __LINE__

/* The functions that end in _at also take a place in the program's code in place of a file and a line: the line is
 * PEAL_CODE, and the file a return address, cast to const char *.  Its file and line are looked up only when something
 * is reported, in the program's debugging information; an address of which they are not known is reported as its
 * module, line 0.  PEAL_CALLER is where the function that mentions it was called:
 *
 *     int MPI_Barrier(MPI_Comm comm) { peal_barrier_at(node_of(comm), NULL, PEAL_CALLER); ... }        */
enum { PEAL_CODE = -1 };

/* PEAL_CODE with the name of the call that was made there, number `number` from 1 on of those that peal_call_names
 * (<peal/author.h>) declared: reports then say "in MPI_Send".  */
#define PEAL_CODE_OF(number) (PEAL_CODE - (number))
#define PEAL_CALLER (const char *)__builtin_return_address(0), PEAL_CODE

/* The bytes of a word of the machine that a program is compiled for: peal run --word-bytes 4 sets 4. */
#ifndef PEAL_WORD_BYTES
#define PEAL_WORD_BYTES 8
#endif

/* The calls below take void *.  Where words have 8 bytes, C compilers warn of buffers of smaller elements: 4 words are
 * more than int a[4] has.  PEAL_HERE_OF(buf) is PEAL_HERE with this check of the buffer's type; buf is not evaluated
 * there. */
#ifdef __has_attribute
#if __has_attribute(warning)
#define PEAL_WARNING(text) __attribute__((warning(text)))
#endif
#endif
#if !defined __cplusplus && defined PEAL_WARNING && __STDC_VERSION__ >= 201112L && PEAL_WORD_BYTES == 8
#define PEAL_SMALL(bytes)                                                                                              \
    PEAL_WARNING("elements of " bytes ", the machine's words have 8: use int64_t or double, or --word-bytes 4; "       \
                 "cast to (void *) where whole words are meant")
PEAL_API void peal_elements_of_1_byte(void) PEAL_SMALL("1 byte");
PEAL_API void peal_elements_of_2_bytes(void) PEAL_SMALL("2 bytes");
PEAL_API void peal_elements_of_4_bytes(void) PEAL_SMALL("4 bytes");
#define PEAL_ARE(type, call) type * : call(), const type * : call()
/* clang-format off */
#define PEAL_LOOK(buf)                                                                                                 \
    _Generic((buf),                                                                                                    \
        PEAL_ARE(char, peal_elements_of_1_byte), PEAL_ARE(signed char, peal_elements_of_1_byte),                       \
        PEAL_ARE(unsigned char, peal_elements_of_1_byte), PEAL_ARE(_Bool, peal_elements_of_1_byte),                    \
        PEAL_ARE(short, peal_elements_of_2_bytes), PEAL_ARE(unsigned short, peal_elements_of_2_bytes),                 \
        PEAL_ARE(int, peal_elements_of_4_bytes), PEAL_ARE(unsigned, peal_elements_of_4_bytes),                         \
        PEAL_ARE(float, peal_elements_of_4_bytes), default: (void)0)
/* clang-format on */
#define PEAL_HERE_OF(buf) __FILE__, (PEAL_LOOK(buf), __LINE__)
#define PEAL_HERE_OF_TWO(out, in) __FILE__, (PEAL_LOOK(out), PEAL_LOOK(in), __LINE__)
#else
PEAL_API void peal_elements_of_1_byte(void);
PEAL_API void peal_elements_of_2_bytes(void);
PEAL_API void peal_elements_of_4_bytes(void);
#define PEAL_HERE_OF(buf) PEAL_HERE
#define PEAL_HERE_OF_TWO(out, in) PEAL_HERE
#endif

/* ------------------------------------------------------------------ ranks and sizes */

/* The node's rank, 0 to size - 1, and the number of nodes, in the group of `me`; the bytes of a word. */
PEAL_API int peal_rank(const struct peal_node *me);
PEAL_API int peal_size(const struct peal_node *me);
PEAL_API size_t peal_word_bytes(const struct peal_node *me);

/* The node's rank in the whole machine, whatever the group of `me`. */
PEAL_API int peal_world_rank(const struct peal_node *me);

struct peal_network;
struct peal_options;

/* The machine's network (<peal/network.h>) and options (<peal/machine.h>); constant during a run. */
PEAL_API const struct peal_network *peal_node_network(const struct peal_node *me);
PEAL_API const struct peal_options *peal_node_options(const struct peal_node *me);

/* ------------------------------------------------------------------ requests */

/* Post a send of `words` words from buf to node `dest`.  Returns at once unless the outbox is full.
 *
 *   owner    the machine borrows buf until peal_wait on the handle returns; the program may read it, not write
 *   blocks   while the outbox is full, until a round frees a place
 *   errors   bad-rank if dest is not in 0 .. size-1; bad-request if tag < 0;
 *            bad-size if words · word_bytes does not fit in memory, or buf is NULL with words > 0   */
#define peal_send_async(me, buf, words, dest) peal_send_async_at(me, buf, words, dest, 0, PEAL_HERE_OF(buf))
#define peal_send_async_tag(me, buf, words, dest, tag) peal_send_async_at(me, buf, words, dest, tag, PEAL_HERE_OF(buf))
PEAL_API struct peal_handle peal_send_async_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag,
                                               const char *file, int line);

/* Post a receive of at most `words` words into buf from node `source` or PEAL_ANY_SOURCE, with this tag or
 * PEAL_ANY_TAG.
 *
 *   owner    the machine borrows buf until peal_wait on the handle returns; the program may neither read nor write it
 *   blocks   while the mailbox is full, until a round frees a place
 *   errors   as peal_send_async; truncation when a longer message matches it                     */
#define peal_recv_async(me, buf, words, source) peal_recv_async_at(me, buf, words, source, 0, PEAL_HERE_OF(buf))
#define peal_recv_async_tag(me, buf, words, source, tag)                                                               \
    peal_recv_async_at(me, buf, words, source, tag, PEAL_HERE_OF(buf))
PEAL_API struct peal_handle peal_recv_async_at(struct peal_node *me, void *buf, size_t words, int source, int tag,
                                               const char *file, int line);

/* Send or receive, without waiting, a message that is gathered from, or scattered to, `count` pieces in their order.
 *
 *   owner    borrows every piece's data until the wait; the list itself only during the call      */
#define peal_sendv_async(me, pieces, count, dest) peal_sendv_async_at(me, pieces, count, dest, 0, PEAL_HERE)
#define peal_sendv_async_tag(me, pieces, count, dest, tag) peal_sendv_async_at(me, pieces, count, dest, tag, PEAL_HERE)
PEAL_API struct peal_handle peal_sendv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count,
                                                int dest, int tag, const char *file, int line);
#define peal_recvv_async(me, pieces, count, source) peal_recvv_async_at(me, pieces, count, source, 0, PEAL_HERE)
#define peal_recvv_async_tag(me, pieces, count, source, tag)                                                           \
    peal_recvv_async_at(me, pieces, count, source, tag, PEAL_HERE)
PEAL_API struct peal_handle peal_recvv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count,
                                                int source, int tag, const char *file, int line);

/* Wait until the request is complete, and consume the handle: peal_wait(me, handle).
 *
 *   blocks   until a round completes the request, or the run failed
 *   errors   bad-request if the handle was waited for already, or is not one of this node's        */
#define peal_wait(me, ...) peal_wait_at(me, __VA_ARGS__, PEAL_HERE)
PEAL_API struct peal_message peal_wait_at(struct peal_node *me, struct peal_handle handle, const char *file, int line);

/* Wait for every request that was posted on `me` and not yet waited for. */
#define peal_wait_all(me) peal_wait_all_at(me, PEAL_HERE)
PEAL_API void peal_wait_all_at(struct peal_node *me, const char *file, int line);

/* Ask whether a request is complete: peal_test(me, handle).  If it is, consume it like a wait and return true; else
 * rest for exactly one round, and answer then.  peal_test_message also gives the message. */
#define peal_test(me, ...) peal_test_at(me, __VA_ARGS__, NULL, PEAL_HERE)
#define peal_test_message(me, handle, message) peal_test_at(me, handle, message, PEAL_HERE)
PEAL_API bool peal_test_at(struct peal_node *me, struct peal_handle handle, struct peal_message *message,
                           const char *file, int line);

/* Rest for exactly one round. */
#define peal_next_round(me) peal_next_round_at(me, PEAL_HERE)
PEAL_API void peal_next_round_at(struct peal_node *me, const char *file, int line);

/* ------------------------------------------------------------------ blocking calls */

/* Send `words` words from buf to node `dest`, or receive at most `words` words into buf from node `source`: post and
 * wait in one call.  A receive returns the message's source, tag and words.
 *
 *   blocks   until the round that carries the message, or the run failed
 *   errors   as peal_send_async and peal_recv_async                                                 */
#define peal_send(me, buf, words, dest) peal_send_at(me, buf, words, dest, 0, PEAL_HERE_OF(buf))
#define peal_send_tag(me, buf, words, dest, tag) peal_send_at(me, buf, words, dest, tag, PEAL_HERE_OF(buf))
PEAL_API void peal_send_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file,
                           int line);
#define peal_recv(me, buf, words, source) peal_recv_at(me, buf, words, source, 0, PEAL_HERE_OF(buf))
#define peal_recv_tag(me, buf, words, source, tag) peal_recv_at(me, buf, words, source, tag, PEAL_HERE_OF(buf))
PEAL_API struct peal_message peal_recv_at(struct peal_node *me, void *buf, size_t words, int source, int tag,
                                          const char *file, int line);

/* Send and receive at the same time.  The buffers must not overlap. */
#define peal_sendrecv(me, out, out_words, dest, in, in_words, source)                                                  \
    peal_sendrecv_at(me, out, out_words, dest, 0, in, in_words, source, 0, PEAL_HERE_OF_TWO(out, in))
#define peal_sendrecv_tag(me, out, out_words, dest, out_tag, in, in_words, source, in_tag)                             \
    peal_sendrecv_at(me, out, out_words, dest, out_tag, in, in_words, source, in_tag, PEAL_HERE_OF_TWO(out, in))
PEAL_API struct peal_message peal_sendrecv_at(struct peal_node *me, const void *out, size_t out_words, int dest,
                                              int out_tag, void *in, size_t in_words, int source, int in_tag,
                                              const char *file, int line);

/* ------------------------------------------------------------------ memory, time, chance */

/* Allocate `words` words of the node's own memory, all zero.  They are freed by peal_free, or when the run ends.
 * Scratch of a collective is freed when the collective returns.
 *
 *   errors   bad-size if the bytes do not fit in a size_t; out-of-memory                            */
#define peal_alloc(me, words) peal_alloc_at(me, words, PEAL_HERE)
PEAL_API void *peal_alloc_at(struct peal_node *me, size_t words, const char *file, int line);
PEAL_API void peal_free(struct peal_node *me, void *memory);

/* Declare that the node computed `operations` operations since its last call.  errors: bad-size if negative */
#define peal_compute(me, operations) peal_compute_at(me, operations, PEAL_HERE)
PEAL_API void peal_compute_at(struct peal_node *me, int64_t operations, const char *file, int line);

/* The model's time: the cost of the rounds so far, at the machine's parameters, plus the operations that this node
 * declared. */
PEAL_API double peal_clock(struct peal_node *me);

/* The next number of the node's own generator, which depends on the machine's seed and the node's rank only. */
PEAL_API uint64_t peal_random(struct peal_node *me);

/* Print to the run's standard output: whole lines, in the order of the ranks within a round.  Returns like printf. */
PEAL_API int peal_printf(struct peal_node *me, const char *format, ...) PEAL_PRINTF(2, 3);
PEAL_API int peal_vprintf(struct peal_node *me, const char *format, va_list list) PEAL_PRINTF(2, 0);
PEAL_API void peal_write(struct peal_node *me, const void *bytes, size_t count);

/* Show the value of a variable, whole or not, under its name: peal_show(me, "sum", sum).  It is shown after the rounds
 * that are over by then, until the node shows another one: in the blocks of a page, with --step, and in the document of
 * a run.  A node shows at most 32 variables and 65,536 values; what is more is left out.  Nothing is kept where the run
 * keeps no rounds, or on the engine mpi.
 *
 *   owner    copies the name
 *   blocks   never                                                                                   */
PEAL_API void peal_show(struct peal_node *me, const char *name, long double value);

/* End the run as a failure with this text.  Does not return. */
#define peal_abort(me, text) peal_abort_at(me, text, PEAL_HERE)
PEAL_API __attribute__((noreturn)) void peal_abort_at(struct peal_node *me, const char *text, const char *file,
                                                      int line);

/* End this node as if its program had returned.  Does not return. */
PEAL_API __attribute__((noreturn)) void peal_exit(struct peal_node *me);

/* ------------------------------------------------------------------ groups */

/* Split the group of `me`: the nodes that give the same color form a new group, ranked by (key, old rank).  Gives the
 * same node as a member of its new group, with a context of its own; NULL for color PEAL_NO_COLOR.  Every node of the
 * group must call it.  It moves no words and is not charged: a group is a way to name nodes.
 *
 *   owner    the run; freed when it ends
 *   blocks   until every node of the group has called it                                            */
#define peal_split(me, color, key) peal_split_at(me, color, key, PEAL_HERE)
PEAL_API struct peal_node *peal_split_at(struct peal_node *me, int color, int key, const char *file, int line);

/* The rank in the whole machine of node `rank` of the group. */
PEAL_API int peal_rank_in_world(const struct peal_node *me, int rank);

/* ------------------------------------------------------------------ a program's start */

/* Where every node of a program file starts; the program defines it.  <peal/program.h> lists what each node has for
 * itself.  A program with a main of its own gives its node function to peal_run instead: <peal/machine.h>. */
__attribute__((visibility("default"))) void peal_main(struct peal_node *me, int argc, char **argv);

PEAL_END

#endif
