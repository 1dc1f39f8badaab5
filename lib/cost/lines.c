/* SPDX-License-Identifier: MIT */
#include "lib/cost/lines.h"
#include "lib/cost/arithmetic.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16 }; /* places whose most is kept */

struct lines {
    const struct peal_pricing *pricing;
    size_t places;
    uint32_t *transfers;      /* on the link at each place */
    uint32_t *transfers_most; /* of each block */
    uint64_t *transfers_sum;  /* before each place; PEAL_STORE_FORWARD only */
    uint64_t *words, *words_most, *words_sum; /* the same; PEAL_VOLUME only */
    struct stretch *stretches; /* of the routes of a batch */
    int ends[LINES_BATCH];     /* of each */
};

struct lines *
lines_create(const struct peal_pricing *pricing)
{
    struct lines *lines = calloc(1, sizeof *lines);
    bool forwarded = pricing->switching == PEAL_STORE_FORWARD, volume = pricing->congestion == PEAL_VOLUME;

    if (!lines)
        return NULL;
    lines->pricing = pricing;
    lines->places = (size_t)pricing->network->places;

    size_t blocks = lines->places / BLOCK + 1, count = blocks * BLOCK;

    lines->transfers = calloc(count, sizeof *lines->transfers);
    lines->transfers_most = malloc(blocks * sizeof *lines->transfers_most);
    lines->stretches = malloc(LINES_BATCH * 2 * (size_t)pricing->network->dimensions * sizeof *lines->stretches);
    bool memory = lines->transfers && lines->transfers_most && lines->stretches;

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
lines_destroy(struct lines *lines)
{
    if (!lines)
        return;
    free(lines->transfers);
    free(lines->transfers_most);
    free(lines->transfers_sum);
    free(lines->words);
    free(lines->words_most);
    free(lines->words_sum);
    free(lines->stretches);
    free(lines);
}

/* ------------------------------------------------------------------ taking in */

/* Find the stretches of a batch's routes and ask for the memory at their ends. */
static void
find_stretches(struct lines *lines, const struct peal_transfer *transfers, size_t count)
{
    const struct peal_network *network = lines->pricing->network;
    int found = 0;

    for (size_t i = 0; i < count; i++) {
        struct stretch *stretch = lines->stretches + found;

        if (transfers[i].from != transfers[i].to)
            found += network->topology->stretches(network, transfers[i].from, transfers[i].to, stretch);
        for (; stretch < lines->stretches + found; stretch++) {
            __builtin_prefetch(&lines->transfers[stretch->first], 1);
            __builtin_prefetch(&lines->transfers[stretch->first + stretch->count], 1);
        }
        lines->ends[i] = found;
    }
}

/* Note the ends of the stretches: what is added at one is taken off at the other.  Numbers may pass 0 until all are
 * summed up. */
static void
note(struct lines *lines, struct peal_transfer *transfers, size_t count)
{
    const struct stretch *stretch = lines->stretches;

    for (size_t i = 0; i < count; i++) {
        transfers[i].hops = 0;
        for (; stretch < lines->stretches + lines->ends[i]; stretch++) {
            transfers[i].hops += stretch->count;
            lines->transfers[stretch->first]++;
            lines->transfers[stretch->first + stretch->count]--;
            if (lines->words) {
                lines->words[stretch->first] += transfers[i].words;
                lines->words[stretch->first + stretch->count] -= transfers[i].words;
            }
        }
    }
}

/* Make loads of the notes, and of the loads the most of each block and the sums. */
static void
sum_up(struct lines *lines)
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
lines_load(struct lines *lines, struct peal_transfer *transfers, size_t count)
{
    const struct peal_network *network = lines->pricing->network;
    uint64_t all_words = 0;

    for (size_t i = 0; lines->words && i < count; i++) /* no load and no sum of loads is larger than this */
        all_words = sum(all_words, product(transfers[i].words, (uint64_t)network->diameter));
    if (all_words > INT64_MAX)
        return false;
    memset(lines->transfers, 0, lines->places * sizeof *lines->transfers);
    if (lines->words)
        memset(lines->words, 0, lines->places * sizeof *lines->words);
    for (size_t i = 0; i < count; i += LINES_BATCH) {
        size_t batch = count - i < LINES_BATCH ? count - i : LINES_BATCH;

        find_stretches(lines, transfers + i, batch);
        note(lines, transfers + i, batch);
    }
    sum_up(lines);
    return true;
}

/* ------------------------------------------------------------------ reading */

static uint32_t
most_transfers(const struct lines *lines, size_t i, size_t end)
{
    uint32_t most = 0;

    for (; i < end && i % BLOCK != 0; i++)
        most = lines->transfers[i] > most ? lines->transfers[i] : most;
    for (; end - i >= BLOCK; i += BLOCK)
        most = lines->transfers_most[i / BLOCK] > most ? lines->transfers_most[i / BLOCK] : most;
    for (; i < end; i++)
        most = lines->transfers[i] > most ? lines->transfers[i] : most;
    return most;
}

static uint64_t
most_words(const struct lines *lines, size_t i, size_t end)
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

/* Raise the load to what a stretch has. */
static inline void
read_stretch(const struct lines *lines, struct stretch stretch, struct load *load)
{
    size_t begin = stretch.first, end = begin + stretch.count;
    uint32_t transfers = most_transfers(lines, begin, end);

    load->transfers_most = transfers > load->transfers_most ? transfers : load->transfers_most;
    if (lines->transfers_sum)
        load->transfers_sum += lines->transfers_sum[end] - lines->transfers_sum[begin];
    if (!lines->words)
        return;
    uint64_t words = most_words(lines, begin, end);

    load->words_most = words > load->words_most ? words : load->words_most;
    if (lines->words_sum)
        load->words_sum += lines->words_sum[end] - lines->words_sum[begin];
}

void
lines_read(struct lines *lines, const struct peal_transfer *transfers, size_t count, struct load *loads)
{
    const struct stretch *stretch = lines->stretches;

    find_stretches(lines, transfers, count);
    for (size_t i = 0; i < count; i++) {
        loads[i] = (struct load){0};
        for (; stretch < lines->stretches + lines->ends[i]; stretch++)
            read_stretch(lines, *stretch, &loads[i]);
    }
}
