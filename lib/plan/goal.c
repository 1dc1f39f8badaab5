/* SPDX-License-Identifier: MIT */
/* LogGOPSim's GOAL, as text: the sends, receives and computations of each rank, and their requirements. */
#include "lib/record/goal.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/plan/plan_formats.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

/*     num_ranks 2
 *     rank 0 {
 *     l1: calc 100 cpu 0
 *     l2: send 8b to 1 tag 0 cpu 0 nic 0
 *     l2 requires l1
 *     }
 *     rank 1 { ... recv 8b from 0 tag 0 ... }
 * `a requires b`: a begins when b is done; `a irequires b`: a begins when b has begun, hence when all that b requires
 * is done.  A statement ends with its line; // and the usual pairs are comments.  Each operation is a block of its
 * own.
 *
 *   source   spcl/LogGOPSim, src/LogGOPSim/txt2bin.re (the grammar), src/Schedgen2 */

enum { MAX_RANKS = 1 << 12, WORD = sizeof(struct quoted) };

/* A label, or a name in a requirement: bytes of the file. */
struct label {
    const char *text;
    size_t length;
};

struct named {
    struct label label;
    size_t step;
    int line;
};

struct requirement {
    struct label from, on;
    size_t a, b; /* steps, when the labels are known */
    bool begun;  /* irequires */
    int line;
};

/* An array that grows. */
struct goal_list {
    void *all;
    size_t count, room;
};

struct goal_reader {
    const char *name, *at, *end;
    int line;
    struct peal_error *error;
    struct peal_plan *plan;
    bool *seen; /* ranks */
    int rank;
    struct goal_list named, requirements; /* of the rank that is read */
};

/* ------------------------------------------------------------------ mistakes */

static bool goal_refuse(struct goal_reader *reader, int line, const char *format, ...) PEAL_PRINTF(3, 4);

static bool
goal_refuse(struct goal_reader *reader, int line, const char *format, ...)
{
    char what[400];

    WRITE_ARGUMENTS(what, format);
    peal_refuse(reader->error, PEAL_USAGE, "%s, line %d: %s", reader->name, line, what);
    return false;
}

static bool
goal_no_memory(struct goal_reader *reader)
{
    peal_refuse(reader->error, PEAL_RESOURCES, "not enough memory to read %s", reader->name);
    return false;
}

static void *
goal_append(struct goal_reader *reader, struct goal_list *list, size_t bytes)
{
    if (!array_grow(&list->all, &list->room, list->count + 1, bytes)) {
        goal_no_memory(reader);
        return NULL;
    }
    return (char *)list->all + list->count++ * bytes;
}

/* ------------------------------------------------------------------ words */

/* Skip blanks and comments; with `lines`, the ends of lines too. */
static void
goal_skip_blanks(struct goal_reader *reader, bool lines)
{
    while (reader->at < reader->end) {
        size_t left = (size_t)(reader->end - reader->at);

        if (*reader->at == '\n' && !lines)
            return;
        if (left > 1 && memcmp(reader->at, "//", 2) == 0) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (left > 1 && memcmp(reader->at, "/*", 2) == 0) {
            const char *close = memmem(reader->at + 2, left - 2, "*/", 2), *stop = close ? close + 2 : reader->end;

            for (; reader->at < stop; reader->at++)
                reader->line += *reader->at == '\n';
        } else if (isspace((unsigned char)*reader->at)) {
            reader->line += *reader->at++ == '\n';
        } else {
            return;
        }
    }
}

/* The next word of the line: letters and digits, or one other character; of no length at the end of the line. */
static struct label
goal_next_word(struct goal_reader *reader)
{
    struct label word;

    goal_skip_blanks(reader, false);
    word = (struct label){reader->at, 0};
    while (reader->at < reader->end && (isalnum((unsigned char)*reader->at) || *reader->at == '_'))
        reader->at++;
    if (reader->at == word.text && reader->at < reader->end && *reader->at != '\n')
        do
            reader->at++;
        while (reader->at < reader->end && (*reader->at & 0xC0) == 0x80);
    word.length = (size_t)(reader->at - word.text);
    return word;
}

