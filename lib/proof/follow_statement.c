/* SPDX-License-Identifier: MIT */
/* Statements of C.  A branch that jumps nowhere is run both ways, each under its condition, and what it changes is
 * joined; others are paths of their own.  A loop of unknown length is run once, for a round that stands for all. */
#include "lib/proof/follow_inside.h"
#include "lib/proof/words.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ declarations */

void
follow_leave_block(struct following *run, int scope_count)
{
    while (run->scope_count > scope_count)
        run->scope[--run->scope_count].object->gone = true;
}

static void
declaration(struct following *run, const json_t *node)
{
    for (size_t i = 0; i < node_children(node); i++) {
        const json_t *variable = node_child(node, i);

        run->at = variable;
        if (!node_is(variable, "VarDecl")) /* such a name may hide another one */
            follow_refuse(run, "%s in a function is not followed", words_construct(node_text(variable, "kind")));
        if (node_text(variable, "storageClass")[0])
            follow_refuse(run, "the variable %s is %s: not followed", node_text(variable, "name"),
                          node_text(variable, "storageClass"));
        for (size_t j = 0; j < node_children(variable); j++)
            if (node_is(node_child(variable, j), "CleanupAttr"))
                follow_refuse(run, "a function that is called when a variable's block is left is not followed");
        struct c_object *object = follow_object(run, node_type(variable));

        follow_declare(run, node_text(variable, "name"), object);
        if (json_object_get(variable, "init"))
            follow_initialise(run, object, node_child(variable, 0));
    }
}

/* ------------------------------------------------------------------ branches */

/* Whether control leaves the statement: by return or goto, or to a loop or switch around it. */
static bool
jumps(const json_t *node, bool inner_loop)
{
    if (!json_is_object(node))
        return false;
    if (node_is(node, "ReturnStmt") || node_is(node, "GotoStmt") ||
        (!inner_loop && (node_is(node, "BreakStmt") || node_is(node, "ContinueStmt"))))
        return true;
    inner_loop = inner_loop || node_is(node, "ForStmt") || node_is(node, "WhileStmt") || node_is(node, "DoStmt");
    for (size_t i = 0; i < node_children(node); i++)
        if (jumps(node_child(node, i), inner_loop))
            return true;
    return false;
}

/* What a branch has changed: the objects with their values after it.  They get back those before it. */
struct changes {
    struct journal *list;
    size_t count;
};

static struct changes
follow_undo(struct following *run, size_t from)
{
    struct changes changes = {NULL, 0};

    changes.list = follow_allocate(run, (run->journal_count - from) * sizeof *changes.list);
    while (run->journal_count > from) {
        struct journal *last = &run->journal[--run->journal_count];
        size_t i = 0;

        while (i < changes.count && changes.list[i].object != last->object)
            i++;
        if (i == changes.count)
            changes.list[changes.count++] = (struct journal){last->object, last->object->value, false};
        last->object->value = last->before;
    }
    return changes;
}

static struct c_value
follow_after(const struct changes *changes, struct c_object *object)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->list[i].object == object)
            return changes->list[i].before;
    return object->value;
}

/* The statement of a branch; from > 0: what follows in the body of a loop, up to its end. */
struct way_on {
    const json_t *node;
    size_t from;
};

static enum jump compound(struct following *run, const json_t *node, size_t from, struct c_value *returned);

static struct changes
follow_branch(struct following *run, const json_t *node, struct way_on inner, enum jump end, term truth, int branch)
{
    struct outside outside = follow_enter_branch(run, node, truth, branch);
    size_t from = run->journal_count;
    struct c_value returned;
    enum jump flow = JUMP_ON;

    run->journals++;
    if (inner.node)
        flow = inner.from > 0 ? compound(run, inner.node, inner.from, &returned)
                              : follow_statement(run, inner.node, &returned);
    if (flow != JUMP_ON && flow != end)
        follow_fork_at(run);
    run->journals--;
    follow_leave_branch(run, outside);
    return follow_undo(run, from);
}

