/* SPDX-License-Identifier: MIT */
/* A program with a driver, run once more with each node in a process of its own. */
#include "lib/base/process.h"
#include "lib/machine/machine.h"
#include "lib/marking/confirm.h"
#include "lib/marking/contained.h"
#include "lib/memory/watch.h"
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Driver and submission share the memory of their process, so the submission can make whatever the driver makes by
 * itself.  But random numbers come from the coordinator, and the node's output goes to it.  So only the node and the
 * coordinator know its data until it sends them, and the result is compared where no submission is: with what the
 * reference prints when its nodes draw the same numbers. */

/* The runs of a program. */
struct apart {
    struct coordinator coordinator;
    const struct peal_contained *reference; /* NULL: none */
    const struct peal_options *machine;
    int argc;
    char **argv;
    bool limited; /* what the nodes do must not depend on their numbers */
};

/* What the coordinator's process reports; the two outputs follow. */
struct apart_report {
    enum peal_status status;
    struct peal_error error;
    struct peal_contained_result result;
    size_t expected_bytes;
};

/* ------------------------------------------------------------------ a node's process */

static void
be_node(void *arg, int rank, int socket)
{
    const struct apart *apart = arg;
    const struct compiled *compiled = &apart->coordinator.unit->program;
    const struct peal_program_options given = {.argc = apart->argc, .argv = apart->argv};
    struct peal_options options = *apart->machine;
    struct confirm_order order;
    struct peal_error error = {PEAL_OK, "not enough memory"};

    confirm_enter(rank, socket, compiled->linked, true);
    options.engine = "judged";
    options.carriers = 1;
    options.stack_bytes = runner_stack_bytes(options.nodes);
    options.timeout_seconds = 0; /* the coordinator's */
    options.lend_bytes = 0;
    if (compiled->linked)
        setenv("PEAL_STRICT", "1", 1);
    else if (compiled->how != INSTRUMENT_NONE && watch_prepare(options.nodes, &error) != PEAL_OK)
        _exit(1);
    struct peal_machine *machine = peal_machine_create(&options, &error);
    struct peal_program_file *file =
        machine ? program_load_compiled(apart->coordinator.unit->wrapper, options.nodes, &given, compiled, &error)
                : NULL;

    if (file && !program_keep(file))
        file = NULL;
    confirm_ready();
    while (confirm_next(&order)) {
        const struct peal_failure *failure = file ? peal_program_run(machine, file) : NULL;

        if (!file || failure)
            confirm_fail(failure ? failure->kind : PEAL_OUT_OF_MEMORY, failure ? failure->message : error.text);
        else if (compiled->linked && peal_program_code(file) != 0)
            confirm_fail(PEAL_CRASH, "the program ends with another exit code than 0");
        else if (program_left(file, options.nodes) >= 0)
            confirm_fail(PEAL_CRASH, "a graded function returns, and does not exit");
        else
            confirm_leave();
    }
    _exit(0);
}

/* ------------------------------------------------------------------ the coordinator's process */

/* For the reference, whose nodes are in one process: the numbers that the nodes drew. */
static const struct node_process *drawn_by;
static size_t *drawn_again; /* of each node, shared with the reference's process */

static uint64_t
random_again(const struct node *node)
{
    const struct node_process *process = &drawn_by[node->rank];
    size_t next = drawn_again[node->rank]++;

    return next < process->drawn_count ? process->drawn[next] : 0;
}

/* Make the two runs, then the reference's; the output of the second run is in the file `output`. */
static enum peal_status
judge_program(struct apart *apart, struct peal_machine *machine, int output, struct peal_contained_result *result,
              struct peal_contained_result *expected, struct peal_error *error)
{
    struct coordinator *coordinator = &apart->coordinator;
    char text[300];

