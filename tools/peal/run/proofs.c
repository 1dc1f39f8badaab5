/* SPDX-License-Identifier: MIT */
/* Finds the sources of algorithms, proves them, and makes the runs that proofs are compared with. */
#include "run/proofs.h"
#include "lib/base/grow.h"
#include "lib/check/precondition.h"
#include "lib/check/recorded.h"
#include "show/show.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_RUN_NODES = 2048 }; /* a case of more nodes is not run */

/* The folder of the sources: $PEAL_SOURCES, else that which this was built from, else that of the installation. */
static const char *
sources(void)
{
    const char *given = getenv("PEAL_SOURCES");

    if (given && given[0])
        return given;
    return access(PEAL_SOURCES_FOLDER "/algorithms/catalog.def", R_OK) == 0 ? PEAL_SOURCES_FOLDER
                                                                            : PEAL_INSTALLED_SOURCES;
}

static const char *
solver_of(const struct command_request *request)
{
    return request->proof.solver ? request->proof.solver : "z3";
}

/* Whether everything that a proof needs is there.  errors: PEAL_RESOURCES */
static enum peal_status
is_possible(const struct command_request *request, struct peal_error *error)
{
    char path[PATH_BYTES];

    if (peal_every_available(solver_of(request), error) != PEAL_OK)
        return error->status;
    snprintf(path, sizeof path, "%s/algorithms/catalog.def", sources());
    if (access(path, R_OK) != 0)
        return peal_refuse(error, PEAL_RESOURCES,
                           "cannot prove for every P here: %s is missing: name the folder of Peal's sources in "
                           "$PEAL_SOURCES",
                           path);
    return PEAL_OK;
}

/* The compiler's flags for the user's file, or NULL. */
static const char *
proof_flags(const struct command_request *request)
{
    return !request->function.file   ? NULL
           : request->function.flags ? request->function.flags
                                     : target_environment_flags(request->function.file);
}

/* Flags for both compilers: with others, they could understand the file differently. */
static enum peal_status
proof_flags_check(const char *flags, struct peal_error *error)
{
    static const char *const allowed[] = {"-I", "-D", "-U", "-O", "-g", "-W", "-std="};
    static const char blank[] = " \t\n";

    for (const char *at = flags ? flags + strspn(flags, blank) : ""; *at; at += strspn(at, blank)) {
        const int length = (int)strcspn(at, blank);
        bool fits = false;

        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            fits = fits || strncmp(at, allowed[i], strlen(allowed[i])) == 0;
        if (!fits || (at[1] == 'W' && memchr(at, ',', (size_t)length)) || (length == 2 && strchr("IDU", at[1])))
            return peal_refuse(error, PEAL_USAGE,
                               "--every takes -INAME, -DNAME, -UNAME, -O, -g, -W and -std= as flags of the compiler; "
                               "got %.*s",
                               length, at);
        at += length;
    }
    return PEAL_OK;
}

enum peal_status
proofs_ask(const struct command_request *request, struct peal_error *error)
{
    static const char *const narrow[] = {
        "nodes",     "topology", "only",         "root",      "by",        "block",     "words",        "sizes",
        "to",        "op",       "ports",        "duplex",    "delivery",  "switching", "noncombining", "call",
        "buffers",   "choices",  "max-rounds",   "max-words", "max-hops",  "divides",   "nonzero",      "may-refuse",
        "identical", "seed",     "max-messages", "elements",  "arguments", "cc",        "long-counts",  NULL};
    const char *given;

    if (!request->proof.every)
        return request->proof.solver ? peal_refuse(error, PEAL_USAGE, "--solver goes with --every") : PEAL_OK;
    if (request->check->program)
        return peal_refuse(error, PEAL_USAGE, "--every is for algorithms and functions: leave out --program");
    if (request->function.file && !text_has_ending(request->function.file, ".c"))
        return peal_refuse(error, PEAL_USAGE, "--every is for a file in C, of the name NAME.c; got %s",
                           request->function.file);
    if (request->function.file && request->argument_count > 1)
        return peal_refuse(error, PEAL_USAGE, "--every is for a function in one file: leave out %s",
                           request->arguments[1]);
    if (request->function.file && proof_flags_check(proof_flags(request), error) != PEAL_OK)
        return error->status;
    if ((given = option_among(request, narrow)))
        return peal_refuse(error, PEAL_USAGE, "--every is for all cases: leave out --%s", given);
    return is_possible(request, error);
}

/* ------------------------------------------------------------------ runs to compare with */

struct recorded {
    const struct peal_check *check;
    struct check_recorder *recorder;
};

