/* SPDX-License-Identifier: MIT */
/* Decides what a command's argument names, and finds or loads it; a mistyped name gets the nearest one. */
#include "run/target.h"
#include "lib/base/nearest.h"
#include "lib/base/shell_word.h"
#include "lib/program/source.h"
#include "run/schedules.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

static bool
target_is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* Whether the name is that of a file of C, C++ or Fortran. */
static bool
is_source(const char *name)
{
    return text_has_ending(name, ".c") || peal_is_cplusplus(name) || peal_is_fortran(name);
}

/* Find the collective called by the first `length` bytes of `name`. */
static bool
target_find_collective(const char *name, size_t length, enum peal_collective *collective)
{
    char word[64];

    if (length >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    return peal_collective_find(word, collective);
}

/* Compare a word, which may be one of MPI's, with the collectives; `after` is what followed it. */
static struct nearest
nearest_collective(const char *word, const char *after)
{
    char normal[64];
    size_t length = 0;
    struct nearest near = {.word = normal, .after = after};

    for (const char *c = word + (strncasecmp(word, "mpi_", 4) == 0 ? 4 : 0); *c && length < sizeof normal - 1; c++)
        normal[length++] = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    normal[length] = '\0';
    if (strcmp(normal, "bcast") == 0 || strcmp(normal, "reduce-scatter-block") == 0) /* MPI's names */
        near.name = peal_collective_name(normal[0] == 'b' ? PEAL_BROADCAST : PEAL_REDUCE_SCATTER);
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        peal_nearest_offer(&near, peal_collective_name((enum peal_collective)i));
    near.word = word;
    return near;
}

static enum peal_status
no_collective(const char *what, size_t length, struct peal_error *error)
{
    static const char *const endings[] = {".c", ".cpp", ".cc", ".f90", ".py"};
    char word[64], hint[400] = "", path[320];
    bool file = target_is_file(what);

    snprintf(word, sizeof word, "%.*s", (int)length, what);
    snprintf(path, sizeof path, "%s%s%s", what + length, file ? ", or the file ./" : "", file ? what : "");
    struct nearest near = nearest_collective(word, path);

    if (near.name)
        return peal_refuse(error, PEAL_USAGE, "unknown collective '%s'%s", word, peal_nearest_words(&near, ""));
    if (file)
        snprintf(hint, sizeof hint, "; to run the file of that name use ./%.300s", what);
    for (size_t i = 0; !file && !hint[0] && i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%.300s%s", what, endings[i]);
        if (target_is_file(path))
            snprintf(hint, sizeof hint, "; did you mean %s?", path);
    }
    return peal_refuse(error, PEAL_USAGE, "'%s' is neither a collective (peal list shows them) nor a file FILE.c%s",
                       what, hint);
}

static enum peal_status
no_algorithm(enum peal_collective collective, const char *name, struct peal_error *error)
{
    const struct peal_algorithm *a;
    char before[64];
    struct nearest near = {.word = name, .before = before};

    snprintf(before, sizeof before, "%s/", peal_collective_name(collective));
    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (a->collective == collective)
            peal_nearest_offer(&near, a->name);
    if (!*name)
        return peal_refuse(error, PEAL_USAGE, "expected an algorithm after %s: it has %s", before, near.all);
    return peal_refuse(error, PEAL_USAGE, "%s has no algorithm '%s'%s%s", peal_collective_name(collective), name,
                       peal_nearest_words(&near, "; it has "), near.name ? "" : near.all);
}

/* Find the algorithm of this name, with or without a number after it; NULL: *error suggests the nearest. */
static const struct peal_algorithm *
target_find_algorithm(enum peal_collective collective, const char *text, struct peal_error *error)
{
    const struct peal_algorithm *found = peal_algorithm_find(collective, text);
    char name[64];

    if (found)
        return found;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    if (peal_algorithm_find(collective, name)) /* the number after it is wrong */
        peal_algorithm_check(collective, text, error);
    else
        no_algorithm(collective, name, error);
    return NULL;
}

enum peal_status
target_find(struct session *session, const char *what, struct peal_error *error)
{
    size_t length = strcspn(what, "/");
    bool path = what[0] == '/' || strncmp(what, "./", 2) == 0 || strncmp(what, "../", 3) == 0;

    if (is_source(what) || text_has_ending(what, ".py") || path ||
        (what[length] && !target_find_collective(what, length, &session->collective) && target_is_file(what))) {
        session->program = session->called = what;
        return PEAL_OK;
    }
    if (!target_find_collective(what, length, &session->collective)) {
        if (schedule_is(what))
            return peal_refuse(error, PEAL_USAGE,
                               "%s does not say what its messages carry: it can be imported, run, explained, priced, "
                               "reported and exported",
                               what);
        return no_collective(what, length, error);
    }
    if (!what[length])
        return PEAL_OK;
    session->algorithm = what + length + 1;
    if (!target_find_algorithm(session->collective, session->algorithm, error))
        return error->status;
    if (target_is_file(what))
        fprintf(stderr, "peal: note: %s is the algorithm; to run the file of that name use ./%s\n", what, what);
    return PEAL_OK;
}

const char *
target_name(const struct peal_algorithm *algorithm, const char *what)
{
    const char *slash = what ? strchr(what, '/') : NULL, *name = slash ? slash + 1 : what;

    return name && algorithm->also && strcspn(name, ":") == strlen(algorithm->also) &&
                   strncmp(name, algorithm->also, strlen(algorithm->also)) == 0
               ? algorithm->also
               : algorithm->name;
}

enum peal_status
target_sources(const char *program, const struct command_request *request, int first, struct peal_error *error)
{
    for (int i = first; i < request->argument_count; i++) {
        const char *name = request->arguments[i];

        if (!program)
            return peal_refuse(error, PEAL_USAGE,
                               "expected one collective or program, got %s and %s (arguments of a program go after --)",
                               request->arguments[0], name);
        if (!is_source(name))
            return peal_refuse(
                error, PEAL_USAGE,
                "expected a further file of %s, which ends in .c or .cpp, got '%s'; arguments of a program go "
                "after --",
                program, name);
    }
    return PEAL_OK;
}

enum peal_status
target_find_call(struct session *session, const char *what, bool *unequal, struct peal_error *error)
{
    size_t length = strcspn(what, "/");
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), what);
    if (!peal_call_find(word, &session->collective, unequal) || !*unequal)
        return target_find(session, what, error);
    session->algorithm = what[length] ? what + length + 1 : NULL;
    if (session->algorithm && !target_find_algorithm(session->collective, session->algorithm, error))
        return error->status;
    return PEAL_OK;
}

