/* SPDX-License-Identifier: MIT */
/* Says for which numbers of nodes a program's check is finished, and why it is not for others. */
#include "lib/check/numbers.h"
#include "lib/base/text.h"
#include "lib/check/extent.h"
#include "lib/check/precondition.h"
#include "lib/machine/machine.h"
#include <stdlib.h>

enum peal_status
numbers_init(struct numbers *numbers, const struct peal_check *check, struct peal_error *error)
{
    *numbers = (struct numbers){.check = check, .ends = calloc((size_t)check->nodes_to + 1, 1)};
    return numbers->ends ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

void
numbers_fini(struct numbers *numbers)
{
    free(numbers->ends);
}

bool
number_is_wanted(const struct peal_check *check, int nodes)
{
    return nodes >= check->nodes_from && nodes <= check->nodes_to && cases_wanted(check, nodes);
}

int
numbers_from(const struct peal_check *check, int nodes)
{
    int count = 0;

    for (; nodes <= check->nodes_to; nodes++)
        count += number_is_wanted(check, nodes);
    return count;
}

enum number_end
number_end_of(const struct peal_machine *machine, int code)
{
    const struct peal_failure *failure = peal_machine_failure(machine);
    bool called = false, words = peal_machine_cost(machine).alpha > 0;

    for (int rank = 0; rank < machine->options.nodes; rank++)
        called |= machine->nodes[rank].called && (!failure || failure->rank == rank);
    if (words || called || (failure && (failure->rank < 0 || !machine->nodes[failure->rank].aborts)))
        return NUMBER_FINISHED;
    return failure || code ? NUMBER_REFUSED : NUMBER_SILENT;
}

void
numbers_refuse(struct numbers *numbers, const struct peal_finding *finding, const char *said)
{
    if (!numbers->refused) {
        const char *newline = strrchr(said, '\n'), *last = newline ? newline + 1 : said;
        const bool repeats = strstr(finding->message, last) != NULL; /* an exception of Python, after its frames */

        numbers->refusal = *finding;
        snprintf(numbers->said, sizeof numbers->said, "%.*s", repeats ? 0 : (int)strcspn(said, "\n"), said);
    }
    numbers->refused = true;
    numbers->ends[finding->where.nodes] = NUMBER_REFUSED;
}

/* Write the wanted numbers that ended in one of these ways, a bit each, "1..3, 5", and return how many there are. */
static int
list_of(const struct numbers *numbers, unsigned ends, char *text, size_t bytes)
{
    const struct peal_check *check = numbers->check;
    bool *are = calloc((size_t)check->nodes_to + 2, sizeof *are);
    int count = 0;

    text[0] = '\0';
    for (int nodes = check->nodes_from; are && nodes <= check->nodes_to; nodes++)
        if (number_is_wanted(check, nodes) && ends >> numbers->ends[nodes] & 1)
            count += are[nodes] = true;
    if (are)
        extent_nodes(are, check->nodes_from, check->nodes_to, text, bytes);
    free(are);
    return count;
}

/* Say why the numbers of the list, which ended in this way, are not finished. */
static void
say_unfinished(const struct numbers *numbers, struct peal_text text, enum number_end end, const char *list)
{
    static const char *const reasons[NUMBER_ENDS] = {
        [NUMBER_NOT_BEGUN] = "nothing was run",
        [NUMBER_LATE] = "several runs did not end in time",
        [NUMBER_STRAYS] = "the program does not do the same each time",
        [NUMBER_OUT_OF_TIME] = "the time was over before all orders of arrival were tried (--total-timeout)",
        [NUMBER_TIMES] = "other timings were not explored: it asks for the time, or cancels",
    };

    peal_append(text, "%swith P = %s ", text.start[0] ? "; " : "", list);
    if (end == NUMBER_OUT_OF_RUNS)
        peal_append(text, "there are more orders of arrival than %llu runs could try (--max-runs)",
                    (unsigned long long)numbers->cut_runs);
    else if (end == NUMBER_NOT_YET)
        peal_append(text, "more than %d \"not yet\" of a test or probe were not tried", numbers->noes);
    else
        peal_append(text, "%s", reasons[end]);
}

/* Quote what the program itself said about the first number that it refuses. */
static void
say_refused(const struct numbers *numbers, int count, const char *list, struct peal_text text)
{
    const struct peal_finding *refusal = &numbers->refusal;

    peal_append(text, "with P = %s the program ends itself before it sends anything (", list);
    if (count > 1)
        peal_append(text, "P = %d: ", refusal->where.nodes);
    peal_append(text, "%s%s%s%s)", refusal->message, numbers->said[0] ? ", \"" : "", numbers->said,
                numbers->said[0] ? "\"" : "");
}

/* Whether anything was sent with more than one node. */
static bool
numbers_have_sends(const struct numbers *numbers)
{
    int nodes = 2;

    while (nodes <= numbers->check->nodes_to && numbers->ends[nodes] != NUMBER_FINISHED)
        nodes++;
    return nodes <= numbers->check->nodes_to;
}

/* Say why numbers of nodes are not finished; those not begun come last. */
static void
say_all_unfinished(const struct numbers *numbers, struct peal_text text)
{
    char list[sizeof((struct peal_verdict *)0)->bound];

    for (int end = NUMBER_LATE; end <= NUMBER_ENDS; end++)
        if (list_of(numbers, 1U << end % NUMBER_ENDS, list, sizeof list) > 0)
            say_unfinished(numbers, text, (enum number_end)(end % NUMBER_ENDS), list);
}

void
numbers_say(struct numbers *numbers, struct peal_verdict *verdict)
{
    enum {
        FINISHED = 1U << NUMBER_FINISHED,
        SILENT = 1U << NUMBER_SILENT,
        REFUSED = 1U << NUMBER_REFUSED,
        BEGUN = (1U << NUMBER_ENDS) - (1U << NUMBER_LATE)
    };
    const struct peal_check *check = numbers->check;
    const bool apart = numbers_have_sends(numbers);
    struct peal_text limits = IN_ARRAY(verdict->limits);
    char list[sizeof verdict->bound];

    for (int i = 0; i < verdict->finding_count; i++) {
        int nodes = verdict->findings[i].where.nodes; /* from an untrusted child */

        if (number_is_wanted(check, nodes) && numbers->ends[nodes] == NUMBER_NOT_BEGUN)
            numbers->ends[nodes] = NUMBER_WRONG;
    }
    if (check->nodes_from == 1 && numbers->ends[1] == NUMBER_SILENT)
        numbers->ends[1] = NUMBER_FINISHED; /* alone there is nobody to send to */
    int refused = list_of(numbers, REFUSED, list, sizeof list);

    if (refused > 0 && refused < numbers_from(check, check->nodes_from))
        say_refused(numbers, refused, list, limits);
    else if (refused > 0 && verdict->finding_count < PEAL_FINDINGS)
        verdict->findings[verdict->finding_count++] = numbers->refusal;
    if (apart && list_of(numbers, SILENT, list, sizeof list) > 0)
        peal_append(limits, "%swith P = %s it ends well, and sends nothing", limits.start[0] ? "; " : "", list);
    say_all_unfinished(numbers, peal_check_is_wrong(verdict) ? limits : IN_ARRAY(verdict->reason));
    verdict->finished = list_of(numbers, FINISHED | (apart ? 0U : SILENT), verdict->bound, sizeof verdict->bound) > 0;
    if (!verdict->finished)
        list_of(numbers, BEGUN, verdict->bound, sizeof verdict->bound);
}