static enum peal_status
record_run(void *arg, const struct every_case *of, struct every_message **messages, size_t *count,
           struct peal_error *error)
{
    const struct recorded *recorded = arg;
    const uint64_t word = recorded->check->mpi ? sizeof(uint64_t) : 1; /* a machine for MPI has words of a byte */
    const struct peal_layout layout = {.nodes = of->nodes, .root = of->root, .by = of->by, .words = of->words};
    const struct peal_schedule *schedule = peal_recorder_run(recorded->recorder, &layout, error);

    if (!schedule)
        return error->status;
    *count = 0;
    if (!(*messages = calloc(schedule->transfer_count + 1, sizeof **messages)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count; j++) {
            const struct peal_transfer *t = &schedule->transfers[j];

            if (t->from != t->to) /* a message to the node itself is a copy */
                (*messages)[(*count)++] =
                    (struct every_message){.from = t->from, .to = t->to, .words = t->words / word};
        }
    }
    return PEAL_OK;
}

/* ------------------------------------------------------------------ proofs */

/* Why the algorithm cannot be followed; NULL: it can. */
static const char *
not_followed(const struct peal_algorithm *a)
{
    if (!peal_every_follows(a->collective))
        return "the contents of this collective are not followed";
    if (a->loaded || peal_plan_of(a))
        return "it is not an algorithm of the catalogue's";
    if (a->asks_network || a->needs.kinds || a->needs.nodes > 0)
        return "its messages depend on the network";
    if (a->needs.ports == PEAL_PORTS_ALL)
        return "it needs a port per link";
    if (a->needs.multiple > 1 || a->needs.divides || a->needs.root_is)
        return "it is for some sizes or roots only";
    return NULL;
}

/* The parameter that the algorithm chooses on one port, for all P of a class; false: it differs within one, or depends
 * on lengths. */
static bool
find_parameters(const struct peal_algorithm *a, int parameters[EVERY_LOG + 1])
{
    enum { LENGTHS = 3 };
    struct peal_situation situation[LENGTHS];
    struct peal_options options;
    int P = 1;

    memset(parameters, 0, (EVERY_LOG + 1) * sizeof *parameters);
    if (!a->parameter.name)
        return true;
    peal_options_init(&options);
    options.nodes = 2;
    for (int i = 0; i < LENGTHS; i++) {
        const struct peal_exercise exercise = {
            .collective = a->collective, .algorithm = a->name, .nodes = 2, .words = (size_t)1 << 10 * i};
        struct peal_error ignored;

        if (peal_exercise_situation(&exercise, &options, NULL, &situation[i], &ignored) != PEAL_OK)
            return false;
    }
    for (int q = 0; q <= EVERY_LOG; q++)
        for (; P <= 1 << q; P++)
            for (int i = 0; i < LENGTHS; i++) {
                situation[i].nodes = P;
                const int chosen = peal_algorithm_parameter(a, &situation[i]);

                if (parameters[q] != 0 && chosen != parameters[q])
                    return false;
                parameters[q] = chosen;
            }
    return true;
}

/* Load the function of a file, for runs to compare with, and have it proved. */
static enum peal_status
prove_function(struct every_request *request, struct recorded *recorded, struct every *every, struct peal_error *error)
{
    const struct peal_check *check = recorded->check;
    char flags[PATH_BYTES];
    const struct peal_function_source source = {.collective = check->collective,
                                                .file = check->file,
                                                .symbol = check->symbol,
                                                .nodes = EVERY_COMPARED,
                                                .flags = flags};
    const struct peal_algorithm *own = NULL;
    enum peal_status status;

    if (snprintf(flags, sizeof flags, "-w %s", request->flags ? request->flags : "") >= (int)sizeof flags)
        return peal_refuse(error, PEAL_USAGE, "--every takes flags of the compiler below %zu letters", sizeof flags);
    if (!peal_every_follows(check->collective) || check->unequal) {
        snprintf(every->text, sizeof every->text, "%s",
                 check->unequal ? "a list of lengths is not followed"
                                : "the contents of this collective are not followed");
        return PEAL_OK;
    }
    if (!check->mpi && !(own = peal_algorithm_load(&source, error)))
        return error->status;
    if (!(recorded->recorder = peal_recorder_create(check, own ? own->name : NULL, EVERY_COMPARED, error))) {
        peal_algorithm_unload(own);
        return error->status;
    }
    request->collective = check->collective;
    request->file = check->file;
    request->function = check->symbol;
    request->one_length = !check->mpi;
    request->arguments = check->mpi ? peal_check_arguments(check->collective, false) : NULL;
    status = peal_every_make(request, every, error);
    peal_recorder_destroy(recorded->recorder);
    peal_algorithm_unload(own);
    return status;
}