/* end: how a way may end, as it ends with the statement itself. */
static void
both_ways(struct following *run, const json_t *node, term truth, struct way_on otherwise, enum jump end)
{
    int branch = ++run->branch_count, serials = run->serials;
    struct changes a = follow_branch(run, node, (struct way_on){node_child(node, 1), 0}, end, truth, branch),
                   b = follow_branch(run, node, otherwise, end, term_not(run->terms, truth), -branch);
    bool followed = true;

    for (size_t i = 0; i < a.count + b.count && followed; i++) {
        struct c_object *object = i < a.count ? a.list[i].object : b.list[i - a.count].object;
        struct c_value merged;

        if (object->serial > serials)
            continue; /* of the branch itself */
        followed = follow_merge(run, truth, follow_after(&a, object), follow_after(&b, object), &merged);
        if (followed && i < a.count)
            follow_store(run, object, merged);
        else if (followed) {
            bool seen = false;

            for (size_t j = 0; j < a.count; j++)
                seen = seen || a.list[j].object == object;
            if (!seen)
                follow_store(run, object, merged);
        }
    }
    if (!followed) {
        follow_enter_branch(run, node, truth, 0);
        follow_fork_at(run);
    }
}

/* Whether this is `if (..) continue;`, or {..; continue;} with at most so many statements, which jumps nowhere else. */
static bool
only_continues(const json_t *node, size_t most)
{
    const json_t *then = node_child(node, 1);
    size_t count = node_is(then, "CompoundStmt") ? node_children(then) : 0;

    if (!node_is(node, "IfStmt") || node_children(node) != 2 || count > most)
        return false;
    for (size_t i = 0; i + 1 < count; i++)
        if (jumps(node_child(then, i), false))
            return false;
    return node_is(count > 0 ? node_child(then, count - 1) : then, "ContinueStmt");
}

/* Whether what follows statement i is all of a round that is left, and jumps nowhere but to its end: then
 * `if (c) {A; continue;} B` is `if (c) {A} else {B}`. */
static bool
ends_round(const struct following *run, const json_t *body, size_t i)
{
    const json_t *loop = run->inner ? run->inner : run->loop ? run->loop->node : NULL;
    bool is_body = false;

    for (size_t j = 0; j < node_children(loop); j++)
        is_body = is_body || node_child(loop, j) == body;
    if (!is_body || !only_continues(node_child(body, i), SIZE_MAX))
        return false;
    while (++i < node_children(body))
        if (jumps(node_child(body, i), false) && !only_continues(node_child(body, i), SIZE_MAX))
            return false;
    return true;
}

/* An `if`, which is statement i of this body unless that is NULL. */
static enum jump
branch(struct following *run, const json_t *node, const json_t *body, size_t i, struct c_value *returned)
{
    term truth = follow_truth(run, follow_evaluate(run, node_child(node, 0)));
    int known = follow_known(run, truth);

    run->at = node;
    if (known < 0 && run->loop && run->unrolled == 0 && run->merge_count > 0 && only_continues(node, 1)) {
        run->skipped = term_any(run->terms, run->skipped, term_all(run->terms, run->guard, truth));
        return JUMP_ON;
    }
    if (known < 0 && body && !follow_is_fork(run, node) && ends_round(run, body, i)) {
        both_ways(run, node, truth, (struct way_on){body, i + 1}, JUMP_CONTINUE);
        return JUMP_CONTINUE;
    }
    if (known < 0 &&
        (follow_is_fork(run, node) || jumps(node_child(node, 1), false) || jumps(node_child(node, 2), false)))
        known = follow_decide(run, truth);
    if (known == 1)
        return follow_statement(run, node_child(node, 1), returned);
    if (known == 0)
        return node_children(node) > 2 ? follow_statement(run, node_child(node, 2), returned) : JUMP_ON;
    both_ways(run, node, truth, (struct way_on){node_child(node, 2), 0}, JUMP_ON);
    return JUMP_ON;
}

/* ------------------------------------------------------------------ loops of unknown length */

/* A loop's parts.  step: in a `while`, the last statement of its body, which is not run a second time. */
struct loop_parts {
    const json_t *node, *condition, *step, *body;
};

