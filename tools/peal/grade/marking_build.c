/* SPDX-License-Identifier: MIT */
/* The compiled program of a test, and its reference; kept for the next test that runs the same. */
#include "grade/marking_program.h"
#include <stdlib.h>

/* Compile the assignment's own files. */
static enum peal_status
compile_reference(const struct marking_work *work, const struct assignment_test *test,
                  struct peal_contained **reference)
{
    const struct peal_contained_source source = {.file = test->reference,
                                                 .compiler = work->options->compiler,
                                                 .flags = test->cflags,
                                                 .mpi = test->mpi,
                                                 .python = test->python};
    char *messages;

    *reference = NULL;
    if (!test->reference)
        return PEAL_OK;
    *reference = peal_contained_compile(&source, &messages, work->error);
    if (!*reference && messages)
        fputs(messages, stderr);
    free(messages);
    return *reference ? PEAL_OK : work->error->status;
}

void
marking_unbuild(struct marking_build *built)
{
    peal_contained_destroy(built->program);
    peal_contained_destroy(built->reference);
    free(built->messages);
    *built = (struct marking_build){.test = NULL};
}

/* Whether both tests run the same program, and have the same reference. */
static bool
is_built_alike(const struct assignment_test *a, const struct assignment_test *b)
{
    return !a->python && same_text(a->driver, b->driver) && same_text(a->functions, b->functions) &&
           same_text(a->offers, b->offers) && same_text(a->reference, b->reference) &&
           same_text(a->cflags, b->cflags) && a->mpi == b->mpi && a->lenient == b->lenient;
}

enum peal_status
marking_build(struct marking_work *work, const struct assignment_test *test)
{
    const struct peal_contained_source source = {.file = work->marking->file,
                                                 .driver = test->driver,
                                                 .functions = test->functions,
                                                 .offers = test->offers,
                                                 .compiler = work->options->compiler,
                                                 .flags = test->cflags,
                                                 .watched = true,
                                                 .mpi = test->mpi,
                                                 .python = test->python,
                                                 .refuses = forbidden_refuses,
                                                 .refuses_for = test,
                                                 .lenient = test->lenient};
    struct marking_build *built = &work->built;

    if (built->test && is_built_alike(built->test, test))
        return PEAL_OK;
    marking_unbuild(built);
    enum peal_status status = compile_reference(work, test, &built->reference);

    if (status != PEAL_OK)
        return status;
    built->program = peal_contained_compile(&source, &built->messages, work->error);
    if (!built->program && work->error->status != PEAL_PROGRAM)
        return work->error->status;
    if (!built->program && !(built->messages && *built->messages)) {
        free(built->messages);
        if (!(built->messages = strdup(work->error->text)))
            return peal_refuse(work->error, PEAL_RESOURCES, "not enough memory");
    }
    built->test = test;
    return PEAL_OK;
}

/* Note a function that the driver calls but the submission lacks; false: there is none. */
static bool
note_missing(const struct marking_work *work, struct mark *mark, const char *messages)
{
    static const char sign[] = "undefined reference to ";
    const char *found = strstr(messages, sign);
    struct peal_error why;
    char name[200];

    if (!found)
        return false;
    found += strlen(sign);
    found += strcspn(found, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\n");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(found, "'`\"\n\xE2"), found);
    if (!peal_contained_lacks(work->calls, work->marking->file, name, &why))
        return false;
    mark_note(mark, "%s", why.text);
    return true;
}

void
marking_note_messages(const struct marking_work *work, const struct assignment_test *test, struct mark *mark)
{
    const char *messages = work->built.messages;

    if (note_missing(work, mark, messages))
        return;
    mark_note(mark, "it does not compile or link%s%s", test->driver ? " with " : "",
              test->driver ? file_name(test->driver) : "");
    for (int lines = 0; *messages && lines < 8; lines++) {
        size_t length = strcspn(messages, "\n");

        mark_note(mark, "  | %.*s", (int)length, messages);
        messages += length + (messages[length] != '\0');
    }
    if (*messages)
        mark_note(mark, "  | ...");
}