static enum peal_status
prove_algorithm(struct every_request *request, struct recorded *recorded, struct every *every, struct peal_error *error)
{
    const struct peal_check *check = recorded->check;
    const struct peal_algorithm *a = peal_algorithm_find(check->collective, check->algorithm);
    char name[200], function[250], path[PATH_BYTES];
    const char *why = a ? not_followed(a) : "it is given with a parameter";

    if (!why && !find_parameters(a, request->parameters))
        why = "its parameter depends on the number of nodes or on lengths";
    if (why) {
        snprintf(every->text, sizeof every->text, "%s", why);
        return PEAL_OK;
    }
    const char *rest = a->name[0] >= '0' && a->name[0] <= '9' ? strchr(a->name, '-') : NULL;
    if (rest) /* no name in C begins with a digit: 123-doubling is doubling_123 */
        snprintf(name, sizeof name, "%s/%s-%.*s", peal_collective_name(a->collective), rest + 1, (int)(rest - a->name),
                 a->name);
    else
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
    text_replace(name, '-', '_');
    snprintf(path, sizeof path, "%s/algorithms/%s.c", request->top, name);
    *strchr(name, '/') = '_';
    snprintf(function, sizeof function, "%s_run", name);
    if (!(recorded->recorder = peal_recorder_create(check, check->algorithm, EVERY_COMPARED, error)))
        return error->status;
    request->collective = a->collective;
    request->file = path;
    request->function = function;
    request->order = a->needs.commutative         ? EVERY_ANY_ORDER
                     : a->needs.commutative_off_0 ? EVERY_ANY_ORDER_OFF_0
                                                  : EVERY_RANK_ORDER;
    request->power_of_two = a->needs.power_of_two;
    request->even = a->needs.even;
    request->one_port = a->asks_ports;
    const enum peal_status status = peal_every_make(request, every, error);

    peal_recorder_destroy(recorded->recorder);
    return status;
}

/* What a proof says: each sentence once, and how often. */
struct sentence {
    enum every_part part;
    int times;
    char *text;
};
struct board {
    struct sentence *list;
    size_t count, capacity;
    bool no_memory;
};

static void
take_sentence(void *arg, enum every_part part, const char *text)
{
    struct board *board = arg;

    for (size_t i = 0; i < board->count; i++)
        if (board->list[i].part == part && strcmp(board->list[i].text, text) == 0) {
            board->list[i].times++;
            return;
        }
    if (!array_grow(&board->list, &board->capacity, board->count + 1, sizeof *board->list) ||
        !(board->list[board->count].text = strdup(text))) {
        board->no_memory = true;
        return;
    }
    board->list[board->count].part = part;
    board->list[board->count++].times = 1;
}

static enum peal_status
prove_one(const struct command_request *asked, const struct peal_check *check, struct board *board, struct every *every,
          struct peal_error *error)
{
    struct recorded recorded = {.check = check};
    struct every_request request = {.solver = solver_of(asked),
                                    .flags = proof_flags(asked),
                                    .top = sources(),
                                    .jobs = asked->orders.jobs,
                                    .keep = !board,
                                    .only = board ? EVERY_TOLD : 0,
                                    .tell = board ? take_sentence : NULL,
                                    .tell_arg = board,
                                    .runs = record_run,
                                    .arg = &recorded};
    enum peal_status status;

    *every = (struct every){.end = EVERY_NOT_FOLLOWED};
    status = (check->file ? prove_function : prove_algorithm)(&request, &recorded, every, error);
    every->asked = true;
    return status;
}

