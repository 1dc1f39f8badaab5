/* SPDX-License-Identifier: MIT */
/* The loads of long routes by stretches: noted at both ends, summed up once per round, then read by windows and blocks.
 * All notes of a round come before the first reading. */
#include "lib/cost/places_load.h"
#include "lib/base/grow.h"
#include "lib/cost/arithmetic.h"
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 16,               /* places whose maximum is kept */
    WINDOW = 4,               /* places whose maximum is kept from each place on */
    HELD_STRETCHES = 1 << 18, /* stretches of a round that are kept between adding and reading */
    NEAR_PLACES = 1 << 15,    /* the loads of this many stay in the cache */
};

struct places_load {
    const struct peal_pricing *pricing;
    size_t places;
    uint32_t *transfers;                      /* on the link at each place */
    uint32_t *transfers_most;                 /* of each block */
    uint32_t *window_most;                    /* of the window from each place on */
    uint64_t *transfers_sum;                  /* before each place; PEAL_STORE_FORWARD only */
    uint64_t *words, *words_most, *words_sum; /* the same; PEAL_VOLUME only */
    struct stretch *stretches;                /* of the routes of a round, if they are held, or of a batch */
    size_t capacity;                          /* of stretches */
    size_t next;                              /* the next held stretch to be read */
    bool held;
};

struct places_load *
lines_create(const struct peal_pricing *pricing)
{
    struct places_load *lines = calloc(1, sizeof *lines);
    bool forwarded = pricing->switching == PEAL_STORE_FORWARD, volume = pricing->congestion == PEAL_VOLUME;

    if (!lines)
        return NULL;
    lines->pricing = pricing;
    lines->places = (size_t)pricing->network->places;

    size_t blocks = lines->places / BLOCK + 1, count = blocks * BLOCK;

    lines->transfers = calloc(count, sizeof *lines->transfers);
    lines->transfers_most = malloc(blocks * sizeof *lines->transfers_most);
    lines->window_most = malloc(count * sizeof *lines->window_most);
    lines->capacity = LINES_BATCH * 2 * (size_t)pricing->network->dimensions;
    lines->stretches = malloc(lines->capacity * sizeof *lines->stretches);
    bool memory = lines->transfers && lines->transfers_most && lines->window_most && lines->stretches;

    if (forwarded)
        memory &= (lines->transfers_sum = malloc(count * sizeof *lines->transfers_sum)) != NULL;
    if (volume) {
        lines->words = calloc(count, sizeof *lines->words);
        lines->words_most = malloc(blocks * sizeof *lines->words_most);
        memory &= lines->words && lines->words_most;
    }
    if (volume && forwarded)
        memory &= (lines->words_sum = malloc(count * sizeof *lines->words_sum)) != NULL;
    if (memory)
        return lines;
    lines_destroy(lines);
    return NULL;
}

void
lines_destroy(struct places_load *lines)
{
    if (!lines)
        return;
    free(lines->transfers);
    free(lines->transfers_most);
    free(lines->window_most);
    free(lines->transfers_sum);
    free(lines->words);
    free(lines->words_most);
    free(lines->words_sum);
    free(lines->stretches);
    free(lines);
}

/* ------------------------------------------------------------------ adding */

/* Make room for the stretches of all routes of a round, if they are few enough to be held and there is memory. */
static bool
can_hold(struct places_load *lines, size_t count)
{
    size_t most = count * 2 * (size_t)lines->pricing->network->dimensions;

    return most <= lines->capacity ||
           (most <= HELD_STRETCHES && array_grow(&lines->stretches, &lines->capacity, most, sizeof *lines->stretches));
}

/* Find the stretches of a batch's routes, and prefetch the memory at their ends; gives their number, up to those of
 * each transfer in ends[] unless it is NULL. */
static size_t
lines_find_stretches(const struct places_load *lines, const struct peal_transfer *transfers, size_t count,
                     struct stretch *stretches, size_t *ends)
{
    const struct peal_network *network = lines->pricing->network;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        if (transfers[i].from != transfers[i].to)
            found +=
                (size_t)network->topology->stretches(network, transfers[i].from, transfers[i].to, stretches + found);
        if (ends)
            ends[i] = found;
    }
    for (size_t i = 0; lines->places > NEAR_PLACES && i < found; i++) {
        __builtin_prefetch(&lines->transfers[stretches[i].first], 1);
        __builtin_prefetch(&lines->transfers[stretches[i].first + stretches[i].count], 1);
    }
    return found;
}

/* Note the ends of the stretches: what is added at one is subtracted at the other.  Numbers may wrap below 0 until all
 * are summed up. */
static void
lines_note(struct places_load *lines, struct peal_transfer *transfers, size_t count, const struct stretch *stretches,
           const size_t *ends)
{
    const struct stretch *stretch = stretches;

    for (size_t i = 0; i < count; i++) {
        uint32_t hops = 0;

        for (; stretch < stretches + ends[i]; stretch++) {
            hops += stretch->count;
            lines->transfers[stretch->first]++;
            lines->transfers[stretch->first + stretch->count]--;
            if (lines->words) {
                lines->words[stretch->first] += transfers[i].words;
                lines->words[stretch->first + stretch->count] -= transfers[i].words;
            }
        }
        transfers[i].hops = hops;
    }
}