static struct loop_parts
parts_of_loop(const json_t *node)
{
    if (node_is(node, "ForStmt"))
        return (struct loop_parts){node, node_child(node, 2), node_child(node, 3), node_child(node, 4)};
    if (node_is(node, "DoStmt"))
        return (struct loop_parts){node, node_child(node, 1), NULL, node_child(node, 0)};
    const json_t *body = node_child(node, 1);
    const size_t count = node_is(body, "CompoundStmt") ? node_children(body) : 0;

    return (struct loop_parts){node, node_child(node, 0), count > 0 ? node_child(body, count - 1) : body, body};
}

/* Run the step, unless it is one of the body. */
static void
run_step(struct following *run, const struct loop_parts *of)
{
    if (node_is(of->node, "ForStmt") && node_text(of->step, "kind")[0])
        follow_evaluate(run, of->step);
}

/* The variable of `i++`, `i -= 2`; NULL for others. */
static struct c_object *
counter(struct following *run, const json_t *step, int64_t *by)
{
    const char *opcode = node_text(step, "opcode");
    const json_t *name = node_child(step, 0);

    if (!name || !node_is(name, "DeclRefExpr") || (opcode[0] != '+' && opcode[0] != '-'))
        return NULL;
    *by = 1;
    if (node_is(step, "CompoundAssignOperator")) {
        bool changes;
        struct c_value value = follow_evaluate_seeing(run, node_child(step, 1), &changes);

        if (changes)
            follow_refuse(run, "a step of a loop that changes more than its counter is not followed");
        if (value.kind != VALUE_NUMBER || !term_known(run->terms, value.a, by) || *by <= 0)
            return NULL;
    } else if (!node_is(step, "UnaryOperator")) {
        return NULL;
    }
    *by = opcode[0] == '-' ? -*by : *by;
    return follow_variable(run, node_text(json_object_get(name, "referencedDecl"), "name"));
}

/* The loop of a node, with this condition unless it is 0; NULL if it is new. */
static struct loop *
find_loop(struct following *run, const json_t *node, term holds)
{
    struct loop *loop = run->loops;

    while (loop && (loop->node != node || (holds && loop->holds != holds)))
        loop = loop->next;
    return loop;
}

/* The loop of this node: in another path it has the same counter. */
static struct loop *
loop_new(struct following *run, const json_t *node)
{
    const int64_t most = term_at(run->terms, run->P)->high;
    struct loop *loop = find_loop(run, node, 0), *known = loop;

    if (!(loop = calloc(1, sizeof *loop)))
        follow_no_memory(run);
    loop->node = node;
    loop->k = known ? known->k : term_variable(run->terms, "round", 0, most);
    loop->wide = known ? known->wide : term_variable(run->terms, "", 0, INT32_MAX);
    loop->next = run->loops;
    run->loops = loop;
    return loop;
}

static term
condition_at(struct following *run, const json_t *condition, struct c_object *variable, term number)
{
    struct c_value before = variable->value, value = follow_value(VALUE_NUMBER, number, 0);
    bool changes;
    term truth;

    variable->value = value;
    truth = follow_truth(run, follow_evaluate_seeing(run, condition, &changes));
    variable->value = before;
    if (changes)
        follow_refuse(run, "a condition of a loop that changes something, or sends, is not followed");
    return truth;
}

static void
body_of_round(struct following *run, const struct loop_parts *of)
{
    struct c_value returned;
    const enum jump flow = follow_statement(run, of->body, &returned);

    if (flow != JUMP_ON && flow != JUMP_CONTINUE)
        follow_refuse(run, "a jump out of a loop of unknown length is not followed");
}

