/* SPDX-License-Identifier: MIT */
/* The parent's side of a check: its child, the child's messages, and findings about a child that dies. */
#include "lib/check/check_job.h"
#include "lib/base/text.h"
#include "lib/check/channels.h"
#include "lib/check/extent.h"
#include "lib/check/possible.h"
#include "lib/check/precondition.h"
#include "lib/child/child_message.h"
#include "lib/child/stderr_tail.h"
#include "lib/machine/room.h"
#include "lib/sandbox/sandbox.h"
#include <fcntl.h>
#include <peal/hints.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A check ends after this many deaths of its children. */
enum { MAX_DEATHS = 3 };

/* Memory for the page tables of a run on lengths alone, with some room. */
enum { FAR_BYTES = 64 << 20 };

/* ------------------------------------------------------------------ children */

static int
be_prover(void *arg, struct child *child)
{
    const struct check_job *job = arg;

    prover_run(job->check, job->unit, job->from, job->progress, child);
    return 0;
}

/* Fork a child that continues the check from `from` nodes on. */
static enum peal_status
check_job_start(struct check_job *job, int from, struct peal_error *error)
{
    struct child_setup setup = {.what = "the check",
                                .body = be_prover,
                                .arg = job,
                                .box = job->box,
                                .denied = &job->progress->denied,
                                .say_denied = sandbox_denied,
                                .limits = {.silent_seconds = CHILD_SILENT_SECONDS},
                                .untrusted = true,
                                .here = true};

    if (job->unit) {
        setup.limits.memory_bytes = child_memory_limit();
        setup.program = (struct child_program){job->unit->program.bytes, job->unit->program.size};
    }
    memset(job->box, 0, sizeof *job->box);
    job->from = from;
    job->ended = false;
    return peal_child_start(&job->child, &setup, error);
}

/* ------------------------------------------------------------------ one check */

enum peal_status
job_begin(struct check_job *job, const struct peal_check *check, struct compiled_check *compiled,
          struct peal_verdict *verdict, struct peal_error *error)
{
    memset(verdict, 0, sizeof *verdict);
    if (compiled && compiled->error.status != PEAL_OK) {
        verdict->error = compiled->error;
        snprintf(verdict->reason, sizeof verdict->reason, "it could not be checked");
        return PEAL_OK;
    }
    *job = (struct check_job){.check = check, .verdict = verdict, .began = seconds_now()};
    job->unit = compiled ? &compiled->unit : NULL;
    job->reached = calloc((size_t)cases_most(check) + 2, sizeof *job->reached);
    job->progress = mmap(NULL, sizeof *job->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    job->box = box_create();
    if (job->progress == MAP_FAILED)
        job->progress = NULL;
    if (!job->reached || !job->progress || !job->box)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (!PEAL_PROCESSES || !job->unit || pipe2(job->progress->error_output, O_CLOEXEC | O_NONBLOCK) != 0)
        job->progress->error_output[0] = job->progress->error_output[1] = -1;
    if (check->program && check->total_seconds > 0)
        job->progress->ends = job->began + check->total_seconds;
    if (check->program && numbers_init(&job->numbers, check, error) != PEAL_OK)
        return error->status;
    job->progress->cramped = cases_far(check) > 0 && room_left().bytes < FAR_BYTES;
    cases_prepare(check);
    return check_job_start(job, check->nodes_from, error);
}

void
job_fini(struct check_job *job)
{
    if (job->child.process > 0) {
        peal_child_kill(&job->child);
        peal_child_end(&job->child);
    }
    for (int i = 0; job->progress && i < 2; i++)
        if (job->progress->error_output[i] >= 0)
            close(job->progress->error_output[i]);
    if (job->progress)
        munmap(job->progress, sizeof *job->progress);
    box_destroy(job->box);
    free(job->child.report.text);
    free(job->reached);
    numbers_fini(&job->numbers);
    *job = (struct check_job){.check = NULL};
}

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Whether the variable that ends before `at` is declared as a size_t in the text before it. */
static bool
is_unsigned(const char *text, const char *at)
{
    char declared[100];
    const char *begin, *end = at;

    while (end > text && end[-1] == ' ')
        end--;
    for (begin = end; begin > text && strchr(name_letters, begin[-1]);)
        begin--;
    if (begin == end ||
        snprintf(declared, sizeof declared, "size_t %.*s", (int)(end - begin), begin) >= (int)sizeof declared)
        return false;
    for (const char *found = text; (found = strstr(found, declared)) && found < at; found++)
        if (!strchr(name_letters, found[strlen(declared)]))
            return true;
    return false;
}

/* Whether the line of the file has a size_t, and then this sign and this digit. */
static bool
line_has(const char *file, int number, const char *sign, char digit)
{
    FILE *in = fopen(file, "re");
    char *text = NULL;
    size_t room = 0;
    bool found = false;

    const char *line = in && getdelim(&text, &room, '\0', in) > 0 ? text : NULL;

    for (; line && number > 1; number--)
        line = (line = strchr(line, '\n')) ? line + 1 : NULL;
    for (const char *at = line; at && (at = strstr(at, sign)) && at < line + strcspn(line, "\n"); at++) {
        const char *after = at + strlen(sign) + strspn(at + strlen(sign), " ");

        found |= *after == digit && !strchr(name_letters, after[1]) && is_unsigned(text, at);
    }
    if (in)
        fclose(in);
    free(text);
    return found;
}

/* Advise what the line of a finding shows: a size_t is never below 0. */
static void
advise_by_line(const struct peal_check *check, struct peal_finding *finding)
{
    const bool before = finding->kind == PEAL_OUT_OF_BOUNDS && strstr(finding->message, "begins at 0");

    if (!check->file || check->program || strncmp(finding->file, check->file, sizeof finding->file) != 0 ||
        (finding->kind != PEAL_TIMED_OUT && !before))
        return;
    if (line_has(check->file, finding->line, ">=", '0'))
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(never_below_zero));
    else if (finding->where.words == 0 && line_has(check->file, finding->line, "-", '1'))
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(below_zero));
}

