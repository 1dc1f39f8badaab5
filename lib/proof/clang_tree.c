/* SPDX-License-Identifier: MIT */
/* Runs clang on a file and keeps what is followed: bodies of functions, fields of structs, constants.  The tree names a
 * line only where it differs from the one before, in the order of its text, so the last one is remembered here. */
#include "lib/proof/clang_tree.h"
#include "lib/base/grow.h"
#include "lib/base/map.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4096 };

void
sources_fini(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct c_unit *unit = &sources->units[i];

        free(unit->path);
        json_decref(unit->functions);
        json_decref(unit->records);
        json_decref(unit->constants);
        json_decref(unit->variables);
    }
    free(sources->units);
    sources->units = NULL;
    sources->count = sources->capacity = 0;
}

const char *
node_other_type(const json_t *node, const char *key)
{
    const json_t *type = json_object_get(node, key);
    const char *plain = node_text(type, "desugaredQualType");

    return plain[0] ? plain : node_text(type, "qualType");
}

const char *
node_type(const json_t *node)
{
    return node_other_type(node, "type");
}

/* ------------------------------------------------------------------ lines */

/* Hash what is said of a value: all but clang's addresses, which differ from run to run. */
static void
hash_value(const json_t *value, uint64_t *hash)
{
    const char *text = json_string_value(value);
    const bool is_address =
        text && strncmp(text, "0x", 2) == 0 && text[2 + strspn(text + 2, "0123456789abcdef")] == '\0';

    *hash = map_mix(*hash, (uint64_t)json_typeof(value));
    if (json_is_integer(value))
        *hash = map_mix(*hash, (uint64_t)json_integer_value(value));
    for (; text && !is_address && *text; text++)
        *hash = map_mix(*hash, (unsigned char)*text);
}

/* Go through the document in the order of its text; each node gets the line where it begins, as "line".  Gives the line
 * of the member "begin". */
static json_int_t
carry_lines(json_t *value, json_int_t *line, uint64_t *hash)
{
    json_int_t begins = 0, inner;
    const char *key;
    json_t *member;
    size_t i;

    hash_value(value, hash);
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) carry_lines(member, line, hash);
        *hash = map_mix(*hash, UINT64_MAX); /* its end */
        return 0;
    }
    json_object_foreach(value, key, member)
    {
        for (const char *letter = key; *letter; letter++)
            *hash = map_mix(*hash, (unsigned char)*letter);
        if (strcmp(key, "line") == 0)
            *line = json_integer_value(member);
        inner = carry_lines(member, line, hash);
        if (strcmp(key, "begin") == 0)
            begins = *line;
        else if (strcmp(key, "range") == 0)
            begins = inner;
    }
    if (json_is_object(value))
        *hash = map_mix(*hash, UINT64_MAX);
    if (json_object_get(value, "kind"))
        json_object_set_new(value, "line", json_integer(begins));
    return begins;
}

/* Drop the members that are not used, which are many. */
static void
drop_rest(json_t *node)
{
    static const char *const dropped[] = {"id",          "loc",          "range",           "isUsed",
                                          "mangledName", "isReferenced", "nonOdrUseReason", "valueCategory"};
    json_t *child;
    size_t i;

    for (size_t d = 0; d < sizeof dropped / sizeof *dropped; d++)
        json_object_del(node, dropped[d]);
    json_array_foreach(json_object_get(node, "inner"), i, child) drop_rest(child);
}

/* ------------------------------------------------------------------ declarations */

/* Keep a record's fields, and those of records in it.  type: of one that has no name of its own. */
static void
keep_record(struct c_unit *unit, json_t *node, const char *type)
{
    char named[300];
    json_t *fields = json_array(), *child;
    bool bits = false; /* a bit-field truncates what is stored, for which the tree has no conversion */
    size_t i;

    json_array_foreach(json_object_get(node, "inner"), i, child)
    {
        bits = bits || json_object_get(child, "isBitfield");
        if (node_is(child, "FieldDecl"))
            json_array_append_new(
                fields, json_pack("[s, s, s]", node_text(child, "name"), node_type(child), node_text(child, "id")));
        else if (node_is(child, "RecordDecl"))
            keep_record(unit, child, "");
    }
    snprintf(named, sizeof named, "struct %s", node_text(node, "name"));
    type = node_text(node, "name")[0] ? named : type;
    if (json_array_size(fields) > 0 && !bits && type[0] && strcmp(node_text(node, "tagUsed"), "struct") == 0)
        json_object_set(unit->records, type, fields);
    json_decref(fields);
}

