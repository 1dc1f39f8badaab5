/* SPDX-License-Identifier: MIT */
/* Expressions of C: values, places, calls. */
#include "lib/proof/follow_inside.h"
#include "lib/proof/words.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ branches of expressions */

struct outside
follow_enter_branch(struct following *run, const json_t *node, term truth, int branch)
{
    struct outside outside = {run->guard, run->branches, run->merge_count};

    if (run->branches >= EVENT_BRANCHES || run->merge_count >= EVENT_BRANCHES)
        follow_refuse(run, "too many branches within one another");
    run->guard = term_all(run->terms, run->guard, truth);
    run->branch[run->branches++] = branch;
    run->merging[run->merge_count].node = node;
    run->merging[run->merge_count++].loop = node_is(node, "ForStmt") || node_is(node, "WhileStmt");
    return outside;
}

void
follow_leave_branch(struct following *run, struct outside outside)
{
    run->guard = outside.guard;
    run->branches = outside.branches;
    run->merge_count = outside.merge_count;
}

bool
follow_same_value(const struct c_value *a, const struct c_value *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->number == b->number && a->to == b->to &&
           a->blocks == b->blocks && same_text(a->name, b->name);
}

bool
follow_merge(struct following *run, term truth, struct c_value a, struct c_value b, struct c_value *merged)
{
    struct terms *t = run->terms;

    *merged = a;
    if (follow_same_value(&a, &b))
        return true;
    if ((a.kind == VALUE_NUMBER || a.kind == VALUE_TRUTH) && (b.kind == VALUE_NUMBER || b.kind == VALUE_TRUTH)) {
        *merged = follow_value(VALUE_NUMBER, term_if(t, truth, follow_number(run, a), follow_number(run, b)), 0);
        return true;
    }
    if ((a.kind == VALUE_DATA || a.kind == VALUE_WORDS || a.kind == VALUE_LENGTH) && a.kind == b.kind &&
        a.number == b.number && a.to == b.to) {
        merged->a = term_if(t, truth, a.a, b.a);
        merged->b = a.kind == VALUE_WORDS ? term_if(t, truth, a.b, b.b) : a.b ? a.b : b.b;
        return true;
    }
    if (run->mpi && (a.kind == VALUE_REQUEST || b.kind == VALUE_REQUEST))
        return false; /* which is awaited by its handle alone */
    if (a.kind == VALUE_NONE || b.kind == VALUE_NONE) {
        *merged = follow_value(VALUE_NONE, 0, 0);
        return true;
    }
    return false;
}

bool
follow_is_fork(const struct following *run, const json_t *node)
{
    for (int i = 0; i < run->fork_count; i++)
        if (run->forks[i] == node)
            return true;
    return false;
}

struct c_value
follow_evaluate_seeing(struct following *run, const json_t *node, bool *changes)
{
    size_t journal = run->journal_count;
    int serials = run->serials, clock = run->clock;
    struct c_value value;

    run->journals++;
    value = follow_evaluate(run, node);
    run->journals--;
    *changes = run->clock != clock;
    for (size_t i = journal; i < run->journal_count; i++)
        *changes = *changes || run->journal[i].object->serial <= serials;
    run->journal_count = journal;
    return value;
}

/* Evaluate under a condition: the expression may neither change anything nor send. */
static struct c_value
evaluate_under(struct following *run, const json_t *node, const json_t *inner, term truth)
{
    struct outside outside = follow_enter_branch(run, node, truth, ++run->branch_count);
    bool changes;
    struct c_value value = follow_evaluate_seeing(run, inner, &changes);

    if (changes)
        follow_fork_at(run);
    follow_leave_branch(run, outside);
    return value;
}

static struct c_value
follow_conditional(struct following *run, const json_t *node)
{
    term truth = follow_truth(run, follow_evaluate(run, node_child(node, 0)));
    int known = follow_known(run, truth);
    struct c_value a, b, merged;

    if (known < 0 && follow_is_fork(run, node))
        known = follow_decide(run, truth);
    if (known >= 0)
        return follow_evaluate(run, node_child(node, known ? 1 : 2));
    a = evaluate_under(run, node, node_child(node, 1), truth);
    b = evaluate_under(run, node, node_child(node, 2), term_not(run->terms, truth));
    if (!follow_merge(run, truth, a, b, &merged)) {
        follow_enter_branch(run, node, truth, 0);
        follow_fork_at(run);
    }
    return merged;
}