static void
check_job_add_finding(const struct peal_check *check, struct peal_verdict *verdict, struct peal_finding *finding)
{
    advise_by_line(check, finding);
    make_plain(finding->message);
    make_plain(finding->fix);
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].kind == finding->kind) {
            if (finding->severity < verdict->findings[i].severity)
                verdict->findings[i] = *finding;
            return;
        }
    if (verdict->finding_count < PEAL_FINDINGS)
        verdict->findings[verdict->finding_count++] = *finding;
}

/* Keep only the errors where there are any: the cost of a wrong function does not matter. */
static bool
sort_out(struct peal_verdict *verdict)
{
    int errors = 0;

    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR)
            verdict->findings[errors++] = verdict->findings[i];
    if (errors > 0)
        verdict->finding_count = errors;
    return errors > 0;
}

/* No case of the requested numbers of nodes fits, though cases of larger ones may. */
static void
say_unfit(struct peal_verdict *verdict, const struct check_job *job)
{
    const struct peal_check *check = job->check;
    struct peal_text reason = IN_ARRAY(verdict->reason);

    if (job->end.refused)
        peal_append(reason, "it refused every case");
    else if (verdict->runs == 0)
        peal_append(reason, "no case fits it: nothing was run");
    else if (check->nodes_from == check->nodes_to)
        peal_append(reason, "no case of P = %d fits it", check->nodes_to);
    else
        peal_append(reason, "no case of P = %d..%d fits it", check->nodes_from, check->nodes_to);
}

/* Say why nothing is proved, though all cases were run and nothing is wrong; "" if it is proved. */
static void
say_doubt(const struct check_job *job, struct peal_text text)
{
    const struct peal_check *check = job->check;
    char name[200];

    if (job->end.asks_time)
        peal_append(text, "it receives from any source and asks the time (peal_test, peal_clock): not all answers were "
                          "tried");
    else if (check->choices)
        peal_append(text, "only one order of arrival was asked for");
    else if (check->has_words && job->end.unstored > 0)
        peal_append(text, "so many words are not stored, so no result was compared");
    else if (job->unit && !check->program && channels_find(job->unit->program.calls, name))
        peal_append(text, "it calls %s, %s", name, channels_how(name));
    else if (job->unit && job->unit->program.how == INSTRUMENT_NONE)
        peal_append(text, "the nodes' memory was not watched%s",
                    PEAL_PROCESSES ? " (a sanitizer in the flags, or neither gcc nor clang)" : "");
}

