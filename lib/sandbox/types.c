/* SPDX-License-Identifier: MIT */
/* The compiler compares types: it gets the judge's declarations, and then the file, as one unit.  Runs in the
 * compiler's child (unit.c). */
#include "lib/sandbox/types.h"
#include "lib/base/text.h"
#include "lib/program/isolate.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_TEXT = 16384 };

/* The lines of a file, 1 at least. */
static int
count_lines(const char *path)
{
    FILE *in = fopen(path, "re");
    int lines = 0, last = '\n';

    for (int c; in && (c = getc(in)) != EOF; last = c)
        lines += c == '\n';
    if (in)
        fclose(in);
    lines += last != '\n';
    return lines > 0 ? lines : 1;
}

/* If the end of the included file lacks something, the compiler reports it at the next declaration or at the very end:
 * both are on that file's last line. */
enum peal_status
types_write_source(const char *path, const char *before, const char *included, const char *after,
                   struct peal_error *error)
{
    FILE *out = fopen(path, "we");
    bool written = out && fputs(before ? before : "", out) >= 0;

    if (written && included) {
        int last = count_lines(included), next = 5;

        for (const char *c = before ? before : ""; *c; c++)
            next += *c == '\n';
        written = fprintf(out,
                          "#include \"%s\"\n#line %d \"%s\"\nextern int peal_end_of_the_file(void);\n"
                          "#line %d \"%s\"\n%s#line %d \"%s\"\n",
                          included, last, included, next, path, after ? after : "", last, included) > 0;
    }
    if (out && fclose(out) == 0 && written)
        return PEAL_OK;
    return peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
}

/* ------------------------------------------------------------------ C */

/* Whether the compiler, given the judge and then the file, finds that one of the file's functions in `calls` has a type
 * other than the one that the judge declares.  Other errors do not count: private names of both may clash. */
static bool
finds_other_types(const char *messages, const char *calls)
{
    static const char sign[] = "conflicting types for ";
    char name[256];

    for (const char *at = messages; (at = strstr(at, sign));) {
        at += strlen(sign);
        at += strcspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\n");
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

        snprintf(name, sizeof name, "=%.*s", (int)(length < 200 ? length : 200), at);
        if (isolate_has(calls, name, strlen(name)))
            return true;
    }
    return false;
}

/* Compile a file with further flags, only for the compiler's messages: they become `messages`. */
static void
types_ask_compiler(const struct unit_source *source, const char *path, const char *further, char messages[MAX_TEXT])
{
    const char *flags = source->flags ? source->flags : getenv("CFLAGS");
    int text = memfd_create("types", MFD_CLOEXEC), errors = dup(STDERR_FILENO);
    struct peal_program_options options = {.compiler = source->compiler};
    struct compiled ignored;
    char *all = NULL;

    messages[0] = '\0';
    if (text >= 0 && errors >= 0 && asprintf(&all, "%s -w -fsyntax-only %s", flags ? flags : "", further) >= 0) {
        setenv("LC_ALL", "C", 1);
        options.flags = all;
        dup2(text, STDERR_FILENO);
        if (source->mpi)
            compile_mpi_judged(path, NULL, &options, false, true, &ignored, NULL);
        else
            compile_object(path, &options, &ignored, NULL);
        dup2(errors, STDERR_FILENO);
        ssize_t count = pread(text, messages, MAX_TEXT - 1, 0);

        messages[count > 0 ? count : 0] = '\0';
    }
    free(all);
    close(text);
    close(errors);
}

/* The program begins in the judge: the file's own main gets another name. */
static const char *
other_main(const struct unit_source *source)
{
    return source->mpi ? "#define main main_of_the_file\n"
                       : "#define peal_main peal_main_of_the_file\n"
                         "void peal_main(struct peal_node *me, int argc, char **argv);\n";
}

enum peal_status
types_of_c(const struct unit *unit, const struct unit_source *source, const char *directory, const char *calls,
           struct peal_error *error)
{
    char path[PATH_MAX + 16], before[PATH_MAX + 200], messages[MAX_TEXT];

    snprintf(path, sizeof path, "%s/types.c", directory);
    snprintf(before, sizeof before, "#include \"%s\"\n%s", source->judge_file, other_main(source));
    if (types_write_source(path, before, unit->real, NULL, NULL) != PEAL_OK)
        return PEAL_OK;
    types_ask_compiler(source, path, "", messages);
    if (!finds_other_types(messages, calls))
        return PEAL_OK;
    fputs(messages, stderr);
    return peal_refuse(error, PEAL_PROGRAM, "%s does not fit %s: see the message above", unit->real,
                       source->judge_file);
}

/* ------------------------------------------------------------------ C++ */

/* What the judge declares but does not define, by gcc's list of prototypes: each begins with its place, and whether it
 * is a declaration, as in "/+ driver.c:9:NC +/ extern void f (int);" (with * for +).  Only those of the judge's folder
 * count.  `of_each` is called with the prototype and the name. */