/* The value of a constant expression that clang has evaluated. */
static bool
constant_of(const json_t *node, json_int_t *value)
{
    if (node_is(node, "ConstantExpr") && json_object_get(node, "value")) {
        *value = strtoll(node_text(node, "value"), NULL, 10);
        return true;
    }
    for (size_t i = 0; i < node_children(node); i++)
        if (constant_of(node_child(node, i), value))
            return true;
    return false;
}

static void
keep_constants(struct c_unit *unit, const json_t *node)
{
    json_int_t value = -1;
    json_t *child;
    size_t i;

    json_array_foreach(json_object_get(node, "inner"), i, child) if (node_is(child, "EnumConstantDecl"))
    {
        value++;
        constant_of(child, &value);
        json_object_set_new(unit->constants, node_text(child, "name"),
                            json_pack("[I, s]", value, node_text(child, "id")));
    }
}

static bool
has_body(const json_t *function)
{
    size_t count = node_children(function);

    for (size_t i = 0; i < count; i++)
        if (node_is(node_child(function, i), "CompoundStmt"))
            return true;
    return false;
}

/* Whether a parameter may be an array with a length, which may be computed in each call: the tree shows a pointer, and
 * the declaration does not end with the name, or with `[]` after it.  clang's warning, a file can turn off. */
static bool
has_length(const json_t *parameter)
{
    const json_t *name = json_object_get(parameter, "loc"),
                 *end = json_object_get(json_object_get(parameter, "range"), "end"),
                 *macro = json_object_get(name, "spellingLoc"), *macro_end = json_object_get(end, "spellingLoc");
    const json_int_t begins = json_integer_value(json_object_get(macro ? macro : name, "offset")),
                     ends = json_integer_value(json_object_get(macro_end ? macro_end : end, "offset")),
                     letters = json_integer_value(json_object_get(name, "tokLen"));
    const char *type = node_type(parameter), *length = strchr(type, '[');

    if (length)
        return length[1 + strspn(length + 1, "0123456789")] != ']' || strchr(length + 1, '[');
    if (!strchr(type, '*') || strchr(type, '('))
        return false;
    return macro || macro_end ? !macro || !macro_end || ends != begins : ends > begins + letters + 1;
}

/* A function without its body where that is not followed: several have one name, or a length of a parameter may be
 * computed in each call, which the tree does not show. */
static void
keep_function(struct c_unit *unit, json_t *node)
{
    bool followed = !json_object_get(unit->functions, node_text(node, "name"));

    for (size_t i = 0; i < node_children(node); i++)
        followed = followed && !(node_is(node_child(node, i), "ParmVarDecl") && has_length(node_child(node, i)));
    drop_rest(node);
    if (!followed)
        json_object_del(node, "inner");
    json_object_set(unit->functions, node_text(node, "name"), node);
}

static void
clang_tree_keep(struct c_unit *unit, json_t *document)
{
    json_int_t line = 0;
    json_t *node, *record = NULL;
    size_t i;

    carry_lines(document, &line, &unit->hash);
    json_array_foreach(json_object_get(document, "inner"), i, node)
    {
        if (node_is(node, "RecordDecl"))
            keep_record(unit, record = node, "");
        else if (node_is(node, "TypedefDecl") && record &&
                 strcmp(node_text(record, "id"),
                        node_text(json_object_get(node_child(node, 0), "ownedTagDecl"), "id")) == 0)
            keep_record(unit, record, node_text(node, "name"));
        else if (node_is(node, "EnumDecl"))
            keep_constants(unit, node);
        else if (node_is(node, "VarDecl") && json_object_get(node, "init"))
            json_object_set(unit->variables, node_text(node, "name"), node);
        else if (node_is(node, "FunctionDecl") && has_body(node))
            keep_function(unit, node);
    }
}

/* ------------------------------------------------------------------ clang */

