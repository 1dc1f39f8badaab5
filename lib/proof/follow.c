/* SPDX-License-Identifier: MIT */
/* What is known and decided on a path; objects; events. */
#include "lib/proof/follow.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/proof/follow_inside.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ giving up */

void
follow_refuse(struct following *run, const char *format, ...)
{
    static const char too_large[] = "numbers that are too large, or sums of too many parts, are not followed";
    const char *path = run->unit < run->sources->count ? run->sources->units[run->unit].path : "";
    struct peal_text text = empty_text(run->reason, sizeof run->reason);
    size_t top = strlen(run->sources->top);
    va_list list;

    if (strncmp(path, run->sources->top, top) == 0 && path[top] == '/')
        path += top + 1;
    peal_append(text, "%s:%d: ", path, run->at ? node_line(run->at) : 0);
    va_start(list, format);
    peal_append_list(text, run->terms->no_memory ? too_large : format, list);
    va_end(list);
    longjmp(run->stop, STOP_REFUSED);
}

void
follow_needs_log(struct following *run)
{
    if (run->log_known)
        follow_refuse(run, "how often this is done is not followed");
    longjmp(run->stop, STOP_LOG);
}

void
follow_again(struct following *run)
{
    longjmp(run->stop, STOP_AGAIN);
}

void
follow_whole_loop(struct following *run)
{
    if (!run->inner || !node_is(run->inner, "ForStmt") ||
        run->generic_count >= (int)(sizeof run->generic / sizeof *run->generic))
        follow_refuse(run, "what is done in this loop is not followed");
    run->generic[run->generic_count++] = run->inner;
    follow_again(run);
}

void
follow_no_memory(struct following *run)
{
    peal_refuse(&run->error, PEAL_RESOURCES, "not enough memory");
    longjmp(run->stop, STOP_REFUSED);
}

/* ------------------------------------------------------------------ facts and decisions */

static term
here(struct following *run)
{
    return term_all(run->terms, run->brief, run->guard);
}

static enum smt_answer
possible(struct following *run, term truth)
{
    enum smt_answer answer = smt_ask(run->smt, truth, SMT_LITTLE) == SMT_NO /* many ways ask the same */
                                 ? SMT_NO
                                 : smt_ask(run->smt, term_all(run->terms, here(run), truth), SMT_MUCH);

    if (run->smt->error.status != PEAL_OK) {
        run->error = run->smt->error;
        longjmp(run->stop, STOP_REFUSED);
    }
    if (run->terms->no_memory)
        follow_refuse(run, "this is not followed");
    return answer;
}

bool
follow_holds(struct following *run, term truth)
{
    if (term_is(run->terms, truth, TERM_TRUE))
        return true;
    bool holds = possible(run, term_not(run->terms, truth)) == SMT_NO;

    run->facts += holds;
    return holds;
}

void
follow_require(struct following *run, term truth, const char *why)
{
    if (!follow_holds(run, truth))
        follow_refuse(run, "%s", why);
}

void
follow_require_root(struct following *run, term root_only)
{
    if (root_only)
        follow_require(run, term_equal(run->terms, run->number, term_number(run->terms, 0)),
                       "an argument that counts at the root only is not followed elsewhere");
}

int
follow_known(struct following *run, term truth)
{
    if (possible(run, truth) == SMT_NO)
        return 0;
    return follow_holds(run, truth) ? 1 : -1;
}

void
follow_fork_at(struct following *run)
{
    if (run->merge_count == 0 || run->merging[0].loop)
        follow_refuse(run, "a branch in a loop of unknown length is not followed here");
    if (run->fork_count >= (int)(sizeof run->forks / sizeof *run->forks))
        follow_refuse(run, "too many branches");
    run->forks[run->fork_count++] = run->merging[0].node;
    longjmp(run->stop, STOP_AGAIN);
}

