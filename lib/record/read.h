/* SPDX-License-Identifier: MIT */
/* Reading a JSON document from memory, value by value.  The first mistake is reported with its line, column and
 * place in the document; from then on every call does nothing, so that the caller asks once, at the end. */
#pragma once

#include "lib/base/private.h"

enum { READ_DEPTH = 64 }; /* the most objects and lists nested in one another */

/* One step from a value to one inside it: the member `key`, or, for NULL, the element `index`. */
struct read_step {
    const char *key;
    size_t index;
    const char *next; /* where reading goes on after a member, which is read out of order; NULL: after the value */
};

/* Fill with {.name, .begin, .at = begin, .end, .error}. */
struct reader {
    const char *name; /* of the file */
    const char *begin, *at, *end;
    struct peal_error *error; /* not NULL */
    bool failed;
    struct read_step path[READ_DEPTH]; /* to what is read now; for messages */
    int depth;
};

/* Refuse the value that begins at `where`: "run.json, line 3, column 8: rounds[0].charge: ...". */
void read_refuse(struct reader *reader, const char *where, const char *format, ...) PEAL_PRINTF(3, 4);
void read_no_memory(struct reader *reader);

/* Go to a member or an element of the value that is read now, and back. */
void read_enter(struct reader *reader, const char *key, size_t index);
void read_leave(struct reader *reader);

/* What the next value is: '{', '[', '"', '0' for a number, 't' for a boolean, 'n' for null; 0 when it is not a value,
 * or the reader has failed. */
char read_kind(struct reader *reader);

/* Values.  After a failure they return 0, false or NULL.  A string is the caller's to free. */
uint64_t read_uint(struct reader *reader, uint64_t least, uint64_t most);
double read_number(struct reader *reader); /* finite and not negative */
bool read_bool(struct reader *reader);
char *read_string(struct reader *reader);
char *read_plain(struct reader *reader);       /* a string without characters that control a terminal */
long double read_value(struct reader *reader); /* any number; nan and inf are strings */
void read_skip(struct reader *reader);

/* Read one of these words (NULL after the last); gives its place. */
size_t read_word(struct reader *reader, const char *const *words);

/* A member of an object: where its value begins, for reading it in any order. */
struct read_member {
    const char *key;
    bool optional;
    const char *value; /* NULL: missing */
};
#define NEEDED(name) ((struct read_member){.key = (name)})
#define OPTIONAL(name) ((struct read_member){.key = (name), .optional = true})

/* Read an object: find the value of each of `members`, and skip the others.  Refuses an object that lacks
 * one or has one twice. */
void read_object(struct reader *reader, struct read_member *members, size_t count);

/* Read `[`; then say, before each element, whether there is one.  *index starts as 0 and counts. */
void read_list(struct reader *reader);
bool read_element(struct reader *reader, size_t index);

/* Read "[3, 0, 5]", JSON that a record has unchanged; *numbers is NULL for NULL.
 *
 *   owner    the caller frees *numbers, also after an error
 *   errors   PEAL_USAGE when it is not a list of whole numbers; PEAL_RESOURCES without memory       */
enum peal_status read_numbers(const char *text, size_t **numbers, int *count, struct peal_error *error);

/* The elements of the list that begins here; stays here. */
size_t read_count(struct reader *reader);

/* Go to a member that was found; false when it is missing.  Ends with read_leave. */
bool member_enter(struct reader *reader, const struct read_member *member);

/* Whether the value here is null; if so it is skipped. */
bool member_null(struct reader *reader);

bool member_bool(struct reader *reader, const struct read_member *member);
char *member_text(struct reader *reader, const struct read_member *member);

/* A string, or NULL for null or a missing member. */
char *member_optional_text(struct reader *reader, const struct read_member *member);
uint64_t member_uint(struct reader *reader, const struct read_member *member, uint64_t least, uint64_t most);

/* A number, or 0 for null; *there says which. */
uint64_t member_optional_uint(struct reader *reader, const struct read_member *member, uint64_t most, bool *there);

/* A parameter of the machine. */
double member_parameter(struct reader *reader, const struct read_member *member);
size_t member_word(struct reader *reader, const struct read_member *member, const char *const *words);

/* The value's JSON, unchanged; NULL for null. */
char *member_copy(struct reader *reader, const struct read_member *member);

/* Part of a JSON document, as text. */
struct peal_json_span {
    const char *begin, *end;
};

/* Find the value of a member of an object; {NULL, NULL} without such a member.  Move `element`, {NULL, NULL} at first,
 * to the list's next one; false after the last. */
PEAL_PRIVATE struct peal_json_span peal_json_member(struct peal_json_span object, const char *key);
PEAL_PRIVATE bool peal_json_next(struct peal_json_span list, struct peal_json_span *element);
