/* SPDX-License-Identifier: MIT */
/* Goes over the classes of P: runs the function, proves what it does, and compares it with recorded runs. */
#include "lib/proof/every.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/child/child.h"
#include "lib/proof/kept.h"
#include "lib/proof/prove.h"
#include "lib/proof/same_run.h"
#include <stdlib.h>
#include <unistd.h>

bool
peal_every_follows(enum peal_collective collective)
{
    switch ((int)collective) {
    case PEAL_SCATTER:
    case PEAL_GATHER:
    case PEAL_BROADCAST:
    case PEAL_ALLGATHER:
    case PEAL_ALLTOALL:
    case PEAL_SHIFT:
    case PEAL_BARRIER:
        return true;
    default:
        return peal_collective_has_op(collective);
    }
}

/* Numbers of nodes from .. to, all at once. */
struct node_class {
    int64_t from, to;
    bool log_known;
};

struct making {
    const struct every_request *request;
    struct every *proof;
    struct peal_error *error;
    struct sources sources;
    struct c_function function;
    struct terms terms;
    struct smt smt;
    struct following run;
    struct prove prove;
    bool reads_more; /* a process has read files that are not among the sources here */
};

enum { ARGUMENTS = 8 };

/* ------------------------------------------------------------------ one class */

static term
below(struct making *m, term variable)
{
    return term_below(&m->terms, variable, m->run.P);
}

/* The variables of a class, and what holds of them: P in the class; a node, another one, a block, in 0 .. P-1. */
static void
begin_class(struct making *m, const struct node_class *class)
{
    struct terms *t = &m->terms;
    struct following *run = &m->run;
    bool has_root = peal_collective_has_root(m->request->collective), has_by = m->request->collective == PEAL_SHIFT;
    term given, block;

    run->P = t->P =
        class->from == class->to ? term_number(t, class->to) : term_variable(t, "P", class->from, class->to);
    run->number = term_variable(t, has_root ? "number" : "rank", 0, class->to - 1);
    if (has_root)
        run->root = t->root = term_variable(t, "root", 0, class->to - 1);
    if (has_by)
        run->by = term_variable(t, "by", 0, class->to - 1);
    run->rank = term_turn(t, run->number);
    m->prove.partner = term_variable(t, "partner", 0, class->to - 1);
    block = m->prove.number = term_variable(t, "block", 0, class->to - 1);
    /* counted from the root, as ranks are, but for parts of a vector */
    m->prove.block =
        m->request->collective == PEAL_BROADCAST || m->request->collective == PEAL_REDUCE ? block : term_turn(t, block);
    m->prove.second = term_variable(t, "round", 0, class->to);
    run->nowhere = term_variable(t, "", 0, 1);
    run->others_nowhere = term_variable(t, "", 0, 1);
    given = term_all(t, below(m, run->number), term_all(t, below(m, m->prove.partner), below(m, block)));
    if (has_root)
        given = term_all(t, given, below(m, run->root));
    if (has_by)
        given = term_all(t, given, below(m, run->by));
    if (m->request->even)
        given = term_all(t, given,
                         term_any(t, term_equal(t, run->P, term_number(t, 1)),
                                  term_equal(t, term_divided(t, TERM_REST, run->P, 2), term_number(t, 0))));
    m->smt = (struct smt){.terms = t, .program = m->request->solver, .bits = class->log_known, .given = given};
    run->terms = t;
    run->smt = &m->smt;
    run->sources = &m->sources;
    run->log_known = class->log_known;
    run->parameter = m->request->parameters[class->log_known ? __builtin_ctzll((uint64_t) class->to) : 0];
    for (int q = 0; q <= EVERY_LOG && !class->log_known; q++)
        run->parameter = m->request->parameters[q] == run->parameter ? run->parameter : -1;
    run->combines = peal_collective_has_op(m->request->collective);
    run->tells = m->request->collective == PEAL_BARRIER;
    m->prove.combines = run->combines || run->tells;
    m->prove.commutes = term_not(t, m->request->order == EVERY_ANY_ORDER_OFF_0 && has_root
                                        ? term_equal(t, run->root, term_number(t, 0))
                                        : term_truth(t, m->request->order != EVERY_ANY_ORDER));
    m->prove.cut = run->tells ? CUT_NOTHING : m->request->collective == PEAL_REDUCE_SCATTER ? CUT_BLOCKS : CUT_VECTOR;
    run->own_buffer = m->request->collective == PEAL_SCATTER || m->request->collective == PEAL_REDUCE_SCATTER
                          ? BUFFER_OUT
                      : m->request->collective == PEAL_GATHER || m->request->collective == PEAL_ALLGATHER ? BUFFER_IN
                                                                                                          : -1;
    run->one_port = m->request->one_port;
    run->mpi = m->request->arguments != NULL;
    run->whole = run->mpi && !peal_collective_has_blocks(m->request->collective);
    m->prove.from = m->prove.to = BUFFER_VECTOR;
    if (m->request->collective == PEAL_REDUCE_SCATTER || (run->mpi && run->combines)) {
        m->prove.from = BUFFER_IN;
        m->prove.to = BUFFER_OUT;
    }
    run->out_cut = m->request->collective == PEAL_ALLTOALL ? CUT_RECEIVED : CUT_BLOCKS;
    m->prove.run = run;
    m->prove.tell = m->request->tell;
    m->prove.tell_arg = m->request->tell_arg;
    m->prove.collective = m->request->collective;
}