/* Say which numbers of nodes the verdict covers, and why it proves nothing. */
static void
say_extent(struct check_job *job, bool wrong)
{
    struct peal_verdict *verdict = job->verdict;
    char doubt[sizeof verdict->reason] = "";

    extent_nodes(job->reached, job->check->nodes_from, job->check->nodes_to, verdict->bound, sizeof verdict->bound);
    extent_nodes(job->reached, job->check->nodes_to + 1, cases_most(job->check), verdict->beyond,
                 sizeof verdict->beyond);
    if (verdict->error.status != PEAL_OK)
        snprintf(verdict->reason, sizeof verdict->reason, "it could not be checked");
    else if (job->check->program)
        numbers_say(&job->numbers, verdict);
    else if (!job->ended)
        snprintf(verdict->reason, sizeof verdict->reason, "it did not finish");
    else if (job->end.out_of_runs && !wrong)
        snprintf(verdict->reason, sizeof verdict->reason,
                 "with P = %d there are more orders of arrival than %llu runs could try (--max-runs)",
                 atomic_load(&job->progress->nodes), (unsigned long long)atomic_load(&job->progress->runs));
    else if (!verdict->bound[0])
        say_unfit(verdict, job);
    if ((job->check->program || !verdict->reason[0]) && verdict->error.status == PEAL_OK &&
        !peal_check_is_wrong(verdict))
        say_doubt(job, IN_ARRAY(doubt));
    verdict->finished &= !doubt[0];
    if (doubt[0])
        peal_append(IN_ARRAY(verdict->reason), "%s%s", verdict->reason[0] ? "; " : "", doubt);
}

/* The check is over: make its verdict. */
static void
check_job_conclude(struct check_job *job)
{
    struct peal_verdict *verdict = job->verdict;
    bool wrong = sort_out(verdict);
    const struct prover_end *end = &job->end;

    verdict->runs = atomic_load(&job->progress->runs);
    verdict->seconds = seconds_now() - job->began;
    say_extent(job, wrong);
    wrong = peal_check_is_wrong(verdict);
    verdict->proved = !wrong && !verdict->reason[0];
    if (verdict->proved && (end->frames || end->globals))
        snprintf(verdict->not_told_apart, sizeof verdict->not_told_apart, "%s%s%s",
                 end->frames ? "variables within a stack frame" : "", end->frames && end->globals ? ", and " : "",
                 end->globals ? "global variables" : "");
    if (!job->check->program && verdict->bound[0])
        extent_say(job->check, end, &job->progress->tally, verdict);
    job_fini(job);
}

/* Turn the current case of the dead or silent child into a finding; with `tolerated` a warning, if the check tolerates
 * the case. */
static void
check_job_report_fault(struct check_job *job, struct peal_fault *lost, bool tolerated)
{
    struct cases cases = {.nodes = 0};
    struct peal_error error;
    int nodes = progress_nodes(job->check, job->progress, job->from);

    if (job->unit)
        unit_shorten(job->unit, job->check->file, lost->file, sizeof lost->file);
    if (nodes == 0 || cases_init(&cases, job->check, nodes, &error) != PEAL_OK ||
        cases_count(&cases, job->check) == 0) {
        char where[560] = "";

        cases_fini(&cases);
        if (lost->file[0])
            snprintf(where, sizeof where, " (%s:%d)", lost->file, lost->line);
        peal_refuse(&job->verdict->error, lost->kind == PEAL_TIMED_OUT ? PEAL_TIMEOUT : PEAL_PROGRAM,
                    "before the first run, as the file was loaded, %s%s", lost->message, where);
        return;
    }
    if (atomic_load(&job->progress->unstored) && (lost->kind == PEAL_TIMED_OUT || lost->kind == PEAL_OUT_OF_MEMORY)) {
        cases_say_undecided(atomic_load(&job->progress->words), lost->kind, job->end.far);
        job->ended = true;
        cases_fini(&cases);
        return;
    }
    struct peal_finding finding = {.fault = *lost, .where = progress_case(job->check, job->progress, &cases)};

    cases_text(job->check, &finding.where, finding.rerun, sizeof finding.rerun);
    finding.where.to = NULL;
    if (tolerated && cases_tolerated(job->check, &finding.where)) { /* all cases that must be right were run */
        finding.severity = PEAL_SEVERITY_WARNING;
        atomic_store(&job->progress->separate, true);
        job->reached[nodes] = true;
    }
    cases_fini(&cases);
    stderr_tail_take(job->progress->error_output[0], finding.error_output, sizeof finding.error_output);
    check_job_add_finding(job->check, job->verdict, &finding);
}

