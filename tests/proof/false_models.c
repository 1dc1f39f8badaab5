/* SPDX-License-Identifier: MIT */
/* A false model of a library's function is noticed: what it makes wrong is not proved, or differs from a recorded run.
 * Each model is made false in turn: false_models SOURCES [MODEL...]. */
#include "lib/check/recorded.h"
#include "lib/proof/every.h"
#include "lib/proof/follow_inside.h"

static bool right_model(struct following *run, const char *name, const struct c_value *given, int count,
                        struct c_value *result);

#define follow_model right_model
#include "lib/proof/models.c" // NOLINT(bugprone-suspicious-include): its functions are to be made false
#undef follow_model
#include <peal/loaded.h>
#include <peal/machine.h>
#include <stdio.h>
#include <string.h>

/* What is done to a call's result, or to the events that it posts. */
enum fault { NUMBER, WORDS, CUT, PEER, ITEM, LOST, TWICE, UNAWAITED, ROOM, OPERANDS, LISTED, TAG, STORED };

static const struct {
    /* which calls it; with ':' a function of functions.c, that of a user; with '@' of functions_mpi.c */
    const char *model, *algorithm;
    enum fault fault;
} cases[] = {
    {"", "allgather/ring", LOST}, /* none is false */
    {"peal_size", "allgather/ring", NUMBER},
    {"peal_rank", "allgather/ring", NUMBER},
    {"peal_parameter", "broadcast/k-nomial", NUMBER}, /* right with any: only a run can tell */
    {"ceiling_log2", "broadcast/binomial", NUMBER},
    {"block_of", "allgather/ring", WORDS},
    {"part_of", "broadcast/scatter-allgather", WORDS},
    {"parts_of", "broadcast/scatter-allgather", WORDS},
    {"blocks_of", "allgather/neighbour-exchange", WORDS},
    {"blocks_round", "allgather/bruck", WORDS},
    {"peal_blocks_words", "scatter/linear", WORDS},
    {"peal_send_at", "broadcast/binomial", PEER},
    {"peal_send_at", "broadcast/binomial", LOST},
    {"peal_send_at", "broadcast/binomial", TWICE},
    {"peal_recv_at", "broadcast/binomial", PEER},
    {"peal_recv_at", "broadcast/binomial", ITEM},
    {"peal_recv_at", "broadcast/binomial", LOST},
    {"peal_send_async_at", "broadcast/linear", CUT}, /* a run alone can tell */
    {"peal_send_async_at", "broadcast/linear", PEER},
    {"peal_recv_async_at", "broadcast/linear", LOST},
    {"peal_sendv_async_at", "allgather/bruck", ITEM},
    {"peal_recvv_async_at", "allgather/bruck", PEER},
    {"post_send", "alltoall/linear", PEER},
    {"post_send", "alltoall/linear", ITEM},
    {"post_recv", "alltoall/linear", LOST},
    {"peal_wait_all_at", "alltoall/linear", UNAWAITED},
    {"exchange", "allgather/ring", PEER},
    {"exchange", "allgather/ring", ITEM},
    {"exchange", "allgather/ring", LOST},
    {"exchange_pieces", "allgather/circulant", PEER},
    {"exchange_pieces", "allgather/circulant", ITEM},
    {"block_copy", "allgather/ring", LOST},
    {"block_copy", "allgather/ring", ITEM},
    {"list_with_room", "allgather/sparbit", LISTED},
    {"list_add", "allgather/sparbit", LISTED},
    {"span_from", "scatter/binomial", NUMBER},
    {"bundle_send", "scatter/binomial", PEER},
    {"bundle_recv", "scatter/binomial", ITEM},
    {"bundle_recv", "gather/binomial", LOST},
    {"bundle_of_root", "scatter/binomial", ROOM},
    {"bundle_of_root", "gather/binomial", ROOM},
    {"bundle_with_room", "scatter/binomial", ROOM},
    {"bundle_with_room", "gather/binomial", ROOM},
    {"bundle_post_send", "scatter/k-port", PEER},
    {"bundle_post_send", "scatter/k-port", ITEM},
    {"bundle_post_recv", "gather/k-port", PEER},
    {"bundle_post_recv", "gather/k-port", LOST},
    {"peal_sendrecv_at", "shift/direct", PEER},
    {"peal_sendrecv_at", "shift/direct", LOST},
    {"peal_sendrecv_at", "allgather:allgather_ring", ITEM},
    {"peal_wait_at", "broadcast:broadcast_awaited", UNAWAITED},
    {"memcpy", "allgather:allgather_ring", ITEM},
    {"memcpy", "allgather:allgather_ring", LOST},
    {"memset", "allgather:allgather_ring_of_zeroed", NUMBER}, /* it sets to another number */
    {"peal_combine", "reduce/linear", ITEM},
    {"peal_combine", "reduce/linear", LOST},
    {"peal_combine", "reduce/linear", TWICE},
    {"peal_combine", "reduce/linear", OPERANDS},
    {"peal_scratch_at", "reduce/linear", ROOM},
    {"combine_pieces", "reduce-scatter/circulant", ITEM},
    {"combine_pieces", "reduce-scatter/circulant", LOST},
    {"combine_pieces", "reduce-scatter/circulant", TWICE},
    {"ports_each_way", "barrier/k-dissemination", NUMBER},
    {"blocks_equal", "barrier/linear", WORDS},
    {"blocks_longest", "reduce-scatter/ring", WORDS},
    {"parts", "allreduce/reduce-scatter-allgather", WORDS},
    {"peal_combine", "reduce-scatter/ring", ITEM},
    {"", "reduce-scatter/ring", LOST},
    {"", "barrier/k-dissemination", LOST},
    {"", "broadcast:broadcast_awaited", LOST}, /* none of these is wrong for another reason */
    {"", "allgather:allgather_ring_of_zeroed", LOST},
    {"MPI_Comm_size", "allgather@allgather_ring", STORED},
    {"MPI_Comm_rank", "allgather@allgather_ring", STORED},
    {"MPI_Type_size", "allgather@allgather_by_size", STORED},
    {"MPI_Type_get_extent", "allgather@allgather_ring", STORED},
    {"MPI_Send", "scatter@scatter_linear", PEER},
    {"MPI_Send", "scatter@scatter_linear", TAG},
    {"MPI_Send", "scatter@scatter_linear", TWICE},
    {"MPI_Send", "broadcast@broadcast_blocking", CUT}, /* a run alone can tell */
    {"MPI_Recv", "scatter@scatter_linear", LOST},
    {"MPI_Recv", "scatter@scatter_linear", ITEM},
    {"MPI_Isend", "allgather@allgather_ring", PEER},
    {"MPI_Isend", "allgather@allgather_ring", TAG},
    {"MPI_Irecv", "allgather@allgather_ring", PEER},
    {"MPI_Irecv", "allgather@allgather_ring", ITEM},
    {"MPI_Sendrecv", "alltoall@alltoall_shift", PEER},
    {"MPI_Sendrecv", "alltoall@alltoall_shift", TAG},
    {"MPI_Sendrecv", "scatter@scatter_linear", LOST}, /* to the rank itself */
    {"MPI_Wait", "broadcast@broadcast_linear", UNAWAITED},
    {"MPI_Waitall", "allgather@allgather_ring", UNAWAITED},
    {"MPI_Reduce_local", "reduce@reduce_linear", OPERANDS},
    {"MPI_Reduce_local", "reduce@reduce_linear", LOST},
    {"malloc", "reduce@reduce_linear", ROOM},
    {"free", "reduce@reduce_linear", UNAWAITED},
    {"", "allgather@allgather_ring", LOST}, /* none of these is wrong for another reason */
    {"", "allgather@allgather_by_size", LOST},
    {"", "alltoall@alltoall_shift", LOST},
    {"", "scatter@scatter_linear", LOST},
    {"", "broadcast@broadcast_linear", LOST},
    {"", "broadcast@broadcast_blocking", LOST},
    {"", "reduce@reduce_linear", LOST},
};