/* Take one way; another path takes the other. */
static bool
follow_decide_branch(struct following *run, term truth, bool last)
{
    bool way = true;

    if (run->merge_count > 0)
        follow_fork_at(run);
    if (!last && run->decided == run->decision_count) {
        if (!array_grow(&run->decisions, &run->decision_capacity, run->decision_count + 1, sizeof *run->decisions))
            follow_no_memory(run);
        run->decisions[run->decision_count++] = true;
    }
    if (!last)
        way = run->decisions[run->decided++];
    truth = way ? truth : term_not(run->terms, truth);
    run->condition = term_all(run->terms, run->condition, truth);
    run->brief = term_all(run->terms, run->brief, truth);
    return way;
}

bool
follow_decide(struct following *run, term truth)
{
    int known = follow_known(run, truth);

    return known >= 0 ? known : follow_decide_branch(run, truth, false);
}

bool
follow_decide_unasked(struct following *run, term truth, bool last)
{
    struct terms *t = run->terms;

    if (run->merge_count > 0)
        return follow_decide(run, truth);
    if (term_all(t, run->brief, truth) == run->brief)
        return true;
    if (term_all(t, run->brief, term_not(t, truth)) == run->brief)
        return false;
    return follow_decide_branch(run, truth, last);
}

/* ------------------------------------------------------------------ objects */

struct c_value
follow_value(enum value_kind kind, term a, term b)
{
    return (struct c_value){.kind = kind, .a = a, .b = b};
}

static struct c_object *
object_new(struct following *run, const char *type)
{
    struct c_object *object = calloc(1, sizeof *object);

    if (!object)
        follow_no_memory(run);
    object->type = type;
    object->serial = ++run->serials;
    object->next = run->objects;
    run->objects = object;
    return object;
}

void *
follow_allocate(struct following *run, size_t bytes)
{
    struct c_object *object = object_new(run, "");

    if (!(object->parts = calloc(1, bytes + 1)))
        follow_no_memory(run);
    return object->parts;
}

static void
give_parts(struct following *run, struct c_object *object, int count)
{
    if (!peal_grow_zeroed(&object->parts, &object->capacity, (size_t)count, sizeof *object->parts))
        follow_no_memory(run);
    object->count = count;
}

const char *
follow_plain_type(const char *type)
{
    for (;;)
        if (strncmp(type, "const ", 6) == 0)
            type += 6;
        else if (strncmp(type, "volatile ", 9) == 0)
            type += 9;
        else
            return type;
}

void
follow_check_lengths(struct following *run, const char *type)
{
    for (const char *at = strchr(type, '['); at; at = strchr(at + 1, '['))
        if (at[1 + strspn(at + 1, "0123456789")] != ']')
            follow_refuse(run, "an array whose length is not a number is not followed: %s", type);
}

struct c_object *
follow_object(struct following *run, const char *type)
{
    struct c_object *object = object_new(run, follow_plain_type(type));
    const char *bracket = strrchr(object->type, '[');

    follow_check_lengths(run, type);
    if (bracket && !strchr(object->type, '*') && strchr(object->type, '[') == bracket) {
        object->is_array = true;
    } else if (strcmp(object->type, "struct peal_handle") != 0 && strcmp(object->type, "struct peal_blocks") != 0) {
        /* each of these two is a single value, which models give */
        object->fields = json_object_get(run->sources->units[run->unit].records, object->type);
        if (!object->fields && strncmp(object->type, "struct ", 7) == 0 && !strchr(object->type, '*'))
            follow_refuse(run, "%s is not followed: it has bit-fields, or no members", object->type);
        if ((object->is_struct = object->fields != NULL))
            give_parts(run, object, (int)json_array_size(object->fields));
    }
    return object;
}

void
follow_declare(struct following *run, const char *name, struct c_object *object)
{
    if (run->scope_count >= (int)(sizeof run->scope / sizeof *run->scope))
        follow_refuse(run, "too many variables");
    run->scope[run->scope_count].name = name;
    run->scope[run->scope_count++].object = object;
}

void
follow_clear(struct following *run, struct c_object *object)
{
    object->zero = true;
    for (int i = 0; i < object->count; i++)
        if (object->parts[i])
            follow_clear(run, object->parts[i]);
    if (object->is_struct || object->is_array)
        return;
    follow_store(run, object,
                 strchr(object->type, '*') ? follow_value(VALUE_NULL, 0, 0)
                                           : follow_value(VALUE_NUMBER, term_number(run->terms, 0), 0));
}

