/* SPDX-License-Identifier: MIT */
/* Opens the files of all documents before the work, writes them after it, and renames all or none. */
#include "write/writings.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { MAX = sizeof((struct writings *)0)->list / sizeof(struct writing), TRACE = MAX, PAGE, PICTURE, FILES };
static_assert(sizeof((struct writings *)0)->files / sizeof(struct output_file) == FILES, "a file each");

/* Whether both are one file; devices take several documents. */
static bool
writings_is_same_file(const struct output_file *a, const struct output_file *b)
{
    if (!a->stream || !b->stream || strncmp(a->path, "/dev/", 5) == 0)
        return false;
    return strcmp(a->path, b->path) == 0 || (a->target && b->target && strcmp(a->target, b->target) == 0);
}

enum peal_status
writings_open(struct writings *writings, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    const char *paths[FILES] = {NULL};

    for (int i = 0; i < MAX; i++)
        paths[i] = writings->list[i].path;
    if (writings->page) {
        paths[TRACE] = writings->request->document.trace_file;
        paths[PAGE] = writings->request->document.report_file;
        paths[PICTURE] = paging_picture(writings->request).file;
        status = paging_open(&writings->paging, writings->request, error);
    }
    for (int i = 0; i < FILES && status == PEAL_OK; i++)
        if (paths[i])
            status = output_open(&writings->files[i], paths[i], error);
    for (int i = 1; i < FILES && status == PEAL_OK; i++)
        for (int j = 0; j < i && status == PEAL_OK; j++)
            if (writings_is_same_file(&writings->files[i], &writings->files[j]))
                status = peal_refuse(error, PEAL_USAGE, "%s: expected one document for it, got two", paths[i]);
    return status;
}

void
writings_drop(struct writings *writings, int i)
{
    output_discard(&writings->files[i]);
}

enum peal_status
writings_again(struct writings *writings, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < MAX && status == PEAL_OK; i++) {
        if (!writings->files[i].stream)
            continue;
        output_discard(&writings->files[i]);
        status = output_open(&writings->files[i], writings->list[i].path, error);
    }
    return status;
}

enum peal_status
writings_begin(struct writings *writings, struct peal_machine *machine, struct peal_error *error)
{
    enum peal_status status =
        tracing_begin(&writings->tracing, writings->files[TRACE].stream, writings->request, machine, error);

    return status == PEAL_OK ? paging_begin(&writings->paging, machine, error) : status;
}

bool
writings_need_rounds(const struct writings *writings)
{
    const struct command_request *request = writings->request;
    bool need = (request->step && request->step->step) || request->session.messages || request->command->reads_rounds ||
                (writings->page && (request->document.report_file || paging_picture(request).file));

    for (int i = 0; i < MAX; i++)
        need |= writings->list[i].rounds && (writings->list[i].here || writings->list[i].path);
    return need;
}

bool
writings_here(const struct writings *writings)
{
    for (int i = 0; i < MAX; i++)
        if (writings->list[i].here)
            return true;
    return false;
}

/* Find out at once whether a file could be written: no file has its name yet. */
static enum peal_status
flush_file(struct output_file *file, struct peal_error *error)
{
    if (!file->stream || (fflush(file->stream) == 0 && !ferror(file->stream)))
        return PEAL_OK;
    file->why = errno;
    return output_commit(file, error); /* reports why it cannot be committed */
}

/* Write one document to its file, if it has one. */
static enum peal_status
write_file(const struct writing *writing, struct output_file *file, const void *what, struct peal_error *error)
{
    struct peal_error why;
    enum peal_status status = file->stream ? writing->write(file->stream, what, &why) : PEAL_OK;

    return status == PEAL_OK ? flush_file(file, error) : peal_refuse(error, status, "%s: %s", writing->path, why.text);
}

enum peal_status
writings_end(struct writings *writings, const void *what, const char *name, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    int here = 0;

    while (here < MAX && !writings->list[here].here)
        here++;
    if (here < MAX)
        status = writings->list[here].write(stdout, what, error);
    if (status == PEAL_OK && writings->paging.document)
        status = writings->page(writings->paging.document, what, error);
    for (int i = 0; i < MAX && status == PEAL_OK; i++)
        status = write_file(&writings->list[i], &writings->files[i], what, error);
    if (status == PEAL_OK)
        status = tracing_end(&writings->tracing, name, error);
    if (status == PEAL_OK)
        status = flush_file(&writings->files[TRACE], error);
    if (status == PEAL_OK)
        status = paging_end(&writings->paging, writings->files[PAGE].stream, writings->files[PICTURE].stream,
                            writings->request, error);
    if (status == PEAL_OK)
        status = flush_file(&writings->files[PAGE], error);
    if (status == PEAL_OK)
        status = flush_file(&writings->files[PICTURE], error);
    for (int i = 0; i < FILES && status == PEAL_OK; i++)
        status = output_commit(&writings->files[i], error);
    return status == PEAL_OK ? output_flush(error) : status;
}

void
writings_fini(struct writings *writings)
{
    tracing_fini(&writings->tracing);
    paging_fini(&writings->paging);
    for (int i = 0; i < FILES; i++)
        output_discard(&writings->files[i]);
}

enum peal_status
writings_close(struct writings *writings, enum peal_status status, const void *what, struct peal_error *error)
{
    if (status == PEAL_OK)
        status = writings_end(writings, what, NULL, error);
    writings_fini(writings);
    return status;
}

enum peal_status
writings_put(const char *path, document_writer *write, const void *what, struct peal_error *error)
{
    struct writings writings = {.list = {{write, path, false, false}}};

    return writings_close(&writings, writings_open(&writings, error), what, error);
}