/* Run the body and the step once, for round k.  What they change outside is taken back, and is the result. */
static struct changes
one_round(struct following *run, const struct loop_parts *of, struct loop *loop)
{
    struct terms *t = run->terms;
    struct outside outside = follow_enter_branch(
        run, of->node, term_all(t, term_up_to(t, term_number(t, 0), loop->k), loop->holds), ++run->branch_count);
    size_t from = run->journal_count;
    term skipped = run->skipped;

    int unrolled = run->unrolled;
    const json_t *inner = run->inner;

    run->loop = loop;
    run->loop_guard = run->guard;
    run->inner = NULL;
    run->unrolled = 0;
    run->waits_for_all = false;
    run->skipped = term_truth(t, false);
    run->journals++;
    body_of_round(run, of);
    run->skipped = skipped; /* `continue` skips no step */
    run_step(run, of);
    run->journals--;
    for (size_t i = 0; i < run->path.count; i++)
        if (run->path.events[i].loop == loop) {
            run->path.events[i].waits_inside = run->path.events[i].wait != 0;
            if (run->waits_for_all && run->path.events[i].wait == 0) /* the next round would wait for it */
                follow_refuse(run, "a message that the next round of a loop waits for is not followed");
        }
    run->unrolled = unrolled;
    run->inner = inner;
    run->loop = NULL;
    follow_leave_branch(run, outside);
    return follow_undo(run, from);
}

/* By how much a round changes an integer from before the loop; false: not by a known number. */
static bool
follow_increment(struct following *run, const struct c_value *before, const struct c_value *after, int64_t *by)
{
    return before->kind == VALUE_NUMBER && after->kind == VALUE_NUMBER &&
           term_known(run->terms, term_minus(run->terms, after->a, before->a), by);
}

/* What a variable has at the beginning of round k > 0 if a round leaves `after` there whatever was before; round 0 has
 * `first`.  False: that is not one value. */
static bool
follow_left(struct following *run, const struct loop *loop, struct c_value first, struct c_value after,
            struct c_value *at)
{
    struct terms *t = run->terms;
    const term last = term_add(t, loop->k, -1), zero = term_number(t, 0);
    struct c_value begin;

    if (first.kind != after.kind || first.number != after.number || after.kind < VALUE_NUMBER ||
        after.kind > VALUE_DATA)
        return false;
    *at = after;
    at->a = after.a ? term_replace(t, after.a, &loop->k, &last, 1) : 0;
    at->b = after.b ? term_replace(t, after.b, &loop->k, &last, 1) : 0;
    begin = *at;
    begin.a = at->a ? term_replace(t, at->a, &loop->k, &zero, 1) : 0;
    begin.b = at->b ? term_replace(t, at->b, &loop->k, &zero, 1) : 0;
    if (after.kind != VALUE_TRUTH && after.a && first.a && follow_holds(run, term_equal(t, begin.a, first.a)) &&
        (!after.b || (first.b && follow_holds(run, term_equal(t, begin.b, first.b)))))
        return true;
    return follow_merge(run, term_equal(t, loop->k, zero), first, *at, at);
}

static bool
is_peeled(const struct following *run, const json_t *node)
{
    for (int i = 0; i < run->peeled_count; i++)
        if (run->peeled[i] == node)
            return true;
    return false;
}

/* Run round 0 apart from the others, after which variables are of other buffers. */
static void
peel(struct following *run, const json_t *node)
{
    if (is_peeled(run, node) || run->peeled_count >= (int)(sizeof run->peeled / sizeof *run->peeled))
        return;
    run->peeled[run->peeled_count++] = node;
    follow_again(run);
}

/* The changes of variables that are older than the loop, without its counter, which must have come to `next`; false: it
 * has not. */
static bool
keep_older(struct changes *changes, int serials, const struct c_object *counter, term next)
{
    size_t kept = 0;
    bool counts = false;

    for (size_t i = 0; i < changes->count; i++)
        if (changes->list[i].object == counter)
            counts = changes->list[i].before.kind == VALUE_NUMBER && changes->list[i].before.a == next;
        else if (changes->list[i].object->serial <= serials)
            changes->list[kept++] = changes->list[i];
    changes->count = kept;
    return counts;
}

/* A loop that is not followed for all P may be followed for a class of them. */
static _Noreturn void
loop_refuse(struct following *run, const char *why)
{
    if (!run->log_known)
        follow_needs_log(run);
    follow_refuse(run, "%s", why);
}

