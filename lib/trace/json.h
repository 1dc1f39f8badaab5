/* SPDX-License-Identifier: MIT */
/* Writing a JSON document as it comes.  Commas, quotes, escapes and indentation are put here; the caller opens and closes
 * in pairs and says where a line ends. */
#ifndef LIB_TRACE_JSON_H
#define LIB_TRACE_JSON_H

#include <peal/base.h>
#include <stdio.h>

/* Fill with {.out = stream}. */
struct json {
    FILE *out;
    int depth;      /* how many objects and lists are open */
    bool follows;   /* something was written in the innermost one, so a comma is due */
    bool new_line;  /* what is next starts a line */
    bool after_key; /* what is next is the value of a key */
};

/* Start what comes next on a line of its own. */
void json_break(struct json *json);

void json_open(struct json *json, char bracket);  /* '{' or '[' */
void json_close(struct json *json, char bracket); /* '}' or ']' */
void json_key(struct json *json, const char *key);

/* Values.  A string may hold any bytes: those that are not UTF-8 become U+FFFD; NULL becomes null. */
void json_string(struct json *json, const char *text);
void json_int(struct json *json, int64_t value);
void json_uint(struct json *json, uint64_t value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
/* The shortest decimal that reads back as `value`; no fraction when it is integral; null when it is not finite. */
void json_number(struct json *json, double value);
/* The same, with a fraction also when it is integral: 1.0. */
void json_ratio(struct json *json, double value);
/* A value that is JSON already, as it stands; null for NULL. */
void json_text(struct json *json, const char *text);

/* The bytes of the UTF-8 character that s, which ends with a zero byte, begins with; 0 when it begins with none (overlong
 * and surrogates included). */
int json_character(const unsigned char *s);

#endif