static struct c_value
follow_logical(struct following *run, const json_t *node, bool all)
{
    struct terms *t = run->terms;
    term a = follow_truth(run, follow_evaluate(run, node_child(node, 0))), b;
    int known = follow_known(run, a);

    if (known >= 0 && known != all)
        return follow_value(VALUE_TRUTH, term_truth(t, !all), 0);
    if (known >= 0)
        return follow_value(VALUE_TRUTH, follow_truth(run, follow_evaluate(run, node_child(node, 1))), 0);
    b = follow_truth(run, evaluate_under(run, node, node_child(node, 1), all ? a : term_not(t, a)));
    return follow_value(VALUE_TRUTH, all ? term_all(t, a, b) : term_any(t, a, b), 0);
}

/* ------------------------------------------------------------------ places */

struct c_object *
follow_variable(struct following *run, const char *name)
{
    for (int i = run->scope_count - 1; i >= run->frame; i--)
        if (strcmp(run->scope[i].name, name) == 0)
            return run->scope[i].object;
    return NULL;
}

/* The member that an expression names, of the struct's declaration that is known: an expression may declare another. */
static struct c_object *
named_member(struct following *run, struct c_object *object, const json_t *node)
{
    const json_t *fields = json_object_get(run->sources->units[run->unit].records, object->type);

    for (size_t i = 0; i < json_array_size(fields); i++)
        if (strcmp(json_string_value(json_array_get(json_array_get(fields, i), 2)),
                   node_text(node, "referencedMemberDecl")) == 0)
            return follow_field(run, object, node_text(node, "name"));
    follow_refuse(run, "the member %s is not followed", node_text(node, "name"));
}

/* The address of what an expression names. */
static struct c_value
follow_lvalue(struct following *run, const json_t *node)
{
    const char *kind = node_text(node, "kind");
    struct c_value place = {.kind = VALUE_PLACE};
    const json_t *inner = node_child(node, 0);

    if (strcmp(kind, "ParenExpr") == 0)
        return follow_lvalue(run, inner);
    if (strcmp(kind, "DeclRefExpr") == 0) {
        const char *name = node_text(json_object_get(node, "referencedDecl"), "name");

        if (!(place.to = follow_variable(run, name)))
            follow_refuse(run, "the variable %s is not followed: it is not local to the function", name);
        return place;
    }
    if (strcmp(kind, "MemberExpr") == 0) {
        struct c_value base =
            json_is_true(json_object_get(node, "isArrow")) ? follow_evaluate(run, inner) : follow_lvalue(run, inner);

        place.to = named_member(run, follow_at(run, base), node);
        return place;
    }
    if (strcmp(kind, "ArraySubscriptExpr") == 0) {
        struct operands operands = follow_operands(run);

        place = follow_evaluate(run, inner);
        follow_operand_next(run, &operands);
        struct c_value index = follow_evaluate(run, node_child(node, 1));

        follow_operand_next(run, &operands);
        if (place.kind == VALUE_DATA) /* the address of words */
            return follow_operate(run, node_type(inner), "+", place, index);
        if (place.kind != VALUE_PLACE || !place.a)
            follow_refuse(run, "an element of this is not followed");
        place.a = term_plus(run->terms, place.a, follow_number(run, index));
        return place;
    }
    if (strcmp(kind, "UnaryOperator") == 0 && node_text(node, "opcode")[0] == '*')
        return follow_evaluate(run, inner);
    if (strcmp(kind, "CompoundLiteralExpr") == 0) {
        place.to = follow_object(run, node_type(node));
        follow_declare(run, "", place.to);
        follow_initialise(run, place.to, inner);
        return place;
    }
    struct c_value value = follow_evaluate(run, node);

    if (value.kind != VALUE_STRUCT)
        follow_refuse(run, "a place of kind %s is not followed", kind);
    place.to = value.to;
    return place;
}