static void
generic_loop(struct following *run, const struct loop_parts *of)
{
    const json_t *node = of->node, *condition = of->condition;
    struct terms *t = run->terms;
    int64_t by, grown;
    struct c_object *variable = counter(run, of->step, &by);
    struct loop *loop;
    size_t events = run->path.count;
    int clock = run->clock, serials = run->serials, buffers = run->buffer_count;
    struct changes changes, again;
    term first;

    if (run->loop)
        follow_refuse(run, "loops of unknown length within one another are not followed");
    if (!variable || variable->value.kind != VALUE_NUMBER)
        loop_refuse(run, "a loop of unknown length that does not count is not followed");
    if (is_peeled(run, node)) {
        if (!follow_decide(run, condition_at(run, condition, variable, variable->value.a)))
            return;
        body_of_round(run, of);
        run_step(run, of);
        events = run->path.count;
        clock = run->clock;
        serials = run->serials;
        buffers = run->buffer_count;
    }
    first = variable->value.a;
    if (follow_known(run, condition_at(run, condition, variable, first)) == 0)
        return; /* no round */
    loop = loop_new(run, node);
    /* k stays below its bound: proved with a variable that has none */
    if (!follow_holds(
            run,
            term_any(t, term_not(t, condition_at(run, condition, variable, term_sum(t, 1, first, by, loop->wide, 0))),
                     term_up_to(t, loop->wide, term_number(t, term_at(t, loop->k)->high)))))
        loop_refuse(run, "a loop that may have more rounds than nodes is not followed");
    term at = term_sum(t, 1, first, by, loop->k, 0), next = term_add(t, at, by);

    term holds = condition_at(run, condition, variable, at);

    loop = find_loop(run, node, holds) ? find_loop(run, node, holds) : loop;
    loop->holds = holds;
    if (!follow_holds(run, term_any(t, term_not(t, condition_at(run, condition, variable, next)), loop->holds)))
        loop_refuse(run, "a loop whose rounds are not the first ones is not followed");
    follow_store(run, variable, follow_value(VALUE_NUMBER, at, 0));
    run->loop_serials = serials;
    changes = one_round(run, of, loop);
    if (!keep_older(&changes, serials, variable, next))
        loop_refuse(run, "a loop whose counter grows by other than one number is not followed");
    if (changes.count > 0) { /* what a round changes is unknown in the next, or grows by a number */
        run->path.count = events;
        run->clock = clock;
        run->buffer_count = buffers;
        for (size_t i = 0; i < changes.count; i++) {
            struct c_object *object = changes.list[i].object;
            struct c_value before = object->value, after = changes.list[i].before, left, next_value;

            changes.list[i].before = before;
            if (follow_list_grows(before, after, &next_value)) {
                follow_store(run, object, next_value);
            } else if (follow_increment(run, &before, &after, &grown)) {
                follow_store(run, object, follow_value(VALUE_NUMBER, term_sum(t, 1, before.a, grown, loop->k, 0), 0));
            } else if (follow_left(run, loop, before, after, &left)) {
                follow_store(run, object, left);
                changes.list[i].left = true;
                changes.list[i].before = after;
            } else {
                if (before.kind == VALUE_DATA && after.kind == VALUE_DATA)
                    peel(run, node);
                follow_store(run, object, follow_value(VALUE_NONE, 0, 0));
            }
        }
        if (term_has(t, loop->holds, loop->k) && condition_at(run, condition, variable, at) != loop->holds)
            loop_refuse(run, "a loop that changes what its condition reads is not followed");
        again = one_round(run, of, loop);
        if (!keep_older(&again, serials, variable, next))
            loop_refuse(run, "a loop whose counter grows by other than one number is not followed");
        for (size_t i = 0; i < again.count; i++) {
            struct c_object *object = again.list[i].object;
            size_t j = 0;

            while (j < changes.count && changes.list[j].object != object)
                j++;
            if (j == changes.count)
                loop_refuse(run, "what this loop carries is not followed");
            if (object->value.kind == VALUE_NONE || object->value.kind == VALUE_GROWING)
                continue;
            if (changes.list[j].left) {
                if (!follow_same_value(&again.list[i].before, &changes.list[j].before))
                    loop_refuse(run, "what this loop carries is not followed");
                continue;
            }
            if (!follow_increment(run, &object->value, &again.list[i].before, &grown) ||
                term_sum(t, 1, changes.list[j].before.a, grown, loop->k, 0) != object->value.a)
                loop_refuse(run, "what this loop carries is not followed");
        }
        for (size_t i = 0; i < changes.count; i++) { /* after the loop */
            struct c_object *object = changes.list[i].object;
            const struct c_value left = object->value;

            if (left.kind == VALUE_GROWING)
                follow_store(run, object,
                             follow_list_grown(run, loop, changes.list[i].before, follow_after(&again, object), by));
            else if (!changes.list[i].left || (left.a && term_has(t, left.a, loop->k)) ||
                     (left.b && term_has(t, left.b, loop->k)))
                follow_store(run, object, follow_value(VALUE_NONE, 0, 0));
        }
    }
    if (run->buffer_count != buffers)
        loop_refuse(run, "memory that is allocated in a loop of unknown length is not followed");
    follow_store(run, variable, follow_value(VALUE_NONE, 0, 0));
}

