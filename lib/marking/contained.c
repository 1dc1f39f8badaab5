/* SPDX-License-Identifier: MIT */
/* Whole programs, each run in its own child process: the parent keeps its output and waits for its verdict. */
#include "lib/marking/contained.h"
#include "lib/check/prover.h"
#include "lib/check/runner.h"
#include "lib/child/child_failure.h"
#include "lib/child/child_message.h"
#include "lib/marking/enclosed.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/program/foreign.h"
#include "lib/program/linked.h"
#include "lib/sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <peal/outside.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct peal_contained {
    struct unit unit;
    bool mpi, watches, lenient; /* as of its source */
    char *name;                 /* the name of the untrusted file, as given */
    char *driver;               /* the driver's full name; NULL */
    bool python;
    struct enclosed_program enclosed; /* of one in Python */
    struct compiled instead;          /* what is loaded in its place */
};

/* The child's last message. */
struct contained_verdict {
    enum peal_status status;             /* of making the machine and loading the program; else no verdict follows */
    struct peal_contained_result result; /* without what the parent knows: `watched`, and the output */
};
enum { VERDICT_BYTES = CHILD_TOKEN_BYTES + sizeof(struct contained_verdict) };

/* ------------------------------------------------------------------ compiling */

/* Put the files' own names into a text of `bytes` bytes. */
static void
shorten(const struct peal_contained *program, char *text, size_t bytes)
{
    if (program->python)
        return;
    if (program->driver)
        unit_replace(program->driver, strrchr(program->driver, '/') + 1, text, bytes);
    unit_shorten(&program->unit, program->name, text, bytes);
}

/* Whether the compiler's line says that the file is included by the one that compares types. */
static bool
is_includer(const char *line)
{
    static const char start[] = "In file included from ", own[] = "/types.c:";
    const char *found = strncmp(line, start, strlen(start)) == 0 ? strstr(line, own) : NULL;

    return found && found < line + strcspn(line, "\n");
}

/* Remove from the compiler's messages that a file was included by another one, which the user never saw. */
static void
leave_out_includer(const struct peal_contained *program, char *messages)
{
    char start[PATH_MAX + 40];
    int length = snprintf(start, sizeof start, "In file included from %s:", program->name);

    for (char *line = messages; *line; line += strcspn(line, "\n"), line += *line != '\0')
        while (strncmp(line, start, (size_t)length) == 0 || is_includer(line)) {
            char *next = line + strcspn(line, "\n");

            next += *next != '\0';
            memmove(line, next, strlen(next) + 1);
        }
}

/* In place of an untrusted file: it causes no warnings. */
static const char nothing[] = "#include <peal/author.h>\n\n"
                              "void\npeal_main(struct peal_node *me, int argc, char **argv)\n{\n"
                              "    (void)me, (void)argc, (void)argv;\n}\n";
static const char nothing_of_mpi[] = "#include <mpi.h>\n\n"
                                     "int\nmain(int argc, char **argv)\n{\n"
                                     "    MPI_Init(&argc, &argv);\n    return MPI_Finalize();\n}\n";

/* Write the code before the untrusted file, or in its place; false: there is none. */
static bool
write_before(const struct peal_contained_source *source, const char *driver, char *text, size_t bytes)
{
    static const char prototype[] = "void peal_main(struct peal_node *me, int argc, char **argv);\n";

    if (source->mpi && source->file)
        return false;
    if (source->mpi && driver)
        snprintf(text, bytes, "#include \"%s\"\nint (*driver_entry)(int, char **) = (int (*)(int, char **))main;\n",
                 driver);
    else if (source->mpi)
        snprintf(text, bytes, "%s", nothing_of_mpi);
    else if (source->file)
        snprintf(text, bytes, "#include \"peal/author.h\"\n#define peal_main peal_main_of_the_file\n%s",
                 prototype); /* for -Wmissing-prototypes */
    else if (driver)
        snprintf(text, bytes,
                 "#include \"%s\"\nstruct peal_node;\n%s"
                 "void (*driver_entry)(struct peal_node *, int, char **) = peal_main;\n",
                 driver, prototype);
    else
        snprintf(text, bytes, "%s", nothing);
    return !source->file || source->calls_only;
}

