/* SPDX-License-Identifier: MIT */
/* Functions in users' files, loaded as algorithms. */
#include "lib/base/text.h"
#include "lib/collective/catalog.h"
#include "lib/program/source.h"
#include <assert.h>
#include <ctype.h>
#include <peal/loaded.h>
#include <stdlib.h>

enum { DECLARATION = 700 };

/* A loaded function. */
struct function {
    struct peal_loaded loaded; /* the first member: see peal_algorithm_unload */
    struct peal_algorithm algorithm;
    bool unequal;
    struct peal_program_file *file;
    char *name;
};

/* ------------------------------------------------------------------ how it is declared */

/* The C name by which a C++ function without one is called. */
static const char in_cplusplus[] = "peal_function_of_the_file";

/* Whether the name exists in C++ only: in a namespace, or of a template. */
static bool
is_of_cplusplus(const struct peal_function_source *source)
{
    return peal_is_cplusplus(source->file) && strpbrk(source->symbol, ":<");
}

/* Write the declaration of the function: see union peal_check_function.  It names no header's structs, since a
 * definition before the file's first #include must still count. */
static void
loaded_declare(const struct peal_function_source *source, char text[DECLARATION])
{
    const struct peal_form *form = peal_form_of(source->collective);
    bool in = form->in != PEAL_SIDE_NONE, pairs = form->in == PEAL_SIDE_PAIRS;
    const char *size = form->out == PEAL_SIDE_NONE ? ""
                       : !source->unequal          ? ", __SIZE_TYPE__ words"
                       : pairs                     ? ", const __SIZE_TYPE__ *send"
                                                   : ", const __SIZE_TYPE__ *words";

    snprintf(text, DECLARATION,
             "struct peal_node; struct peal_op; __attribute__((visibility(\"default\"))) void %.200s("
             "struct peal_node *me%s%s%s%s%s%s%s%s)",
             is_of_cplusplus(source) ? in_cplusplus : source->symbol, form->op ? ", const struct peal_op *op" : "",
             in                            ? ", const void *in"
             : form->out == PEAL_SIDE_NONE ? ""
                                           : ", void *a",
             size, form->root ? ", int root" : "", form->by ? ", int by" : "",
             form->to ? ", const int *to, int count" : "", in ? ", void *out" : "",
             source->unequal && pairs ? ", const __SIZE_TYPE__ *receive" : "");
}

/* Write, for C++, the function that is declared: it calls the file's. */
static void
loaded_define(const struct peal_function_source *source, const char *declaration, char text[2 * DECLARATION])
{
    const struct peal_form *form = peal_form_of(source->collective);
    const bool in = form->in != PEAL_SIDE_NONE, pairs = form->in == PEAL_SIDE_PAIRS;
    const char *size = form->out == PEAL_SIDE_NONE ? "" : source->unequal && pairs ? ", send" : ", words";

    snprintf(text, 2 * DECLARATION, "%s { %.200s(me%s%s%s%s%s%s%s%s); }", strchr(strchr(declaration, ';') + 1, ';') + 1,
             source->symbol, form->op ? ", op" : "",
             in                            ? ", in"
             : form->out == PEAL_SIDE_NONE ? ""
                                           : ", a",
             size, form->root ? ", root" : "", form->by ? ", by" : "", form->to ? ", to, count" : "", in ? ", out" : "",
             source->unequal && pairs ? ", receive" : "");
}

/* ------------------------------------------------------------------ how it is run */

static const struct peal_failure *
loaded_start(struct peal_loaded *self, struct peal_machine *machine, peal_program program, void *arg)
{
    return peal_program_start(machine, ((struct function *)self)->file, program, arg);
}

/* List the one length of all blocks P times, for a function that takes a list of lengths. */
static void
list_lengths(struct peal_node *me, struct peal_arguments *arguments)
{
    int P = peal_size(me);
    size_t *lengths = peal_alloc(me, (size_t)P * (sizeof *lengths / peal_word_bytes(me) + 1));

    for (int i = 0; i < P; i++)
        lengths[i] = arguments->words;
    arguments->lengths = arguments->receive = lengths;
}