/* ------------------------------------------------------------------ loops */

static bool
is_generic(const struct following *run, const json_t *node)
{
    for (int i = 0; i < run->generic_count; i++)
        if (run->generic[i] == node)
            return true;
    return false;
}

/* Run the loop from now on as one of unknown length, if it has a counter. */
static void
make_generic(struct following *run, const struct loop_parts *of)
{
    int64_t by;

    if (run->generic_count < (int)(sizeof run->generic / sizeof *run->generic) && counter(run, of->step, &by)) {
        run->generic[run->generic_count++] = of->node;
        follow_again(run);
    }
    follow_needs_log(run);
}

static enum jump
loop(struct following *run, const struct loop_parts *of, struct c_value *returned)
{
    enum { ROUNDS = 400, UNDECIDED = 4, COUNTED = 40 }; /* more than a logarithm */
    int undecided = 0;
    int64_t by;
    enum jump flow = JUMP_ON;
    const json_t *outer = run->inner;

    run->unrolled++;
    for (int round = 0;; round++) {
        const bool asks = node_text(of->condition, "kind")[0] && (round > 0 || !node_is(of->node, "DoStmt"));
        term truth = asks ? follow_truth(run, follow_evaluate(run, of->condition)) : term_truth(run->terms, true);
        int known = follow_known(run, truth);

        run->at = of->node;
        undecided += known < 0;
        if ((known < 0 && !run->log_known) ||
            ((undecided > UNDECIDED || round > COUNTED) && !run->loop && counter(run, of->step, &by)))
            make_generic(run, of);
        if (round > ROUNDS)
            follow_refuse(run, "a loop of more than %d rounds is not followed", ROUNDS);
        if (known < 0)
            known = follow_decide(run, truth);
        if (!known)
            break;
        run->inner = of->node;
        flow = follow_statement(run, of->body, returned);
        run->inner = outer;
        if (flow == JUMP_BREAK || flow == JUMP_RETURN)
            break;
        run_step(run, of);
    }
    run->unrolled--;
    return flow == JUMP_RETURN ? flow : JUMP_ON;
}

static enum jump
any_loop(struct following *run, const json_t *node, struct c_value *returned)
{
    const struct loop_parts of = parts_of_loop(node);
    int scope = run->scope_count;
    enum jump flow = JUMP_ON;

    if (node_is(node, "ForStmt") && node_text(node_child(node, 0), "kind")[0])
        follow_statement(run, node_child(node, 0), returned);
    if (is_generic(run, node))
        generic_loop(run, &of);
    else
        flow = loop(run, &of, returned);
    follow_leave_block(run, scope);
    return flow;
}

/* ------------------------------------------------------------------ statements */