/* Read a program in Python. */
static struct peal_contained *
contained_read(const struct peal_contained_source *source, struct peal_error *error)
{
    struct peal_contained *program = calloc(1, sizeof *program);
    struct enclosed_program *enclosed = program ? &program->enclosed : NULL;

    const char *name = source->driver ? source->driver : source->file ? source->file : "a program that does nothing";

    if (!program || !(program->name = strdup(name))) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        peal_contained_destroy(program);
        return NULL;
    }
    program->python = program->mpi = true;
    program->lenient = source->lenient;
    *enclosed = (struct enclosed_program){.refuses = source->refuses, .refuses_for = source->refuses_for};
    bool read = true;

    for (int i = 0; i < MAX_TEXTS && read; i++) {
        const char *path = i == 0 ? source->driver : source->file;

        if (path)
            read = enclosed_read(&enclosed->texts[enclosed->count++], path, error);
    }
    if (enclosed->count == 0) {
        struct enclosed_text *text = &enclosed->texts[enclosed->count++];

        text->name = "nothing";
        text->bytes = strdup("from mpi4py import MPI\n");
        text->size = text->bytes ? strlen(text->bytes) : 0;
    }
    if (PEAL_PROCESSES && read && foreign_read_instead(program->name, &program->instead, error) == PEAL_OK)
        return program;
    peal_contained_destroy(program);
    return NULL;
}

struct peal_contained *
peal_contained_compile(const struct peal_contained_source *source, char **messages, struct peal_error *error)
{
    struct peal_contained *program = calloc(1, sizeof *program);
    char before[PATH_MAX + 400], *driver = source->driver ? realpath(source->driver, NULL) : NULL;
    struct unit_source unit = {
        .file = source->file,
        .readable = source->file ? NULL : driver,
        .judge_file = source->file ? driver : NULL,
        .judge_functions = source->functions,
        .judge_offers = source->offers,
        .compiler = source->compiler,
        .flags = source->flags,
        .untrusted = true,
        .alone = source->calls_only,
        .watched = source->watched,
        .mpi = source->mpi,
    };
    const char *name = source->file ? source->file : source->driver ? source->driver : "a program that does nothing";
    enum peal_status status = PEAL_OK;

    *messages = NULL;
    if (source->python) {
        free(program);
        free(driver);
        return contained_read(source, error);
    }
    if (!program || !(program->name = strdup(name))) {
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    } else if (source->driver && (!driver || strpbrk(driver, "\"\\\n"))) {
        status = peal_refuse(error, PEAL_PROGRAM, "%s cannot be included: %s", source->driver,
                             driver ? "a quote or a backslash in its path" : strerror(errno));
    } else {
        unit.before = write_before(source, driver, before, sizeof before) ? before : NULL;
        status = unit_compile(&program->unit, &unit, error);
        *messages = program->unit.messages;
        program->unit.messages = NULL;
        program->driver = driver;
        program->mpi = source->mpi;
        program->watches = source->watched;
        program->lenient = source->lenient;
        driver = NULL;
        if (*messages)
            shorten(program, *messages, strlen(*messages) + 1);
        if (*messages && source->file)
            leave_out_includer(program, *messages);
        if (status != PEAL_OK && error)
            shorten(program, error->text, sizeof error->text);
    }
    free(driver);
    if (status == PEAL_OK)
        return program;
    peal_contained_destroy(program);
    return NULL;
}

void
peal_contained_destroy(struct peal_contained *program)
{
    if (!program)
        return;
    if (!program->python)
        unit_free(&program->unit);
    for (int i = 0; i < program->enclosed.count; i++)
        free(program->enclosed.texts[i].bytes);
    free(program->instead.bytes);
    free(program->instead.calls);
    free(program->name);
    free(program->driver);
    free(program);
}