static struct c_value
step(struct following *run, const json_t *node, const char *opcode)
{
    const json_t *inner = node_child(node, 0);
    struct c_object *object = follow_at(run, follow_lvalue(run, inner));
    struct c_value before = follow_load(run, object), after;

    after = follow_operate(run, node_type(inner), opcode[0] == '+' ? "+" : "-", before,
                           follow_value(VALUE_NUMBER, term_number(run->terms, 1), 0));
    follow_store(run, object, after);
    return json_is_true(json_object_get(node, "isPostfix")) ? before : after;
}

/* ------------------------------------------------------------------ expressions */

static struct c_value
unary(struct following *run, const json_t *node)
{
    const char *opcode = node_text(node, "opcode");
    struct terms *t = run->terms;
    struct c_value value;

    if (strcmp(opcode, "++") == 0 || strcmp(opcode, "--") == 0)
        return step(run, node, opcode);
    if (opcode[0] == '&')
        return follow_lvalue(run, node_child(node, 0));
    if (opcode[0] == '*')
        return follow_load(run, follow_at(run, follow_evaluate(run, node_child(node, 0))));
    value = follow_evaluate(run, node_child(node, 0));
    switch (opcode[0]) {
    case '!':
        return follow_value(VALUE_TRUTH, term_not(t, follow_truth(run, value)), 0);
    case '-':
        return follow_fitting(run, node_type(node), term_minus(t, term_number(t, 0), follow_number(run, value)));
    case '~':
        return follow_fitting(run, node_type(node), term_sum(t, -1, follow_number(run, value), 0, t->P, -1));
    case '+':
    case '_': /* __extension__ */
        return value;
    default:
        follow_refuse(run, "the operator %s is not followed", opcode);
    }
}

static struct c_value
binary(struct following *run, const json_t *node)
{
    const char *opcode = node_text(node, "opcode");
    struct operands operands = follow_operands(run);
    struct c_value left, right;

    if (strcmp(opcode, "&&") == 0 || strcmp(opcode, "||") == 0)
        return follow_logical(run, node, opcode[0] == '&');
    if (opcode[0] == ',') {
        follow_evaluate(run, node_child(node, 0));
        return follow_evaluate(run, node_child(node, 1));
    }
    const bool stores = strcmp(opcode, "=") == 0;

    left = stores ? follow_lvalue(run, node_child(node, 0)) : follow_evaluate(run, node_child(node, 0));
    follow_operand_next(run, &operands);
    right = follow_evaluate(run, node_child(node, 1));
    follow_operand_next(run, &operands);
    if (!stores)
        return follow_operate(run, node_type(node), opcode, left, right);
    struct c_object *object = follow_at(run, left);

    if (object->expression == operands.expression && object->written)
        follow_refuse(run, "a variable that is changed twice, in an order that C does not say");
    follow_store(run, object, right);
    return right;
}

void
follow_check_pointer(struct following *run, const char *type, struct c_value value)
{
    const char *of, *star;
    size_t length, own;

    if (value.kind != VALUE_PLACE)
        return;
    of = value.to->type;
    type = follow_plain_type(type);
    star = strrchr(type, '*');
    length = star ? (size_t)(star - type) : 0;
    own = value.a && strrchr(of, '[') ? (size_t)(strrchr(of, '[') - of) : strlen(of);
    while (length > 0 && type[length - 1] == ' ')
        length--;
    while (own > 0 && of[own - 1] == ' ')
        own--;
    if (length == 4 && strncmp(type, "void", 4) == 0)
        return;
    if (length != own || strncmp(type, of, length) != 0)
        follow_refuse(run, "the address of %s as %s is not followed", of, type);
}