static const char *broken; /* the model that is false */
static enum fault fault;
static int calls;

/* A number that differs from this one, in the range of a rank where that was. */
static term
another(struct following *run, term a)
{
    struct terms *t = run->terms;

    if (strcmp(broken, "peal_parameter") == 0)
        return term_add(t, a, 1);
    return term_if(t, term_equal(t, a, term_number(t, 0)), term_number(t, 1), term_add(t, a, -1));
}

static void
spoil_value(struct following *run, struct c_value *result)
{
    if (strcmp(broken, "memset") == 0) {
        for (int i = 0; i < result->to->count; i++)
            follow_store(run, follow_element(run, result->to, term_number(run->terms, i)),
                         follow_value(VALUE_NUMBER, term_number(run->terms, 1), 0));
    } else if (result->kind == VALUE_NUMBER || result->kind == VALUE_WORDS) {
        result->a = another(run, result->a);
    } else if (result->kind == VALUE_STRUCT && strcmp(broken, "span_from") == 0) {
        struct c_object *end = follow_field(run, result->to, "end");

        follow_store(run, end, follow_value(VALUE_NUMBER, term_add(run->terms, follow_load(run, end).a, -1), 0));
    } else if (result->kind == VALUE_OTHER && result->name) { /* memory of a block of another length */
        *result = model_words(CUT_BLOCKS, run->rank, term_number(run->terms, 1));
    } else if (result->kind == VALUE_OTHER && result->number != 0) {
        result->number = CUT_BLOCKS;
    } else if ((result->kind == VALUE_STRUCT || result->kind == VALUE_OTHER) && result->to) {
        struct c_object *data = follow_field(run, result->to, "data");
        struct c_value place = follow_load(run, data);

        place.a = another(run, place.a);
        follow_store(run, data, place);
    }
}