/* Whether a run of the child must still be judged: it has not reported its end, or makes runs that decide little. */
static bool
check_job_is_open(const struct check_job *job)
{
    return !job->ended || atomic_load(&job->progress->unstored);
}

/* The child has ended, and all its messages were read. */
static enum peal_status
job_reap(struct check_job *job, struct peal_error *error)
{
    struct peal_fault lost;
    const int nodes = progress_nodes(job->check, job->progress, job->from), how = peal_child_end(&job->child);

    free(job->child.report.text);
    job->child.report.text = NULL;
    if (check_job_is_open(job) && job->verdict->error.status == PEAL_OK && job->deaths < MAX_DEATHS) {
        child_failure(&job->child, how, nodes > 0 ? "the run" : "it", nodes > 0 ? "the function" : "it", &lost);
        if (WIFEXITED(how) && lost.kind == PEAL_CRASH && atomic_load(&job->progress->denied) <= 0 && !lost.fix[0])
            snprintf(lost.fix, sizeof lost.fix, "%s", PEAL_HINT(ends_process));
        check_job_report_fault(job, &lost, true);
        if (lost.kind == PEAL_TIMED_OUT &&
            job->verdict->error.status == PEAL_OK) /* each further death would take as long */
            job->deaths = MAX_DEATHS;
        if (job->verdict->error.status == PEAL_OK && ++job->deaths < MAX_DEATHS && nodes < job->check->nodes_to &&
            !atomic_load(&job->progress->unstored))
            return check_job_start(job, nodes + 1, error);
    }
    check_job_conclude(job);
    return PEAL_OK;
}

static void
check_job_take_message(struct check_job *job, const struct prover_message *message)
{
    struct peal_finding finding;

    switch (message->what) {
    case MESSAGE_FINDING:
        finding = message->as.finding;
        check_job_add_finding(job->check, job->verdict, &finding);
        break;
    case MESSAGE_NODES:
        job->reached[message->as.nodes] = true;
        break;
    case MESSAGE_NUMBER:
        job->numbers.ends[message->as.number.nodes] = (unsigned char)message->as.number.end;
        if (message->as.number.end == NUMBER_OUT_OF_RUNS)
            job->numbers.cut_runs += message->as.number.runs;
        break;
    case MESSAGE_REFUSAL:
        numbers_refuse(&job->numbers, &message->as.refusal.finding, message->as.refusal.said);
        break;
    case MESSAGE_IDENTITY:
        job->verdict->identity = message->as.identity;
        break;
    case MESSAGE_ERROR:
        job->verdict->error = message->as.error;
        break;
    case MESSAGE_END:
        job->ended = true;
        job->end = message->as.end;
        break;
    }
}

/* End the child, and report its current run as a finding that ends the check. */
static void
end_for(struct check_job *job, enum peal_failure_kind kind, const char *how)
{
    struct peal_fault lost = {.kind = kind};

    snprintf(lost.message, sizeof lost.message, "%s", how);
    check_job_report_fault(job, &lost, false);
    job->deaths = MAX_DEATHS;
    peal_child_kill(&job->child);
}

/* End a run, or a constructor, that does not end by itself, or that is over the time of all runs; the child is first
 * asked where it is. */