static enum peal_status
call_clang(const struct sources *sources, const char *path, json_t **document, struct peal_error *error)
{
    char top[PATH + 10], include[PATH + 20], algorithms[PATH + 20], mpi[PATH + 30], *rest = NULL;
    char *const own[] = {
        "-D_GNU_SOURCE",         "-w", "-Xclang", "-ast-dump=json", "-fsyntax-only", top, include, algorithms, mpi,
        (char *)(uintptr_t)path, NULL};
    char *flags = strdup(sources->count == 0 && sources->flags ? sources->flags : "");
    char **words = flags ? calloc(strlen(flags) + 2 + sizeof own / sizeof *own, sizeof *words) : NULL, **end = words;
    pid_t process;
    int from, wrong;
    json_error_t why;
    FILE *in;

    if (!words) {
        free(flags);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    snprintf(top, sizeof top, "-I%s", sources->top);
    snprintf(include, sizeof include, "-I%s/include", sources->top);
    snprintf(algorithms, sizeof algorithms, "-I%s/algorithms", sources->top);
    snprintf(mpi, sizeof mpi, "-I%s/include/peal/mpi", sources->top);
    *end++ = "clang";
    *end++ = "-std=gnu17";
    for (char *flag = strtok_r(flags, " \t\n", &rest); flag; flag = strtok_r(NULL, " \t\n", &rest))
        *end++ = flag;
    memcpy(end, own, sizeof own); /* last: no flag undoes them */
    wrong = peal_spawn(words, (const int[]){PEAL_SPAWN_NOTHING, PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &process, &from);
    free(words);
    free(flags);
    if (wrong != 0)
        return peal_refuse(error, PEAL_RESOURCES, "clang does not start: %s", strerror(wrong));
    in = fdopen(from, "r");
    *document = in ? json_loadf(in, JSON_ALLOW_NUL, &why) : NULL;
    if (in)
        fclose(in);
    else
        close(from);
    wrong = peal_spawn_wait(process, -1);
    if (!*document || !WIFEXITED(wrong) || WEXITSTATUS(wrong) != 0) {
        json_decref(*document);
        return peal_refuse(error, PEAL_USAGE, "cannot prove for every P: clang does not compile %s", path);
    }
    return PEAL_OK;
}

enum peal_status
sources_read(struct sources *sources, const char *path, size_t *unit, struct peal_error *error)
{
    struct c_unit *u;
    json_t *document;

    for (*unit = 0; *unit < sources->count; ++*unit)
        if (strcmp(sources->units[*unit].path, path) == 0)
            return PEAL_OK;
    if (!array_grow(&sources->units, &sources->capacity, sources->count + 1, sizeof *sources->units))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (call_clang(sources, path, &document, error) != PEAL_OK)
        return error->status;
    u = &sources->units[sources->count++];
    *u = (struct c_unit){.path = strdup(path),
                         .functions = json_object(),
                         .records = json_object(),
                         .constants = json_object(),
                         .variables = json_object()};
    if (u->path && u->functions && u->records && u->constants && u->variables)
        clang_tree_keep(u, document);
    json_decref(document);
    if (!u->path || !u->functions || !u->records || !u->constants || !u->variables)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ functions */

/* Whether the file defines a function of this name: as everywhere in the tree, it begins a line. */
static bool
defines(const char *path, const char *name)
{
    FILE *in = fopen(path, "re");
    size_t length = strlen(name), bytes = 0;
    char *line = NULL;
    bool found = false;

    while (in && !found && getline(&line, &bytes, in) > 0)
        found = strncmp(line, name, length) == 0 && line[length] == '(';
    free(line);
    if (in)
        fclose(in);
    return found;
}

enum peal_status
sources_function(struct sources *sources, size_t unit, const char *name, struct c_function *function,
                 struct peal_error *error)
{
    char folder[PATH], path[2 * PATH];
    struct dirent *entry;
    bool found = false;
    DIR *files;

    *function = (struct c_function){json_object_get(sources->units[unit].functions, name), unit};
    if (function->node)
        return PEAL_OK;
    snprintf(folder, sizeof folder, "%s/algorithms/patterns", sources->top);
    if (!(files = opendir(folder)))
        return PEAL_OK;
    while (!found && (entry = readdir(files))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        found = text_has_ending(entry->d_name, ".c") && defines(path, name);
    }
    closedir(files);
    if (!found)
        return PEAL_OK;
    if (sources_read(sources, path, &function->unit, error) != PEAL_OK)
        return error->status;
    function->node = json_object_get(sources->units[function->unit].functions, name);
    return PEAL_OK;
}

enum peal_status
sources_algorithm(struct sources *sources, const char *name, struct c_function *function, struct peal_error *error)
{
    char path[PATH], run[200];

    *function = (struct c_function){.node = NULL};
    for (const char *end = strchr(name, '_'); end; end = strchr(end + 1, '_')) {
        snprintf(path, sizeof path, "%s/algorithms/%.*s/%s.c", sources->top, (int)(end - name), name, end + 1);
        if (access(path, R_OK) != 0)
            continue;
        if (sources_read(sources, path, &function->unit, error) != PEAL_OK)
            return error->status;
        snprintf(run, sizeof run, "%s_run", name);
        function->node = json_object_get(sources->units[function->unit].functions, run);
        return PEAL_OK;
    }
    return PEAL_OK;
}