static struct c_value
cast(struct following *run, const json_t *node)
{
    const char *kind = node_text(node, "castKind");
    const json_t *inner = node_child(node, 0);
    struct c_value value;

    if (strcmp(kind, "NullToPointer") == 0)
        return follow_value(VALUE_NULL, 0, 0);
    if (strcmp(kind, "ArrayToPointerDecay") == 0) {
        while (node_is(inner, "UnaryOperator") && node_text(inner, "opcode")[0] == '_') /* __extension__ */
            inner = node_child(inner, 0);
        if (node_is(inner, "StringLiteral") || node_is(inner, "PredefinedExpr"))
            return follow_value(VALUE_OTHER, 0, 0);
        value = follow_lvalue(run, inner);
        if (!follow_at(run, value)->is_array)
            follow_refuse(run, "this array is not followed");
        value.to = follow_at(run, value);
        value.a = term_number(run->terms, 0);
        return value;
    }
    if (strcmp(kind, "FunctionToPointerDecay") == 0)
        return (struct c_value){.kind = VALUE_FUNCTION,
                                .name = node_text(json_object_get(inner, "referencedDecl"), "name")};
    if (strcmp(kind, "ToVoid") == 0 && node_is(inner, "DeclRefExpr"))
        return follow_value(VALUE_NONE, 0, 0);
    value = follow_evaluate(run, inner);
    if (strcmp(kind, "IntegralToBoolean") == 0 || strcmp(kind, "PointerToBoolean") == 0)
        return follow_value(VALUE_TRUTH, follow_truth(run, value), 0);
    if (strcmp(kind, "IntegralCast") == 0 && follow_is_length(value))
        return follow_length_fitting(run, node_type(node), value);
    if (strcmp(kind, "IntegralToPointer") == 0) /* a handle of MPI's, MPI_IN_PLACE */
        return follow_value(VALUE_OTHER, follow_number(run, value), 0);
    if (strcmp(kind, "IntegralCast") == 0)
        return value.kind == VALUE_OTHER ? value : follow_fitting(run, node_type(node), follow_number(run, value));
    if (strcmp(kind, "BitCast") == 0)
        follow_check_pointer(run, node_type(node), value);
    if (strcmp(kind, "LValueToRValue") == 0 || strcmp(kind, "NoOp") == 0 || strcmp(kind, "BitCast") == 0 ||
        strcmp(kind, "ToVoid") == 0)
        return value;
    follow_refuse(run, "%s is not followed", words_construct(kind));
}

/* The function that `algorithm.run.collective` or a name calls. */
static struct c_function
callee(struct following *run, const json_t *node, const char **name)
{
    struct c_function function = {.node = NULL};
    enum peal_status status;

    while (node_is(node, "ImplicitCastExpr") || node_is(node, "ParenExpr"))
        node = node_child(node, 0);
    *name = "";
    if (node_is(node, "MemberExpr") && node_is(node_child(node, 0), "MemberExpr") &&
        strcmp(node_text(node_child(node, 0), "name"), "run") == 0) {
        const json_t *base = node_child(node_child(node, 0), 0);
        const char *algorithm = node_text(json_object_get(base, "referencedDecl"), "name");

        if (json_object_get(run->sources->units[run->unit].variables, algorithm)) /* another one of this name */
            follow_refuse(run, "a call through a pointer is not followed");
        status = sources_algorithm(run->sources, algorithm, &function, &run->error);
    } else if (node_is(node, "DeclRefExpr") &&
               strcmp(node_text(json_object_get(node, "referencedDecl"), "kind"), "FunctionDecl") == 0) {
        *name = node_text(json_object_get(node, "referencedDecl"), "name");
        return function;
    } else {
        follow_refuse(run, "a call through a pointer is not followed");
    }
    if (status != PEAL_OK || !function.node)
        follow_refuse(run, "this algorithm is not followed");
    return function;
}

static struct c_value
follow_call_expression(struct following *run, const json_t *node)
{
    enum { ARGUMENTS = 16 };
    struct c_value arguments[ARGUMENTS], result = {.kind = VALUE_NONE};
    int count = (int)node_children(node) - 1;
    const char *name;
    struct c_function function = callee(run, node_child(node, 0), &name);
    uint64_t site = run->site;
    struct operands operands = follow_operands(run);

    if (count > ARGUMENTS)
        follow_refuse(run, "a call with more than %d arguments is not followed", ARGUMENTS);
    for (int i = 0; i < count; i++) {
        arguments[i] = follow_evaluate(run, node_child(node, (size_t)i + 1));
        follow_operand_next(run, &operands);
    }
    run->at = node;
    run->site = map_mix(site, (uint64_t)(uintptr_t)node);
    if (!function.node && strncmp(name, "peal_", 5) != 0) /* a function that the file defines is followed itself */
        function = (struct c_function){json_object_get(run->sources->units[run->unit].functions, name), run->unit};
    if (function.node || !follow_model(run, name, arguments, count, &result)) {
        if (!function.node && sources_function(run->sources, run->unit, name, &function, &run->error) != PEAL_OK)
            follow_refuse(run, "this function is not followed");
        if (!function.node)
            follow_refuse(run, "the function %s is not followed", name);
        result = run->call(run, function, arguments, count);
    }
    run->site = site;
    return result;
}