static void
end_class(struct making *m)
{
    prove_fini(&m->prove);
    follow_fini(&m->run);
    smt_fini(&m->smt);
    terms_fini(&m->terms);
}

/* An argument of a function for MPI, by MPI's name. */
static struct c_value
mpi_argument(struct making *m, const char *name)
{
    static const char *const others[] = {"comm", "op", "datatype", NULL}, *const buffers[] = {[BUFFER_IN] = "sendbuf",
                                                                                              "recvbuf",
                                                                                              "buffer",
                                                                                              NULL};
    const struct following *run = &m->run;
    const enum peal_collective collective = m->request->collective;
    struct c_value value = follow_value(VALUE_DATA, term_number(&m->terms, 0), 0);
    const term one = term_number(&m->terms, 1);
    const bool sends = name[0] == 's', at_root = collective == (sends ? PEAL_SCATTER : PEAL_GATHER);

    for (; value.number <= BUFFER_VECTOR; value.number++)
        if (strcmp(buffers[value.number], name) == 0)
            return value;
    if (strcmp(name, "root") == 0)
        return follow_value(VALUE_NUMBER, run->root, 0);
    if (strstr(name, "count"))
        return follow_value(VALUE_LENGTH, one, at_root ? one : 0);
    value = follow_value(VALUE_OTHER, 0, at_root ? one : 0);
    value.name = strstr(name, "type") ? "datatype" : NULL;
    for (int i = 0; others[i]; i++)
        if (strcmp(others[i], name) == 0)
            value.name = others[i];
    return value;
}

static int
mpi_arguments(struct making *m, struct c_value arguments[ARGUMENTS])
{
    char names[300];
    int count = 0;

    snprintf(names, sizeof names, "%s", m->request->arguments);
    for (char *rest, *name = strtok_r(names, ", ", &rest); name && count < ARGUMENTS;
         name = strtok_r(NULL, ", ", &rest))
        arguments[count++] = mpi_argument(m, name);
    return count;
}