static bool
is(struct label word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* The word found, for a message: "expected ..., got ...". */
static bool
goal_refuse_word(struct goal_reader *reader, const char *what, struct label got)
{
    char text[WORD];

    if (got.length == 0)
        return goal_refuse(reader, reader->line, "expected %s, got the end of the line", what);
    snprintf(text, sizeof text, "%.*s", (int)(got.length < WORD ? got.length : WORD - 1), got.text);
    return goal_refuse(reader, reader->line, "expected %s, got %s", what, quote(text).text);
}

/* A word of the language. */
static bool
goal_expect(struct goal_reader *reader, const char *text)
{
    struct label word = goal_next_word(reader);

    return is(word, text) || goal_refuse_word(reader, quote(text).text, word);
}

/* A whole number up to `most`; `unit`: the letter that may follow it without a blank, '\0' none. */
static bool
goal_read_number(struct goal_reader *reader, const char *what, uint64_t most, char unit, uint64_t *value)
{
    struct label word = goal_next_word(reader);
    size_t digits = 0;

    *value = 0;
    for (; digits < word.length && isdigit((unsigned char)word.text[digits]); digits++)
        if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
            __builtin_add_overflow(*value, (uint64_t)(word.text[digits] - '0'), value))
            *value = UINT64_MAX;
    if (digits == 0 || digits + (unit && digits < word.length && word.text[digits] == unit) != word.length)
        return goal_refuse_word(reader, what, word);
    if (*value > most)
        return goal_refuse(reader, reader->line, "expected %s, at most %llu, got %.*s", what, (unsigned long long)most,
                           (int)(word.length < WORD ? word.length : WORD), word.text);
    return true;
}

/* ------------------------------------------------------------------ statements */

/* cpu, nic and tag, in any order, to the end of the line.  Places on a node are not modelled. */
static bool
read_tail(struct goal_reader *reader, int *tag)
{
    uint64_t value;

    for (;;) {
        struct label word = goal_next_word(reader);

        if (word.length == 0 || is(word, "}")) {
            reader->at = word.text;
            return true;
        }
        if (!is(word, "tag") && !is(word, "cpu") && !is(word, "nic"))
            return goal_refuse_word(reader, "'tag', 'cpu', 'nic' or the end of the line", word);
        if (is(word, "tag")) {
            goal_skip_blanks(reader, false);
            if (reader->at < reader->end && *reader->at == '-')
                return goal_refuse(reader, reader->line,
                                   "a receive of any tag: which message it takes is open; name the tag");
        }
        if (!goal_read_number(reader, "a number", INT_MAX, '\0', &value))
            return false;
        if (is(word, "tag"))
            *tag = (int)value;
    }
}

/* "send 8b to 1 ...", "recv 8b from 0 ..." after the first word. */
static bool
goal_read_message(struct goal_reader *reader, bool sends, struct peal_plan_step *step, struct peal_plan_block *block)
{
    uint64_t bytes, peer;
    const char *before;

    if (!goal_read_number(reader, "the message's bytes, as in 8b", INT_MAX, 'b', &bytes))
        return false;
    before = reader->at;
    if (!is(goal_next_word(reader), "b")) /* "8 b" */
        reader->at = before;
    if (!goal_expect(reader, sends ? "to" : "from"))
        return false;
    goal_skip_blanks(reader, false);
    if (!sends && reader->at < reader->end && *reader->at == '-')
        return goal_refuse(reader, reader->line,
                           "a receive from any source: which message it takes is open; name the source");
    if (!goal_read_number(reader, "a rank", (uint64_t)reader->plan->nodes - 1, '\0', &peer))
        return false;
    *(sends ? &block->send : &block->receive) = (int)peer;
    step->does = sends ? PEAL_PLAN_SEND : PEAL_PLAN_RECEIVE;
    step->count = (int)bytes;
    return read_tail(reader, &block->channel);
}

