/* SPDX-License-Identifier: MIT */
/* Admission goes once through the order and admits every pair whose ports are free at that moment; a pair that is
 * passed over blocks no later one.  An eager message without a receive is treated like a pair while the receiver has
 * places for messages carried ahead. */
#include "lib/round/round.h"

/* With a million pairs pending most are passed over in every round.  So the pairs that a round has passed over are kept
 * in cells: consecutive pairs whose senders lie in one aligned block of 64 ranks, a bit each.  The next rounds look up
 * one word for each cell: those of its senders that may still send.  If all pairs of a cell have one receiver, that is
 * checked first.
 *
 * A carried pair leaves a hole in the order; when there are many holes, they are closed, and cells made anew. */

/* Fewer pairs are faster to visit than to put into cells. */
enum { CELLED_MIN = 4096, CELL_BITS = 64, CELLS_AHEAD = 32 /* most are passed after one look */ };

void
round_close_holes(struct round *round)
{
    size_t kept = round->holes > 0 ? 0 : round->pending;

    for (size_t i = 0; kept + round->holes < round->pending; i++)
        if (round->order[i].send)
            round->order[kept++] = round->order[i];
    round->pending = kept;
    round->holes = round->celled = round->cell_count = round->cells_done = 0;
}

/* ------------------------------------------------------------------ one pair */

/* The ports of this pair are taken: list the transfer, leave a hole.  Its words are looked up later (look_up_words). */
static inline void
admit(struct round *round, struct pending *pending)
{
    if (round->eager && !(round->requests[pending->send].flags & REQUEST_MATCHED))
        round->node[pending->to].ahead++;
    round->transfers[round->transfer_count] = (struct peal_transfer){.from = pending->from, .to = pending->to};
    round->admitted[round->transfer_count++] = pending->send;
    *pending = (struct pending){.from = round->nodes};
    round->holes++;
}

/* Whether a pair may be carried, ports aside.  Only an eager send may be in the order without a receive: otherwise its
 * request, a cache miss where many are pending, is not read. */
static inline bool
pending_has_place(const struct round *round, const struct pending *pending)
{
    return !round->eager || (round->requests[pending->send].flags & REQUEST_MATCHED) ||
           round->node[pending->to].ahead < round->mailbox;
}

/* Ports with one place: admit the pair if possible.  A hole's port is always taken. */
static inline bool
consider_one(struct round *round, uint8_t *sends, uint8_t *receives, struct pending *pending)
{
    if (sends[pending->from] | receives[pending->to])
        return false;
    if (!pending_has_place(round, pending))
        return false;
    sends[pending->from] = receives[pending->to] = 1;
    admit(round, pending);
    return true;
}

/* Other ports: admit the pair if possible; false without memory. */
static bool
consider(struct round *round, struct pending *pending)
{
    if (!pending->send || !pending_has_place(round, pending))
        return true;
    int taken = ports_take(&round->ports, pending->from, pending->to);

    if (taken > 0)
        admit(round, pending);
    return taken >= 0;
}

/* ------------------------------------------------------------------ cells */

/* Put the pairs after the last cell, all of which were passed over, into cells.  Without memory they stay unchanged. */
static void
make_cells(struct round *round)
{
    struct cell *cell = NULL;

    if (!round->idle) {
        size_t blocks = (size_t)round->nodes / CELL_BITS + 1;

        if (!array_grow(&round->idle, &round->idle_capacity, blocks, sizeof *round->idle))
            return;
        for (size_t i = 0; i < round->idle_capacity; i++)
            round->idle[i] = UINT64_MAX;
    }
    for (; round->celled < round->pending; round->celled++) {
        const struct pending *pending = &round->order[round->celled];
        uint64_t bit = UINT64_C(1) << (pending->from % CELL_BITS);
        int32_t block = pending->from / CELL_BITS;

        if (!pending->send || !cell || cell->block != block || bit <= cell->all) {
            if (!pending->send) { /* places in a cell are counted: a hole ends it */
                cell = NULL;
                continue;
            }
            if (!array_grow(&round->cells, &round->cells_capacity, round->cell_count + 1, sizeof *round->cells))
                return;
            cell = &round->cells[round->cell_count++];
            *cell = (struct cell){.first = (uint32_t)round->celled, .block = block, .to = pending->to};
        }
        cell->all |= bit;
        cell->live |= bit;
        if (cell->to != pending->to)
            cell->to = -1;
    }
}