const char *
peal_contained_calls(const struct peal_contained *program)
{
    return program->python ? "" : program->unit.program.calls;
}

bool
peal_contained_lacks(const struct peal_contained *program, const char *file, const char *function,
                     struct peal_error *error)
{
    return function_find(file, function, program->unit.program.calls, error) == PEAL_PROGRAM;
}

const struct unit *
contained_unit(const struct peal_contained *program)
{
    return &program->unit;
}

/* Whether a run on `nodes` nodes is watched. */
static bool
is_watched(const struct peal_contained *program, int nodes)
{
    if (program->python)
        return true; /* nodes share no memory */
    if (program->mpi)
        return program->watches;
    return program->unit.program.how != INSTRUMENT_NONE && nodes <= SHADOW_OWNERS;
}

/* ------------------------------------------------------------------ the child */

void
contained_fail(struct peal_contained_result *result, enum peal_failure_kind kind, const char *format, ...)
{
    va_list list;

    result->failed = true;
    result->kind = kind;
    va_start(list, format);
    vsnprintf(result->message, sizeof result->message, format, list);
    va_end(list);
}

static void
contained_fill(const struct peal_contained *program, struct peal_contained_result *result,
               const struct peal_machine *machine, const struct peal_failure *failure)
{
    result->cost = peal_machine_cost(machine);
    sent_count(peal_machine_schedule(machine), &result->traffic);
    result->failed = failure != NULL;
    if (!failure)
        return;
    result->fault = fault_of(failure);
    const char *rule = program->mpi ? peal_fault_rule(&failure->fault) : NULL;

    snprintf(result->rule, sizeof result->rule, "%s", rule ? rule : "");
}

/* Even an MPI program that ended normally may have done something wrong. */
static void
fill_findings(struct peal_contained_result *result, const struct peal_machine *machine,
              const struct peal_program_file *file, bool lenient)
{
    size_t count = 0, notes = 0;
    const struct peal_run_finding *all = lenient ? NULL : peal_machine_findings(machine, &count);

    while (notes < count && all[notes].severity == PEAL_SEVERITY_NOTE)
        notes++;
    const struct peal_run_finding *first = notes < count ? &all[notes] : NULL;
    const struct peal_place *other = first && first->place_count > 1 ? &first->places[1] : NULL;
    int code = peal_program_code(file);

    if (!first && code == 0)
        return;
    if (!first) {
        contained_fail(result, PEAL_CRASH, "the program ends with exit code %d", code);
        return;
    }
    result->failed = true;
    result->fault = first->fault;
    if (other && other->file && other->line > 0)
        peal_append(IN_ARRAY(result->message), " (%.*s:%d)", FITTING(150, other->file), other->line);
}

/* A driver that was ended early has found nothing wrong, but has not checked either. */
static void
fill_left(struct peal_contained_result *result, bool mpi, int rank)
{
    if (rank >= 0)
        contained_fail(result, PEAL_CRASH,
                       "node %d ended before the driver's %s did: a graded function returns, and does not exit", rank,
                       mpi ? "main" : "peal_main");
}

static const struct compiled *
loaded_program(const struct peal_contained *program)
{
    return program->python ? &program->instead : &program->unit.program;
}

/* Load and run; *verdict is the result. */
static void
contained_run(const struct peal_contained *program, struct peal_options options, int argc, char **argv,
              struct contained_verdict *verdict)
{
    const struct peal_program_options given = {.argc = argc, .argv = argv};
    struct peal_error error = {PEAL_OK, ""};
    struct peal_machine *machine;
    struct peal_program_file *file = NULL;
    bool watched = !program->mpi && is_watched(program, options.nodes);

    options.carriers = 1;
    machine = peal_machine_create(&options, &error);
    bool asks = !program->mpi && program->unit.program.how != INSTRUMENT_NONE; /* at each access, even if not watched */
    bool ready = machine && (!asks || watch_prepare(options.nodes, &error) == PEAL_OK);

