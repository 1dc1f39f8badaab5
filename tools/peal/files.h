/* SPDX-License-Identifier: MIT */
/* Reading a whole file, and writing one that is either complete or not there. */
#ifndef PEAL_FILES_H
#define PEAL_FILES_H

#include <peal/base.h>
#include <stdio.h>

/* Open a file to read it; NULL: *error says why.  Where it is a pipe with a name it waits until something is written, and
 * after a moment says on stderr that nobody does; one that nobody opens for writing is waited for PEAL_INPUT_SECONDS.
 *
 *   blocks   for such a pipe
 *   errors   PEAL_USAGE */
FILE *file_open(const char *path, struct peal_error *error);

/* Say on stderr that the file is a pipe with a name, if it is, before others open it: they wait without a word. */
void file_note_pipe(const char *path);

/* Read the whole of `path` into *bytes.
 *
 *   owner    the caller frees *bytes
 *   errors   PEAL_USAGE when it cannot be read, has no bytes, or does not end (a device after a GiB); PEAL_RESOURCES
 *            without memory, and of a file that is larger than half of it                       */
enum peal_status file_read(const char *path, void **bytes, size_t *count, struct peal_error *error);

/* The same of what is no regular file with only its first `most` bytes; *more: it has more of them. */
enum peal_status file_read_most(const char *path, size_t most, void **bytes, size_t *count, bool *more,
                                struct peal_error *error);

/* Go back to the directory in which the command was started, which a program may have left. */
void directory_return(void);

/* A file being written: what goes to `stream` is in a temporary file beside it until output_commit renames that.  A relative
 * name is one of the directory in which the command was started, wherever it is now; a symbolic link stays, and the file
 * that it leads to is written.
 * Something that is no regular file (a pipe, /dev/null) is written directly.  Zeroed is none. */
struct output {
    FILE *stream; /* NULL: none */
    const char *path;
    char *target;    /* the path, absolute, with its last symbolic links followed */
    char *temporary; /* NULL: written directly */
    int why;         /* errno of the first write that failed; 0 */
};

/* Open an output before the work begins.
 *
 *   owner    borrows path; the caller ends it with output_commit or output_discard
 *   errors   PEAL_USAGE when the file could not be written                                     */
enum peal_status output_open(struct output *output, const char *path, struct peal_error *error);

/* Write bytes; what fails is told by output_commit. */
void output_write(struct output *output, const void *bytes, size_t count);

/* Finish: the file is complete under its name when this returns PEAL_OK.  Else there is nothing new, and what was there is
 * as before.
 *
 *   errors   PEAL_RESOURCES when writing failed                                                */
enum peal_status output_commit(struct output *output, struct peal_error *error);
void output_discard(struct output *output);

/* Flush standard output.  errors: PEAL_RESOURCES when something printed on it was lost */
enum peal_status output_flush(struct peal_error *error);

/* Note the directory in which the command was started.  See to it that a signal that ends the command leaves no temporary file, that a write beyond a limit is an error rather than
 * a signal, and that where standard input, output or errors are closed no other file takes their place: what is written there
 * fails. */
void output_guard(void);

/* Find out whether the file of this name and ending could be opened so, and leave all as it is.  What is no regular file is
 * not tried.
 *
 *   errors   as output_open */
enum peal_status output_try(const char *name, const char *ending, struct peal_error *error);

/* From here on write nothing: files that are opened lead nowhere.  For processes of which another one writes. */
void output_silence(void);

#endif
