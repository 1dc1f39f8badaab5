/* nodes: 1 2 5 8 */
/* SPDX-License-Identifier: MIT */
/* Random messages: each phase has a plan of messages that every node knows, with their datatypes and modes, in orders
 * that cannot deadlock.  Every received byte, and every one that must stay, is checked; messages taken by wildcards
 * must be of the plan.
 *
 *   random_messages [SEED [PHASES]]      24 phases; passes with MPICH and Open MPI, too, which print other digests */
#include "check.h"

enum { MAX = 40, LAYOUTS = 5, BASICS = 6, ROOM = 1 << 19, UNTOUCHED = 0x5a };

/* The basic types of a message; its k-th has as its first byte one that depends on both. */
static const struct {
    MPI_Datatype type;
    int bytes;
} basics[BASICS] = {{MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_FLOAT, 4}, {MPI_LONG_LONG, 8}};

/* Where the four basics of an element lie, and where the next element begins, in basics. */
static const struct {
    int places[4], next;
} layouts[LAYOUTS] = {{{0, 1, 2, 3}, 4}, {{0, 1, 3, 4}, 5}, {{4, 0, 1, 2}, 5}, {{0, 2, 3, 4}, 6}, {{6, 7, 1, 2}, 7}};

struct message {
    int from, to, basic, count, sent_as, taken_as, mode, way;
};

enum style { POSTED, READY, WILD, IN_TURN, PERSISTENT, STYLES };

struct phase {
    enum style style;
    int count;
    struct message messages[MAX];
};

static MPI_Datatype types[BASICS][LAYOUTS];
static unsigned long seed = 1, digest;

/* A number below `most` that (phase, i, what) names. */
static int
draw(int phase, int i, int what, int most)
{
    unsigned long x = seed * 1000003UL + (unsigned long)phase * 8191 + (unsigned long)i * 131 + (unsigned long)what;

    for (int turn = 0; turn < 3; turn++) {
        x ^= x >> 31;
        x *= 0x9e3779b97f4a7c15UL;
    }
    return (int)((x >> 33) % (unsigned long)most);
}

static void
plan(int number, struct phase *phase)
{
    phase->style = (enum style)draw(number, 0, 100, size > 1 ? STYLES : IN_TURN);
    phase->count = 1 + draw(number, 0, 101, MAX);
    for (int i = 0; i < phase->count; i++) {
        struct message *m = &phase->messages[i];

        m->from = draw(number, i, 0, size);
        m->to = draw(number, i, 1, size);
        if (phase->style == IN_TURN && m->from == m->to) /* a node cannot send and receive at once there */
            m->to = (m->from + 1) % size;
        m->basic = draw(number, i, 2, BASICS);
        m->count = draw(number, i, 3, 8) ? draw(number, i, 4, 12) : draw(number, i, 4, 2000);
        if (m->from == draw(number, 0, 102, 3 * size) && phase->style != READY)
            m->count += 4000; /* one that is too long to be lent */
        m->sent_as = draw(number, i, 5, LAYOUTS);
        m->taken_as = draw(number, i, 6, LAYOUTS);
        m->mode = draw(number, i, 7, 3);
        m->way = draw(number, i, 8, 4);
    }
}

/* ------------------------------------------------------------------ data */

static unsigned char
content(int number, int i, int k, int byte)
{
    return (unsigned char)(number * 7 + i * 31 + k * 3 + byte);
}

static size_t
place(const struct message *m, int layout, int k)
{
    return (size_t)(k / 4 * layouts[layout].next + layouts[layout].places[k % 4]) * (size_t)basics[m->basic].bytes;
}

static size_t
room(const struct message *m, int layout)
{
    return ((size_t)m->count * (size_t)layouts[layout].next + 8) * (size_t)basics[m->basic].bytes;
}

static unsigned char *
buffer(const struct message *m, int layout)
{
    unsigned char *at = malloc(room(m, layout));

    CHECK(at);
    memset(at, UNTOUCHED, room(m, layout));
    return at;
}

static unsigned char *
filled(const struct message *m, int number, int i)
{
    unsigned char *at = buffer(m, m->sent_as);

    for (int k = 0; k < 4 * m->count; k++)
        for (int byte = 0; byte < basics[m->basic].bytes; byte++)
            at[place(m, m->sent_as, k) + (size_t)byte] = content(number, i, k, byte);
    return at;
}

