/* nodes: 1 2 5 */
/* SPDX-License-Identifier: MIT */
/* Random one-sided programs against a naive model.  All nodes draw the same numbers, so each knows the accesses of all,
 * and keeps the expected memory of each.  In an epoch a place is put once, or accumulated by any number, or only
 * read. */
#include "check.h"

enum { EPOCHS = 60, WORDS = 40, OPS = 6, MAX = 8 };
enum use { FREE, WRITTEN, SUMMED, READ };
enum what { PUT, GET, SUM, FETCH, SWAP, WHATS };
enum how { FENCE, GROUPS, LOCKS, LOCK_ALL, HOWS };

static unsigned long state = 88172645463325252UL;
static long model[MAX][WORDS], next[MAX][WORDS], *memory;
static enum use use[MAX][WORDS];
static MPI_Win win;

static int
draw(int most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned long)most);
}

/* One access: `count` words, `stride` apart at the target. */
struct op {
    enum what what;
    int target, at, count, stride;
    long words[WORDS], result[WORDS], compare;
    MPI_Request request;
};

/* Draw one and note what it does; false: others use these places. */
static int
make(int origin, struct op *op)
{
    enum use wanted;

    memset(op, 0, sizeof *op);
    op->what = (enum what)draw(WHATS);
    op->target = draw(size);
    op->at = draw(WORDS);
    op->stride = 1 + draw(3);
    op->count = op->what == FETCH || op->what == SWAP ? 1 : draw(8);
    for (int i = 0; i < WORDS; i++)
        op->words[i] = draw(1000) + 1000 * origin;
    while (op->count > 0 && op->at + (op->count - 1) * op->stride >= WORDS)
        op->count--;
    wanted = op->what == GET ? READ : op->what == SUM || op->what == FETCH ? SUMMED : WRITTEN;
    for (int i = 0; i < op->count; i++) {
        enum use is = use[op->target][op->at + i * op->stride];

        if (is != FREE && (is != wanted || wanted == WRITTEN))
            return 0;
    }
    for (int i = 0; i < op->count; i++) {
        long *there = &next[op->target][op->at + i * op->stride];

        use[op->target][op->at + i * op->stride] = wanted;
        op->compare = *there + (op->words[1] % 2);
        if (op->what == SWAP)
            *there = op->compare == *there ? op->words[0] : *there;
        else if (wanted == SUMMED)
            *there += op->words[i];
        else if (wanted == WRITTEN)
            *there = op->words[i];
    }
    return 1;
}

static void
perform(struct op *op, int as_request)
{
    MPI_Datatype there;
    int t = op->target, n = op->count, at = op->at;

    MPI_Type_vector(n, 1, op->stride, MPI_LONG, &there);
    MPI_Type_commit(&there);
    op->request = MPI_REQUEST_NULL;
    if (op->what == PUT && as_request)
        MPI_Rput(op->words, n, MPI_LONG, t, at, 1, there, win, &op->request);
    else if (op->what == PUT)
        MPI_Put(op->words, n, MPI_LONG, t, at, 1, there, win);
    else if (op->what == GET && as_request)
        MPI_Rget(op->result, n, MPI_LONG, t, at, 1, there, win, &op->request);
    else if (op->what == GET)
        MPI_Get(op->result, n, MPI_LONG, t, at, 1, there, win);
    else if (op->what == SUM)
        MPI_Accumulate(op->words, n, MPI_LONG, t, at, 1, there, MPI_SUM, win);
    else if (op->what == FETCH && n)
        MPI_Fetch_and_op(op->words, op->result, MPI_LONG, t, at, MPI_SUM, win);
    else if (op->what == SWAP && n)
        MPI_Compare_and_swap(op->words, &op->compare, op->result, MPI_LONG, t, at, win);
    MPI_Type_free(&there);
}

/* Between the calls that open and close an epoch. */
static void
perform_all(enum how how, struct op *ops, int count, int as_requests)
{
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (how == FENCE)
        MPI_Win_fence(0, win);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    if (how == GROUPS) {
        MPI_Win_post(all, 0, win);
        MPI_Win_start(all, 0, win);
    } else if (how == LOCK_ALL) {
        MPI_Win_lock_all(0, win);
    }
    for (int i = 0; i < count; i++) {
        if (how == LOCKS)
            MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, ops[i].target, 0, win);
        perform(&ops[i], as_requests && how >= LOCKS);
        MPI_Wait(&ops[i].request, MPI_STATUS_IGNORE);
        if (how == LOCKS)
            MPI_Win_unlock(ops[i].target, win);
        else if (how == LOCK_ALL && i % 3 == 0)
            MPI_Win_flush(ops[i].target, win);
    }
    if (how == FENCE) {
        MPI_Win_fence(0, win);
    } else if (how == GROUPS) {
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    } else if (how == LOCK_ALL) {
        MPI_Win_unlock_all(win);
    }
    if (how == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_free(&all);
}

static void
check(const struct op *op)
{
    for (int i = 0; op->what == GET && i < op->count; i++)
        CHECK(op->result[i] == model[op->target][op->at + i * op->stride]);
    if (op->what == SWAP && op->count)
        CHECK(op->result[0] == model[op->target][op->at]);
}

static void
epoch(void)
{
    static struct op own[OPS], other;
    enum how how = (enum how)draw(HOWS);
    int count = 0, as_requests = draw(2);

    memcpy(next, model, sizeof model);
    memset(use, 0, sizeof use);
    for (int origin = 0; origin < size; origin++)
        for (int i = 0; i < OPS; i++) {
            struct op *op = origin == rank ? &own[count] : &other;

            if (make(origin, op))
                count += origin == rank;
        }
    perform_all(how, own, count, as_requests);
    for (int i = 0; i < count; i++)
        check(&own[i]);
    memcpy(model, next, sizeof model);
    for (int i = 0; i < WORDS; i++)
        CHECK(memory[i] == model[rank][i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0)
            MPI_Win_allocate(WORDS * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                             &win);
        else
            MPI_Win_allocate_shared(WORDS * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                    &memory, &win);
        memset(memory, 0, WORDS * sizeof(long));
        memset(model, 0, sizeof model);
        for (int i = 0; i < EPOCHS; i++)
            epoch();
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