/* An operation, after its label. */
static bool
read_operation(struct goal_reader *reader, struct label what, struct label label)
{
    struct peal_plan_step step = {.line = reader->line};
    struct peal_plan_block block = {.node = reader->rank, .send = -1, .receive = -1, .line = reader->line};
    int line = reader->line, unused = 0;
    uint64_t time = 0;
    size_t number;

    if (is(what, "send") || is(what, "recv")) {
        if (!goal_read_message(reader, is(what, "send"), &step, &block))
            return false;
    } else if (is(what, "calc")) {
        if (!goal_read_number(reader, "a time", INT64_MAX, '\0', &time) || !read_tail(reader, &unused))
            return false;
        step.operations = (int64_t)time;
    } else {
        return goal_refuse_word(reader, "'send', 'recv' or 'calc'", what);
    }
    if (peal_plan_add_block(reader->plan, &block) == SIZE_MAX ||
        (number = peal_plan_add_step(reader->plan, &step)) == SIZE_MAX)
        return goal_no_memory(reader);
    if (label.length > 0) {
        struct named *named = goal_append(reader, &reader->named, sizeof *named);

        if (!named)
            return false;
        *named = (struct named){label, number, line};
    }
    return true;
}

/* A line that begins with this word. */
static bool
read_statement(struct goal_reader *reader, struct label first)
{
    struct label second, third;
    struct requirement *requirement;

    if (is(first, "send") || is(first, "recv") || is(first, "calc"))
        return read_operation(reader, first, (struct label){NULL, 0});
    if (!isalpha((unsigned char)*first.text))
        return goal_refuse_word(reader, "a label, 'send', 'recv', 'calc' or '}'", first);
    second = goal_next_word(reader);
    if (is(second, ":"))
        return read_operation(reader, goal_next_word(reader), first);
    if (!is(second, "requires") && !is(second, "irequires"))
        return goal_refuse_word(reader, "':', 'requires' or 'irequires'", second);
    third = goal_next_word(reader);
    if (third.length == 0 || !isalpha((unsigned char)*third.text))
        return goal_refuse_word(reader, "a label", third);
    requirement = goal_append(reader, &reader->requirements, sizeof *requirement);
    if (!requirement)
        return false;
    *requirement = (struct requirement){first, third, 0, 0, is(second, "irequires"), reader->line};
    return true;
}

/* ------------------------------------------------------------------ requirements */

static int
compare_labels(const struct label *x, const struct label *y)
{
    size_t common = x->length < y->length ? x->length : y->length;
    int way = memcmp(x->text, y->text, common);

    return way ? way : (x->length > y->length) - (x->length < y->length);
}

static int
compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int way = compare_labels(&x->label, &y->label);

    return way ? way : (x->step > y->step) - (x->step < y->step);
}

static int
compare_requirements(const void *a, const void *b)
{
    const struct requirement *x = a, *y = b;

    return (x->a > y->a) - (x->a < y->a);
}

static bool
find_label(struct goal_reader *reader, struct label label, int line, size_t *step)
{
    const struct named *all = reader->named.all;
    size_t low = 0, high = reader->named.count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare_labels(&all[middle].label, &label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == reader->named.count || compare_labels(&all[low].label, &label) != 0) {
        char text[WORD];

        snprintf(text, sizeof text, "%.*s", (int)(label.length < WORD ? label.length : WORD - 1), label.text);
        return goal_refuse(reader, line, "unknown label %s of rank %d", quote(text).text, reader->rank);
    }
    *step = all[low].step;
    return true;
}