static void
initialise_list(struct following *run, struct c_object *object, const json_t *node)
{
    const json_t *filler = json_object_get(node, "array_filler");
    size_t from = filler ? 1 : 0, count = filler ? json_array_size(filler) : node_children(node);
    struct operands operands = follow_operands(run);

    if (object->is_struct && !filler && count == (size_t)object->count) {
        for (size_t i = 0; i < count; i++) {
            const json_t *field = json_array_get(object->fields, i);

            follow_initialise(run, follow_field(run, object, json_string_value(json_array_get(field, 0))),
                              node_child(node, i));
            follow_operand_next(run, &operands);
        }
        return;
    }
    if (!object->is_array)
        follow_refuse(run, "how %s is initialised is not followed", object->type);
    follow_clear(run, object);
    for (size_t i = from; i < count; i++) {
        follow_initialise(run, follow_element(run, object, term_number(run->terms, (int64_t)(i - from))),
                          filler ? json_array_get(filler, i) : node_child(node, i));
        follow_operand_next(run, &operands);
    }
}

void
follow_initialise(struct following *run, struct c_object *object, const json_t *node)
{
    if (node_is(node, "ImplicitValueInitExpr"))
        follow_clear(run, object);
    else if (node_is(node, "InitListExpr") && (object->is_struct || object->is_array)) {
        run->nested++;
        initialise_list(run, object, node);
        run->nested--;
    } else if (node_is(node, "InitListExpr"))
        follow_store(run, object, follow_evaluate(run, node_child(node, 0)));
    else
        follow_store(run, object, follow_evaluate(run, node));
}

static struct c_value
initialised(struct following *run, const json_t *node)
{
    struct c_object *object = follow_object(run, node_type(node));

    if (!object->is_struct)
        follow_refuse(run, "a literal of type %s is not followed", node_type(node));
    follow_initialise(run, object, node);
    return (struct c_value){.kind = VALUE_STRUCT, .to = object};
}

/* The size of an int, an address, or a word. */
static struct c_value
size_of(struct following *run, const json_t *node)
{
    static const char *const words[] = {"long", "unsigned long", "long long", "double", NULL};
    const char *type = node_other_type(node, "argType");

    type = type[0] ? type : node_type(node_child(node, 0));
    follow_check_lengths(run, type);
    if (strcmp(follow_plain_type(type), "int") == 0)
        return follow_value(VALUE_NUMBER, term_number(run->terms, sizeof(int)), 0);
    if (text_has_ending(type, "*"))
        return follow_value(VALUE_NUMBER, term_number(run->terms, sizeof(void *)), 0);
    if (names_have(words, follow_plain_type(type)))
        return follow_value(VALUE_WORD_BYTES, term_number(run->terms, 1), 0);
    return follow_value(VALUE_OTHER, 0, 0);
}

/* `a += b`: a is converted to the type in which both are added, and the sum to that of a. */
static struct c_value
compound_assignment(struct following *run, const json_t *node)
{
    struct operands operands = follow_operands(run);
    struct c_object *object = follow_at(run, follow_lvalue(run, node_child(node, 0)));
    struct c_value left = follow_load(run, object), right;
    const char *type = node_other_type(node, "computeResultType");
    char opcode[4];

    snprintf(opcode, sizeof opcode, "%s", node_text(node, "opcode"));
    opcode[strlen(opcode) - 1] = '\0';
    follow_operand_next(run, &operands);
    right = follow_evaluate(run, node_child(node, 1));
    follow_operand_next(run, &operands);
    if (left.kind == VALUE_NUMBER || left.kind == VALUE_TRUTH)
        left = follow_fitting(run, node_other_type(node, "computeLHSType"), follow_number(run, left));
    left = follow_operate(run, type, opcode, left, right);
    if (left.kind == VALUE_NUMBER)
        left = follow_fitting(run, node_type(node), left.a);
    else if (follow_is_length(left))
        left = follow_length_fitting(run, node_type(node), left);
    follow_store(run, object, left);
    return left;
}

