/* SPDX-License-Identifier: MIT */
/* Shared by all headers: visibility, statuses, one-line error messages. */
#ifndef PEAL_BASE_H
#define PEAL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PEAL_BEGIN extern "C" {
#define PEAL_END }
#else
#define PEAL_BEGIN
#define PEAL_END
#endif

#define PEAL_API __attribute__((visibility("default")))
#define PEAL_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Embed a struct: its members, and all of them under a name. */
#define PEAL_EMBED(tag, name, members)                                                                                 \
    __extension__ union {                                                                                              \
        struct tag name;                                                                                               \
        __extension__ struct {                                                                                         \
            members                                                                                                    \
        };                                                                                                             \
    }

PEAL_BEGIN

/* How a call or a run ended.  The values are the exit codes of the command. */
enum peal_status {
    PEAL_OK = 0,
    PEAL_FAILED = 1,    /* the node program failed: see struct peal_failure */
    PEAL_USAGE = 2,     /* bad input: the caller asked for something impossible */
    PEAL_PROGRAM = 3,   /* the user's file did not compile or load */
    PEAL_RESOURCES = 4, /* memory, threads, files: the system refused */
    PEAL_TIMEOUT = 124, /* the run took longer than allowed */
};

/* Why a call was refused: one line that says what, where, and what would be right. */
struct peal_error {
    enum peal_status status;
    char text[1000];
};

/* Fill *error (which may be NULL) and return its status.  A long text is cut after a whole character. */
PEAL_API enum peal_status peal_refuse(struct peal_error *error, enum peal_status status, const char *format, ...)
    PEAL_PRINTF(3, 4);

/* The version of the library, "1.2.3".  Constant, no need to free. */
PEAL_API const char *peal_version(void);

/* Read all of `text` as a size into *size: digits, then K, M, G (1000s) or Ki, Mi, Gi (1024s) or nothing.  *size is
 * unchanged on error.
 *
 *   errors   PEAL_USAGE when it is not a whole number in this form, or too large        */
PEAL_API enum peal_status peal_parse_size(const char *text, size_t *size, struct peal_error *error);

/* Give the one of `names` (NULL after the last) that the mistyped `word` is nearest to, NULL when none is near. */
PEAL_API const char *peal_suggest(const char *word, const char *const *names);

PEAL_END

#endif
