/* SPDX-License-Identifier: MIT */
/* Numbers, sizes, grids of nodes and moves. */
#include "kit.h"
#include <math.h>

/* ------------------------------------------------------------------ numbers and sizes */

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t
made_bits(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) + i * UINT64_C(0xD1B54A32D192ED03);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A double in -1 .. 1. */
static double
real_of(uint64_t seed, uint64_t i)
{
    return (double)(made_bits(seed, i) >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

/* A whole double in -8 .. 8: their sums and products stay exact whatever their order. */
static double
whole_of(uint64_t seed, uint64_t i)
{
    return (double)(made_bits(seed, i) % 17) - 8;
}

void
make_reals(uint64_t seed, void *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double *)x)[i] = real_of(seed, i);
}

void
make_wholes(uint64_t seed, void *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double *)x)[i] = whole_of(seed, i);
}

int
log2_up(size_t x)
{
    int log = 0;

    for (size_t power = 1; power < x && log < 63; power <<= 1)
        log++;
    return log;
}

int
square_root(size_t x)
{
    size_t root = (size_t)sqrt((double)x);

    while (root * root > x)
        root--;
    while ((root + 1) * (root + 1) <= x)
        root++;
    return (int)root;
}

size_t
part_first(size_t n, int P, int b)
{
    return peal_block_begin(n, P, b);
}

size_t
part_size(size_t n, int P, int b)
{
    return peal_block_words(n, P, b);
}

bool
count_words(size_t a, size_t b, size_t c, size_t *words)
{
    return !__builtin_mul_overflow(a, b, words) && !__builtin_mul_overflow(*words, c, words) && *words <= SIZE_MAX / 8;
}

enum peal_status
need_square(const struct peal_problem *problem, struct peal_error *error)
{
    int P = problem->machine.nodes, s = square_root((size_t)P);

    if (s * s == P)
        return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE, "%d nodes are not a square grid; P = %d and %d fit", P, s * s,
                       (s + 1) * (s + 1));
}

enum peal_status
need_power_of_two(const struct peal_problem *problem, struct peal_error *error)
{
    int P = problem->machine.nodes, q = log2_up((size_t)P);

    if (1 << q == P)
        return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE, "%d nodes are not a power of two; P = %d and %d fit", P, 1 << (q - 1),
                       1 << q);
}

/* ------------------------------------------------------------------ nodes */

struct grid
grid_of(struct peal_node *me, int rows, int columns)
{
    int r = peal_rank(me);
    struct grid grid = {.rows = rows, .columns = columns, .row = r / columns, .column = r % columns};

    grid.in_row = peal_split(me, grid.row, grid.column);
    grid.in_column = peal_split(me, grid.column, grid.row);
    return grid;
}

int
square_rows(int P)
{
    int rows = square_root((size_t)P);

    while (P % rows != 0)
        rows--;
    return rows;
}

/* ------------------------------------------------------------------ moves */

void
shift_open(struct peal_node *me, const double *out, size_t out_words, int dest, double *in, size_t in_words, int source)
{
    struct peal_handle sent = {0}, received = {0};

    if (source != NOBODY)
        received = peal_recv_async(me, in, in_words, source);
    if (dest != NOBODY)
        sent = peal_send_async(me, out, out_words, dest);
    if (source != NOBODY)
        peal_wait(me, received);
    if (dest != NOBODY)
        peal_wait(me, sent);
}

struct moving
moving_of(struct peal_node *me, size_t most_words)
{
    return (struct moving){.x = peal_alloc(me, most_words), .spare = peal_alloc(me, most_words)};
}

void
move_back(struct peal_node *group, struct moving *block, size_t words, size_t next_words, int by)
{
    int P = peal_size(group), r = peal_rank(group);
    double *arrived = block->spare;

    if (by % P == 0) {
        if (P > 1)
            peal_next_round(group);
        return;
    }
    peal_sendrecv(group, block->x, words, (r - by % P + P) % P, arrived, next_words, (r + by) % P);
    block->spare = block->x;
    block->x = arrived;
}