static enum jump
compound(struct following *run, const json_t *node, size_t from, struct c_value *returned)
{
    int scope = run->scope_count;
    term guard = run->guard;
    enum jump flow = JUMP_ON;

    for (size_t i = from; i < node_children(node) && flow == JUMP_ON; i++) {
        term skipped = run->skipped;
        const json_t *statement = node_child(node, i);

        run->at = statement;
        flow = node_is(statement, "IfStmt") ? branch(run, statement, node, i, returned)
                                            : follow_statement(run, statement, returned);
        if (run->skipped != skipped) /* some have gone on to the next round */
            run->guard = term_all(run->terms, run->guard, term_not(run->terms, run->skipped));
    }
    run->guard = guard;
    follow_leave_block(run, scope);
    return flow;
}

enum jump
follow_statement(struct following *run, const json_t *node, struct c_value *returned)
{
    const char *kind = node_text(node, "kind");
    const json_t *outer = run->at;
    enum jump flow = JUMP_ON;

    run->at = node;
    if (strcmp(kind, "CompoundStmt") == 0)
        flow = compound(run, node, 0, returned);
    else if (strcmp(kind, "DeclStmt") == 0)
        declaration(run, node);
    else if (strcmp(kind, "ReturnStmt") == 0) {
        *returned =
            node_children(node) > 0 ? follow_evaluate(run, node_child(node, 0)) : follow_value(VALUE_NONE, 0, 0);
        flow = JUMP_RETURN;
    } else if (strcmp(kind, "BreakStmt") == 0)
        flow = JUMP_BREAK;
    else if (strcmp(kind, "ContinueStmt") == 0)
        flow = JUMP_CONTINUE;
    else if (strcmp(kind, "IfStmt") == 0)
        flow = branch(run, node, NULL, 0, returned);
    else if (strcmp(kind, "ForStmt") == 0 || strcmp(kind, "WhileStmt") == 0 || strcmp(kind, "DoStmt") == 0)
        flow = any_loop(run, node, returned);
    else if (text_has_ending(kind, "Operator") || text_has_ending(kind, "Expr") || text_has_ending(kind, "Literal"))
        follow_evaluate(run, node);
    else if (strcmp(kind, "NullStmt") != 0)
        follow_refuse(run, "%s is not followed", words_construct(kind));
    run->at = outer;
    return flow;
}

/* What a parameter has of an argument, which a call without a prototype does not convert. */
static struct c_value
given_as(struct following *run, const json_t *parameter, struct c_value given)
{
    run->at = parameter;
    follow_check_pointer(run, node_type(parameter), given);
    if (given.kind == VALUE_NUMBER)
        return follow_fitting(run, node_type(parameter), given.a);
    return follow_is_length(given) ? follow_length_fitting(run, node_type(parameter), given) : given;
}

struct c_value
follow_call(struct following *run, struct c_function function, const struct c_value *arguments, int count)
{
    enum { DEPTH = 30 };
    int frame = run->frame, scope = run->scope_count, given = 0;
    size_t unit = run->unit;
    struct c_value returned = {.kind = VALUE_NONE};
    struct c_object *object;

    if (++run->depth > DEPTH)
        follow_refuse(run, "calls more than %d deep are not followed", DEPTH);
    run->unit = function.unit;
    for (size_t i = 0; i < node_children(function.node); i++) {
        const json_t *child = node_child(function.node, i);

        if (node_is(child, "ParmVarDecl")) {
            if (given >= count)
                follow_refuse(run, "this function has other parameters than are followed");
            object = follow_object(run, node_type(child));
            follow_store(run, object, given_as(run, child, arguments[given]));
            given++;
            follow_declare(run, node_text(child, "name"), object);
        }
    }
    run->frame = scope;
    if (node_children(function.node) == 0)
        follow_refuse(
            run,
            "a function is not followed whose name another has, or of whose parameters one is an array with a length");
    if (given != count)
        follow_refuse(run, "this function has other parameters than are followed");
    for (size_t i = 0; i < node_children(function.node); i++)
        if (node_is(node_child(function.node, i), "CompoundStmt"))
            follow_statement(run, node_child(function.node, i), &returned);
    run->depth--;
    run->frame = frame;
    follow_leave_block(run, scope);
    run->unit = unit;
    return returned;
}
