/* SPDX-License-Identifier: MIT */
/* The usual machine of MPI programs, and the command line of pealrun. */
#include "run/mpi.h"
#include "lib/base/process.h"
#include "lib/program/sampled.h"
#include "run/target.h"
#include "show/show.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the machine */

enum { DEFAULT_STACK = PEAL_THREADS ? 8 << 20 : 128 << 10, DEFAULT_LENDING = 64 << 10, DEFAULT_PATIENCE = 100000000 };
enum { PROCESS_PATIENCE = DEFAULT_PATIENCE / 100 /* each call takes so much longer */ };
static const double usual_beta = 0.125; /* of a byte: a word of 8 bytes costs 1 */

/* The stack of a process on this system, for which programs were written. */
static size_t
usual_stack(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur < (1 << 16))
        return DEFAULT_STACK;
    return (size_t)limit.rlim_cur;
}

/* Check what --coll, or PEAL_COLL without it, says. */
static enum peal_status
check_choice(const char *text, struct peal_error *error)
{
    const char *names[PEAL_COLLECTIVES];
    char *copy = strdup(text ? text : "");
    enum peal_status status =
        copy ? target_choices(copy, names, error) : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    free(copy);
    return status;
}

/* Choose the engine, or refuse the one that was asked for. */
static enum peal_status
mpirun_choose_engine(const struct session *session, bool sanitized, const char **engine, struct peal_error *error)
{
    enum peal_program_needs needs = peal_program_needs(session->program);

    if (strcmp(*engine, "auto") == 0)
        *engine = needs == PEAL_PROGRAM_NEEDS_NOTHING && !sanitized && peal_fibers_built() ? "fibers" : "threads";
    else if (needs == PEAL_PROGRAM_USES_OPENMP && strcmp(*engine, "fibers") == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "--engine fibers: %s uses OpenMP, whose teams belong to a thread: use threads",
                           session->program);
    return PEAL_OK;
}

void
mpi_usual(struct peal_options *machine)
{
    machine->word_bytes = 1;
    machine->parameters.beta = usual_beta;
    machine->lend_bytes = DEFAULT_LENDING;
    machine->patience = DEFAULT_PATIENCE;
    machine->mailbox = 1 << 30;
}

enum peal_status
mpi_only(const struct command_request *request, struct peal_error *error)
{
    static const struct {
        const char *name, *otherwise;
    } options[] = {
        {"profile", "peal explain says where the time went"},
        {"coll", "a collective's algorithm is named as in scatter/binomial"},
        {"compute", "others declare what they compute: peal_compute(me, operations)"},
        {"sample", "others declare what they compute: peal_compute(me, operations)"},
        {"speed", "others declare what they compute: peal_compute(me, operations)"},
        {"clock", "the clock of others is the model's"},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(request, options[i].name))
            return peal_refuse(error, PEAL_USAGE, "--%s is for MPI programs; %s", options[i].name,
                               options[i].otherwise);
    return PEAL_OK;
}

/* Whether the program is one that runs its first argument, a script. */
static bool
mpi_runs_script(const struct session *session)
{
    const struct command_request *request = session->request;
    const char *name = file_name(session->program);

    return request->program_count > 0 && request->program[0][0] != '-' && access(request->program[0], R_OK) == 0 &&
           (strncmp(name, "python", 6) == 0 || strcmp(name, "julia") == 0 || strcmp(name, "Rscript") == 0);
}

/* Nodes are processes: the carrier waits for all of them, so one is enough. */
static enum peal_status
processes_prepare(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;
    const char *name = option_among(request, (const char *const[]){"compute", "sample", NULL});

    if (name)
        return peal_refuse(error, PEAL_USAGE, "--%s: the nodes of %s are processes, whose code Peal does not see", name,
                           session->program);
    session->watched = false;
    session->changed.machine.carriers = 1;
    session->processes = true;
    if (mpi_runs_script(session))
        session->called = request->program[0];
    return PEAL_OK;
}