    machine->runs_here = true;
    for (coordinator->number = 0; coordinator->number < 2 && !result->failed; coordinator->number++) {
        for (int rank = 0; rank < coordinator->process_count; rank++)
            confirm_clear(&coordinator->processes[rank]);
        if (ftruncate(output, 0) != 0 || lseek(output, 0, SEEK_SET) != 0)
            return peal_refuse(error, PEAL_RESOURCES, "the output of the nodes cannot be kept");
        coordinator->deadline = fmin(peal_spent_seconds() + apart->machine->timeout_seconds, coordinator->last);
        const struct peal_failure *failure = peal_run(machine, confirm_serve, coordinator);

        if (failure)
            contained_fail(result, failure->kind, "%s", failure->message);
    }
    result->cost = peal_machine_cost(machine);
    sent_count(peal_machine_schedule(machine), &result->traffic);
    if (!result->failed && apart->limited && !confirm_acts_are_the_same(coordinator, coordinator->process_count, text))
        contained_fail(result, PEAL_PRIVATE_MEMORY, "%s", text);
    confirm_end(coordinator);
    if (result->failed || !apart->reference)
        return PEAL_OK;
    drawn_by = coordinator->processes;
    drawn_again = mmap(NULL, (size_t)coordinator->process_count * sizeof *drawn_again, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (drawn_again == MAP_FAILED)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    random_source = random_again;
    enum peal_status status =
        peal_contained_run(apart->reference, apart->machine, apart->argc, apart->argv, NULL, expected, error);

    for (int rank = 0; status == PEAL_OK && rank < coordinator->process_count; rank++)
        if (!result->failed && drawn_again[rank] > coordinator->processes[rank].drawn_count)
            contained_fail(result, PEAL_PRIVATE_MEMORY, "node %d draws fewer numbers than the driver does", rank);
    return status;
}

static int
apart_coordinator_main(void *arg, struct child *child)
{
    struct apart *apart = arg; /* its first member is the coordinator */
    const int out = child->report.to;
    struct apart_report report = {.status = PEAL_RESOURCES, .error = {PEAL_RESOURCES, "not enough memory"}};
    struct peal_contained_result expected = {.output = NULL};
    struct peal_options options = *apart->machine;
    int output = memfd_create("output", MFD_CLOEXEC);

    signal(SIGPIPE, SIG_IGN);
    peal_spent_count(SPENT_TOGETHER);
    options.engine = runner_engine();
    options.carriers = 1;
    options.output = output;
    options.timeout_seconds = 0;
    struct peal_machine *machine = output >= 0 ? peal_machine_create(&options, &report.error) : NULL;

    if (machine && confirm_start(&apart->coordinator, be_node, apart)) {
        report.status = judge_program(apart, machine, output, &report.result, &expected, &report.error);
        off_t end = lseek(output, 0, SEEK_END);

        report.result.output_bytes = end > 0 ? (size_t)end : 0;
        if (report.status == PEAL_OK && expected.failed)
            report.status =
                peal_refuse(&report.error, PEAL_PROGRAM, "the reference fails on random numbers: %s", expected.message);
        report.expected_bytes = expected.output ? expected.output_bytes : 0;
    } else if (machine) {
        peal_refuse(&report.error, PEAL_RESOURCES, "no processes for %d nodes", options.nodes);
    }
    const size_t bytes = report.result.output_bytes;
    void *text = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_SHARED, output, 0) : NULL;

    return text == MAP_FAILED || !peal_write_whole(out, &report, sizeof report) ||
           !peal_write_whole(out, text, bytes) || !peal_write_whole(out, expected.output, report.expected_bytes);
}

static char *
apart_copy_text(const char *bytes, size_t count)
{
    char *text = malloc(count + 1);

    if (!text)
        return NULL;
    memcpy(text, bytes, count);
    text[count] = '\0';
    return text;
}

enum peal_status
peal_contained_apart(const struct peal_contained *program, const struct peal_contained *reference,
                     const struct peal_options *machine, int argc, char **argv, bool limited, uint64_t refused,
                     struct peal_contained_result *result, char **expected, struct peal_error *error)
{
    struct apart apart = {.reference = reference,
                          .machine = machine,
                          .argc = argc,
                          .argv = argv,
                          .limited = limited,
                          .coordinator = {.program = true,
                                          .unit = contained_unit(program),
                                          .refused = refused,
                                          .mpi = contained_unit(program)->program.linked,
                                          .process_count = machine->nodes,
                                          .last = peal_spent_seconds() + 2 * machine->timeout_seconds}};
    /* the reference takes its own time */
    const double deadline = apart.coordinator.last + 2 * machine->timeout_seconds + 10;
    struct apart_report report = {.status = PEAL_RESOURCES, .error.text = CONFIRM_ENDS_EARLY};
    char *text;
    size_t bytes = 0;

    *result = (struct peal_contained_result){.output = NULL};
    *expected = NULL;
    const enum peal_status judged =
        confirm_coordinate(&apart.coordinator, apart_coordinator_main, deadline, &text, &bytes, error);

    if (bytes < sizeof report && peal_spent_seconds() >= deadline) {
        contained_fail(result, PEAL_TIMED_OUT, "with each node in a process of its own, the run takes too much time");
        result->output = apart_copy_text("", 0);
        *expected = apart_copy_text("", 0);
        free(text);
        return PEAL_OK;
    }
    if (judged != PEAL_OK)
        return judged;
    if (bytes >= sizeof report)
        memcpy(&report, text, sizeof report);
    if (bytes < sizeof report || bytes - sizeof report != report.result.output_bytes + report.expected_bytes) {
        report.status = peal_refuse(&report.error, PEAL_RESOURCES, CONFIRM_ENDS_EARLY);
    } else {
        *result = report.result;
        result->output = apart_copy_text(text + sizeof report, report.result.output_bytes);
        *expected = apart_copy_text(text + sizeof report + report.result.output_bytes, report.expected_bytes);
        if (!result->output || !*expected)
            report.status = peal_refuse(&report.error, PEAL_RESOURCES, "not enough memory");
    }
    free(text);
    return report.status == PEAL_OK ? PEAL_OK : peal_refuse(error, report.status, "%s", report.error.text);
}