static void
loaded_call(struct peal_loaded *self, struct peal_node *me, const struct peal_form *form,
            const struct peal_arguments *arguments)
{
    const struct function *function = (const struct function *)self;
    struct peal_arguments own = *arguments;
    void (*found)(void) = peal_program_function(function->file, me);
    union peal_check_function as;

    if (function->unequal && own.lengths == NULL)
        list_lengths(me, &own);
    _Static_assert(sizeof as == sizeof found, "all members are pointers to functions");
    memcpy(&as, &found, sizeof as);
    form->call(me, &as, &own);
}

/* ------------------------------------------------------------------ loading */

static void
loaded_unload(struct peal_loaded *self)
{
    struct function *function = (struct function *)self;

    peal_program_destroy(function->file);
    free(function->name);
    free(function);
}

static enum peal_status
check_source(const struct peal_function_source *source, struct peal_error *error)
{
    const char *symbol = source->symbol;

    if (symbol == NULL || symbol[0] == '\0')
        return peal_refuse(error, PEAL_USAGE, "expected --symbol NAME too, a function of %s", source->file);
    const bool cplusplus = peal_is_cplusplus(source->file);

    for (const char *c = symbol; *c != '\0'; c++)
        if ((!isalnum((unsigned char)*c) && *c != '_' && !(cplusplus && strchr(":<>,* ", *c))) ||
            isdigit((unsigned char)symbol[0]) || c - symbol >= 200)
            return peal_refuse(error, PEAL_USAGE, "%.200s is not the name of a C%s function", symbol,
                               cplusplus ? "++" : "");
    if (source->unequal && peal_form_of(source->collective)->unequal == NULL)
        return peal_refuse(error, PEAL_USAGE, "%s has no blocks", peal_collective_name(source->collective));
    return PEAL_OK;
}

const struct peal_algorithm *
peal_algorithm_load(const struct peal_function_source *source, struct peal_error *error)
{
    char declaration[DECLARATION], definition[2 * DECLARATION];
    struct peal_program_options options = {
        .compiler = source->compiler, .flags = source->flags, .function = source->symbol, .declaration = declaration};
    struct function *function;

    if (check_source(source, error) != PEAL_OK)
        return NULL;
    loaded_declare(source, declaration);
    if (is_of_cplusplus(source)) {
        loaded_define(source, declaration, definition);
        options.function = in_cplusplus;
        options.after = definition;
    }
    function = calloc(1, sizeof *function);
    if (function == NULL || asprintf(&function->name, "%s:%s", file_name(source->file), source->symbol) < 0) {
        free(function);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    function->loaded = (struct peal_loaded){.start = loaded_start, .call = loaded_call, .unload = loaded_unload};
    function->unequal = source->unequal;
    function->algorithm = (struct peal_algorithm){.collective = source->collective,
                                                  .name = function->name,
                                                  .summary = "a function of a file",
                                                  .needs = {.equal_blocks = !source->unequal},
                                                  .closed_on = "",
                                                  .loaded = &function->loaded};
    function->file = peal_program_load(source->file, source->nodes, &options, error);
    if (function->file == NULL || catalog_add(&function->algorithm, error) != PEAL_OK) {
        loaded_unload(&function->loaded);
        return NULL;
    }
    return &function->algorithm;
}

enum peal_status
peal_algorithm_add(const struct peal_algorithm *algorithm, struct peal_error *error)
{
    assert(algorithm->loaded != NULL);
    return catalog_add(algorithm, error);
}

void
peal_algorithm_unload(const struct peal_algorithm *algorithm)
{
    if (algorithm == NULL)
        return;
    assert(algorithm->loaded != NULL);
    catalog_remove(algorithm);
    algorithm->loaded->unload(algorithm->loaded);
}

const struct peal_failure *
peal_algorithm_start(const struct peal_algorithm *algorithm, struct peal_machine *machine, peal_program program,
                     void *arg)
{
    if (algorithm->loaded != NULL)
        return algorithm->loaded->start(algorithm->loaded, machine, program, arg);
    return peal_run(machine, program, arg);
}