    if (ready)
        file = program_load_compiled(program->python ? program->name : program->unit.wrapper, options.nodes, &given,
                                     loaded_program(program), &error);
    if (ready && !file && error.status == PEAL_RESOURCES) { /* a failure during loading is the program's */
        contained_fail(&verdict->result, PEAL_OUT_OF_MEMORY, "it could not be loaded: %.900s", error.text);
    } else if (file) {
        if (watched) {
            watch_loaded(file, program->unit.program.how);
            watch_begin(machine, NULL);
        }
        struct peal_contained_result *result = &verdict->result;

        contained_fill(program, result, machine, peal_program_run(machine, file));
        if (program->mpi && !result->failed)
            fill_findings(result, machine, file, program->lenient);
        if (program->driver && !result->failed) /* one in Python ends after its driver */
            fill_left(result, program->mpi, program_left(file, options.nodes));
    } else {
        verdict->status = error.status;
        snprintf(verdict->result.message, sizeof verdict->result.message, "%s", error.text);
    }
}

/* The state of a child. */
struct task {
    const struct peal_contained *program;
    const struct peal_options *machine;
    int argc;
    char **argv;
    const struct peal_contained_seeds *seeds;
    atomic_int *denied;    /* shared with the parent */
    struct black_box *box; /* this, too */
};

static int
contained_child_main(void *arg, struct child *child)
{
    const struct task *task = arg;
    const struct peal_contained *program = task->program;
    struct contained_verdict verdict = {.status = PEAL_OK};
    struct peal_options options = *task->machine;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        return 1;
    options.output = sandbox_hide(child->printed.to);
    child->report.to = sandbox_hide(child->report.to);
    sandbox_close_others((const int[]){options.output, child->report.to}, 2);
    options.engine = runner_engine();
    options.stack_bytes = runner_stack_bytes(options.nodes);
    if (program->mpi && !compile_mpi_preload()) {
        verdict.status = PEAL_PROGRAM;
        snprintf(verdict.result.message, sizeof verdict.result.message, "libpealmpi.so cannot be loaded");
    }
    if (program->python && verdict.status == PEAL_OK) {
        const char *failed = peal_places_begin() ? enclosed_start(&program->enclosed, &options, task->argc, task->argv,
                                                                  task->seeds ? task->seeds->of : NULL)
                                                 : "places";

        verdict.status = failed ? PEAL_RESOURCES : PEAL_OK;
        if (failed)
            snprintf(verdict.result.message, sizeof verdict.result.message, "no processes for the nodes: %s: %s",
                     failed, strerror(errno));
    } else if (program->mpi && linked_needs(program->unit.program.bytes, program->unit.program.size)) {
        options.engine = "threads";
    }
    program_reserve(loaded_program(program)->writable ? options.nodes : 1);
    sandbox_program((int)(2 * options.timeout_seconds) + 10, false, task->denied);
    if (program->mpi)
        setenv("PEAL_STRICT", "1", 1);
    if (verdict.status == PEAL_OK)
        contained_run(program, options, task->argc, task->argv, &verdict);
    child_send_message(child, &verdict, sizeof verdict);
    return 0;
}

/* ------------------------------------------------------------------ the parent */

/* Put how the child was lost into the result. */
static void
fail_lost(const struct peal_contained *program, const struct peal_fault *lost, struct peal_contained_result *result)
{
    result->failed = true;
    result->fault = *lost;
    shorten(program, result->file, sizeof result->file);
}

/* Turn the child's message into the result. */
static enum peal_status
take_verdict(const struct peal_contained *program, struct child *child, struct peal_contained_result *result,
             struct peal_error *error)
{
    struct contained_verdict answer;

