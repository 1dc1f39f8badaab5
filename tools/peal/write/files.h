/* SPDX-License-Identifier: MIT */
/* Reading a whole file, and writing one that is either complete or absent. */
#pragma once

#include <peal/base.h>
#include <stdio.h>

/* Open a file to read it; NULL with *error.  On a named pipe it waits until something is written, and
 * after a moment reports the wait on stderr; for a writer to open the pipe it waits PEAL_INPUT_SECONDS.
 *
 *   blocks   for such a pipe
 *   errors   PEAL_USAGE */
FILE *file_open(const char *path, struct peal_error *error);

/* If the file is a named pipe, report that on stderr before others open it, since they wait silently. */
void file_note_pipe(const char *path);

/* Read all of `path` into *bytes, which a zero byte follows.
 *
 *   owner    the caller frees *bytes
 *   errors   PEAL_USAGE when it cannot be read, is empty, or does not end (a device after a GiB); PEAL_RESOURCES
 *            when out of memory, or for a file that is larger than half of it                       */
enum peal_status file_read(const char *path, void **bytes, size_t *count, struct peal_error *error);

/* Read an untrusted document, of at most 64 MiB, or as many as were allowed last (0: 64). */
enum peal_status file_read_document(const char *path, void **bytes, size_t *count, struct peal_error *error);
void file_allow(int mebibytes);

/* Read a file; if it is not regular, only the first `most` bytes; *more: it has more. */
enum peal_status file_read_most(const char *path, size_t most, void **bytes, size_t *count, bool *more,
                                struct peal_error *error);

/* Go back to the directory in which the command was started, which a program may have left. */
void directory_return(void);

/* A file being written: the output of `stream` is in a temporary file beside it until output_commit renames that.  A
 * relative name is relative to the directory in which the command was started; a symbolic link stays, and the file
 * that it points to is written.
 * A file that is not regular (a pipe, /dev/null) is written directly.  Zeroed means no output. */
struct output_file {
    FILE *stream; /* NULL: none */
    const char *path;
    char *target;    /* the path, absolute, without symbolic links; NULL: written directly */
    char *temporary; /* NULL: written directly */
    int why;         /* errno of the first write that failed; 0 */
};

/* Note that the command reads this file, if it is a regular one: no output may replace it from now on. */
void output_spare(const char *path);

/* Open an output before the work begins.
 *
 *   owner    borrows path; the caller ends it with output_commit or output_discard
 *   errors   PEAL_USAGE when the file could not be written, or is one that the command reads   */
enum peal_status output_open(struct output_file *output, const char *path, struct peal_error *error);

/* Finish: the file is complete under its name when this returns PEAL_OK.  Otherwise no file is new, and an old one is
 * unchanged.
 *
 *   errors   PEAL_RESOURCES when writing failed                                                */
enum peal_status output_commit(struct output_file *output, struct peal_error *error);
void output_discard(struct output_file *output);

/* Flush standard output.  errors: PEAL_RESOURCES when something printed on it was lost */
enum peal_status output_flush(struct peal_error *error);

/* Note the directory in which the command was started.  Ensure that a signal that ends the command leaves no temporary
 * file, that a write beyond a limit is an error rather than a signal, and that no file takes the place of a closed
 * standard input, output or error stream: writing there fails. */
void output_guard(void);

/* Check whether the file of this name and ending could be opened for output, without changing anything.  A file that is
 * not regular is not tried.
 *
 *   errors   as output_open */
enum peal_status output_try(const char *name, const char *ending, struct peal_error *error);

/* From here on write nothing: opened files discard it.  For processes of a job in which another one writes. */
void output_silence(void);

/* Run a command without output; false unless it ends with 0. */
bool command_succeeds(char *const words[]);

/* Whether node is there, and for pixels rsvg-convert; if not, *why is the line that names the package.  Call it before
 * the work begins. */
bool picture_available(bool pixels, const char **why);

/* Draw the picture of a page that was written to the file `page` and write it to `out`, an SVG file, or, in pixels, a
 * PNG file.  view: as in "network:2"; NULL for the page's first.
 *
 *   errors   PEAL_USAGE when the page has no such picture, and why; PEAL_RESOURCES when node cannot run */
enum peal_status picture_draw(FILE *out, FILE *page, const char *view, bool pixels, struct peal_error *error);