/* Run the case in which an obligation fails: it is reported as wrong only if the run is. */
static enum peal_status
proofs_confirm(struct checks *all, int i, struct peal_error *error)
{
    struct every *every = &all->every[i];
    struct peal_check check = all->checks[i];
    struct peal_verdict *verdict;
    enum peal_status status;

    if (every->end != EVERY_FAILS || every->nodes > MAX_RUN_NODES)
        return PEAL_OK;
    if (!(verdict = calloc(1, sizeof *verdict)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    check.nodes_from = check.nodes_to = (int)every->nodes;
    check.beyond = check.suggests = false;
    check.has_root = peal_collective_has_root(check.collective);
    check.root = every->root;
    status = peal_check(&check, 1, all->request->orders.jobs, verdict, error);
    every->run = status == PEAL_OK;
    if (status == PEAL_OK && peal_check_is_wrong(verdict)) {
        all->checks[i] = check;
        all->verdicts[i] = *verdict;
    }
    free(verdict);
    return status;
}

enum peal_status
proofs_make(struct checks *all, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    if (!all->request->proof.every)
        return PEAL_OK;
    if (!(all->every = calloc((size_t)all->count + 1, sizeof *all->every)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < all->count && status == PEAL_OK; i++)
        if (all->verdicts[i].proved) {
            status = prove_one(all->request, &all->checks[i], NULL, &all->every[i], error);
            if (status == PEAL_OK)
                status = proofs_confirm(all, i, error);
        }
    return status;
}

/* ------------------------------------------------------------------ in words */

/* "every P", of those that the algorithm runs on. */
static void
tell_numbers(struct peal_text to, const struct peal_algorithm *a)
{
    peal_append(to, "every %sP%s", a && a->needs.even ? "even " : "", a && a->needs.power_of_two ? " = 2^q" : "");
}

const char *
proofs_claim(const struct peal_algorithm *a, char text[PROVED_TEXT])
{
    static const char *const proved[] = {
#define PROVED(name) name,
#include "run/proved.def"
#undef PROVED
        NULL};
    char name[200];

    snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
    if (!names_have(proved, name))
        return "P <= 16";
    tell_numbers(empty_text(text, PROVED_TEXT), a);
    return text;
}

/* The operators that the proof is for; NULL: the collective has no operator. */
static const char *
operator_of(const struct peal_check *check, const struct peal_algorithm *a)
{
    if (!peal_collective_has_op(check->collective))
        return NULL;
    return a && a->needs.commutative         ? "associative and commutative operator"
           : a && a->needs.commutative_off_0 ? "associative operator, commutative unless the root is 0"
                                             : "associative operator";
}

void
proofs_tell(const struct peal_check *check, const struct every *every, char text[PROOF_TEXT])
{
    const struct peal_algorithm *a = check->algorithm ? peal_algorithm_find(check->collective, check->algorithm) : NULL;
    const char *combines = operator_of(check, a);
    struct peal_text to = empty_text(text, PROOF_TEXT);

    if (every->end == EVERY_PROVED) {
        tell_numbers(to, a);
        peal_append(to, " to 2^%d", EVERY_LOG);
        if (peal_collective_has_root(check->collective))
            peal_append(to, ", every root");
        if (check->collective == PEAL_SHIFT)
            peal_append(to, ", every distance");
        if (check->collective != PEAL_BARRIER)
            peal_append(to, ", every %s", peal_collective_has_blocks(check->collective) ? "m" : "n");
        peal_append(to, ": %d class%s of P, %d obligations%s; any order of arrival", every->classes,
                    every->classes == 1 ? "" : "es", every->obligations,
                    every->kept ? " (from the cache: proved before)" : "");
        if (combines)
            peal_append(to, ", any %s", combines);
        return;
    }
    peal_append(to, "not for every P: ");
    if (every->end == EVERY_FAILS)
        peal_append(to, "not proved: obligation %d fails at P = %" PRId64 ", which %s: ", every->obligation,
                    every->nodes, every->run ? "is right in runs" : "was not run");
    else if (every->end == EVERY_UNKNOWN)
        peal_append(to, "obligation %d is not proved: ", every->obligation);
    peal_append(to, "%s", every->text);
}

void
proofs_assumes(const struct checks *all, int i, char text[PROOF_TEXT])
{
    struct peal_text to = empty_text(text, PROOF_TEXT);
    int parameters[EVERY_LOG + 1];

    peal_append(
        to,
        "clang's reading of the code; the models of the library's calls, lib/proof/models.c%s; %s; in and out that "
        "are apart; a machine that combines words; sizes that fit in memory",
        i >= 0 && all->checks[i].mpi ? " and models_mpi.c" : "", solver_of(all->request));
    if (i < 0) {
        peal_append(to,
                    "; the parameter of an algorithm that has one, and blocks of one length, as its own check says");
        return;
    }
    const struct peal_check *check = &all->checks[i];
    const struct peal_algorithm *a = check->algorithm ? peal_algorithm_find(check->collective, check->algorithm) : NULL;
    const char *combines = operator_of(check, a);

    if (combines)
        peal_append(to, "; an %s that combines word by word and changes nothing else", combines);
    if (check->mpi)
        peal_append(to, "; elements of 8 bytes, of one datatype without gaps; malloc that gives memory");
    else if (check->file)
        peal_append(to, "; words of 8 bytes");
    if (all->every[i].narrow)
        peal_append(to, "; P times the count below 2^31");
    if (a && a->needs.equal_blocks)
        peal_append(to, "; blocks of one length");
    if (a && a->needs.ports > 1)
        peal_append(to, "; %d ports", a->needs.ports);
    else if (a && a->asks_ports)
        peal_append(to, "; one port, full duplex");
    if (a && a->parameter.name && find_parameters(a, parameters)) {
        peal_append(to, "; %s: %d", a->parameter.name, parameters[0]);
        if (parameters[EVERY_LOG] != parameters[0])
            peal_append(to, " to %d, by ⌈log₂P⌉", parameters[EVERY_LOG]);
    }
    peal_append(to, ". Its messages are those of %d recorded runs, P = 1..%d", all->every[i].compared, EVERY_COMPARED);
}

/* ------------------------------------------------------------------ as on a board */

/* Print the sentences of a part, each with its number. */
static void
print_part(const struct board *board, enum every_part part, const char *title)
{
    int number = 0;

    for (size_t i = 0; i < board->count; i++) {
        const struct sentence *sentence = &board->list[i];
        char text[6100], before[20];

        if (sentence->part != part)
            continue;
        if (number++ == 0)
            printf("\n%s\n", title);
        snprintf(before, sizeof before, "%4d  ", number);
        snprintf(text, sizeof text, "%s", sentence->text);
        if (sentence->times > 1)
            snprintf(text, sizeof text, "%s (%d times)", sentence->text, sentence->times);
        fputs(before, stdout);
        print_wrapped(stdout, text, 6);
    }
}

static void
print_board(const struct peal_check *check, const struct board *board, const struct every *every)
{
    const struct peal_algorithm *a = check->algorithm ? peal_algorithm_find(check->collective, check->algorithm) : NULL;
    char name[400], text[PROOF_TEXT];
    int told = 0;

    printf("%s, ", checks_name(check, name));
    if (every->end != EVERY_PROVED) {
        proofs_tell(check, every, text);
        print_wrapped(stdout, text, 4);
        return;
    }
    if (every->by_classes && a && a->needs.power_of_two)
        printf("P = %d, one of %d classes\n", 1 << EVERY_TOLD, EVERY_LOG + 1);
    else if (every->by_classes)
        printf("%d < P <= %d, one of %d classes\n", 1 << (EVERY_TOLD - 1), 1 << EVERY_TOLD, EVERY_LOG + 1);
    else
        printf("every P to 2^%d at once\n", EVERY_LOG);
    if (peal_collective_has_root(check->collective))
        puts("r = (rank - root) mod P");
    print_part(board, EVERY_EVENT, "What node `rank` of P does");
    print_part(board, EVERY_MEETS, "Who meets whom");
    print_part(board, EVERY_INVARIANT, "The invariant: where each block has come from");
    print_part(board, EVERY_OBLIGATION, "What was proved");
    for (size_t i = 0; i < board->count; i++)
        told += board->list[i].part == EVERY_OBLIGATION ? board->list[i].times : 0;
    printf("\n%d obligations; the other %d are about ways through the code, the range of\n"
           "numbers, and the order of messages.%s\n",
           every->obligations, every->obligations - told,
           every->by_classes ? "  peal check --every proves all classes." : "");
}

enum peal_status
proofs_explain(const struct command_request *request, struct peal_error *error)
{
    static const char *const fit[] = {"every", "file", "symbol", NULL};
    const struct option *other = option_besides(request, fit);
    struct session session = {.request = request};
    const char *file = request->function.file;
    struct peal_check check = {.file = file,
                               .symbol = request->function.symbol,
                               .mpi = file && peal_program_kind(file) == PEAL_PROGRAM_MPI_SOURCE};
    struct board board = {.list = NULL};
    struct every every;
    enum peal_status status;

    if (other)
        return peal_refuse(error, PEAL_USAGE, "--every is for all cases: leave out --%s", other->name);
    if (request->argument_count != 1)
        return peal_refuse(error, PEAL_USAGE, "expected one algorithm, as in peal explain allgather/ring --every");
    status = is_possible(request, error);
    if (status == PEAL_OK)
        status = target_find_call(&session, request->arguments[0], &check.unequal, error);
    check.collective = session.collective;
    check.algorithm = session.algorithm;
    if (status == PEAL_OK && !check.file == !check.algorithm)
        return peal_refuse(error, PEAL_USAGE, "expected one algorithm, as in peal explain allgather/ring --every");
    if (status == PEAL_OK)
        status = prove_one(request, &check, &board, &every, error);
    if (status == PEAL_OK && board.no_memory)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        print_board(&check, &board, &every);
    for (size_t i = 0; i < board.count; i++)
        free(board.list[i].text);
    free(board.list);
    return status;
}