    if (child_read_message(child, &answer, sizeof answer) == CHILD_MESSAGE_FORGED ||
        child->report.taken < child->report.bytes) {
        contained_fail(result, PEAL_CRASH, "the program wrote to one of Peal's own pipes");
        return PEAL_OK;
    }
    if (answer.status != PEAL_OK)
        return peal_refuse(error, answer.status, "%s", answer.result.message);
    answer.result.watched = result->watched;
    *result = answer.result;
    shorten(program, result->message, sizeof result->message);
    shorten(program, result->file, sizeof result->file);
    return PEAL_OK;
}

/* Attend the child until it has ended, or must be ended; the machine ends its run by itself in most cases. */
static enum peal_status
contained_attend(const struct task *task, struct child *child, struct peal_contained_result *result,
                 struct peal_error *error)
{
    const struct peal_contained *program = task->program;
    enum child_fault trouble = CHILD_WELL;
    struct peal_fault lost;

    while (!child->over && !child->overflows && trouble == CHILD_WELL) {
        peal_child_attend();
        trouble = child->over ? CHILD_WELL : child_look(child);
    }
    if (trouble == CHILD_LATE || trouble == CHILD_LOADS)
        child_ask(child, &lost);
    if (!child->over)
        peal_child_kill(child);
    const int how = peal_child_end(child);

    if (child->overflows)
        contained_fail(result, PEAL_CRASH, "the nodes print more than %d bytes", PEAL_CONTAINED_OUTPUT);
    else if (trouble == CHILD_LARGE)
        contained_fail(result, PEAL_OUT_OF_MEMORY, "the run takes more memory than a program may");
    else if (atomic_load(task->denied) == 0 && (trouble == CHILD_LATE || trouble == CHILD_LOADS))
        fail_lost(program, &lost, result);
    else if (trouble == CHILD_WELL && WIFEXITED(how) && child->report.bytes >= VERDICT_BYTES)
        return take_verdict(program, child, result, error);
    else {
        child_failure(child, how, "the run", "the program", &lost);
        fail_lost(program, &lost, result);
    }
    return PEAL_OK;
}

enum peal_status
peal_contained_run(const struct peal_contained *program, const struct peal_options *machine, int argc, char **argv,
                   const struct peal_contained_seeds *seeds, struct peal_contained_result *result,
                   struct peal_error *error)
{
    struct task task = {.program = program, .machine = machine, .argc = argc, .argv = argv, .seeds = seeds};
    struct child child = {.process = 0};
    enum peal_status status = PEAL_OK;

    *result = (struct peal_contained_result){.watched = is_watched(program, machine->nodes)};
    task.box = box_create();
    task.denied = mmap(NULL, sizeof *task.denied, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct child_setup setup = {.what = "the run",
                                      .body = contained_child_main,
                                      .arg = &task,
                                      .box = task.box,
                                      .denied = task.denied,
                                      .say_denied = sandbox_denied,
                                      .limits = {.run_seconds = machine->timeout_seconds,
                                                 .silent_seconds = CHILD_SILENT_SECONDS,
                                                 .memory_bytes = child_memory_limit()},
                                      .program = {loaded_program(program)->bytes, loaded_program(program)->size},
                                      .untrusted = true,
                                      .alone = program->python,
                                      .prints = true,
                                      .most_printed = PEAL_CONTAINED_OUTPUT,
                                      .most_reported = VERDICT_BYTES};

    if (task.denied == MAP_FAILED || !task.box)
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for the run: %s", strerror(errno));
    else if ((status = peal_child_start(&child, &setup, error)) == PEAL_OK)
        status = contained_attend(&task, &child, result, error);
    free(child.report.text);
    result->output = child.printed.text ? child.printed.text : calloc(1, 1);
    result->output_bytes = child.overflows ? PEAL_CONTAINED_OUTPUT : child.printed.bytes;
    if (result->output)
        result->output[result->output_bytes] = '\0';
    else
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (task.denied != MAP_FAILED)
        munmap(task.denied, sizeof *task.denied);
    box_destroy(task.box);
    return status;
}
