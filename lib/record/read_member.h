/* SPDX-License-Identifier: MIT */
/* Reading the members of an object that read_object has found.  A missing member, and any after a failure, reads as 0,
 * false or NULL.  Strings are the caller's to free. */
#ifndef LIB_TRACE_READ_MEMBER_H
#define LIB_TRACE_READ_MEMBER_H

#include "lib/record/read.h"

/* Go to a member that was found; false when it is missing.  Ends with read_leave. */
bool member_enter(struct reader *reader, const struct read_member *member);

/* Whether the value here is null; if so it is skipped. */
bool member_null(struct reader *reader);

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

#endif