static struct c_value
follow_expression(struct following *run, const json_t *node)
{
    const char *kind = node_text(node, "kind");
    json_t *constant;
    struct c_value value;

    if (strcmp(kind, "ImplicitCastExpr") == 0 || strcmp(kind, "CStyleCastExpr") == 0)
        return cast(run, node);
    if (strcmp(kind, "ParenExpr") == 0 || strcmp(kind, "ConstantExpr") == 0)
        return follow_evaluate(run, node_child(node, 0));
    if (strcmp(kind, "IntegerLiteral") == 0)
        return follow_value(VALUE_NUMBER, term_number(run->terms, strtoll(node_text(node, "value"), NULL, 10)), 0);
    if (strcmp(kind, "DeclRefExpr") == 0 &&
        strcmp(node_text(json_object_get(node, "referencedDecl"), "kind"), "EnumConstantDecl") == 0) {
        constant = json_object_get(run->sources->units[run->unit].constants,
                                   node_text(json_object_get(node, "referencedDecl"), "name"));
        if (!constant || strcmp(json_string_value(json_array_get(constant, 1)),
                                node_text(json_object_get(node, "referencedDecl"), "id")) != 0)
            follow_refuse(run, "this constant is not followed");
        return follow_value(VALUE_NUMBER, term_number(run->terms, json_integer_value(json_array_get(constant, 0))), 0);
    }
    if (strcmp(kind, "DeclRefExpr") == 0 || strcmp(kind, "MemberExpr") == 0 || strcmp(kind, "ArraySubscriptExpr") == 0)
        return follow_load(run, follow_at(run, follow_lvalue(run, node)));
    if (strcmp(kind, "UnaryOperator") == 0)
        return unary(run, node);
    if (strcmp(kind, "BinaryOperator") == 0)
        return binary(run, node);
    if (strcmp(kind, "CompoundAssignOperator") == 0) {
        return compound_assignment(run, node);
    }
    if (strcmp(kind, "ConditionalOperator") == 0)
        return follow_conditional(run, node);
    if (strcmp(kind, "CallExpr") == 0)
        return follow_call_expression(run, node);
    if (strcmp(kind, "CompoundLiteralExpr") == 0)
        return follow_evaluate(run, node_child(node, 0));
    if (strcmp(kind, "InitListExpr") == 0)
        return initialised(run, node);
    if (strcmp(kind, "StmtExpr") == 0) {
        value = follow_value(VALUE_NONE, 0, 0);
        if (run->statement(run, node_child(node, 0), &value) != JUMP_ON)
            follow_refuse(run, "a jump out of an expression is not followed");
        return follow_value(VALUE_NONE, 0, 0);
    }
    if (strcmp(kind, "UnaryExprOrTypeTraitExpr") == 0 && strcmp(node_text(node, "name"), "sizeof") == 0)
        return size_of(run, node);
    for (size_t i = 0; strcmp(kind, "GenericSelectionExpr") == 0 && i < node_children(node); i++)
        if (json_is_true(json_object_get(node_child(node, i), "selected")))
            return follow_evaluate(run, node_child(node_child(node, i), node_children(node_child(node, i)) - 1));
    if (strcmp(kind, "StringLiteral") == 0)
        return follow_value(VALUE_OTHER, 0, 0);
    follow_refuse(run, "%s is not followed", words_construct(kind));
}

struct c_value
follow_evaluate(struct following *run, const json_t *node)
{
    enum { STEPS = 4000000 };
    const json_t *outer = run->at;
    struct c_value value;

    if (node_text(node, "kind")[0]) /* else nothing is there: clang's tree has an empty place */
        run->at = node;
    follow_check_lengths(run, node_type(node));
    if (++run->steps > STEPS)
        follow_refuse(run, "it takes more than %d steps to follow", STEPS);
    run->nested++;
    value = follow_expression(run, node);
    if (--run->nested == 0)
        run->touch_count = 0;
    run->at = outer;
    return value;
}