/* A bundle with room for a block less, or in the other buffer; memory of malloc's that is recvbuf. */
static void
spoil_bundle(struct following *run, struct c_value *result)
{
    if (run->mpi) {
        result->number = BUFFER_OUT;
        return;
    }
    if (result->kind == VALUE_DATA) { /* a room for one block in place of a vector's */
        run->buffers[result->number].room = true;
        return;
    }
    struct c_object *blocks = follow_field(run, result->to, "blocks");
    struct c_value data = follow_load(run, blocks);

    if (data.number >= BUFFER_BUNDLE) {
        run->buffers[data.number].end = term_add(run->terms, run->buffers[data.number].end, -1);
    } else {
        data.number = data.number == BUFFER_IN ? BUFFER_OUT : BUFFER_IN;
        follow_store(run, blocks, data);
    }
}

/* A list with no room, or with the block before. */
static void
spoil_list(struct following *run, const struct c_value *given, const struct c_value *result)
{
    const char *const members[] = {"pieces", "count"};

    for (int i = 0; i < 2; i++) {
        struct c_object *member = follow_field(run, result->to ? result->to : follow_at(run, given[0]), members[i]);
        struct c_value value = follow_load(run, member);
        struct block_run *blocks = follow_allocate(run, sizeof *blocks);

        if (value.blocks) {
            *blocks = *value.blocks;
            blocks->lo = blocks->at = follow_round(run, term_add(run->terms, blocks->lo, -1));
            value.blocks = blocks;
        } else if (value.kind == VALUE_LIST) {
            value.a = term_number(run->terms, 0);
        }
        follow_store(run, member, value);
    }
}