/* The arguments of the algorithm, in the order in which struct peal_algorithm has them. */
static int
arguments_of(struct making *m, struct c_value arguments[ARGUMENTS])
{
    struct following *run = &m->run;
    term zero = term_number(&m->terms, 0);
    struct c_value me = follow_value(VALUE_OTHER, 0, 0), op = {.kind = VALUE_OTHER, .name = "op"}, blocks = me,
                   received = me, in = follow_value(VALUE_DATA, zero, 0), out = in, vector = in,
                   n = follow_value(VALUE_WORDS, zero, run->P);

    blocks.number = CUT_BLOCKS;
    received.number = CUT_RECEIVED;
    n.number = CUT_VECTOR;
    in.number = BUFFER_IN;
    out.number = BUFFER_OUT;
    vector.number = BUFFER_VECTOR;
    if (m->request->one_length)
        blocks = follow_value(VALUE_LENGTH, term_number(&m->terms, 1), 0);
    if (m->request->arguments)
        return mpi_arguments(m, arguments);
    const struct c_value root = follow_value(VALUE_NUMBER, run->root, 0), by = follow_value(VALUE_NUMBER, run->by, 0);
    const struct c_value rooted[] = {me, in, blocks, root, out}, broadcast[] = {me, vector, n, root},
                         all[] = {me, in, blocks, out}, to_all[] = {me, in, blocks, out, received},
                         shift[] = {me, in, n, by, out}, reduce[] = {me, op, vector, n, root},
                         vectors[] = {me, op, vector, n}, pieces[] = {me, op, in, blocks, out}, barrier[] = {me};

#define GIVE(list) (memcpy(arguments, list, sizeof(list)), (int)(sizeof(list) / sizeof *(list)))
    switch ((int)m->request->collective) {
    case PEAL_BROADCAST:
        return GIVE(broadcast);
    case PEAL_ALLGATHER:
        return GIVE(all);
    case PEAL_ALLTOALL:
        return GIVE(to_all) - m->request->one_length; /* which receives blocks of the same length */
    case PEAL_SHIFT:
        return GIVE(shift);
    case PEAL_REDUCE:
        return GIVE(reduce);
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
        return GIVE(vectors);
    case PEAL_REDUCE_SCATTER:
        return GIVE(pieces);
    case PEAL_BARRIER:
        return GIVE(barrier);
    default:
        return GIVE(rooted);
    }
#undef GIVE
}

/* Compare the class with recorded runs: every root, or distance, and some lengths. */
static enum peal_status
compare_class(struct making *m, const struct node_class *class)
{
    const struct every_request *request = m->request;

    for (int64_t nodes = class->from; nodes <= class->to && nodes <= EVERY_COMPARED; nodes++) {
        const size_t words[] = {0, 1, 3, (size_t)nodes + 1};
        int64_t ways = m->run.root || m->run.by ? nodes : 1;

        if (m->request->even && nodes > 1 && nodes % 2 != 0)
            continue;

        for (int way = 0; way < ways; way++)
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                struct every_case of = {.nodes = (int)nodes, .words = words[i]};
                bool equal;

                of.root = m->run.root ? way : 0;
                of.by = m->run.by ? way : 0;
                if (compare_run(&m->run, request, &of, &equal, m->proof->text, m->error) != PEAL_OK)
                    return m->error->status;
                if (!equal) {
                    m->proof->end = EVERY_NOT_FOLLOWED;
                    return PEAL_OK;
                }
                m->proof->compared++;
            }
    }
    return PEAL_OK;
}

static void
take_failure(struct making *m, enum prove_end end)
{
    const struct prove_failure *failure = &m->prove.failure;
    struct every *proof = m->proof;

    proof->end = end == PROVE_FAILS && failure->P > 0 ? EVERY_FAILS : EVERY_UNKNOWN;
    proof->obligation = m->proof->obligations + failure->number;
    proof->nodes = failure->P;
    proof->rank = failure->rank;
    proof->root = (int)failure->root;
    proof->by = (int)failure->by;
    snprintf(proof->text, sizeof proof->text, "%s", failure->text);
}