enum peal_status
target_flags(const struct command_request *request, char **flags, struct peal_error *error)
{
    const char *given = request->function.flags ? request->function.flags : getenv("CFLAGS");
    int written = 0;

    *flags = NULL;
    if (request->machine.word_bytes != 8)
        written = asprintf(flags, "-DPEAL_WORD_BYTES=%zu %s", request->machine.word_bytes, given ? given : "");
    else if (request->function.flags)
        written = asprintf(flags, "%s", request->function.flags);
    if (written >= 0)
        return PEAL_OK;
    *flags = NULL;
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

const char *
target_environment_flags(const char *file)
{
    const char *flags = getenv("CFLAGS");

    return flags && flags[strspn(flags, " \t\n")] && peal_program_kind(file) < PEAL_PROGRAM_LINKED ? flags : NULL;
}

/* Whether a file of the user's code belongs to threads: by its text, or by the flags of the compiler. */
static bool
needs_threads(const struct command_request *request, const char *program)
{
    const char *flags = request->function.flags ? request->function.flags : getenv("CFLAGS");
    const char *const first[] = {program, request->function.file};

    if (flags && (strstr(flags, "-fopenmp") || strstr(flags, "-fsanitize")))
        return true;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i] && peal_program_needs(first[i]) != PEAL_PROGRAM_NEEDS_NOTHING)
            return true;
    for (int i = 1; i < request->argument_count; i++)
        if (is_source(request->arguments[i]) && peal_program_needs(request->arguments[i]) != PEAL_PROGRAM_NEEDS_NOTHING)
            return true;
    return false;
}

