/* SPDX-License-Identifier: MIT */
#include "writings.h"

#include <errno.h>

enum { MOST = sizeof((struct writings *)0)->list / sizeof(struct writing) };

enum peal_status
writings_open(struct writings *writings, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < MOST && status == PEAL_OK; i++)
        if (writings->list[i].path)
            status = output_open(&writings->files[i], writings->list[i].path, error);
    if (status == PEAL_OK && writings->page)
        status = tracing_open(&writings->tracing, writings->request, error);
    if (status == PEAL_OK && writings->page)
        status = paging_open(&writings->paging, writings->request, error);
    return status;
}

enum peal_status
writings_again(struct writings *writings, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < MOST && status == PEAL_OK; i++) {
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
    enum peal_status status = tracing_begin(&writings->tracing, writings->request, machine, error);

    return status == PEAL_OK ? paging_begin(&writings->paging, machine, error) : status;
}

bool
writings_here(const struct writings *writings)
{
    for (int i = 0; i < MOST; i++)
        if (writings->list[i].here)
            return true;
    return false;
}

/* Write one file, which does not have its name yet. */
static enum peal_status
write_file(const struct writing *writing, struct output *file, const void *what, struct peal_error *error)
{
    struct peal_error why;
    enum peal_status status;

    if (!file->stream)
        return PEAL_OK;
    status = writing->write(file->stream, what, &why);
    if (status != PEAL_OK)
        return peal_refuse(error, status, "%s: %s", writing->path, why.text);
    if (fflush(file->stream) == 0 && !ferror(file->stream))
        return PEAL_OK;
    file->why = errno;
    return output_commit(file, error); /* reports why it cannot be committed */
}

enum peal_status
writings_end(struct writings *writings, const void *what, const char *name, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    int here = 0;

    while (here < MOST && !writings->list[here].here)
        here++;
    if (here < MOST)
        status = writings->list[here].write(stdout, what, error);
    if (status == PEAL_OK && writings->paging.document)
        status = writings->page(writings->paging.document, what, error);
    for (int i = 0; i < MOST && status == PEAL_OK; i++)
        status = write_file(&writings->list[i], &writings->files[i], what, error);
    for (int i = 0; i < MOST && status == PEAL_OK; i++)
        status = output_commit(&writings->files[i], error);
    if (status == PEAL_OK)
        status = tracing_end(&writings->tracing, name, error);
    return status == PEAL_OK ? paging_end(&writings->paging, writings->request, error) : status;
}

void
writings_fini(struct writings *writings)
{
    for (int i = 0; i < MOST; i++)
        output_discard(&writings->files[i]);
    tracing_fini(&writings->tracing);
    paging_fini(&writings->paging);
}

enum peal_status
writings_put(const char *path, document_writer *write, const void *what, struct peal_error *error)
{
    struct writings writings = {.list = {{write, path, false}}};
    enum peal_status status = writings_open(&writings, error);

    if (status == PEAL_OK)
        status = writings_end(&writings, what, NULL, error);
    writings_fini(&writings);
    return status;
}