/* Prove one class; *log_needed: the function can only be run for the class of a q. */
static enum peal_status
make_class(struct making *m, const struct node_class *class, bool *log_needed)
{
    struct c_value arguments[ARGUMENTS];
    enum follow_end end;
    enum prove_end proved;

    *log_needed = false;
    m->prove = (struct prove){.run = NULL};
    m->run = (struct following){.terms = NULL};
    m->smt = (struct smt){.terms = NULL};
    if (!terms_init(&m->terms, class->to))
        return peal_refuse(m->error, PEAL_RESOURCES, "not enough memory");
    begin_class(m, class);
    int count = arguments_of(m, arguments);

    end = follow_function(&m->run, &m->function, arguments, count);
    if (m->run.error.status != PEAL_OK) {
        *m->error = m->run.error;
    } else if (end == FOLLOW_CLASSES) {
        *log_needed = true;
    } else if (end == FOLLOW_REFUSED) {
        m->proof->end = EVERY_NOT_FOLLOWED;
        snprintf(m->proof->text, sizeof m->proof->text, "%s", m->run.reason);
    } else {
        proved = prove_all(&m->prove);
        if (m->run.error.status != PEAL_OK || m->smt.error.status != PEAL_OK)
            *m->error = m->run.error.status != PEAL_OK ? m->run.error : m->smt.error;
        else if (proved != PROVE_DONE)
            take_failure(m, proved);
        else {
            m->proof->classes++;
            m->proof->narrow = m->run.narrow;
            m->proof->obligations += m->prove.obligations + m->run.facts;
            if (m->request->runs)
                compare_class(m, class);
        }
    }
    end_class(m);
    return m->error->status;
}

/* ------------------------------------------------------------------ all classes */

enum { CLASSES = EVERY_LOG + 1 };

/* The result for the class of a q. */
struct class_answer {
    struct every proof;
    struct peal_error error;
    bool log_needed;
    size_t files; /* that were read until then */
};

static void
answer_class(struct making *m, struct node_class class, struct class_answer *answer)
{
    *answer = (struct class_answer){.proof = {.end = EVERY_PROVED}};
    m->proof = &answer->proof;
    m->error = &answer->error;
    make_class(m, &class, &answer->log_needed);
    answer->files = m->sources.count;
}

static struct node_class
class_of(const struct making *m, int q)
{
    const int64_t to = INT64_C(1) << q;

    return (struct node_class){q == 0 || m->request->power_of_two ? to : to / 2 + 1, to, true};
}

static bool
is_proved(const struct class_answer *answer)
{
    return answer->error.status == PEAL_OK && answer->proof.end == EVERY_PROVED;
}

/* A process that answers a class. */
struct class_job {
    struct making *making;
    int q;
    struct child child;
};

static int
every_answer_in_child(void *arg, struct child *child)
{
    const struct class_job *job = arg;
    struct class_answer answer;

    answer_class(job->making, class_of(job->making, job->q), &answer);
    return peal_write_whole(child->report.to, &answer, sizeof answer) ? 0 : PEAL_RESOURCES;
}

static void
end_of_job(struct class_job *job, struct class_answer *answer)
{
    if (peal_child_end(&job->child) == 0 && job->child.report.bytes == sizeof *answer)
        memcpy(answer, job->child.report.text, sizeof *answer);
    else
        peal_refuse(&answer->error, PEAL_RESOURCES, "a process that proves has ended: P up to 2^%d", job->q);
    free(job->child.report.text);
    job->making = NULL;
}

/* Answer the classes from q on, several at a time, in their order until one is not proved: those before it are
 * answered, too, so that the result does not depend on timing. */
static void
answer_others(struct making *m, int q, struct class_answer answers[CLASSES])
{
    int running = 0, jobs = m->request->jobs > 0 ? m->request->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct class_job *job = calloc(CLASSES, sizeof *job);
    bool stop = !job;

    if (!job)
        peal_refuse(&answers[q].error, PEAL_RESOURCES, "not enough memory");
    while (running > 0 || (q < CLASSES && !stop)) {
        for (; running < jobs && q < CLASSES && !stop; q++) {
            const struct child_setup setup = {.what = "the proof", .body = every_answer_in_child, .arg = &job[q]};

            job[q].making = m;
            job[q].q = q;
            stop = peal_child_start(&job[q].child, &setup, &answers[q].error) != PEAL_OK;
            job[q].making = stop ? NULL : m;
            running += !stop;
        }
        if (running > 0)
            peal_child_attend();
        for (int i = 0; i < CLASSES && running > 0; i++)
            if (job[i].making && job[i].child.over) {
                end_of_job(&job[i], &answers[i]);
                m->reads_more |= answers[i].files != m->sources.count;
                running--;
                stop = stop || !is_proved(&answers[i]);
            }
    }
    free(job);
}