/* The first requirement of a step, in the sorted list. */
static size_t
goal_first_requirement(const struct goal_list *sorted, size_t step)
{
    const struct requirement *all = sorted->all;
    size_t low = 0, high = sorted->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (all[middle].a < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Let `step` need all that its requirement's step needs, and so on for the steps that the latter irequires. */
static bool
add_begun(struct goal_reader *reader, size_t step, size_t on, size_t *stack, size_t *marks, size_t base)
{
    const struct requirement *all = reader->requirements.all;
    size_t depth = 0;

    stack[depth++] = on;
    marks[on - base] = step;
    while (depth > 0) {
        size_t from = stack[--depth];

        for (size_t i = goal_first_requirement(&reader->requirements, from);
             i < reader->requirements.count && all[i].a == from; i++) {
            if (!all[i].begun && !peal_plan_add_need(reader->plan, step, all[i].b))
                return goal_no_memory(reader);
            if (all[i].begun && marks[all[i].b - base] != step) {
                marks[all[i].b - base] = step;
                stack[depth++] = all[i].b;
            }
        }
    }
    return true;
}

/* The rank's text has ended: bind its labels. */
static bool
bind(struct goal_reader *reader, size_t base)
{
    struct named *named = reader->named.all;
    struct requirement *all = reader->requirements.all;
    size_t steps = reader->plan->step_count - base;
    size_t *stack = calloc(steps + 1, sizeof *stack), *marks = malloc((steps + 1) * sizeof *marks);
    bool well = (stack && marks) || goal_no_memory(reader);

    if (reader->named.count > 1)
        qsort(named, reader->named.count, sizeof *named, compare_named);
    for (size_t i = 1; well && i < reader->named.count; i++)
        if (compare_labels(&named[i - 1].label, &named[i].label) == 0)
            well = goal_refuse(reader, named[i].line, "duplicate label: line %d has it too", named[i - 1].line);
    for (size_t i = 0; well && i < reader->requirements.count; i++)
        well = find_label(reader, all[i].from, all[i].line, &all[i].a) &&
               find_label(reader, all[i].on, all[i].line, &all[i].b);
    if (well && reader->requirements.count > 1)
        qsort(all, reader->requirements.count, sizeof *all, compare_requirements);
    for (size_t i = 0; well && i <= steps; i++)
        marks[i] = SIZE_MAX;
    for (size_t i = 0; well && i < reader->requirements.count; i++)
        well = all[i].begun ? add_begun(reader, all[i].a, all[i].b, stack, marks, base)
                            : peal_plan_add_need(reader->plan, all[i].a, all[i].b) || goal_no_memory(reader);
    free(stack);
    free(marks);
    reader->named.count = reader->requirements.count = 0;
    return well;
}

/* Sort the rank's steps, from `base` on, into the order in which they can begin: messages with one tag between two
 * ranks meet in this order.  Steps that wait for themselves come last. */
static bool
sort_steps(struct goal_reader *reader, size_t base, size_t wanted_base)
{
    struct peal_plan *plan = reader->plan;
    size_t count = plan->step_count - base, wanted = plan->wanted_count - wanted_base, head = 0, tail = 0, next = count;
    struct peal_plan_need *needs = plan->wanted ? plan->wanted + wanted_base : NULL;
    size_t *queue = calloc(count + 1, sizeof *queue), *missing = calloc(count + 1, sizeof *missing);
    size_t *begin = calloc(count + 2, sizeof *begin), *after = calloc(wanted + 1, sizeof *after);
    struct peal_plan_step *steps = calloc(count + 1, sizeof *steps);
    struct peal_plan_block *blocks = calloc(count + 1, sizeof *blocks);
    bool memory = queue && missing && begin && after && steps && blocks;

    for (size_t i = 0; memory && i < wanted; i++) {
        missing[needs[i].step - base]++;
        begin[needs[i].on - base + 1]++;
    }
    for (size_t i = 1; memory && i <= count; i++)
        begin[i] += begin[i - 1];
    for (size_t i = wanted; memory && i-- > 0;) /* from the end, begin[i + 1] moves to the begin of i's */
        after[--begin[needs[i].on - base + 1]] = needs[i].step - base;
    for (size_t i = 0; memory && i < count; i++)
        if (missing[i] == 0)
            queue[tail++] = i;
    for (; memory && head < tail; head++)
        for (size_t j = begin[queue[head] + 1]; j < (queue[head] + 2 <= count ? begin[queue[head] + 2] : wanted); j++)
            if (--missing[after[j]] == 0)
                queue[tail++] = after[j];
    for (size_t i = count; memory && i-- > 0;) /* the others, after these */
        if (missing[i] > 0)
            queue[--next] = i;
    for (size_t i = 0; memory && i < count; i++) {
        steps[i] = plan->steps[base + queue[i]];
        blocks[i] = plan->blocks[base + queue[i]];
        steps[i].block = (int)(base + i);
        blocks[i].first = base + i;
        missing[queue[i]] = i; /* its new number */
    }
    for (size_t i = 0; memory && i < wanted; i++)
        needs[i] = (struct peal_plan_need){base + missing[needs[i].step - base], base + missing[needs[i].on - base]};
    if (memory && count > 0) {
        memcpy(plan->steps + base, steps, count * sizeof *steps);
        memcpy(plan->blocks + base, blocks, count * sizeof *blocks);
    }
    free(queue);
    free(missing);
    free(begin);
    free(after);
    free(steps);
    free(blocks);
    return memory || goal_no_memory(reader);
}

/* ------------------------------------------------------------------ the file */

/* "rank 3 { ... }" after its first word. */
static bool
goal_read_rank(struct goal_reader *reader)
{
    uint64_t rank;
    size_t base = reader->plan->step_count, wanted = reader->plan->wanted_count;

    if (!goal_read_number(reader, "a rank", (uint64_t)reader->plan->nodes - 1, '\0', &rank) ||
        !goal_expect(reader, "{"))
        return false;
    if (reader->seen[rank])
        return goal_refuse(reader, reader->line, "duplicate rank %d", (int)rank);
    reader->seen[rank] = true;
    reader->rank = (int)rank;
    for (int line = reader->line;;) {
        goal_skip_blanks(reader, true);
        struct label word = goal_next_word(reader);

        if (word.length == 0)
            return goal_refuse(reader, line, "rank %d has no closing '}'", reader->rank);
        if (is(word, "}"))
            return bind(reader, base) && sort_steps(reader, base, wanted);
        if (!read_statement(reader, word))
            return false;
        word = goal_next_word(reader);
        if (is(word, "}"))
            return bind(reader, base) && sort_steps(reader, base, wanted);
        if (word.length > 0)
            return goal_refuse_word(reader, "the end of the line", word);
    }
}

/* In files that Peal writes a message's tag is its round. */
static void
goal_set_rounds(struct peal_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        plan->steps[i].round = plan->steps[i].does ? plan->blocks[plan->steps[i].block].channel : 0;
    for (size_t i = 0; i < plan->wanted_count; i++) { /* the computation of a round comes before it */
        struct peal_plan_step *on = &plan->steps[plan->wanted[i].on];

        if (on->does == 0)
            on->round = plan->steps[plan->wanted[i].step].round;
    }
}

static bool
goal_read_all(struct goal_reader *reader)
{
    uint64_t ranks;
    const char *mark = memmem(reader->at, (size_t)(reader->end - reader->at), GOAL_ROUNDS, sizeof GOAL_ROUNDS - 1);

    goal_skip_blanks(reader, true);
    if (!goal_expect(reader, "num_ranks"))
        return false;
    if (!goal_read_number(reader, "a number of ranks", MAX_RANKS, '\0', &ranks))
        return false;
    if (ranks == 0)
        return goal_refuse(reader, reader->line, "expected 1 rank or more, got 0");
    reader->plan = peal_plan_create("GOAL", PEAL_COLLECTIVES, (int)ranks, 0, reader->error);
    reader->seen = calloc((size_t)ranks, sizeof *reader->seen);
    if (!reader->plan || !reader->seen)
        return reader->plan ? goal_no_memory(reader) : false;
    reader->plan->bare = true;
    for (;;) {
        goal_skip_blanks(reader, true);
        struct label word = goal_next_word(reader);

        if (word.length == 0)
            break;
        if (!is(word, "rank"))
            return goal_refuse_word(reader, "'rank'", word);
        if (!goal_read_rank(reader))
            return false;
    }
    if (mark)
        goal_set_rounds(reader->plan);
    return peal_plan_finish(reader->plan, reader->name, reader->error) == PEAL_OK;
}

/* After blanks and comments, the first word is num_ranks. */
static bool
is_goal(const char *bytes, size_t count)
{
    struct goal_reader reader = {.at = bytes, .end = bytes + count};

    goal_skip_blanks(&reader, true);
    return is(goal_next_word(&reader), "num_ranks");
}

static struct peal_plan *
read_goal(const char *name, const char *bytes, size_t count, struct peal_error *error)
{
    struct peal_error ignored;
    struct goal_reader reader = {
        .name = name, .at = bytes, .end = bytes + count, .line = 1, .error = error ? error : &ignored};
    bool well = goal_read_all(&reader);

    free(reader.seen);
    free(reader.named.all);
    free(reader.requirements.all);
    if (well)
        return reader.plan;
    peal_plan_destroy(reader.plan);
    return NULL;
}

const struct plan_format format_goal = {
    .name = "goal",
    .known = "GOAL, which begins with num_ranks",
    .is = is_goal,
    .read = read_goal,
};