static void
end_late(struct check_job *job, bool of_all)
{
    struct peal_fault lost;

    child_ask(&job->child, &lost);
    if (of_all) {
        snprintf(lost.message, sizeof lost.message, "its runs take more than %.3g second%s in all",
                 job->check->total_seconds, plural(job->check->total_seconds));
        lost.fix[0] = '\0';
    } else if (atomic_load(&job->progress->nodes) == 0)
        snprintf(lost.message, sizeof lost.message, "it did not end within %g second%s",
                 job->child.setup.limits.run_seconds, plural(job->child.setup.limits.run_seconds));
    lost.kind = PEAL_TIMED_OUT;
    check_job_report_fault(job, &lost, true);
    job->deaths = MAX_DEATHS;
    peal_child_kill(&job->child);
}

/* Take the messages that have arrived whole. */
static void
check_job_read_messages(struct check_job *job)
{
    struct prover_message message;
    enum child_message_state heard;

    while ((heard = child_read_message(&job->child, &message, sizeof message)) == CHILD_MESSAGE_WHOLE &&
           message_is_possible(job->check, &message))
        check_job_take_message(job, &message);
    if (heard != CHILD_MESSAGE_NONE && job->deaths < MAX_DEATHS)
        end_for(job, PEAL_CRASH, "the function wrote to one of Peal's own pipes");
}

/* Kill a child that cannot go on, has not finished a run for too long, or takes too much memory. */
static void
check_job_watch(struct check_job *job)
{
    uint64_t runs = atomic_load(&job->progress->runs);
    bool began = atomic_load(&job->progress->nodes) > 0;
    /* the catalogue loads nothing; a user's file may do anything from then on */
    bool progressed = runs != job->runs || (!job->unit && !began);

    job->runs = runs;
    if (progressed)
        job->child.progressed = job->child.clock.spent.counted;
    const bool unstored = atomic_load(&job->progress->unstored); /* then most of its memory is not real */

    job->child.setup.limits.run_seconds = cases_seconds(job->check, &job->progress->hurried);
    job->child.setup.limits.own_memory = unstored;
    switch (child_look(&job->child)) {
    case CHILD_WELL:
        break;
    case CHILD_LOST: /* it waits to be killed */
        peal_child_kill(&job->child);
        break;
    case CHILD_LATE:
    case CHILD_LOADS:
        if (check_job_is_open(job) && job->deaths < MAX_DEATHS)
            end_late(job, false);
        break;
    case CHILD_LARGE:
        if (job->deaths < MAX_DEATHS && unstored == atomic_load(&job->progress->unstored))
            end_for(job, PEAL_OUT_OF_MEMORY,
                    began ? "the run takes more memory than a check may" : "it took more memory than a check may");
        break;
    }
}

/* Whether the time of all runs is over; a program's prover checks that itself. */
static bool
check_job_is_late(const struct check_job *job)
{
    return job->check->total_seconds > 0 && !job->check->program &&
           peal_spent_seconds() - job->called > job->check->total_seconds && check_job_is_open(job) &&
           job->deaths < MAX_DEATHS && job->child.process > 0;
}

enum peal_status
jobs_attend(struct check_job *jobs, int count, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_child_attend();
    for (int i = 0; i < count && status == PEAL_OK; i++) {
        if (!jobs[i].check)
            continue;
        check_job_read_messages(&jobs[i]);
        if (jobs[i].child.over)
            status = job_reap(&jobs[i], error);
        else if (check_job_is_late(&jobs[i]))
            end_late(&jobs[i], true);
        else
            check_job_watch(&jobs[i]);
    }
    return status;
}

void
jobs_hurry(struct check_job *jobs, int count, const struct peal_verdict *verdicts, int verdict_count)
{
    bool hurried = false;

    for (int i = 0; i < verdict_count; i++)
        for (int k = 0; k < verdicts[i].finding_count; k++)
            hurried |= verdicts[i].findings[k].kind == PEAL_TIMED_OUT;
    for (int i = 0; i < count && hurried; i++)
        if (jobs[i].check && jobs[i].check->untrusted)
            atomic_store(&jobs[i].progress->hurried, true);
}
