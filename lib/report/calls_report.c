/* SPDX-License-Identifier: MIT */
/* Reporting the collective calls of a group that differ between its members, and those that some of them do not
 * make. */
#include "lib/base/text.h"
#include "lib/machine/calls.h"
#include "lib/machine/failure.h"
#include "lib/machine/meet.h"
#include "lib/machine/run_finding.h"
#include "lib/machine/strand.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>
#include <strings.h>

/* ------------------------------------------------------------------ in words */

/* MPI makes a group for each window. */
static bool
is_window(const struct group *group)
{
    const char *call = site_call(group->made.line);

    return call && strncmp(call, "MPI_Win_", 8) == 0;
}

/* The ending of an ordinal: "st" for 1 and 21. */
static const char *
ordinal(uint64_t n)
{
    return n / 10 % 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* Whether both are at one line of the program, which may be several calls in the code. */
static bool
is_one_line(const struct peal_machine *machine, struct call_site one, struct call_site other)
{
    if (one.file == other.file && one.line == other.line)
        return true;
    struct call_site a = site_of(machine, one.file, one.line), b = site_of(machine, other.file, other.line);

    return a.line == b.line && a.file && b.file && strcmp(a.file, b.file) == 0;
}

/* Whether one line has made both for the same nodes. */
static bool
is_made_alike(const struct peal_machine *machine, const struct group *one, const struct group *other)
{
    return one->size == other->size &&
           memcmp(one->members, other->members, (size_t)one->size * sizeof *one->members) == 0 &&
           is_one_line(machine, one->made, other->made);
}

/* Append ", the 2nd there" to the words for a group, where one call has made several for the same nodes. */
static void
say_which(const struct peal_machine *machine, const struct group *group, char text[GROUP_WORDS])
{
    uint64_t all = 0, number = 0;

    for (const struct group *other = machine->groups; other; other = other->next) { /* the youngest first */
        all += is_made_alike(machine, other, group);
        number += other == group ? all : 0;
    }
    const unsigned long long turn = all - number + 1;

    if (all > 1)
        peal_append((struct peal_text){text, GROUP_WORDS}, ", the %llu%s there", turn, ordinal(turn));
}

char *
group_words(const struct peal_machine *machine, const struct group *group, char text[GROUP_WORDS])
{
    const char *call = site_call(group->made.line), *what = !call              ? "group"
                                                            : is_window(group) ? "window"
                                                                               : "communicator";
    bool world = group == &machine->world;
    char where[SITE_WORDS];
    size_t used = 0;

    if (world && group->name)
        snprintf(text, GROUP_WORDS, "%s", group->name);
    else if (world)
        snprintf(text, GROUP_WORDS, "all %d node%s", group->size, plural((uint64_t)group->size));
    else if (group->name)
        used = (size_t)snprintf(text, GROUP_WORDS, "%s '%s' of %d node%s", what, group->name, group->size,
                                plural((uint64_t)group->size));
    else
        used =
            (size_t)snprintf(text, GROUP_WORDS, "a %s of %d node%s", what, group->size, plural((uint64_t)group->size));
    if (!world)
        snprintf(text + used, GROUP_WORDS - used, " made %s%s", call ? "by " : "at ",
                 site_call_words(machine, group->made, where));
    if (!world)
        say_which(machine, group, text);
    return text;
}

char *
lock_words(const struct peal_machine *machine, const struct request *lock, char text[LOCK_WORDS])
{
    const struct group *window = lock->view->group;
    char which[GROUP_WORDS];
    int windows = 0;

    for (const struct group *group = machine->groups; group; group = group->next)
        windows += is_window(group);
    if (!is_window(window))
        snprintf(text, LOCK_WORDS, "lock %d of node %d", lock->tag, lock->peer);
    else if (windows == 1)
        snprintf(text, LOCK_WORDS, "the lock of node %d", lock->peer);
    else
        snprintf(text, LOCK_WORDS, "the lock of node %d in %s", lock->peer, group_words(machine, window, which));
    return text;
}

enum { SAID = 300 };

/* "broadcast of 4 words with root 1 (prog.c:12)" */
static void
calls_say_call(const struct peal_machine *machine, const struct node_call *site, bool algorithm, char text[SAID])
{
    char where[SITE_WORDS];
    const struct peal_call *call = &site->call;
    const struct peal_form *form = call->form;
    const char *name = site_call(site->line);
    size_t used = (size_t)snprintf(text, SAID, "%.40s", name ? name : form->name);
    size_t words = call->words * (name && call->traits >> 1 ? (size_t)call->traits >> 1 : 1); /* of a view */

    if (algorithm && call->algorithm)
        used += (size_t)snprintf(text + used, SAID - used, "/%.*s", FITTING(40, call->algorithm));
    if (algorithm && call->parameter > 0)
        used += (size_t)snprintf(text + used, SAID - used, ":%d", call->parameter);
    if (form->out != PEAL_SIDE_NONE && call->words + !call->unequal > 0)
        used += (size_t)snprintf(text + used, SAID - used, " of %s%s%zu %s%s", form->unequal ? "blocks of " : "",
                                 call->unequal ? "up to " : "", words, machine_unit(machine), plural(words));
    if (call->op)
        used += (size_t)snprintf(text + used, SAID - used, " by %.40s", call->op);
    if (form->by)
        used += (size_t)snprintf(text + used, SAID - used, " by %d", call->by);
    if (form->root)
        used += (size_t)snprintf(text + used, SAID - used, " with root %d", call->root);
    snprintf(text + used, SAID - used, " (%s)", site_words(machine, (struct call_site){site->file, site->line}, where));
}

/* "2nd collective of all 8 nodes" */
static void
say_number(const struct peal_machine *machine, const struct group *group, uint32_t number, char text[SAID])
{
    uint64_t n = (uint64_t)number + 1;
    char whose[GROUP_WORDS];

    group_words(machine, group, whose);
    snprintf(text, SAID, "%llu%s collective of %.*s", (unsigned long long)n, ordinal(n), FITTING(240, whose));
}

/* ------------------------------------------------------------------ reporting */

/* The difference in words, and how to remove it. */
static const struct {
    const char *how;
    int hint;
} differences[] = {
    [CALLS_COLLECTIVES] = {"", PEAL_HINT_NUMBER_same_calls},
    [CALLS_ROOTS] = {": the roots differ", PEAL_HINT_NUMBER_same_root},
    [CALLS_ONE_UNEQUAL] = {": only one of them gives the lengths of all blocks", PEAL_HINT_NUMBER_same_list},
    [CALLS_SIZES] = {": the sizes differ", PEAL_HINT_NUMBER_same_size},
    [CALLS_DISTANCES] = {": the distances differ", PEAL_HINT_NUMBER_same_distance},
    [CALLS_OPERATORS] = {": the operators differ", PEAL_HINT_NUMBER_same_operator},
    [CALLS_LENGTHS] = {": the lengths of the blocks differ", PEAL_HINT_NUMBER_same_list},
    [CALLS_LISTS] = {": the lists of ranks differ", PEAL_HINT_NUMBER_same_list},
    [CALLS_ALGORITHMS] = {": the algorithms differ", PEAL_HINT_NUMBER_same_algorithm},
};

/* In how many arguments the two calls of one collective differ. */
static int
count_differences(const struct peal_call *a, const struct peal_call *b)
{
    return (a->root != b->root) + (a->unequal != b->unequal) +
           (a->words != b->words || a->traits >> 1 != b->traits >> 1) + (a->by != b->by) +
           ((a->op || b->op) && (!a->op || !b->op || strcmp(a->op, b->op) != 0));
}

/* MPI_Ibcast is MPI_Bcast without the wait. */
static bool
is_nonblocking(const char *call, const char *of)
{
    return call && of && strncmp(call, "MPI_I", 5) == 0 && strncmp(of, "MPI_", 4) == 0 &&
           strcasecmp(call + 5, of + 4) == 0;
}

static bool
are_one_line(const struct peal_machine *machine, const struct node_call *one, const struct node_call *other)
{
    return is_one_line(machine, (struct call_site){one->file, one->line}, (struct call_site){other->file, other->line});
}

/* Advise how to make the two calls agree.  Where several lines, or arguments, differ, most often the order is wrong. */
static void
advise_difference(struct peal_machine *machine, const struct together *together, enum calls_difference difference)
{
    const struct node_call *first = &together->first, *other = &together->other;
    struct node *node = &machine->nodes[other->rank];
    const bool several = count_differences(&first->call, &other->call) > 1;
    const char *hint = several ? PEAL_HINT(same_arguments) : peal_hint(differences[difference].hint, ""),
               *one = site_call(first->line), *two = site_call(other->line);

    if (is_nonblocking(one, two) || is_nonblocking(two, one))
        peal_advise(&node->world, PEAL_HINT(same_blocking), is_nonblocking(one, two) ? two : one,
                    is_nonblocking(one, two) ? one : two);
    else if (difference == CALLS_COLLECTIVES || (several && !are_one_line(machine, first, other)))
        peal_advise(&node->world, "%s", PEAL_HINT(same_calls));
    else if (are_one_line(machine, first, other))
        peal_advise(&node->world, PEAL_HINT(missed_before), hint);
    else
        peal_advise(&node->world, PEAL_HINT(one_call), hint);
}

static void
calls_report_difference(struct peal_machine *machine, const struct group *group, uint32_t number)
{
    const struct together *together = calls_at(group->calls, number);
    enum calls_difference difference = calls_difference(&together->first.call, &together->other.call);
    bool algorithms = difference == CALLS_ALGORITHMS;
    char what[SAID], one[SAID], other[SAID];

    say_number(machine, group, number, what);
    calls_say_call(machine, &together->first, algorithms, one);
    calls_say_call(machine, &together->other, algorithms, other);
    advise_difference(machine, together, difference);
    failure_set(machine, together->other.rank, PEAL_COLLECTIVE_MISMATCH, together->other.file, together->other.line,
                "the %s is not one call: node %d calls %s, node %d calls %s%s", what, together->first.rank, one,
                together->other.rank, other, differences[difference].how);
}

/* The calls are the same, but the types of their data differ. */
static void
tell_types(struct peal_machine *machine, const struct group *group, struct together *together, uint32_t number)
{
    const struct typed *typed = &together->typed, *odd = &together->odd;
    struct peal_place places[2] = {{odd->rank, odd->file, odd->line}, {typed->rank, typed->file, typed->line}};
    struct peal_run_finding finding = {.kind = PEAL_TYPE_MISMATCH, .places = places, .place_count = 2};
    const char *name = site_call(odd->line);
    char what[SAID];

    say_number(machine, group, number, what);
    snprintf(finding.message, sizeof finding.message,
             "%.40s: the data of the %s are %.60s on node %d, and %.60s on node %d",
             name ? name : together->first.call.form->name, what, odd->types, odd->rank, typed->types, typed->rank);
    snprintf(finding.fix, sizeof finding.fix, PEAL_HINT(same_type_of_all), odd->rank, typed->rank);
    if (!finding_add(machine, &finding, NULL))
        failure_set(machine, odd->rank, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory for a finding");
    together->reported = true;
    together->odd.rank = -1;
}

static void
tell_differences(struct peal_machine *machine, struct group *group)
{
    for (uint32_t i = 0; group->calls && i < group->calls->count; i++) {
        uint32_t number = group->calls->base + i;
        struct together *together = calls_at(group->calls, number);

        if (together->other.rank >= 0)
            calls_report_difference(machine, group, number);
        else if (together->odd.rank >= 0)
            tell_types(machine, group, together, number);
    }
    if (group->calls)
        calls_forget_complete(group->calls, group->size);
}

void
report_differences(struct peal_machine *machine)
{
    machine->mismatched = false;
    tell_differences(machine, &machine->world);
    for (struct group *group = machine->groups; group; group = group->next)
        tell_differences(machine, group);
}

static const struct node *
member(const struct peal_machine *machine, const struct group *group, int rank)
{
    return &machine->nodes[group->members ? group->members[rank] : rank];
}

/* ------------------------------------------------------------------ calls that some do not make */

/* Whether this strand's call is one that not all members of the group have made. */
static bool
is_open_strand(const struct peal_node *strand)
{
    const struct calls *calls = strand->group->calls;

    for (uint32_t i = 0; calls && i < calls->count; i++)
        if (calls_at(calls, calls->base + i)->contexts == strand->context)
            return true;
    return false;
}

/* The collective that the node is in, as seen in its group; NULL: none, or all members have called it. */
static const struct peal_node *
waits_for_callers(const struct node *node)
{
    const struct peal_node *view = strand_awaited(node);

    if (view)
        return is_open_strand(view) ? view : NULL;
    if (node->split)
        return node->split->parent;
    view = node->views;
    while (view && !strand_waits_in(node, view))
        view = view->next;
    if (!view || !view->collective || !view->group->calls)
        return NULL;
    const struct calls *calls = view->group->calls;
    uint32_t made = calls->made[view->rank];

    return made > 0 && made - 1 - calls->base < calls->count ? view : NULL;
}

/* Whether the node makes no more collective calls. */
static bool
calls_have_ended(const struct node *node)
{
    return node->state == NODE_FINISHED || node->calls_ended;
}

/* Whether it makes no more, or waits for other nodes to arrive. */
static bool
has_ended_or_waits(const struct node *node)
{
    return calls_have_ended(node) || node->meets || waits_for_callers(node);
}

/* "MPI_Wait for its barrier": the call that the node is in, of this view or NULL. */
static void
say_in(const struct node *node, const struct peal_node *view, char text[100])
{
    const char *call = site_call(node->line), *name = call ? call : node->split ? "split" : "a meeting";
    const struct peal_node *strand = strand_awaited(node);

    if (view && !call)
        name = view->collective ? view->collective : name;
    snprintf(text, 100, "%.40s%s%.40s", name, view && strand ? " for its " : "",
             view && strand ? strand->collective : "");
}

/* "node 3 is in MPI_Finalize (prog.c:20) after 2 of them": where a node is that does not make a call, and how many
 * calls of that group it has made. */
static void
say_away(const struct peal_machine *machine, const struct node *node, uint32_t made, char text[SAID + GROUP_WORDS])
{
    const struct peal_node *view = calls_have_ended(node) ? NULL : waits_for_callers(node);
    char where[SITE_WORDS], whose[GROUP_WORDS], after[40] = "", in[100];

    say_in(node, view, in);
    site_words(machine, (struct call_site){node->file, node->line}, where);
    if (made > 0)
        snprintf(after, sizeof after, " after %u of them", made);
    if (node->state == NODE_FINISHED)
        snprintf(text, SAID + GROUP_WORDS, "node %d has finished%s", node->rank, after);
    else if (view)
        snprintf(text, SAID + GROUP_WORDS, "node %d is in %s of %s (%s)", node->rank, in,
                 group_words(machine, view->group, whose), where);
    else
        snprintf(text, SAID + GROUP_WORDS, "node %d is in %s (%s)%s", node->rank, in, where,
                 calls_have_ended(node) ? after : "");
}

/* Some nodes: the first of them and how many there are. */
enum { LISTED = 4 };
struct some {
    int ranks[LISTED], count;
};

static void
some_add_rank(struct some *some, int rank)
{
    if (some->count < LISTED)
        some->ranks[some->count] = rank;
    some->count++;
}

/* "node 2", "nodes 1, 2 and 3", "nodes 1, 2, 3 and 60 more" */
static void
say_some(const struct some *some, char text[100])
{
    int used = snprintf(text, 100, "node%s %d", plural((uint64_t)some->count), some->ranks[0]);

    for (int i = 1; i < some->count && i < LISTED; i++)
        used += i == LISTED - 1 && some->count > LISTED
                    ? snprintf(text + used, 100 - (size_t)used, " and %d more", some->count - i)
                    : snprintf(text + used, 100 - (size_t)used, "%s%d", i == some->count - 1 ? " and " : ", ",
                               some->ranks[i]);
}

/* Whether a member that `is_away` has not made this call: then describe it. */
static bool
find_missing(const struct peal_machine *machine, const struct group *group, uint32_t number,
             bool (*is_away)(const struct node *), struct missing *missing)
{
    const struct node_call *site = &calls_at(group->calls, number)->first;
    char what[SAID], call[SAID], away[SAID + GROUP_WORDS] = "", too[100], either[100];
    struct some others = {.count = 0}, absent = {.count = 0};

    for (int rank = 0; rank < group->size; rank++) {
        const struct node *node = member(machine, group, rank);
        uint32_t made = group->calls->made[rank];

        if (made > number && node->rank != site->rank)
            some_add_rank(&others, node->rank);
        else if (made <= number && *away)
            some_add_rank(&absent, node->rank);
        else if (made <= number && is_away(node))
            say_away(machine, node, made, away);
    }
    if (!*away)
        return false;
    say_number(machine, group, number, what);
    calls_say_call(machine, site, false, call);
    say_some(&others, too);
    say_some(&absent, either);
    snprintf(missing->text, sizeof missing->text, "not every node makes the %s: node %d calls %s%s%s; %s%s%s%s", what,
             site->rank, call,
             others.count == 0   ? ""
             : others.count == 1 ? ", as does "
                                 : ", as do ",
             others.count > 0 ? too : "", away, absent.count > 0 ? ", and " : "", absent.count > 0 ? either : "",
             absent.count == 0   ? ""
             : absent.count == 1 ? " does not make it either"
                                 : " do not make it either");
    missing->fix = PEAL_HINT(every_node);
    missing->rank = site->rank;
    missing->file = site->file;
    missing->line = site->line;
    return true;
}

/* Find the nodes that miss a meeting whose call has a name: the program has arranged the others itself. */
static bool
find_missed(const struct peal_machine *machine, bool (*is_away)(const struct node *), struct missing *missing)
{
    struct meeting_missed missed;
    char away[SAID + GROUP_WORDS], where[SITE_WORDS];
    const char *call = meetings_find_missed(machine, is_away, &missed) ? site_call(missed.site.line) : NULL;

    if (!call)
        return false;
    say_away(machine, &machine->nodes[missed.away], 0, away);
    snprintf(missing->text, sizeof missing->text, "not all %d nodes call %.40s: node %d does (%s); %s", missed.size,
             call, missed.came, site_words(machine, missed.site, where), away);
    missing->fix = PEAL_HINT(every_node);
    missing->rank = missed.came;
    missing->file = missed.site.file;
    missing->line = missed.site.line;
    return true;
}

/* ------------------------------------------------------------------ cycles of groups */

/* The view in which the node waits for callers; NULL: the next node of the cycle is not of that group. */
static const struct peal_node *
waits_within(const struct peal_machine *machine, int rank, int next)
{
    const struct peal_node *view = waits_for_callers(&machine->nodes[rank]);

    for (int i = 0; view && i < view->group->size; i++)
        if (member(machine, view->group, i)->rank == next)
            return view;
    return NULL;
}

/* "; B: a communicator of 2 nodes made by MPI_Comm_split at prog.c:12, of nodes 1 and 2" */
static void
say_group(const struct peal_machine *machine, const struct group *group, char letter, struct peal_text text)
{
    char words[GROUP_WORDS], whose[100];
    struct some members = {.count = 0};

    for (int i = 0; i < group->size; i++)
        some_add_rank(&members, member(machine, group, i)->rank);
    say_some(&members, whose);
    peal_append(text, "; %c: %s", letter, group_words(machine, group, words));
    if (group != &machine->world)
        peal_append(text, ", of %s", whose);
}

void
calls_say_cycle(const struct peal_machine *machine, const int *cycle, int length, struct missing *missing)
{
    const struct peal_node *views[LISTED], *view, *last = NULL;
    struct peal_text text = IN_ARRAY(missing->text);
    const struct node *nodes[LISTED];
    int count = 0;
    char where[SITE_WORDS];

    for (int i = 0; i < length; i++) {
        if (!(view = waits_within(machine, cycle[i], cycle[(i + 1) % length])))
            return;
        const struct peal_node *before = waits_within(machine, cycle[(i + length - 1) % length], cycle[i]);

        last = view;
        if (!before || before->group == view->group)
            continue;
        if (count < LISTED) {
            views[count] = view;
            nodes[count] = &machine->nodes[cycle[i]];
        }
        count++;
    }
    if (count < 2)
        return;
    int shown = count < LISTED ? count : LISTED;
    bool mpi = site_call(nodes[0]->line);

    missing->text[0] = '\0';
    peal_append(text, "collectives of %d %ss wait for one another: ", count, mpi ? "communicator" : "group");
    for (int i = 0; i < shown; i++) {
        char in[100];

        say_in(nodes[i], views[i], in);
        peal_append(text, "%snode %d calls %s of %c (%s) before that of %c", i == 0 ? "" : ", ", nodes[i]->rank, in,
                    'A' + i, site_words(machine, (struct call_site){nodes[i]->file, nodes[i]->line}, where),
                    'A' + (i > 0 ? i - 1 : count - 1));
    }
    if (count > shown)
        peal_append(text, ", and so on up to %c", 'A' + (count - 1) % 26);
    for (int i = 0; i < shown; i++)
        say_group(machine, views[i]->group, (char)('A' + i), text);
    if (count > shown)
        say_group(machine, last->group, (char)('A' + (count - 1) % 26), text);
    missing->fix = PEAL_HINT(one_order);
    missing->rank = nodes[0]->rank;
    missing->file = nodes[0]->file;
    missing->line = nodes[0]->line;
}

bool
calls_find_missing(const struct peal_machine *machine, bool stuck, struct missing *missing)
{
    bool (*is_away)(const struct node *) = stuck ? has_ended_or_waits : calls_have_ended;

    for (int rank = 0; stuck && rank < machine->options.nodes; rank++)
        if (!has_ended_or_waits(&machine->nodes[rank]))
            return false; /* something else stops it */
    for (const struct group *group = &machine->world; group;
         group = group == &machine->world ? machine->groups : group->next)
        for (uint32_t i = 0; group->calls && i < group->calls->count; i++)
            if (find_missing(machine, group, group->calls->base + i, is_away, missing))
                return true;
    return find_missed(machine, is_away, missing);
}