static void
each_prototype(const char *list, const char *judge, void (*of_each)(const char *prototype, const char *name, FILE *out),
               FILE *out)
{
    const size_t folder = (size_t)(strrchr(judge, '/') - judge) + 1;
    FILE *in = fopen(list, "re");
    char line[4096], name[256];

    while (in && fgets(line, sizeof line, in)) {
        char *place = strstr(line, "/* "), *prototype = strstr(line, "*/ "),
             *open = prototype ? strchr(prototype, '(') : NULL;

        if (!place || strncmp(place + 3, judge, folder) != 0 || !open || prototype[-2] != 'C' || prototype[-3] != 'N')
            continue;
        char *end = open, *begin;

        while (end > prototype && end[-1] == ' ')
            end--;
        for (begin = end; begin > prototype && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_');)
            begin--;
        snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
        if (begin < end && strcmp(name, "main") != 0 && strcmp(name, "peal_main") != 0)
            of_each(prototype + 3, name, out);
    }
    if (in)
        fclose(in);
}

static void
write_prototype(const char *prototype, const char *name, FILE *out)
{
    (void)name;
    fputs(prototype, out);
}

/* Write a declaration that compiles only if the file's function has the type declared there. */
static void
write_comparison(const char *prototype, const char *name, FILE *out)
{
    (void)prototype;
    fprintf(out, "__typeof__(peal_declared::%s) *peal_type_of_%s = &::%s;\n", name, name, name);
}

/* Take the text in the quotes that follow `sign`, with the function's name for (*): what comes after it, or NULL. */
static const char *
type_after(const char *at, const char *sign, const char *name, char type[400])
{
    const char *begin = at ? strstr(at, sign) : NULL, *end = begin ? strchr(begin + strlen(sign), '\'') : NULL,
               *pointer = begin ? strstr(begin, "(*)") : NULL;

    if (!end || !pointer || pointer > end)
        return NULL;
    begin += strlen(sign);
    snprintf(type, 400, "%.*s%s%.*s", (int)(pointer - begin), begin, name, (int)(end - pointer - 3), pointer + 3);
    return end;
}

/* Whether the messages say that a function has another type; *error says which, and both. */
static bool
differ(const char *messages, const struct unit *unit, const struct unit_source *source, struct peal_error *error)
{
    static const char sign[] = "peal_type_of_";
    const char *line = strstr(messages, "invalid conversion from '"), *at = line ? strstr(line, sign) : NULL;
    char name[256], got[400], expected[400];

    if (!at)
        return false;
    at += sizeof sign - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    at = type_after(line, "from '", name, got);
    if (!type_after(at, "to '", name, expected))
        return false;
    peal_refuse(error, PEAL_PROGRAM, "%s: %s calls another %s: expected %s, got %s", unit->real, source->judge_file,
                name, expected, got);
    return true;
}

enum peal_status
types_of_cplusplus(const struct unit *unit, const struct unit_source *source, const char *directory, char **flags,
                   struct peal_error *error)
{
    const char *given = source->flags ? source->flags : getenv("CFLAGS");
    char list[PATH_MAX + 16], path[PATH_MAX + 16], header[PATH_MAX + 16], further[PATH_MAX + 40], messages[MAX_TEXT];
    FILE *out;

    if (strpbrk(directory, " \t\n"))
        return PEAL_OK;
    snprintf(list, sizeof list, "%s/prototypes", directory);
    snprintf(further, sizeof further, "-aux-info %s", list);
    struct unit_source by_gcc = *source; /* no other compiler lists prototypes */

    if (!source->mpi)
        by_gcc.compiler = "gcc";
    types_ask_compiler(&by_gcc, source->judge_file, further, messages);

    snprintf(header, sizeof header, "%s/declared.h", directory);
    if ((out = fopen(header, "we"))) {
        fprintf(out,
                "#ifdef __cplusplus\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <%s>\n"
                "#define _Bool bool\nextern \"C\" {\n",
                source->mpi ? "mpi.h" : "peal/peal.h");
        each_prototype(list, source->judge_file, write_prototype, out);
        fputs("}\n#undef _Bool\n#endif\n", out);
        fclose(out);
    }
    snprintf(path, sizeof path, "%s/types.cpp", directory);
    if (!(out = fopen(path, "we")))
        return PEAL_OK;
    fprintf(out, "%s#include \"%s\"\n#define _Bool bool\nnamespace peal_declared {\n", other_main(source), unit->real);
    each_prototype(list, source->judge_file, write_prototype, out);
    fputs("}\n", out);
    each_prototype(list, source->judge_file, write_comparison, out);
    fclose(out);
    types_ask_compiler(source, path, "", messages);
    if (differ(messages, unit, source, error))
        return PEAL_PROGRAM;

    snprintf(path, sizeof path, "%s/declared.cpp", directory);
    snprintf(further, sizeof further, "-include %s", header);
    if (types_write_source(path, "\n", NULL, NULL, NULL) != PEAL_OK)
        return PEAL_OK;
    types_ask_compiler(source, path, further, messages);
    if (!strstr(messages, "error:") && asprintf(flags, "%s %s", given ? given : "", further) < 0)
        *flags = NULL;
    return PEAL_OK;
}