/* Check the received data in their places, and that nothing else was written. */
static void
check(const struct message *m, int number, int i, unsigned char *at)
{
    for (int k = 0; k < 4 * m->count; k++)
        for (int byte = 0; byte < basics[m->basic].bytes; byte++) {
            unsigned char *one = &at[place(m, m->taken_as, k) + (size_t)byte];

            CHECK(*one == content(number, i, k, byte));
            *one = UNTOUCHED;
        }
    for (size_t j = 0; j < room(m, m->taken_as); j++)
        CHECK(at[j] == UNTOUCHED);
    free(at);
}

static void
saw(int what)
{
    digest = (digest ^ (unsigned long)what) * 1099511628211UL;
}

static void
check_status(const struct message *m, int i, const MPI_Status *status)
{
    int count;

    CHECK(status->MPI_SOURCE == m->from && status->MPI_TAG == i);
    MPI_Get_count(status, types[m->basic][m->taken_as], &count);
    CHECK(count == m->count);
    saw(i);
}

/* ------------------------------------------------------------------ phases */

static void
post_send(const struct message *m, int i, void *data, enum style style, MPI_Request *request)
{
    typedef int starts(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    static starts *const at_once[] = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    static starts *const later[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
    starts *call = style == READY && m->mode == 0 ? MPI_Irsend
                   : style == PERSISTENT          ? later[m->mode]
                                                  : at_once[m->mode];

    call(data, m->count, types[m->basic][m->sent_as], m->to, i, MPI_COMM_WORLD, request);
    if (style == PERSISTENT)
        MPI_Start(request);
}

static void
post_receive(const struct message *m, int i, void *data, enum style style, MPI_Request *request)
{
    int source = m->way & 1 ? MPI_ANY_SOURCE : m->from;
    MPI_Datatype type = types[m->basic][m->taken_as];

    if (style == PERSISTENT) {
        MPI_Recv_init(data, m->count, type, source, i, MPI_COMM_WORLD, request);
        MPI_Start(request);
    } else {
        MPI_Irecv(data, m->count, type, source, i, MPI_COMM_WORLD, request);
    }
}

/* Complete all requests in one of the ways there are; statuses[j] is that of requests[j]. */
static void
complete(int count, MPI_Request *requests, MPI_Status *statuses, int way)
{
    int left = count, done, which[2 * MAX], flag;
    MPI_Status some[2 * MAX];

    switch (way) {
    case 0:
        MPI_Waitall(count, requests, statuses);
        break;
    case 1:
        for (; left > 0; left--) {
            MPI_Waitany(count, requests, &done, &some[0]);
            statuses[done] = some[0];
            saw(done);
        }
        break;
    case 2:
        for (; left > 0; left -= done) {
            MPI_Waitsome(count, requests, &done, which, some);
            for (int j = 0; j < done; j++)
                statuses[which[j]] = some[j];
        }
        break;
    default:
        for (int j = 0; j < count; j++)
            for (flag = 0; !flag;)
                MPI_Test(&requests[j], &flag, &statuses[j]);
    }
}

/* All at once: the receives first, or the sends. */
static void
posted(int number, const struct phase *phase)
{
    unsigned char *data[2 * MAX];
    int which[2 * MAX], count = 0, receives_first = phase->style == READY || draw(number, rank, 103, 2);
    MPI_Request requests[2 * MAX], copies[2 * MAX];
    MPI_Status statuses[2 * MAX];

    for (int half = 0; half < 2; half++) {
        int receives = half != receives_first;

        for (int i = 0; i < phase->count; i++) {
            const struct message *m = &phase->messages[i];

            if ((receives ? m->to : m->from) != rank)
                continue;
            data[count] = receives ? buffer(m, m->taken_as) : filled(m, number, i);
            which[count] = receives ? i : -1;
            if (receives)
                post_receive(m, i, data[count], phase->style, &requests[count]);
            else
                post_send(m, i, data[count], phase->style, &requests[count]);
            count++;
        }
        if (half == 0 && phase->style == READY)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    memcpy(copies, requests, sizeof copies);
    complete(count, requests, statuses, phase->style == PERSISTENT ? 0 : draw(number, rank, 104, 4));
    for (int j = 0; j < count; j++) {
        if (which[j] >= 0) {
            check_status(&phase->messages[which[j]], which[j], &statuses[j]);
            check(&phase->messages[which[j]], number, which[j], data[j]);
        } else {
            free(data[j]);
        }
        if (phase->style == PERSISTENT)
            MPI_Request_free(&copies[j]);
    }
}

/* Receives take any message, as packed bytes; the tag identifies it. */
static void
wild(int number, const struct phase *phase)
{
    static char packed[ROOM];
    unsigned char *data[MAX];
    MPI_Request requests[MAX];
    int sends = 0, position;
    MPI_Status status;

    for (int i = 0; i < phase->count; i++)
        if (phase->messages[i].from == rank) {
            data[sends] = filled(&phase->messages[i], number, i);
            post_send(&phase->messages[i], i, data[sends], POSTED, &requests[sends]);
            sends++;
        }
    for (int i = 0; i < phase->count; i++) {
        if (phase->messages[i].to != rank)
            continue;
        MPI_Recv(packed, ROOM, MPI_PACKED, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_TAG < phase->count);
        const struct message *m = &phase->messages[status.MPI_TAG];
        unsigned char *at = buffer(m, m->taken_as);

        CHECK(m->to == rank && m->from == status.MPI_SOURCE);
        position = 0;
        MPI_Unpack(packed, ROOM, &position, at, m->count, types[m->basic][m->taken_as], MPI_COMM_WORLD);
        CHECK(position == 4 * m->count * basics[m->basic].bytes);
        check(m, number, status.MPI_TAG, at);
        saw(status.MPI_TAG);
    }
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
    for (int j = 0; j < sends; j++)
        free(data[j]);
}

/* One message after another, in the order of the plan: the first that is not done can always go. */
static void
in_turn(int number, const struct phase *phase)
{
    typedef int sends(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    static sends *const modes[] = {MPI_Send, MPI_Ssend, MPI_Bsend};
    MPI_Message message;
    MPI_Status status;
    unsigned char *data;

    for (int i = 0; i < phase->count; i++) {
        const struct message *m = &phase->messages[i];
        MPI_Datatype type = types[m->basic][m->taken_as];

        if (m->from == rank) {
            data = filled(m, number, i);
            modes[m->mode](data, m->count, types[m->basic][m->sent_as], m->to, i, MPI_COMM_WORLD);
            free(data);
        } else if (m->to == rank) {
            data = buffer(m, m->taken_as);
            if (m->way == 2) {
                MPI_Mprobe(MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(data, m->count, type, &message, &status);
            } else {
                if (m->way == 3) {
                    MPI_Probe(MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &status);
                    CHECK(status.MPI_SOURCE == m->from);
                }
                MPI_Recv(data, m->count, type, m->way == 1 ? MPI_ANY_SOURCE : m->from, i, MPI_COMM_WORLD, &status);
            }
            check_status(m, i, &status);
            check(m, number, i, data);
        }
    }
}

/* ------------------------------------------------------------------ the program */

static void
make_types(void)
{
    for (int b = 0; b < BASICS; b++) {
        MPI_Datatype basic = basics[b].type, part;
        int bytes = basics[b].bytes, lengths[2] = {1, 3}, places[2] = {4, 0};
        MPI_Aint at[2] = {0, 2 * bytes}, blocks[2] = {6 * bytes, bytes};

        MPI_Type_contiguous(4, basic, &types[b][0]);
        MPI_Type_vector(2, 2, 3, basic, &types[b][1]);
        MPI_Type_indexed(2, lengths, places, basic, &types[b][2]);
        MPI_Type_create_struct(2, lengths, at, (MPI_Datatype[]){basic, basic}, &part);
        MPI_Type_create_resized(part, 0, 6 * bytes, &types[b][3]);
        MPI_Type_free(&part);
        MPI_Type_create_hindexed_block(2, 2, blocks, basic, &types[b][4]);
        for (int l = 0; l < LAYOUTS; l++)
            MPI_Type_commit(&types[b][l]);
    }
}

int
main(int argc, char **argv)
{
    static struct phase phase;
    unsigned long *digests = NULL;
    char *attached;
    int phases = argc > 2 ? atoi(argv[2]) : 24, length = 1 << 25;

    begin(&argc, &argv);
    seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    make_types();
    MPI_Buffer_attach(malloc((size_t)length), length);
    for (int number = 0; number < phases; number++) {
        plan(number, &phase);
        if (phase.style == WILD)
            wild(number, &phase);
        else if (phase.style == IN_TURN)
            in_turn(number, &phase);
        else
            posted(number, &phase);
        MPI_Barrier(MPI_COMM_WORLD); /* tags are those of one phase */
    }
    MPI_Buffer_detach(&attached, &length);
    free(attached);
    for (int b = 0; b < BASICS; b++)
        for (int l = 0; l < LAYOUTS; l++)
            MPI_Type_free(&types[b][l]);
    if (rank == 0)
        digests = malloc((size_t)size * sizeof *digests);
    MPI_Gather(&digest, 1, MPI_UNSIGNED_LONG, digests, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("node %d saw %016lx\n", i, digests[i]);
    free(digests);
    MPI_Finalize();
    return 0;
}
