/* SPDX-License-Identifier: MIT */
/* Pipelines, and their cost.
 *
 * The best number of pieces.  If x pieces take c + s·x rounds, then b pieces of n words, the r = n mod b longer ones
 * first, have a longer piece in transit in c + s·r rounds, so they take ⌊n/b⌋(c + sb) + (c + sr)[r > 0] = sn + c⌈n/b⌉
 * words.  For a given ⌈n/b⌉ the fewest pieces are best.  Without the ceiling the time is convex in b with its minimum
 * at √(cβn/(sα)), and it is never above the true one: so the search goes from there both ways until this bound is above
 * the best found.  (A b that divides n is the fewest for its ⌈n/b⌉, so a word more for the others changes nothing in
 * this.) */
#include "pieces.h"
#include <math.h>

/* ------------------------------------------------------------------ running */

struct peal_piece
pieces_of(const struct peal_node *me, const void *x, size_t n, int b, int l, int r)
{
    size_t begin = peal_block_begin(n, b, l), end = peal_block_begin(n, b, r);

    return (struct peal_piece){
        .data = x == NULL ? NULL : (char *)x + begin * peal_word_bytes(me), .words = end - begin};
}

struct peal_piece
piece_of(const struct peal_node *me, const void *x, size_t n, int b, int j)
{
    return pieces_of(me, x, n, b, j, j + 1);
}

/* A node's first message is a received one, and its sender has rested until that round: so no node is ahead. */
void
pipeline_broadcast(struct peal_node *me, void *a, size_t n, const struct pipeline *pipeline)
{
    int round = 0;

    for (int t = pipeline->first; t < pipeline->end; t++) {
        struct piece_step step = pipeline->step(pipeline->plan, t);

        if (step.dest < 0 && step.source < 0)
            continue;
        if (step.dest >= 0) {
            rest(me, t - round);
            post_send(me, piece_of(me, a, n, pipeline->pieces, step.out), step.dest);
        }
        if (step.source >= 0)
            post_recv(me, piece_of(me, a, n, pipeline->pieces, step.in), step.source);
        peal_wait_all(me);
        round = t + 1;
    }
}

void
pipeline_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root,
                const struct pipeline *pipeline)
{
    void *sum = a, *x = NULL;
    bool *combined = NULL; /* by piece: sum has it, else a */
    int round = 0, b = pipeline->pieces;

    for (int t = pipeline->end - 1; t >= pipeline->first; t--) {
        struct piece_step step = pipeline->step(pipeline->plan, t);
        struct peal_piece theirs = {0}, mine;

        if (step.dest < 0 && step.source < 0)
            continue;
        if (step.source >= 0) {
            rest(me, pipeline->rounds - 1 - t - round);
            post_send(me, piece_of(me, combined && combined[step.in] ? sum : a, n, b, step.in), step.source);
        }
        if (step.dest >= 0) {
            if (x == NULL) {
                x = peal_scratch(me, peal_block_words(n, b, 0));
                combined = peal_alloc(me, (size_t)b / peal_word_bytes(me) + 1);
                sum = peal_rank(me) == root ? a : peal_scratch(me, n);
            }
            theirs = (struct peal_piece){.data = x, .words = peal_block_words(n, b, step.out)};
            post_recv(me, theirs, step.dest);
        }
        peal_wait_all(me);
        if (step.dest >= 0) {
            const void *own = piece_of(me, combined[step.out] ? sum : a, n, b, step.out).data;
            mine = piece_of(me, sum, n, b, step.out);
            peal_combine(op, step.left ? x : own, step.left ? own : x, mine.data, mine.words);
            combined[step.out] = true;
        }
        round = pipeline->rounds - t;
    }
}

/* ------------------------------------------------------------------ streams */

/* The piece of a stream in round t + 1, -1 if it has none. */
static int
piece_in_round(const struct stream *stream, int t)
{
    int since = t - stream->round;

    if (since < 0 || since % stream->every != 0 || since / stream->every >= stream->count)
        return -1;
    return stream->piece + since / stream->every * stream->skip;
}

