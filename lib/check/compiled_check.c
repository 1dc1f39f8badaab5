/* SPDX-License-Identifier: MIT */
/* Compiles users' files for checks, each once, and explains the compiler's messages. */
#include "lib/base/text.h"
#include "lib/check/validate.h"

bool
same_unit(const struct peal_check *a, const struct peal_check *b)
{
    return a->collective == b->collective && a->unequal == b->unequal && same_text(a->file, b->file) &&
           a->mpi == b->mpi && same_text(a->arguments, b->arguments) && a->sources == b->sources &&
           same_text(a->symbol, b->symbol) && same_text(a->compiler, b->compiler) && same_text(a->flags, b->flags);
}

/* Copy the next quoted text that is not an "aka", with (*) replaced by the function's name; gives the text after it, or
 * NULL. */
static const char *
next_quoted(const char *at, const char *symbol, char text[300])
{
    static const char *const begins[] = {"\u2018", "'"}, *const ends[] = {"\u2019", "'"};

    for (const char *best = NULL; at; at = best) {
        size_t which = 0, length = strcspn(at, "\n");

        best = NULL;
        for (size_t i = 0; i < 2; i++) {
            const char *found = strstr(at, begins[i]);

            if (found && found < at + length && (!best || found < best)) {
                best = found;
                which = i;
            }
        }
        const char *begin = best ? best + strlen(begins[which]) : NULL,
                   *end = begin ? strstr(begin, ends[which]) : NULL;

        if (!end || end > at + length)
            return NULL;
        bool aka = best >= at + 4 && strncmp(best - 4, "aka ", 4) == 0;
        const char *pointer = strstr(begin, "(*)");

        best = end + strlen(ends[which]);
        if (aka)
            continue;
        if (!pointer || pointer > end)
            return NULL;
        snprintf(text, 300, "%.*s%s%.*s", (int)(pointer - begin), begin, symbol, (int)(end - pointer - 3), pointer + 3);
        unit_replace("  ", " ", text, 300);
        return best;
    }
    return NULL;
}

/* Explain the compiler's message that the function's type is not that of this collective. */
static bool
other_type(const struct peal_check *check, const char *messages, struct peal_error *error)
{
    const char *line = strstr(messages, "incompatible ");
    const bool cplusplus = !line && (line = strstr(messages, "invalid conversion from ")) != NULL;
    char expected[300], got[300];

    while (line && line > messages && line[-1] != '\n')
        line--;
    if (!line || check->mpi || !(line = strstr(line, "error: ")) ||
        !(line = next_quoted(line, check->symbol, cplusplus ? got : expected)) ||
        !next_quoted(line, check->symbol, cplusplus ? expected : got))
        return false;
    peal_refuse(error, PEAL_PROGRAM, "%s: as %s %s has another type: expected %s, got %s", check->file,
                peal_call_name(check->collective, check->unequal), check->symbol, expected, got);
    return true;
}

/* Report how to choose one function of several in C++: of overloads, or of a template's instances; or that the standard
 * is too old. */
static bool
is_several(const struct peal_check *check, const char *messages, struct peal_error *error)
{
    static const char sign[] = "candidate: ";
    char all[400] = "";

    for (const char *at = strstr(messages, "call of overloaded") ? messages : ""; (at = strstr(at, sign));) {
        at += sizeof sign - 1;
        size_t quote = strspn(at, "\u2018'"), length = strcspn(at + quote, "'\u2019\n");

        peal_append(IN_ARRAY(all), "%s%.*s", *all ? "; " : "", (int)length, at + quote);
    }
    if (strstr(messages, "functions of C++11 or later"))
        return peal_refuse(error, PEAL_PROGRAM, "%s: it is called in C++11 or later: leave out -std=c++98",
                           check->file);
    if (strstr(messages, "template argument deduction") && !strchr(check->symbol, '<'))
        return peal_refuse(error, PEAL_PROGRAM, "%s: %s is a template: expected its arguments, too, as '%s<double>'",
                           check->file, check->symbol, check->symbol);
    if (*all)
        peal_refuse(error, PEAL_PROGRAM,
                    "%s: %s is overloaded: %s; --arguments with a cast chooses one, as (double *)sendbuf", check->file,
                    check->symbol, all);
    return *all != '\0';
}

struct compiled_check *
compile_for(struct compiled_check *all, const struct peal_check *checks, int i)
{
    const struct peal_check *check = &checks[i];
    char text[CHECK_TEXT], complaint[300];
    int first = 0;

    while (!same_unit(&checks[first], check))
        first++;
    struct compiled_check *one = &all[first];

    if (one->tried)
        return one;
    struct unit_source source = check_source(check, text);

    one->tried = true;
    bool wrong =
        unit_compile(&one->unit, &source, &one->error) == PEAL_PROGRAM && one->unit.messages && one->unit.messages[0];

    if (wrong && !check->program &&
        (other_type(check, one->unit.messages, &one->error) || is_several(check, one->unit.messages, &one->error) ||
         missing_function(check, &one->unit, &one->error)))
        return one;
    const char *what =
        wrong && check->untrusted ? unit_complaint(&one->unit, check->file, complaint) : "see the message above";

    if (wrong && check->program)
        peal_refuse(&one->error, PEAL_PROGRAM, "%s does not compile or link: %s", check->file, what);
    else if (wrong)
        peal_refuse(&one->error, PEAL_PROGRAM, "%s: as %s of the function %s it does not compile, link or load: %s%s",
                    check->file, peal_call_name(check->collective, check->unequal), check->symbol, what,
                    strstr(one->unit.messages, "Permission denied")
                        ? "; the compiler reads the file's own folder, and those that --cflags names with -I"
                    : !check->mpi && (strstr(one->unit.messages, "mpi.h: No such file") ||
                                      strstr(one->unit.messages, "'mpi.h' file not found"))
                        ? "; mpi.h is for functions with MPI's arguments: put this one into a file of its own"
                    : check->mpi && !check->arguments && strcmp(one->unit.wrapper, check->file) != 0
                        ? "; --arguments lists others than MPI's"
                        : "");
    if (one->unit.messages && !check->untrusted)
        unit_show(&one->unit, check->file);
    return one;
}