static struct c_object *
part_of(struct following *run, struct c_object *object, int i, const char *type)
{
    if (!object->parts[i]) {
        object->parts[i] = follow_object(run, type);
        object->parts[i]->serial = object->serial; /* as old as what it is a part of */
        if (object->zero)
            follow_clear(run, object->parts[i]);
    }
    return object->parts[i];
}

struct c_object *
follow_field(struct following *run, struct c_object *object, const char *name)
{
    for (int i = 0; object->is_struct && i < object->count; i++) {
        const json_t *field = json_array_get(object->fields, (size_t)i);

        if (strcmp(json_string_value(json_array_get(field, 0)), name) == 0)
            return part_of(run, object, i, json_string_value(json_array_get(field, 1)));
    }
    follow_refuse(run, "the member %s is not followed", name);
}

static const char *
element_type(struct following *run, const struct c_object *array)
{
    size_t length = (size_t)(strrchr(array->type, '[') - array->type);
    char *type = follow_allocate(run, length);

    while (length > 0 && array->type[length - 1] == ' ')
        length--;
    memcpy(type, array->type, length);
    return type;
}

struct c_object *
follow_element(struct following *run, struct c_object *array, term index)
{
    enum { ELEMENTS = 4096, MANY = 64 };
    int64_t i, length;

    if (!array->is_array)
        follow_refuse(run, "this is not an array");
    length = strtoll(strrchr(array->type, '[') + 1, NULL, 10);
    if (!term_known(run->terms, index, &i)) { /* a path for each element */
        i = term_at(run->terms, index)->low;
        if (i < 0 || term_at(run->terms, index)->high >= (length < MANY ? length : MANY) || run->loop)
            follow_refuse(run, "an index that depends on P, a rank or a loop is not followed");
        while (!follow_decide(run, term_equal(run->terms, index, term_number(run->terms, i))))
            if (++i > term_at(run->terms, index)->high)
                follow_refuse(run, "an index that is not followed");
    }
    if (i < 0 || i >= length || i >= ELEMENTS)
        follow_refuse(run, "element %lld of %s is not within it", (long long)i, array->type);
    if (i >= array->count)
        give_parts(run, array, (int)i + 1);
    return part_of(run, array, (int)i, element_type(run, array));
}

struct c_object *
follow_at(struct following *run, struct c_value place)
{
    if (place.kind == VALUE_DATA)
        follow_refuse(run, "what depends on the words of a buffer is not followed");
    if (place.kind != VALUE_PLACE)
        follow_refuse(run, "this address is not followed");
    if (place.to->gone)
        follow_refuse(run, "the address of a variable whose block was left");
    return place.a ? follow_element(run, place.to, place.a) : place.to;
}

/* ------------------------------------------------------------------ the order of operands */

void
follow_touch(struct following *run, struct c_object *object, bool writes)
{
    if (!array_grow(&run->touches, &run->touch_capacity, run->touch_count + 1, sizeof *run->touches))
        follow_no_memory(run);
    run->touches[run->touch_count++] = (struct touch){object, writes};
}

struct operands
follow_operands(struct following *run)
{
    return (struct operands){++run->expressions, 1, run->touch_count};
}

void
follow_operand_next(struct following *run, struct operands *operands)
{
    for (; operands->from < run->touch_count; operands->from++) {
        const struct touch touch = run->touches[operands->from];
        struct c_object *object = touch.object;

        if (object->expression != operands->expression) {
            object->expression = operands->expression;
            object->operand = operands->operand;
            object->written = false;
        }
        if (object->operand != operands->operand && (object->written || touch.writes))
            follow_refuse(run, "operands of which one changes what another uses, in an order that C does not say");
        object->written |= touch.writes;
    }
    operands->operand++;
}