/* What MPI gives through an address. */
static void
spoil_stored(struct following *run, const struct c_value *given)
{
    struct c_object *object = follow_at(run, given[strcmp(broken, "MPI_Type_get_extent") == 0 ? 2 : 1]);
    struct c_value value = follow_load(run, object);

    value.a = value.kind == VALUE_NUMBER ? another(run, value.a) : term_number(run->terms, 2);
    follow_store(run, object, value);
}

static void
spoil_event(struct following *run, struct c_event *event)
{
    if (fault == PEER)
        event->peer = another(run, event->peer);
    else if (fault == TAG)
        event->tag = term_if(run->terms, term_up_to(run->terms, run->P, term_number(run->terms, 100)), event->tag,
                             term_add(run->terms, event->tag, event->kind == EVENT_SEND));
    else if (fault == OPERANDS) {
        const struct block_run left = event->item[1];

        event->item[1] = event->item[2];
        event->item[2] = left;
    } else if (fault == CUT)
        event->item[0].cut = CUT_BLOCKS;
    else
        event->item[0].lo = another(run, event->item[0].lo);
}

bool
follow_model(struct following *run, const char *name, const struct c_value *given, int count, struct c_value *result)
{
    const size_t from = run->path.count;
    const bool is_broken = strcmp(name, broken) == 0;

    if (is_broken && fault == UNAWAITED) {
        calls++;
        *result = run->mpi ? follow_value(VALUE_NUMBER, term_number(run->terms, 0), 0) : follow_value(VALUE_NONE, 0, 0);
        return true;
    }
    if (!right_model(run, name, given, count, result))
        return false;
    if (!is_broken)
        return true;
    calls++;
    if (fault == NUMBER || fault == WORDS)
        spoil_value(run, result);
    else if (fault == LISTED)
        spoil_list(run, given, result);
    else if (fault == STORED)
        spoil_stored(run, given);
    else if (fault == ROOM)
        spoil_bundle(run, result);
    else if (fault == LOST)
        run->path.count = from;
    else if (fault == TWICE)
        right_model(run, name, given, count, result);
    else
        for (size_t i = from; i < run->path.count; i++)
            spoil_event(run, &run->path.events[i]);
    return true;
}

/* ------------------------------------------------------------------ a proof with it */

struct algorithm {
    enum peal_collective collective;
    const char *name;
    bool mpi;
    struct check_recorder *recorder;
};

/* List what was carried; words of a machine for MPI have one byte. */
static void
list_messages(const struct peal_schedule *schedule, uint64_t word, struct every_message **messages, size_t *count)
{
    *count = 0;
    *messages = calloc(schedule->transfer_count + 1, sizeof **messages);
    for (size_t i = 0; *messages && i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count; j++) {
            const struct peal_transfer *t = &schedule->transfers[j];

            if (t->from != t->to)
                (*messages)[(*count)++] =
                    (struct every_message){.from = t->from, .to = t->to, .words = t->words / word};
        }
    }
}

static enum peal_status
record(void *arg, const struct every_case *of, struct every_message **messages, size_t *count, struct peal_error *error)
{
    const struct algorithm *algorithm = arg;
    const struct peal_layout layout = {.nodes = of->nodes, .root = of->root, .by = of->by, .words = of->words};
    const struct peal_schedule *schedule = peal_recorder_run(algorithm->recorder, &layout, error);

    if (schedule)
        list_messages(schedule, algorithm->mpi ? sizeof(uint64_t) : 1, messages, count);
    return schedule ? PEAL_OK : error->status;
}

