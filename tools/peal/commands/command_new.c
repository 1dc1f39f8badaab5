/* SPDX-License-Identifier: MIT */
/* peal new: a small commented start of a program, an assignment, or an algorithm.  No existing file is overwritten. */
#include "commands/commands.h"
#include "new/start_assignment.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ writing */

/* Write a template to a file that does not exist yet. */
static enum peal_status
write_start(const char *path, const char *text, const struct template_word *words, struct peal_error *error)
{
    FILE *out = fopen(path, "wxe");

    if (!out && errno == EEXIST)
        return peal_refuse(error, PEAL_USAGE, "%s exists already, and is left as it is: choose another name", path);
    if (!out)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be written: %s", path, strerror(errno));
    template_write(out, text, words);
    bool lost = ferror(out) != 0;

    if (fclose(out) == 0 && !lost)
        return PEAL_OK;
    unlink(path);
    return peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
}

/* Whether the name has only letters, digits, - and _, and begins with a letter. */
static bool
is_valid_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            return false;
    return isalpha((unsigned char)name[0]) && strlen(name) <= 60;
}

static enum peal_status
refuse_name(const char *name, struct peal_error *error)
{
    char shown[104];

    peal_append(empty_text(shown, sizeof shown), "%s", name);
    return peal_refuse(error, PEAL_USAGE,
                       "expected a name of letters, digits, - and _, at most 60, that begins with a letter, got '%s'",
                       shown);
}

/* ------------------------------------------------------------------ a program */