/* Classes that are compared with runs are answered here, where the machine is. */
static void
answer_all(struct making *m, struct class_answer answers[CLASSES])
{
    int q = 0;

    if (m->request->only) {
        answer_class(m, class_of(m, m->request->only), &answers[0]);
        return;
    }
    for (; INT64_C(1) << q <= EVERY_COMPARED; q++) {
        answer_class(m, class_of(m, q), &answers[q]);
        if (!is_proved(&answers[q]))
            return;
    }
    answer_others(m, q, answers);
}

/* Report, for all classes, the first that is not proved. */
static void
join_answers(struct every *proof, struct peal_error *error, const struct class_answer *answers)
{
    struct every joined = {.end = EVERY_PROVED, .highest = -1};

    for (int q = 0; q < CLASSES && joined.end == EVERY_PROVED; q++) {
        const struct every all = joined;

        joined = answers[q].proof;
        joined.classes += all.classes;
        joined.compared += all.compared;
        joined.narrow |= all.narrow;
        joined.obligation += all.obligations;
        joined.obligations += all.obligations;
        joined.highest = is_proved(&answers[q]) ? q : all.highest;
        *error = answers[q].error;
        if (error->status != PEAL_OK)
            break;
    }
    *proof = joined;
}

static enum peal_status
make_all(struct making *m)
{
    const int64_t most = INT64_C(1) << EVERY_LOG;
    struct every *proof = m->proof;
    struct peal_error *error = m->error;
    struct class_answer *answers = calloc(CLASSES, sizeof *answers);

    if (!answers)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    answers[0].log_needed = true;
    if (!m->request->power_of_two)
        answer_class(m, (struct node_class){1, most, false}, &answers[0]);
    if (answers[0].error.status == PEAL_OK && answers[0].log_needed) {
        answer_all(m, answers);
        if (m->request->only) { /* it does not prove the others */
            *proof = answers[0].proof;
            *error = answers[0].error;
            proof->by_classes = true;
            free(answers);
            return error->status;
        }
        join_answers(proof, error, answers);
    } else {
        *proof = answers[0].proof;
        *error = answers[0].error;
        proof->highest = proof->end == EVERY_PROVED ? EVERY_LOG : -1;
    }
    free(answers);
    return error->status;
}

static const char least_clang[] = "14"; /* the oldest version that is tested */

enum peal_status
peal_every_available(const char *solver, struct peal_error *error)
{
    char version[VERSION_TEXT];

    *error = (struct peal_error){PEAL_OK, ""};
    if (smt_find(solver, version, error) != PEAL_OK)
        return error->status;
    return version_find("clang", least_clang, version, error);
}

enum peal_status
peal_every_make(const struct every_request *request, struct every *proof, struct peal_error *error)
{
    struct making m = {
        .request = request, .proof = proof, .error = error, .sources = {.flags = request->flags, .top = request->top}};
    struct peal_error none = {PEAL_OK, ""};
    char solver[VERSION_TEXT], clang[VERSION_TEXT];
    const struct kept kept = {.clang = clang, .solver = solver, .request = request};
    enum peal_status status;

    *error = none;
    *proof = (struct every){.end = EVERY_UNKNOWN, .highest = -1};
    status = smt_find(request->solver, solver, error);
    if (status == PEAL_OK)
        status = version_find("clang", least_clang, clang, error);
    if (status == PEAL_OK)
        status = sources_read(&m.sources, request->file, &m.function.unit, error);
    if (status == PEAL_OK) {
        m.function.node = json_object_get(m.sources.units[m.function.unit].functions, request->function);
        if (!m.function.node)
            status = peal_refuse(error, PEAL_USAGE, "%s has no function %s", request->file, request->function);
    }
    if (status == PEAL_OK && !(request->keep && kept_find(&kept, &m.sources, proof))) {
        status = make_all(&m);
        if (status == PEAL_OK && request->keep && proof->end == EVERY_PROVED && !m.reads_more)
            kept_put(&kept, &m.sources, proof);
    }
    sources_fini(&m.sources);
    return status;
}