void
target_suit(const struct command_request *request, const char *program, struct peal_options *machine)
{
    static const uint64_t all = UINT64_C(16) << 30; /* of addresses; beyond them a stack's first page costs more */
    const uint64_t least = 64 << 10, most = 8 << 20, each = all / (uint64_t)machine->nodes;

    if (!PEAL_THREADS || strcmp(machine->engine, "auto") != 0 || (!program && !request->function.file))
        return;
    if (needs_threads(request, program))
        machine->engine = "threads";
    else if (!option_given(request, "stack"))
        machine->stack_bytes = (size_t)(each > most ? most : each < least ? least : each);
}

enum peal_status
target_compiles_nothing(const struct command_request *request, struct peal_error *error)
{
    static const char *const of_compiler[] = {"cc", "cflags", NULL};
    const char *given = request->function.file ? NULL : option_among(request, of_compiler);

    return given ? peal_refuse(error, PEAL_USAGE, "--%s is for source files; nothing is compiled here", given)
                 : PEAL_OK;
}

enum peal_status
target_load(struct session *session, const struct command_request *request, const char *what, int nodes,
            const struct peal_algorithm **own, struct peal_error *error)
{
    bool unequal = false;
    enum peal_status status =
        request->function.file ? target_find_call(session, what, &unequal, error) : target_find(session, what, error);

    *own = NULL;
    if (status != PEAL_OK || !request->function.file)
        return status;
    if (session->program)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is a program; --file goes with a collective's name, as in peal %s scatter --file %s "
                           "--symbol my_scatter",
                           what, request->command->name, pasted(request->function.file).text);
    char *flags;

    if ((status = target_flags(request, &flags, error)) != PEAL_OK)
        return status;
    const struct peal_function_source source = {.collective = session->collective,
                                                .unequal = unequal,
                                                .file = request->function.file,
                                                .symbol = request->function.symbol,
                                                .nodes = nodes,
                                                .compiler = request->function.compiler,
                                                .flags = flags};

    file_note_pipe(request->function.file);
    *own = peal_algorithm_load(&source, error);
    free(flags);
    return *own ? PEAL_OK : error->status;
}

enum peal_status
target_find_listed(const char *what, enum peal_collective *collective, const struct peal_algorithm **algorithm,
                   struct peal_error *error)
{
    size_t length = strcspn(what, "/");
    char word[64];

    *algorithm = NULL;
    if (length == 0)
        return peal_refuse(error, PEAL_USAGE, "expected the name of a collective (peal list shows them)");
    if (!target_find_collective(what, length, collective)) {
        snprintf(word, sizeof word, "%.*s", (int)length, what);
        struct nearest near = nearest_collective(word, what + length);

        return peal_refuse(error, PEAL_USAGE, "unknown collective '%s'%s", word,
                           peal_nearest_words(&near, " (peal list shows them)"));
    }
    if (what[length] && !(*algorithm = target_find_algorithm(*collective, what + length + 1, error)))
        return error->status;
    return PEAL_OK;
}

enum peal_status
target_choices(char *text, const char *names[PEAL_COLLECTIVES], struct peal_error *error)
{
    char *rest = NULL;

    for (char *one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        enum peal_collective collective;
        struct peal_error why;
        char *name = strchr(one, '=');

        if (name)
            *name++ = '\0';
        if (!name)
            return peal_refuse(error, PEAL_USAGE,
                               "--coll: expected COLLECTIVE=ALGORITHM, as in allreduce=ring, got '%s'", one);
        if (!peal_collective_find(one, &collective))
            return peal_refuse(error, PEAL_USAGE, "--coll: unknown collective '%s' (peal list shows them)", one);
        if (peal_algorithm_check(collective, name, &why) != PEAL_OK)
            return peal_refuse(error, PEAL_USAGE, "--coll: %s", why.text);
        names[collective] = name;
    }
    return PEAL_OK;
}