static enum peal_status
new_program_file(const char *name, const char *ending, const char *start, struct peal_error *error)
{
    char path[PATH_MAX];

    if (!file_name(name)[0])
        return peal_refuse(error, PEAL_USAGE, "'%s' names no file: expected a name, as in peal new program hello",
                           name);
    if (snprintf(path, sizeof path, "%s%s", name, text_has_ending(name, ending) ? "" : ending) >= (int)sizeof path)
        return peal_refuse(error, PEAL_USAGE, "the name is too long");
    const struct template_word words[] = {{"NAME", file_name(name)}, {"FILE", path}, {NULL, NULL}};
    enum peal_status status = write_start(path, start, words, error);

    if (status != PEAL_OK)
        return status;
    fputs("wrote  ", stdout);
    print_plain(stdout, path);
    fputs("\nrun    peal run ", stdout);
    print_word(stdout, path);
    fputs(" -p 8\ncheck  peal check --program ", stdout);
    print_word(stdout, path);
    puts(" -p 4");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ an assignment */

/* The folder that is written; and the room for a path in it, whose names have at most 64 characters. */
static const char *assignment_folder;
enum { ASSIGNMENT_PATH = 200 };

/* Of "wrong/first.c" the path of the file, or of the folder that it needs in the assignment's: "" for others. */
static char *
assignment_path(const char *file, bool folder, char path[ASSIGNMENT_PATH])
{
    const char *slash = strrchr(file, '/');

    path[0] = '\0';
    if (slash || !folder)
        snprintf(path, ASSIGNMENT_PATH, "%s/%.*s", assignment_folder, folder ? (int)(slash - file) : 80, file);
    return path;
}

static enum peal_status
write_in_folder(const char *file, const char *text, const struct template_word *words, struct peal_error *error)
{
    char path[ASSIGNMENT_PATH];

    if (*assignment_path(file, true, path) && mkdir(path, 0777) != 0)
        return peal_refuse(error, PEAL_RESOURCES, "the folder %s cannot be made: %s", path, strerror(errno));
    return write_start(assignment_path(file, false, path), text, words, error);
}

static enum peal_status
show_in_folder(const char *file, const char *text, const struct template_word *words, struct peal_error *error)
{
    char path[ASSIGNMENT_PATH];

    (void)text, (void)words, (void)error;
    printf("wrote  %s\n", assignment_path(file, false, path));
    return PEAL_OK;
}

static enum peal_status
remove_from_folder(const char *file, const char *text, const struct template_word *words, struct peal_error *error)
{
    char path[ASSIGNMENT_PATH];

    (void)text, (void)words, (void)error;
    unlink(assignment_path(file, false, path));
    rmdir(assignment_path(file, true, path));
    return PEAL_OK;
}

/* A name in lower case, in which words are joined by hyphens, as in the catalogue. */
static void
to_name(const char *typed, char name[64])
{
    size_t i = 0;

    for (; typed[i] && i < 63; i++)
        name[i] = typed[i] == '_' ? '-' : (char)tolower((unsigned char)typed[i]);
    name[i] = '\0';
}

/* Find the one collective that the name says, as "ring-gather" does; false when it says none, or several. */
static bool
name_says_collective(const char *typed, enum peal_collective *collective)
{
    char name[64], *at = name;
    int found = -1;

    to_name(typed, name);
    for (size_t length; *at; at += length + (at[length] == '-')) {
        int here = -1;

        length = strcspn(at, "-");
        for (int i = 0; i < PEAL_COLLECTIVES; i++) { /* the longest: reduce-scatter is neither reduce nor scatter */
            const char *one = peal_collective_name((enum peal_collective)i);
            size_t bytes = strlen(one);

            if (bytes >= length && strncmp(at, one, bytes) == 0 && (!at[bytes] || at[bytes] == '-')) {
                here = i;
                length = bytes;
            }
        }
        if (here >= 0 && found >= 0 && here != found)
            return false;
        found = here >= 0 ? here : found;
    }
    if (found >= 0)
        *collective = (enum peal_collective)found;
    return found >= 0;
}

static enum peal_status
new_assignment_folder(const struct command_request *request, const char *name, struct peal_error *error)
{
    struct start_asked asked = {.name = name,
                                .collective = PEAL_BROADCAST,
                                .mpi = request->function.mpi,
                                .topology = option_given(request, "topology") ? request->machine.topology : NULL};
    const struct peal_algorithm *none;

    if (!is_valid_name(name))
        return refuse_name(name, error);
    if (request->function.collective &&
        target_find_listed(request->function.collective, &asked.collective, &none, error) != PEAL_OK)
        return error->status;
    bool said = !request->function.collective && name_says_collective(name, &asked.collective);

    if (start_assignment_possible(&asked, error) != PEAL_OK)
        return error->status;
    if (mkdir(name, 0777) != 0)
        return errno == EEXIST
                   ? peal_refuse(error, PEAL_USAGE, "%s exists already, and is left as it is: choose another name",
                                 name)
                   : peal_refuse(error, PEAL_USAGE, "the folder %s cannot be made: %s", name, strerror(errno));
    assignment_folder = name;
    if (start_assignment(&asked, write_in_folder, error) != PEAL_OK) {
        start_assignment(&asked, remove_from_folder, NULL);
        rmdir(name);
        return error->status;
    }
    start_assignment(&asked, show_in_folder, NULL);
    if (!request->function.collective)
        printf("on     %s%s\n", peal_collective_name(asked.collective),
               said ? ", as the name says" : "; --collective names another");
    printf("grade  peal grade %s/%s.ini %s/solution.c\n", name, name, name);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ an algorithm */

/* The algorithm that a template calls, by its collective. */
static const char *
new_simplest_algorithm(enum peal_collective collective)
{
    static const char *const names[] = {"linear", "direct", "ring", "reduce-broadcast", "reduce-then-scatter", NULL};

    for (int i = 0; names[i]; i++)
        if (peal_algorithm_find(collective, names[i]))
            return names[i];
    return peal_algorithm_get(0)->name;
}

/* The parameters of `run` after the node, and the call of the simplest algorithm: both from the collective's row. */
static void
fill_call(enum peal_collective collective, const char *folder, char parameters[300], char call[300])
{
    const struct peal_form *form = peal_form_of(collective);
    bool in = form->in != PEAL_SIDE_NONE, data = form->out != PEAL_SIDE_NONE, pairs = form->in == PEAL_SIDE_PAIRS;
    bool blocks = peal_collective_has_blocks(collective);

    snprintf(parameters, 300, "%s%s%s%s%s%s%s%s", form->op ? ", const struct peal_op *op" : "",
             in     ? ", const void *in"
             : data ? ", void *a"
                    : "",
             pairs    ? ", const struct peal_blocks *send"
             : blocks ? ", const struct peal_blocks *blocks"
             : data   ? ", size_t n"
                      : "",
             form->root ? ", int root" : "", form->by ? ", int by" : "", form->to ? ", const int *to, int count" : "",
             in ? ", void *out" : "", pairs ? ", const struct peal_blocks *receive" : "");
    snprintf(call, 300, "%speal_%s_by(me, \"%s\"%s%s%s%s%s%s%s);", pairs ? "(void)receive;\n    " : "", folder,
             new_simplest_algorithm(collective), form->op ? ", op" : "",
             in     ? ", in"
             : data ? ", a"
                    : "",
             pairs    ? ", send->words"
             : blocks ? ", blocks->words"
             : data   ? ", n"
                      : "",
             form->root ? ", root" : "", form->by ? ", by" : "", form->to ? ", to, count" : "", in ? ", out" : "");
}

/* "reduce-scatter" as "reduce_scatter"; upper case for the name of its enumerator. */
static void
to_identifier(const char *name, bool upper, char text[80])
{
    size_t i = 0;

    for (; name[i] && i < 79; i++)
        text[i] = name[i] == '-' ? '_' : (char)(upper ? toupper((unsigned char)name[i]) : name[i]);
    text[i] = '\0';
}

static enum peal_status
write_algorithm(enum peal_collective collective, const char *name, struct peal_error *error)
{
    char folder[80], file[80], variable[164], upper[80], enumerator[90], parameters[300], call[300], path[300];
    const struct template_word words[] = {
        {"COLLECTIVE", peal_collective_name(collective)},
        {"NAME", name},
        {"VARIABLE", variable},
        {"ENUM", enumerator},
        {"MEMBER", folder},
        {"PARAMETERS", parameters},
        {"CALL", call},
        {"NEEDS", peal_collective_has_blocks(collective) ? "\n    .needs = {.equal_blocks = true}," : ""},
        {NULL, NULL}};
    struct stat about;

    to_identifier(peal_collective_name(collective), false, folder);
    to_identifier(peal_collective_name(collective), true, upper);
    to_identifier(name, false, file);
    snprintf(variable, sizeof variable, "%s_%s", folder, file);
    snprintf(enumerator, sizeof enumerator, "PEAL_%s", upper);
    fill_call(collective, folder, parameters, call);
    snprintf(path, sizeof path, "algorithms/%s", folder);
    bool in_tree = stat(path, &about) == 0 && S_ISDIR(about.st_mode) && access("algorithms/catalog.def", F_OK) == 0;

    snprintf(path, sizeof path, "%s%s%s%s.c", in_tree ? "algorithms/" : "", in_tree ? folder : "", in_tree ? "/" : "",
             file);
    enum peal_status status = write_start(path, new_algorithm, words, error);

    if (status != PEAL_OK)
        return status;
    printf("wrote  %s%s%s%s\n", path, in_tree ? "" : "    (its place: algorithms/", in_tree ? "" : folder,
           in_tree ? "" : ")");
    printf("add    ALGORITHM(%s, %s)    to algorithms/catalog.def\n", folder, file);
    printf("test   PEAL_TEST_ALGORITHM=%s/%s tools/test --quick algorithms_catalogue\n",
           peal_collective_name(collective), name);
    return PEAL_OK;
}

/* "Reduce_scatter_block", MPI's name of a collective. */
static void
to_call(enum peal_collective collective, char call[80])
{
    to_identifier(collective == PEAL_BROADCAST ? "bcast" : peal_collective_name(collective), false, call);
    call[0] = (char)toupper((unsigned char)call[0]);
    if (collective == PEAL_REDUCE_SCATTER)
        strcat(call, "_block");
}

/* The arguments of MPI's call with their types: "void *buffer, int count, ...". */
static void
new_declare_arguments(const char *arguments, char parameters[400])
{
    static const struct {
        const char *name, *type;
    } types[] = {{"sendbuf", "const void *"}, {"recvbuf", "void *"},         {"buffer", "void *"},
                 {"op", "MPI_Op "},           {"datatype", "MPI_Datatype "}, {"sendtype", "MPI_Datatype "},
                 {"comm", "MPI_Comm "},       {"recvtype", "MPI_Datatype "}};
    struct peal_text out = empty_text(parameters, 400);

    for (size_t length; *arguments; arguments += length + strspn(arguments + length, ", ")) {
        const char *type = "int ";

        length = strcspn(arguments, ",");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (strlen(types[i].name) == length && strncmp(types[i].name, arguments, length) == 0)
                type = types[i].type;
        peal_append(out, "%s%s%.*s", parameters[0] ? ", " : "", type, (int)length, arguments);
    }
}

static enum peal_status
write_mpi_algorithm(enum peal_collective collective, const char *name, struct peal_error *error)
{
    const char *arguments = peal_check_arguments(collective, false);
    char function[80], call[88], parameters[400], path[100];
    const struct template_word words[] = {{"COLLECTIVE", peal_collective_name(collective)},
                                          {"NAME", function},
                                          {"PARAMETERS", parameters},
                                          {"CALL", call},
                                          {"ARGUMENTS", arguments},
                                          {NULL, NULL}};

    if (!arguments)
        return peal_refuse(error, PEAL_USAGE, "MPI has no call for %s: leave out --mpi",
                           peal_collective_name(collective));
    to_identifier(name, false, function);
    to_call(collective, call);
    new_declare_arguments(arguments, parameters);
    snprintf(path, sizeof path, "%s.c", function);
    enum peal_status status = write_start(path, new_mpi_algorithm, words, error);

    if (status == PEAL_OK)
        printf("wrote  %s\ncheck  peal check %s --mpi --file %s --symbol %s\n", path, peal_collective_name(collective),
               path, function);
    return status;
}

static enum peal_status
new_algorithm_file(const char *what, bool mpi, struct peal_error *error)
{
    const char *typed = strchr(what, '/');
    char word[64], name[64];
    enum peal_collective collective;
    const struct peal_algorithm *none;

    if (!typed || !typed[1])
        return peal_refuse(error, PEAL_USAGE, "expected a collective and a name, as in broadcast/my-way, got '%s'",
                           what);
    snprintf(word, sizeof word, "%.*s", (int)(typed - what < 63 ? typed - what : 63), what);
    typed++;
    if (target_find_listed(word, &collective, &none, error) != PEAL_OK)
        return error->status;
    if (!is_valid_name(typed))
        return refuse_name(typed, error);
    to_name(typed, name);
    if (mpi)
        return write_mpi_algorithm(collective, name, error);
    if (peal_algorithm_find(collective, name))
        return peal_refuse(error, PEAL_USAGE, "%s/%s is in the catalogue already: choose another name", word, name);
    return write_algorithm(collective, name, error);
}

/* ------------------------------------------------------------------ the command */

static int
command_new_run(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    const char *kind = request->argument_count > 0 ? request->arguments[0] : "", *name = request->arguments[1];
    const struct function_options *function = &request->function;
    bool program = strcmp(kind, "program") == 0, assignment = strcmp(kind, "assignment") == 0;

    if (request->argument_count != 2 || request->program)
        peal_refuse(
            &error, PEAL_USAGE,
            "expected a kind and a name: peal new program hello, peal new assignment my-course, peal new algorithm "
            "broadcast/my-way");
    else if (!program && !assignment && strcmp(kind, "algorithm") != 0)
        peal_refuse(&error, PEAL_USAGE, "unknown kind '%s': expected program, assignment or algorithm", kind);
    else if (program && request->function.mpi)
        peal_refuse(&error, PEAL_USAGE, "--mpi is for an algorithm or an assignment");
    else if (!program && (function->fortran || function->python))
        peal_refuse(&error, PEAL_USAGE, "--%s is for a program", function->fortran ? "fortran" : "python");
    else if (function->fortran && function->python)
        peal_refuse(&error, PEAL_USAGE, "expected --fortran or --python, got both");
    else if (!assignment && (request->function.collective || option_given(request, "topology")))
        peal_refuse(&error, PEAL_USAGE, "%s is for an assignment",
                    request->function.collective ? "--collective" : "--topology");
    else if (assignment)
        new_assignment_folder(request, name, &error);
    else if (program)
        new_program_file(name,
                         function->python    ? ".py"
                         : function->fortran ? ".f90"
                                             : ".c",
                         function->python    ? new_python_program
                         : function->fortran ? new_fortran_program
                                             : new_program,
                         &error);
    else
        new_algorithm_file(name, request->function.mpi, &error);
    return error.status == PEAL_OK ? 0 : complain(&error);
}

const struct command command_new = {
    .name = "new",
    .arguments = "program|assignment|algorithm NAME",
    .summary = "write a small commented start that runs",
    .examples = "  peal new program hello                hello.c, a node program\n"
                "  peal new program hello --fortran      hello.f90, a program for MPI\n"
                "  peal new program hello --python       hello.py, with mpi4py\n"
                "  peal new assignment tree-broadcast    handout, marks, starter, solution\n"
                "  peal new assignment mine --collective allgather -t torus:3x3\n"
                "  peal new algorithm broadcast/my-way   a file, and its line in the catalogue\n"
                "  peal new algorithm allreduce/mine --mpi      the same as a function for MPI\n",
    .completes = WORDS_NONE,
    .run = command_new_run,
};