/* Where the algorithm is, and what its function is called: by the names of the tree. */
static bool
find_algorithm(const char *sources, const char *name, struct algorithm *algorithm, struct every_request *request,
               const struct peal_algorithm **loaded)
{
    static char collective[100], path[4096], function[200];
    static struct peal_check check;
    struct peal_error error;
    char *end;

    snprintf(collective, sizeof collective, "%s", name);
    end = collective + strcspn(collective, "/:@");
    request->one_length = *end == ':';
    algorithm->mpi = *end == '@';
    *end = '\0';
    if (!peal_collective_find(collective, &algorithm->collective))
        return false;
    algorithm->name = name + strlen(collective) + 1;
    check = (struct peal_check){.collective = algorithm->collective};
    if (algorithm->mpi) {
        snprintf(path, sizeof path, "%s/tests/proof/functions_mpi.c", sources);
        snprintf(function, sizeof function, "%s", algorithm->name);
        check = (struct peal_check){
            .collective = algorithm->collective, .file = path, .symbol = function, .mpi = true, .flags = "-w"};
        request->arguments = peal_check_arguments(check.collective, false);
    } else if (request->one_length) {
        snprintf(path, sizeof path, "%s/tests/proof/functions.c", sources);
        snprintf(function, sizeof function, "%s", algorithm->name);
        const struct peal_function_source source = {.collective = algorithm->collective,
                                                    .file = path,
                                                    .symbol = function,
                                                    .nodes = EVERY_COMPARED,
                                                    .flags = "-w"};

        if (!(*loaded = peal_algorithm_load(&source, &error)))
            return false;
        algorithm->name = (*loaded)->name;
    } else {
        snprintf(path, sizeof path, "%s/algorithms/%s.c", sources, name);
        snprintf(function, sizeof function, "%s_run", name);
        for (char *c = path + strlen(sources); *c; c++)
            *c = *c == '-' ? '_' : *c;
        for (char *c = function; *c; c++)
            *c = *c == '-' || *c == '/' ? '_' : *c;
    }
    request->collective = algorithm->collective;
    request->file = path;
    request->function = function;
    algorithm->recorder = peal_recorder_create(&check, algorithm->mpi ? NULL : algorithm->name, EVERY_COMPARED, &error);
    return algorithm->recorder;
}

int
main(int argc, char **argv)
{
    static const char *const ends[] = {"proved", "not followed", "fails", "unknown"};
    int wrong = 0;

    for (size_t i = 0; argc >= 2 && i < sizeof cases / sizeof *cases; i++) {
        const struct peal_algorithm *loaded = NULL;
        struct algorithm algorithm;
        struct peal_error error;
        struct every every;
        struct every_request request = {.top = argv[1], .solver = "z3", .jobs = 1, .runs = record, .arg = &algorithm};

        if (argc > 2 && !names_have((const char *const *)argv + 2, cases[i].model))
            continue;
        if (!find_algorithm(argv[1], cases[i].algorithm, &algorithm, &request, &loaded))
            return 2;
        for (int q = 0; q <= EVERY_LOG; q++)
            request.parameters[q] = strstr(request.file, "k_nomial")                                  ? 2
                                    : strstr(request.file, "bruck") || strstr(request.file, "k_port") ? 1
                                                                                                      : 0;
        request.order = strstr(request.file, "reduce_scatter") ? EVERY_ANY_ORDER : EVERY_RANK_ORDER;
        request.one_port = strstr(request.file, "k_dissemination") != NULL;
        request.even = strstr(request.file, "neighbour") != NULL;
        broken = cases[i].model;
        fault = cases[i].fault;
        calls = 0;
        const enum peal_status status = peal_every_make(&request, &every, &error);
        const bool noticed =
            status == PEAL_OK && (broken[0] ? calls > 0 && every.end != EVERY_PROVED : every.end == EVERY_PROVED);

        printf("%s %d of %s: %s: %s\n", broken, (int)fault, cases[i].algorithm,
               status == PEAL_OK ? ends[every.end] : "error", status == PEAL_OK ? every.text : error.text);
        wrong += !noticed;
        if (!noticed)
            printf("not noticed: %d calls\n", calls);
        fflush(stdout);
        peal_recorder_destroy(algorithm.recorder);
        peal_algorithm_unload(loaded);
    }
    return argc < 2 || wrong > 0;
}
