/* SPDX-License-Identifier: MIT */
/* What the files of a run share. */
#pragma once

#include "lib/proof/follow.h"

/* Why a path is left. */
enum { STOP_REFUSED = 1, STOP_AGAIN, STOP_LOG };

_Noreturn void follow_no_memory(struct following *run);

/* 1: it holds here; 0: it never does; -1: neither is known. */
int follow_known(struct following *run, term truth);

/* Take one of two ways; another path takes the other, if both are possible. */
bool follow_decide(struct following *run, term truth);

/* Take one of several ways, without asking whether it is possible.  last: no path takes another; that the ways are all
 * cases is an obligation of the proof. */
bool follow_decide_unasked(struct following *run, term truth, bool last);

/* The outermost branch that is merged is to be two paths: run again from the beginning. */
_Noreturn void follow_fork_at(struct following *run);

/* Run again from the beginning, as more is known now. */
_Noreturn void follow_again(struct following *run);

/* A type without const. */
const char *follow_plain_type(const char *type);

/* A length of an array that is not a number is computed where its type is named, which the tree does not show. */
void follow_check_lengths(struct following *run, const char *type);

/* Make all of an object zero. */
void follow_clear(struct following *run, struct c_object *object);

/* An address must have its object's type, or that of void, through which nothing is read: through another type another
 * number would be read or written. */
void follow_check_pointer(struct following *run, const char *type, struct c_value value);

struct c_value follow_evaluate(struct following *run, const json_t *node);

/* Evaluate what should change nothing and send nothing; *changes: it does. */
struct c_value follow_evaluate_seeing(struct following *run, const json_t *node, bool *changes);

/* Operands whose order C does not say: none may change what another reads or changes.  Begin before the first one, and
 * call _next after each. */
struct operands {
    int expression, operand;
    size_t from;
};
struct operands follow_operands(struct following *run);
void follow_operand_next(struct following *run, struct operands *operands);
void follow_touch(struct following *run, struct c_object *object, bool writes);

/* Variables, in the order of their declarations; those of a block that is left are gone. */
void follow_declare(struct following *run, const char *name, struct c_object *object);
struct c_object *follow_variable(struct following *run, const char *name); /* NULL: the function has none */
void follow_leave_block(struct following *run, int scope_count);
bool follow_is_fork(const struct following *run, const json_t *node); /* such a node becomes two paths */
struct c_value follow_call(struct following *run, struct c_function function, const struct c_value *arguments,
                           int count);
/* The number, which must lie in the range of the type: there is no overflow, and no wrap. */
struct c_value follow_fitting(struct following *run, const char *type, term a);
/* A length that is converted to the type. */
bool follow_is_length(struct c_value value);
struct c_value follow_length_fitting(struct following *run, const char *type, struct c_value length);
/* An operation whose result has the type. */
struct c_value follow_operate(struct following *run, const char *type, const char *opcode, struct c_value left,
                              struct c_value right);
term follow_truth(struct following *run, struct c_value value);

bool follow_same_value(const struct c_value *a, const struct c_value *b);

/* One value whichever of the two ways was taken; VALUE_NONE where that is not followed. */
bool follow_merge(struct following *run, term truth, struct c_value a, struct c_value b, struct c_value *merged);

/* Under a further condition, a branch of this node, until follow_leave_branch. */
struct outside {
    term guard;
    int branches, merge_count;
};
struct outside follow_enter_branch(struct following *run, const json_t *node, term truth, int branch);
void follow_leave_branch(struct following *run, struct outside outside);

enum jump follow_statement(struct following *run, const json_t *node, struct c_value *returned);
void follow_initialise(struct following *run, struct c_object *object, const json_t *node);
