/* SPDX-License-Identifier: MIT */
/* Asks the explorer which complete requests a wait or test returns; without one, the answer is the machine's usual
 * one. */
#include "mpi/p2p/mpi_request.h"

/* What a request waits for. */
static struct peal_pickable
pickable_of(const struct mpi_request *request)
{
    struct peal_pickable one = {.open = request && (!request->general || request->general->complete)};

    if (one.open && !request_has_no_handle(request))
        one.handles[0] = request->handle;
    if (one.open && request->send && !request_has_no_handle(request->send))
        one.handles[1] = request->send->handle;
    return one;
}

static bool
is_complete_at_once(const struct peal_pickable *one)
{
    return one->open && one->handles[0].slot == 0 && one->handles[1].slot == 0;
}

/* Whether the run's explorer has a choice of answers; otherwise *answer is the only one. */
static bool
has_choice(struct mpi *mpi, const struct peal_pick *pick, int wanted, bool *answer)
{
    int open = 0, at_once = 0;

    for (int i = 0; i < pick->count; i++) {
        open += pick->list[i].open;
        at_once += is_complete_at_once(&pick->list[i]);
    }
    if (open == 0 || (pick->kind == PEAL_PICK_ALL && open < wanted)) { /* the program completes the others itself */
        if (!pick->tests)
            general_refuse(mpi);
        peal_next_round_at(mpi->me, mpi->file, mpi->line);
        *answer = false;
        return false;
    }
    *answer = true;
    return pick->kind != PEAL_PICK_ALL || at_once < open;
}

bool
pick(struct mpi *mpi, struct mpi_request **list, int count, enum peal_pick_kind kind, bool tests,
     struct peal_envelope *came)
{
    struct peal_pickable *all = mpi_scratch(mpi, (size_t)count * sizeof *all);
    struct peal_pick choice = {.kind = kind, .tests = tests, .list = all, .count = count};
    bool answer = true;
    int wanted = 0;

    for (int i = 0; i < count; i++) {
        all[i] = pickable_of(list[i]);
        wanted += list[i] != NULL;
    }
    bool chooses = has_choice(mpi, &choice, wanted, &answer);

    for (int i = 0; i < count; i++)
        choice.tests &= kind == PEAL_PICK_ALL || !is_complete_at_once(&all[i]);
    if (chooses)
        answer = peal_choose_at(mpi->me, &choice, mpi->file, mpi->line);
    for (int i = 0; i < count && chooses; i++) {
        if (came && all[i].picked)
            *came = all[i].came;
        list[i] = all[i].picked ? list[i] : NULL;
    }
    mpi_free(mpi, all);
    return answer;
}

bool
pick_handles(struct mpi *mpi, const struct peal_handle *handles, int count)
{
    struct peal_pickable *all = mpi_scratch(mpi, (size_t)count * sizeof *all);

    for (int i = 0; i < count; i++)
        all[i] = (struct peal_pickable){.handles = {handles[i]}, .open = true};
    bool answer =
        count == 0 ||
        peal_choose_at(mpi->me, &(struct peal_pick){PEAL_PICK_ALL, .tests = true, .list = all, .count = count},
                       mpi->file, mpi->line);

    mpi_free(mpi, all);
    return answer;
}