static void
write_down(struct following *run, struct c_object *object)
{
    if (run->loop && object->serial <= run->loop_serials && !term_is(run->terms, run->skipped, TERM_FALSE))
        follow_refuse(run, "a change after `continue` in a loop of unknown length is not followed");
    if (run->journals == 0)
        return;
    if (!array_grow(&run->journal, &run->journal_capacity, run->journal_count + 1, sizeof *run->journal))
        follow_no_memory(run);
    run->journal[run->journal_count++] = (struct journal){object, object->value, false};
}

/* Part i of a struct or an array. */
static struct c_object *
any_part(struct following *run, struct c_object *object, int i)
{
    return object->is_array ? follow_element(run, object, term_number(run->terms, i))
                            : part_of(run, object, i,
                                      json_string_value(json_array_get(json_array_get(object->fields, (size_t)i), 1)));
}

struct c_value
follow_load(struct following *run, struct c_object *object)
{
    if (object->is_struct || object->is_array) {
        struct c_object *copy = follow_object(run, object->type);

        copy->zero = object->zero;
        for (int i = 0; i < object->count; i++)
            if (object->parts[i])
                follow_store(run, any_part(run, copy, i), follow_load(run, object->parts[i]));
        return (struct c_value){.kind = VALUE_STRUCT, .to = copy};
    }
    follow_touch(run, object, false);
    return object->value;
}

void
follow_store(struct following *run, struct c_object *object, struct c_value value)
{
    enum { COPIED = 64 }; /* elements of an array */

    if (object->is_struct || object->is_array) {
        int count = object->count;

        if (value.kind != VALUE_STRUCT || strcmp(value.to->type, object->type) != 0)
            follow_refuse(run, "what is stored here is not followed");
        if (object->is_array)
            count = (int)strtoll(strrchr(object->type, '[') + 1, NULL, 10);
        if (object->is_array && count > COPIED)
            follow_refuse(run, "a copy of an array of more than %d elements is not followed", COPIED);
        for (int i = 0; i < count; i++) {
            struct c_object *to = any_part(run, object, i);

            if (value.to->zero || (i < value.to->count && value.to->parts[i]))
                follow_store(run, to, follow_load(run, any_part(run, value.to, i)));
            else if (!to->is_struct && !to->is_array)
                follow_store(run, to, follow_value(VALUE_NONE, 0, 0));
            else
                follow_store(run, to, follow_load(run, follow_object(run, to->type)));
        }
        return;
    }
    write_down(run, object);
    follow_touch(run, object, true);
    object->value = value;
}

/* ------------------------------------------------------------------ events */

struct c_event *
follow_post(struct following *run, enum event_kind kind, term peer, const struct block_run *items, int count)
{
    struct c_event *event;

    follow_touch(run, &run->messages, true);
    if (!array_grow(&run->path.events, &run->path.capacity, run->path.count + 1, sizeof *run->path.events))
        follow_no_memory(run);
    event = &run->path.events[run->path.count++];
    *event = (struct c_event){.kind = kind,
                              .condition = run->condition,
                              .brief = run->brief,
                              .guard = run->guard,
                              .peer = peer,
                              .items = count,
                              .loop = run->loop,
                              .post = ++run->clock,
                              .branches = run->branches,
                              .line = node_line(run->at),
                              .unit = run->unit,
                              .site = run->site};
    for (int i = 0; i < count; i++)
        event->item[i] = items[i];
    memcpy(event->branch, run->branch, sizeof event->branch);
    return event;
}

void
follow_wait(struct following *run, size_t from, size_t to)
{
    run->clock++;
    follow_touch(run, &run->messages, true);
    for (size_t i = from; i < to; i++) {
        struct c_event *event = &run->path.events[i];

        if (event->wait != 0)
            continue;
        /* where the branch is not taken, its wait does not wait for what was posted before */
        if (event->branches < run->branches ||
            memcmp(event->branch, run->branch, (size_t)run->branches * sizeof(int)) != 0) {
            if (run->merge_count > 0 && !run->loop)
                follow_fork_at(run);
            follow_refuse(run, "a wait in a loop for what was posted before it is not followed");
        }
        event->wait = run->clock;
    }
}