static inline uint32_t
max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Find the maximum of each window. */
static void
fill_windows(struct places_load *lines)
{
    const uint32_t *transfers = lines->transfers;
    uint32_t *most = lines->window_most;

    for (size_t i = 0; i + WINDOW <= lines->places; i++)
        most[i] = max_u32(max_u32(transfers[i], transfers[i + 1]), max_u32(transfers[i + 2], transfers[i + 3]));
}

/* Turn the notes into loads, and compute the maxima of blocks and windows and the sums. */
static void
sum_up(struct places_load *lines)
{
    uint32_t transfers = 0;
    uint64_t transfers_sum = 0, words = 0, words_sum = 0;

    for (size_t block = 0; block * BLOCK <= lines->places; block++) {
        uint32_t most = 0;

        for (size_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
            lines->transfers[i] = transfers += lines->transfers[i];
            most = transfers > most ? transfers : most;
        }
        lines->transfers_most[block] = most;
    }
    fill_windows(lines);
    for (size_t i = 0; lines->transfers_sum && i <= lines->places; transfers_sum += lines->transfers[i++])
        lines->transfers_sum[i] = transfers_sum;
    for (size_t block = 0; lines->words && block * BLOCK <= lines->places; block++) {
        uint64_t most = 0;

        for (size_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
            lines->words[i] = words += lines->words[i];
            most = words > most ? words : most;
        }
        lines->words_most[block] = most;
    }
    for (size_t i = 0; lines->words_sum && i <= lines->places; words_sum += lines->words[i++])
        lines->words_sum[i] = words_sum;
}

bool
lines_load(struct places_load *lines, struct peal_transfer *transfers, size_t count)
{
    const struct peal_network *network = lines->pricing->network;
    uint64_t all_words = 0;

    for (size_t i = 0; lines->words && i < count; i++) /* no load and no sum of loads is larger than this */
        all_words = saturating_sum(all_words, saturating_product(transfers[i].words, (uint64_t)network->diameter));
    if (all_words > INT64_MAX)
        return false;
    memset(lines->transfers, 0, lines->places * sizeof *lines->transfers);
    if (lines->words)
        memset(lines->words, 0, lines->places * sizeof *lines->words);
    lines->held = can_hold(lines, count);
    lines->next = 0;
    for (size_t i = 0, held = 0; i < count; i += LINES_BATCH) {
        size_t batch = count - i < LINES_BATCH ? count - i : LINES_BATCH, ends[LINES_BATCH];
        size_t found = lines_find_stretches(lines, transfers + i, batch, lines->stretches + held, ends);

        lines_note(lines, transfers + i, batch, lines->stretches + held, ends);
        held += lines->held ? found : 0;
    }
    sum_up(lines);
    return true;
}

/* ------------------------------------------------------------------ reading */

/* The maximum over these places. */
static inline uint32_t
most_transfers(const struct places_load *lines, size_t i, size_t end)
{
    const uint32_t *transfers = lines->transfers, *window = lines->window_most;
    uint32_t most = 0;

    if (end - i < WINDOW) {
        for (; i < end; i++)
            most = max_u32(most, transfers[i]);
        return most;
    }
    if (end - i >= 2 * BLOCK) {
        size_t aligned = (i + BLOCK - 1) / BLOCK * BLOCK;

        for (; i < aligned; i += WINDOW)
            most = max_u32(most, window[i]);
        for (i = aligned; end - i >= BLOCK; i += BLOCK)
            most = max_u32(most, lines->transfers_most[i / BLOCK]);
    }
    for (; i + WINDOW < end; i += WINDOW)
        most = max_u32(most, window[i]);
    return max_u32(most, window[end - WINDOW]); /* the last four, some of them twice */
}

static uint64_t
lines_most_words(const struct places_load *lines, size_t i, size_t end)
{
    uint64_t most = 0;

    for (; i < end && i % BLOCK != 0; i++)
        most = lines->words[i] > most ? lines->words[i] : most;
    for (; end - i >= BLOCK; i += BLOCK)
        most = lines->words_most[i / BLOCK] > most ? lines->words_most[i / BLOCK] : most;
    for (; i < end; i++)
        most = lines->words[i] > most ? lines->words[i] : most;
    return most;
}

/* Raise the load to that of a stretch. */
static inline void
read_stretch(const struct places_load *lines, struct stretch stretch, struct line_load *load)
{
    size_t begin = stretch.first, end = begin + stretch.count;

    load->transfers_most = max_u32(load->transfers_most, most_transfers(lines, begin, end));
    if (lines->transfers_sum)
        load->transfers_sum += lines->transfers_sum[end] - lines->transfers_sum[begin];
    if (!lines->words)
        return;
    uint64_t words = lines_most_words(lines, begin, end);

    load->words_most = words > load->words_most ? words : load->words_most;
    if (lines->words_sum)
        load->words_sum += lines->words_sum[end] - lines->words_sum[begin];
}

void
lines_read(struct places_load *lines, const struct peal_transfer *transfers, size_t count, struct line_load *loads)
{
    const struct stretch *stretch = lines->stretches + lines->next;

    if (!lines->held)
        lines_find_stretches(lines, transfers, count, lines->stretches, NULL);
    for (size_t i = 0; i < count; i++) {
        loads[i] = (struct line_load){0};
        for (uint32_t hops = 0; hops < transfers[i].hops; hops += stretch++->count)
            read_stretch(lines, *stretch, &loads[i]);
    }
    if (lines->held)
        lines->next = (size_t)(stretch - lines->stretches);
}