static struct piece_step
step_of_streams(const void *plan, int t)
{
    const struct streams *streams = plan;
    struct piece_step step = {.dest = -1, .source = -1};

    for (int i = 0; i < streams->in_count && step.source < 0; i++)
        if ((step.in = piece_in_round(&streams->in[i], t)) >= 0)
            step.source = streams->in[i].peer;
    for (int i = 0; i < streams->out_count && step.dest < 0; i++)
        if ((step.out = piece_in_round(&streams->out[i], t)) >= 0) {
            step.dest = streams->out[i].peer;
            step.left = streams->out[i].left;
        }
    return step;
}

/* Extend the range of active rounds to those of a stream. */
static void
cover(struct pipeline *pipeline, const struct stream *stream)
{
    int end = stream->round + stream->every * (stream->count - 1) + 1;

    if (stream->count == 0)
        return;
    if (stream->round < pipeline->first)
        pipeline->first = stream->round;
    if (end > pipeline->end)
        pipeline->end = end;
}

struct pipeline
streams_pipeline(const struct streams *streams, int pieces, int rounds)
{
    struct pipeline pipeline = {.pieces = pieces, .rounds = rounds, .first = rounds, .end = 0,
                                .step = step_of_streams, .plan = streams};

    for (int i = 0; i < streams->in_count; i++)
        cover(&pipeline, &streams->in[i]);
    for (int i = 0; i < streams->out_count; i++)
        cover(&pipeline, &streams->out[i]);
    return pipeline;
}

/* ------------------------------------------------------------------ closed forms */

static int64_t
ceiling(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The function that is minimized: the time of b pieces, with `words` words in the longest, ⌈n/b⌉ or, as a floor,
 * n/b. */
struct pieces_search {
    double alpha, beta, n, c, s;
    int more; /* words, where b does not divide n */
};

static double
floor_of(const struct pieces_search *search, int64_t b)
{
    return (search->c + search->s * (double)b) * search->alpha
           + (search->s * search->n + search->c * search->n / (double)b) * search->beta;
}

static double
time_of(const struct pieces_search *search, int64_t n, int64_t b)
{
    double words = search->s * search->n + search->c * (double)ceiling(n, b) + (n % b != 0 ? search->more : 0);

    return (search->c + search->s * (double)b) * search->alpha + words * search->beta;
}

static int
best_of(const struct peal_situation *situation, int64_t c, int64_t s, int more)
{
    int64_t n = (uint64_t)situation->words > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)situation->words, start, best;
    int64_t most = n < PIECES_MAX ? n : PIECES_MAX;
    struct pieces_search search = {situation->parameters.alpha, situation->parameters.beta, (double)n, (double)c,
                                   (double)s, more};
    double least, middle;

    if (n <= 1 || c <= 0 || search.beta <= 0)
        return 1;
    middle = search.alpha > 0 ? sqrt(search.c * search.beta * search.n / (search.s * search.alpha)) : (double)most;
    start = middle < 1 ? 1 : middle > (double)most ? most : (int64_t)middle;
    best = start = ceiling(n, ceiling(n, start));
    least = time_of(&search, n, best);
    for (int way = -1; way <= 1; way += 2)
        for (int64_t b = start;;) {
            int64_t longest = ceiling(n, b);
            double time;

            if (way > 0 ? longest == 1 : b == 1)
                break;
            b = way > 0 ? ceiling(n, longest - 1) : ceiling(n, ceiling(n, b - 1));
            if (b > most || floor_of(&search, b) > least)
                break;
            time = time_of(&search, n, b);
            if (time < least || (time == least && b < best)) {
                least = time;
                best = b;
            }
        }
    return (int)best;
}

int
pieces_best(const struct peal_situation *situation, int64_t c, int64_t s)
{
    return best_of(situation, c, s, 0);
}

int
pieces_best_even(const struct peal_situation *situation, int64_t c, int64_t s)
{
    return best_of(situation, c, s, 1);
}

void
closed_add_pieces(struct closed *sum, int b, int64_t c, int64_t s)
{
    int64_t words = closed_words(sum), shorter = words / b, longer = words % b;
    int64_t rounds = c + s * b, of_longer = longer > 0 ? c + s * longer : 0;

    closed_add_same(sum, rounds - of_longer, shorter, 1);
    closed_add_same(sum, of_longer, shorter + (longer > 0), 1);
}