/* The pair of a cell whose sender has this bit. */
static inline struct pending *
cell_pair(const struct round *round, const struct cell *cell, uint64_t bit)
{
    uint64_t before = cell->all & (bit - 1);

    /* most cells have no gaps, and counting bits is a call on processors without an instruction for it */
    return &round->order[cell->first +
                         (uint32_t)(before == bit - 1 ? __builtin_ctzll(bit) : __builtin_popcountll(before))];
}

/* Prefetch the memory that a look at the cell needs first. */
static PREFETCHING void
prefetch_cell(const struct round *round, const struct cell *cell)
{
    uint64_t left = cell->live & round->idle[cell->block];

    if (left)
        __builtin_prefetch(cell_pair(round, cell, left & -left));
}

static void
admit_cell(struct round *round, uint8_t *sends, uint8_t *receives, struct cell *cell)
{
    uint64_t *idle = &round->idle[cell->block];

    if (cell->to >= 0 && receives[cell->to])
        return;
    for (uint64_t left = cell->live & *idle; left; left &= left - 1) {
        uint64_t bit = left & -left;

        if (!consider_one(round, sends, receives, cell_pair(round, cell, bit)))
            continue;
        cell->live &= ~bit;
        *idle &= ~bit;
        if (cell->to >= 0)
            break;
    }
}

/* ------------------------------------------------------------------ a round */

/* Look up the words of the admitted pairs; for ports with one place, clear the marks. */
static void
look_up_words(const struct round *round, uint8_t *sends, uint8_t *receives)
{
    const struct request *requests = round->requests;
    const uint32_t *admitted = round->admitted;
    struct peal_transfer *transfers = round->transfers;

    for (size_t i = 0, count = round->transfer_count; i < count; i++) {
        if (i + 2 * ROUND_AHEAD < count)
            __builtin_prefetch(&requests[admitted[i + 2 * ROUND_AHEAD]], 1);
        transfers[i].words = requests[admitted[i]].words;
        if (sends)
            sends[transfers[i].from] = receives[transfers[i].to] = 0;
    }
}

static void
admit_one_place(struct round *round, uint8_t *sends, uint8_t *receives)
{
    size_t most = (size_t)round->nodes; /* no more transfers have ports */

    while (round->cells_done < round->cell_count && round->cells[round->cells_done].live == 0)
        round->cells_done++;
    for (size_t i = round->cells_done; i < round->cell_count && round->transfer_count < most; i++) {
        if (i + CELLS_AHEAD < round->cell_count)
            prefetch_cell(round, &round->cells[i + CELLS_AHEAD]);
        if (round->cells[i].live & round->idle[round->cells[i].block])
            admit_cell(round, sends, receives, &round->cells[i]);
    }
    for (size_t i = round->celled; i < round->pending && round->transfer_count < most; i++)
        consider_one(round, sends, receives, &round->order[i]);
    for (size_t i = 0; round->cell_count > 0 && i < round->transfer_count; i++)
        round->idle[round->transfers[i].from / CELL_BITS] |= UINT64_C(1) << (round->transfers[i].from % CELL_BITS);
}

/* Transfers are written to the place of the next round in the schedule, if it is kept. */
bool
round_make_room(struct round *round, size_t most)
{
    if (!array_grow(&round->admitted, &round->admitted_capacity, most, sizeof *round->admitted))
        return false;
    if (round->keep == PEAL_ROUNDS_NONE)
        return array_grow(&round->transfers, &round->transfers_capacity, most, sizeof *round->transfers);
    struct peal_transfer *room = recorder_room(&round->recorder, most);

    if (room)
        round->transfers = room;
    return room;
}

bool
round_admit(struct round *round)
{
    struct ports *ports = &round->ports;
    bool one_place = ports->places == 1;
    size_t most = round->transfer_count + round->pending;

    if (one_place && (size_t)round->nodes < most)
        most = (size_t)round->nodes;
    ports->round = round->number;
    if (!round_make_room(round, most))
        return false;
    uint8_t *sends = one_place ? &ports->busy[ports_row(ports, 0, PORT_SEND)] : NULL;
    uint8_t *receives = one_place ? &ports->busy[ports_row(ports, 0, PORT_RECEIVE)] : NULL;

    if (one_place)
        admit_one_place(round, sends, receives);
    for (size_t i = 0; !one_place && i < round->pending; i++)
        if (!consider(round, &round->order[i]))
            return false;
    look_up_words(round, sends, receives);
    if (round->holes > round->pending / 4)
        round_close_holes(round);
    if (one_place && round->pending - round->celled >= CELLED_MIN)
        make_cells(round);
    return true;
}