enum peal_status
mpi_prepare(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;
    bool sanitized = false;

    if (peal_program_kind(session->program) == PEAL_PROGRAM_SOURCE) /* unreadable files are refused by the load */
        return access(session->program, R_OK) == 0 ? mpi_only(request, error) : PEAL_OK;
    enum peal_program_kind kind = peal_program_kind(session->program);

    if (kind >= PEAL_PROGRAM_LINKED &&
        (target_compiles_nothing(request, error) != PEAL_OK || preload(session->program, &sanitized, error) != PEAL_OK))
        return error->status;
    if (option_given(request, "word-bytes") && request->machine.word_bytes != 1)
        return peal_refuse(error, PEAL_USAGE, "--word-bytes: the words of an MPI program are bytes");
    if (strcmp(request->machine.engine, "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--engine mpi: %s is a program for MPI itself: use threads or fibers",
                           session->program);
    if (check_choice(request->session.coll ? request->session.coll : getenv("PEAL_COLL"), error) != PEAL_OK)
        return error->status;
    session->mpi = true;
    session->changed = *request;
    session->request = &session->changed;

    struct peal_options *machine = &session->changed.machine;

    if (kind == PEAL_PROGRAM_PROCESS && processes_prepare(session, error) != PEAL_OK)
        return error->status;
    machine->word_bytes = 1;
    if (!option_given(request, "beta"))
        machine->parameters.beta = request->named.beta > 0 ? request->named.beta : usual_beta;
    if (request->session.sample) {
        if (option_given(request, "compute") && request->session.compute != PEAL_COMPUTE_SAMPLED)
            return peal_refuse(error, PEAL_USAGE, "--sample is --compute sample: give it without --compute");
        session->changed.session.compute = PEAL_COMPUTE_SAMPLED;
        peal_sample_functions(request->session.sample);
    }
    request = session->request;
    if ((request->session.compute == PEAL_COMPUTE_COUNTED || request->session.speed <= 0) &&
        option_given(request, "speed"))
        return peal_refuse(error, PEAL_USAGE, "--speed: expected more than 0, with --compute measure or sample");
    if (request->session.compute != PEAL_COMPUTE_COUNTED) {
        machine->computing = (struct peal_computing){request->session.compute,
                                                     option_given(request, "speed") ? request->session.speed : 1,
                                                     machine->parameters.tau};
        machine->parameters.tau = 1;
    }
    if (mpirun_choose_engine(session, sanitized, &machine->engine, error) != PEAL_OK)
        return error->status;
    if (!option_given(request, "stack"))
        machine->stack_bytes = usual_stack();
    if (!option_given(request, "fallback-buffer"))
        machine->lend_bytes = DEFAULT_LENDING;
    if (!option_given(request, "livelock-after"))
        machine->patience = kind == PEAL_PROGRAM_PROCESS ? PROCESS_PATIENCE : DEFAULT_PATIENCE;
    if (!option_given(request, "mailbox"))
        machine->mailbox = 1 << 30;
    if (session->strict)
        setenv("PEAL_STRICT", "1", 1);
    if (request->session.coll)
        setenv("PEAL_COLL", request->session.coll, 1);
    show_in_nanoseconds(NULL);
    return PEAL_OK;
}

void
mpi_summary(FILE *out, const struct session *session)
{
    const struct peal_options *options = peal_machine_options(session->machine);
    const struct peal_cost cost = peal_machine_cost(session->machine);
    uint64_t rounds = peal_machine_rounds(session->machine);
    char text[160], prices[SHOW_PRICES];

    fputs("peal: ", out);
    print_plain(out, session->called);
    fprintf(out, " on %d node%s, %" PRIu64 " round%s, T = %s %s\n", options->nodes, plural((size_t)options->nodes),
            rounds, plural(rounds), show_cost(session, cost, text), show_prices(options, cost, prices));
    if (options->computing.source != PEAL_COMPUTE_COUNTED)
        fprintf(out, "peal: critical path %s: nodes that compute in different rounds do so at the same time\n",
                print_number(peal_cost_time(peal_machine_critical_path(session->machine), options->parameters), text));
    if (show_free_hops(options, cost))
        fprintf(out, "peal: %s\n", show_free_hops(options, cost));
}

/* ------------------------------------------------------------------ pealrun */

bool
mpi_launches(const char *name)
{
    static const char *const names[] = {"pealrun", "mpirun", "mpiexec", NULL};

    return names_have(names, file_name(name));
}

void
mpi_help(void)
{
    puts("pealrun: run a program for MPI: one that pealcc has linked, or a C file\n\n"
         "Examples\n"
         "  pealrun -n 8 ./prog                         eight nodes, a line of summary\n"
         "  pealrun -n 8 ./prog one two                 the program's arguments\n"
         "  pealrun -n 16 -t torus --report run.html ./prog    on a 4x4 torus, with a page\n"
         "  pealrun -n 8 --coll allreduce=ring ./prog   by an algorithm that you choose\n"
         "  pealrun -n 8 --strict ./prog                leaks, buffers used too early\n\n"
         "Options\n"
         "  -n, -np, -c P           the number of nodes (8)\n"
         "  -q                      no line of summary\n"
         "  --fallback-buffer BYTES messages that are buffered where nothing else can move\n"
         "                          (64Ki)\n"
         "  --json[=FILE], --trace FILE, --report FILE, --step\n"
         "  -V, --version           show the version\n"
         "  and all of peal run for programs (peal run --help); those of other launchers\n"
         "  about hosts are accepted and ignored\n\n"
         "The exit code is the program's.  See pealrun(1), peal-mpi(7).");
}

/* Options of other launchers that mean nothing here: hosts, processors, users. */
static bool
mpirun_option_is_ignored(const char *word, bool *takes_value)
{
    static const char *const alone[] = {"--oversubscribe",     "-oversubscribe",    "--allow-run-as-root",
                                        "--use-hwthread-cpus", "--report-bindings", NULL};
    static const char *const valued[] = {"-hostfile", "--hostfile", "-machinefile", "--machinefile", "-host", "--host",
                                         "-H",        "--map-by",   "--bind-to",    "-ppn",          "-x",    NULL};

    *takes_value = names_have(valued, word);
    return *takes_value || names_have(alone, word);
}

/* Whether the option of peal run has its value in the next word. */
static bool
takes_next(const char *word)
{
    const struct command *command = command_find("run", NULL);

    for (const struct option *o = options_table; o->name; o++) {
        if (!option_taken(command, o))
            continue;
        bool is = word[1] == '-' ? strcmp(word + 2, o->name) == 0 : word[1] == o->letter && !word[2];

        if (is)
            return o->value && o->value[0] != '[';
    }
    return false;
}

/* The program's file: as it is, or found along PATH where the word has no slash and no such file exists.  NULL with an
 * error. */
static char *
find_program(const char *word, struct peal_error *error)
{
    struct stat about;
    bool here = strchr(word, '/') || (stat(word, &about) == 0 && S_ISREG(about.st_mode));
    char *found = here ? NULL : peal_along_path(word, R_OK);

    if (!here && !found)
        peal_refuse(error, PEAL_PROGRAM, "%s is neither a file here nor a command along PATH", word);
    if (here && asprintf(&found, "%s%s", strchr(word, '/') ? "" : "./", word) < 0) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    return found;
}

enum peal_status
mpi_command_line(int argc, char **argv, char ***words, int *count, struct peal_error *error)
{
    static char run[] = "run", nodes[] = "-p", end[] = "--";
    static char **list; /* for as long as the process */
    int i = 1, used = 0;
    bool valued;

    *words = list = calloc((size_t)argc + 5, sizeof *list);
    *count = 0;
    if (!list)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    list[used++] = argv[0];
    list[used++] = run;
    for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-n") == 0 || strcmp(argv[i], "-np") == 0 || strcmp(argv[i], "--np") == 0 ||
            strcmp(argv[i], "--n") == 0 || strcmp(argv[i], "-c") == 0) {
            list[used++] = nodes;
            if (++i < argc)
                list[used++] = argv[i];
        } else if (mpirun_option_is_ignored(argv[i], &valued)) {
            i += valued;
        } else {
            list[used++] = argv[i];
            if (takes_next(argv[i]) && i + 1 < argc)
                list[used++] = argv[++i];
        }
    }
    i += i < argc && strcmp(argv[i], "--") == 0;
    if (i >= argc)
        return peal_refuse(error, PEAL_USAGE, "expected a program, as in pealrun -n 8 ./prog (pealrun --help)");
    list[used] = find_program(argv[i++], error);
    if (!list[used++])
        return error->status;
    list[used++] = end;
    i += i < argc && strcmp(argv[i], "--") == 0;
    while (i < argc)
        list[used++] = argv[i++];
    *count = used;
    return PEAL_OK;
}
