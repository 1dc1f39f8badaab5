/* SPDX-License-Identifier: MIT */
/* Before a run: its target, and what its options say about it. */
#include "run/mpi.h"
#include "run/target.h"
#include "show/print.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ the target */

enum peal_status
session_find_target(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;
    const char *what = request->argument_count > 0 ? request->arguments[0] : NULL;

    if (!what)
        return peal_refuse(error, PEAL_USAGE, "expected a collective, as in peal %s scatter, or FILE.c%s",
                           request->command->name,
                           command_is(request->command, OF(explain)) ? ", or a kind of finding, as deadlock" : "");
    if (request->function.file && request->argument_count > 1)
        return peal_refuse(error, PEAL_USAGE, "expected one collective, got %s and %s", what, request->arguments[1]);
    if (request->function.file && strchr(what, '/'))
        return peal_refuse(error, PEAL_USAGE, "%s names an algorithm: with --file name the collective alone, %.*s",
                           what, (int)strcspn(what, "/"), what);
    if (request->bare && request->argument_count == 1 && !request->function.file && !request->program) {
        session->program = session->called = what;
        session->plan = request->bare;
        return PEAL_OK;
    }
    enum peal_status status = target_load(session, request, what, request->machine.nodes, &session->own, error);

    if (session->own)
        session->algorithm = session->own->name;
    return status == PEAL_OK ? target_sources(session->program, request, 1, error) : status;
}

/* ------------------------------------------------------------------ how large */

/* The words of input per block or vector, when the input decides it. */
static enum peal_status
size_from_input(struct session *session, size_t bytes, bool more, size_t *words, struct peal_error *error)
{
    const struct peal_options *options = &session->request->machine;
    bool given = option_given(session->request, "block") || option_given(session->request, "words");
    size_t parts = !peal_collective_has_blocks(session->collective) ? 1 : (size_t)options->nodes;
    size_t all = bytes / options->word_bytes + (bytes % options->word_bytes != 0);
    size_t needed = all / parts + (all % parts != 0);

    if (!given)
        *words = needed;
    if (more)
        return peal_refuse(error, PEAL_USAGE, "%s has more than the %zu bytes that %zu word%s of %zu bytes%s hold",
                           session->request->session.input, bytes, *words, plural(*words), options->word_bytes,
                           parts == 1 ? "" : " on each node");
    if (*words >= needed)
        return PEAL_OK;
    return peal_refuse(
        error, PEAL_USAGE, "%s has %zu byte%s, but %zu word%s of %zu bytes%s hold %zu; -%c %zu or more fits",
        session->request->session.input, bytes, plural(bytes), *words, plural(*words), options->word_bytes,
        parts == 1 ? "" : " on each node", *words * parts * options->word_bytes, parts == 1 ? 'n' : 'm', needed);
}

/* m or n where the input may decide it. */
static enum peal_status
find_size(struct session *session, size_t input_bytes, bool more, struct peal_error *error)
{
    size_t *words = &session->exercise.words;
    enum peal_status status = exercise_size(session->request, session->collective, words, error);

    if (status != PEAL_OK || (!input_bytes && !more) || !peal_form_of(session->collective)->file)
        return status;
    return size_from_input(session, input_bytes, more, words, error);
}

/* Read the input; of one without a known length only as much as fits, if the size was given. */
static enum peal_status
read_input(struct session *session, size_t *bytes, bool *more, struct peal_error *error)
{
    const struct command_request *request = session->request;
    size_t words, most = SIZE_MAX,
                  parts = peal_collective_has_blocks(session->collective) ? (size_t)request->machine.nodes : 1;
    enum peal_status status = exercise_size(request, session->collective, &words, error);

    if (status == PEAL_OK && (option_given(request, "block") || option_given(request, "words")) &&
        (__builtin_mul_overflow(words, parts, &most) ||
         __builtin_mul_overflow(most, request->machine.word_bytes, &most)))
        most = SIZE_MAX;
    return status == PEAL_OK ? file_read_most(request->session.input, most, &session->input, bytes, more, error)
                             : status;
}

static enum peal_status
prepare_collective(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;
    struct peal_exercise *exercise = &session->exercise;
    const struct peal_form *form = peal_form_of(session->collective);
    size_t bytes = 0;
    bool more = false;

    if (request->program)
        return peal_refuse(error, PEAL_USAGE, "%s is a collective and takes no arguments after --",
                           peal_collective_name(session->collective));
    if (request->session.input && !form->file)
        return peal_refuse(error, PEAL_USAGE,
                           "--input %s: %s does not carry a file's bytes; "
                           "scatter, gather, broadcast and allgather do",
                           request->session.input, peal_collective_name(session->collective));
    if (request->session.output && !request->session.input)
        return peal_refuse(error, PEAL_USAGE, "--output %s: expected --input too, the file whose bytes arrive there",
                           request->session.output);
    exercise_notes(request, session->collective);
    if (request->call.sizes && !peal_collective_has_blocks(session->collective))
        return peal_refuse(error, PEAL_USAGE, "--sizes: %s has no blocks", peal_collective_name(session->collective));
    if (request->call.sizes && (option_given(request, "block") || option_given(request, "words")))
        return peal_refuse(error, PEAL_USAGE, "--sizes says how long the blocks are: leave out --block and --words");
    if (request->call.sizes && request->session.input)
        return peal_refuse(error, PEAL_USAGE, "--input %s: with --sizes the data is generated", request->session.input);

    *exercise = exercise_of(request, session->collective);
    exercise->algorithm = session->algorithm;
    if (request->session.input) {
        enum peal_status status = read_input(session, &bytes, &more, error);

        if (status != PEAL_OK)
            return status;
        exercise->input = session->input;
        exercise->input_bytes = bytes;
    }
    if (request->session.output && !(exercise->output = session->result = malloc(bytes)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the %zu bytes of the result", bytes);
    return find_size(session, bytes, more, error);
}

/* Refuse the options that are for collectives. */
static enum peal_status
prepare_program(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;
    const char *const of_collectives[] = {"input", request->session.output ? "output" : "input",
                                          "block", request->session.messages ? "root" : "words",
                                          "root",  "op",
                                          "sizes", "by",
                                          "to",    NULL};
    const char *given = option_among(request, of_collectives);

    return given
               ? peal_refuse(error, PEAL_USAGE, "--%s is for collectives; what a program needs it gets after --", given)
               : PEAL_OK;
}

/* ------------------------------------------------------------------ both */

/* Change the engine of the request where the user's code needs another. */
static void
suit(struct session *session)
{
    session->changed = *session->request;
    target_suit(session->request, session->program, &session->changed.machine);
    session->request = &session->changed;
}

enum peal_status
session_prepare(struct session *session, struct peal_error *error)
{
    bool loads = session->program && !session->plan;
    enum peal_status status = loads ? PEAL_OK : mpi_only(session->request, error);

    if (status == PEAL_OK && !loads && option_given(session->request, "choices"))
        status = peal_refuse(error, PEAL_USAGE,
                             "--choices is for programs; peal check tries all orders of arrival of a collective");
    if (status == PEAL_OK && !loads)
        status = target_compiles_nothing(session->request, error);
    if (status == PEAL_OK)
        status = session->program ? prepare_program(session, error) : prepare_collective(session, error);
    if (status == PEAL_OK && loads)
        status = mpi_prepare(session, error);
    if (status == PEAL_OK && !session->mpi && (loads || session->own))
        suit(session);
    return status;
}
