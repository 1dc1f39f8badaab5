/* SPDX-License-Identifier: MIT */
/* Functions of a program that do no more than pass a call of MPI, or of Peal, on: the place of such a call is their
 * caller's.
 *
 * Debugging information says which function an address lies in, also one that was inlined, and where that is called;
 * its text says what it does.  In doubt a function does more. */
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include "lib/machine/lookup.h"
#include "lib/program/lines.h"

#if PEAL_LIBDW
#include "lib/program/inlined.h"
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ tokens of a source file */

enum { MAX_BYTES = 1 << 22, MAX_NAMES = 40, NAME_BYTES = 64 };

struct token {
    const char *at;
    size_t bytes; /* 0: the end */
    int line;
};

struct text {
    const char *at;
    int line;
};

/* Go behind blanks, comments and lines of the preprocessor. */
static void
passing_skip_blanks(struct text *text)
{
    for (;;) {
        if (strncmp(text->at, "/*", 2) == 0) {
            for (text->at += 2; *text->at && strncmp(text->at, "*/", 2) != 0; text->at++)
                text->line += *text->at == '\n';
            text->at += *text->at ? 2 : 0;
        } else if (strncmp(text->at, "//", 2) == 0 || *text->at == '#') {
            text->at += strcspn(text->at, "\n");
        } else if (isspace((unsigned char)*text->at)) {
            text->line += *text->at++ == '\n';
        } else {
            return;
        }
    }
}

static struct token
next(struct text *text)
{
    passing_skip_blanks(text);
    struct token token = {text->at, 0, text->line};

    if (isalnum((unsigned char)*text->at) || *text->at == '_') {
        while (isalnum((unsigned char)text->at[token.bytes]) || text->at[token.bytes] == '_')
            token.bytes++;
    } else if (*text->at == '"' || *text->at == '\'') {
        for (token.bytes = 1; text->at[token.bytes] && text->at[token.bytes] != *text->at; token.bytes++)
            token.bytes += text->at[token.bytes] == '\\' && text->at[token.bytes + 1];
        token.bytes += text->at[token.bytes] != '\0';
    } else if (*text->at) {
        static const char *const pairs[] = {
            "->", "==", "<=", ">=", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};

        token.bytes = 1;
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (strncmp(text->at, pairs[i], 2) == 0)
                token.bytes = 2;
    }
    text->at += token.bytes;
    return token;
}

static bool
passing_token_is(struct token token, const char *word)
{
    return strlen(word) == token.bytes && strncmp(token.at, word, token.bytes) == 0;
}

static bool
is_one_of(struct token token, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == token.bytes && strncasecmp(token.at, *words, token.bytes) == 0) /* Fortran's, too */
            return true;
    return false;
}

static bool
passing_is_name(struct token token)
{
    return token.bytes > 0 && (isalpha((unsigned char)*token.at) || *token.at == '_');
}

/* Names, each cut where it is too long. */
struct read_names {
    char list[MAX_NAMES][NAME_BYTES];
    int count;
};

static void
passing_add_name(struct read_names *names, struct token token)
{
    if (names->count < MAX_NAMES && token.bytes < NAME_BYTES)
        snprintf(names->list[names->count++], NAME_BYTES, "%.*s", (int)token.bytes, token.at);
}

static bool
passing_has_name(const struct read_names *names, struct token token)
{
    for (int i = 0; i < names->count; i++)
        if (passing_token_is(token, names->list[i]))
            return true;
    return false;
}

/* ------------------------------------------------------------------ what a function does */

/* A function, by its text. */
struct read_function {
    const char *name, *callee; /* callee: what it may pass on, by its plain name; NULL: a call of MPI or Peal */
    bool method;               /* of an object, whose members it may pass on */
    int line;                  /* of the call that was made in it */
    struct read_names parameters, locals;
    char node[NAME_BYTES]; /* the parameter that is the node, which each call of Peal has; "": none */
    int calls;
    bool more; /* it does more */
};

static bool
is_of_mpi(struct token token)
{
    return (token.bytes > 4 && strncmp(token.at, "MPI_", 4) == 0) ||
           (token.bytes > 5 && strncmp(token.at, "PMPI_", 5) == 0);
}

static bool
is_of_peal(struct token token)
{
    return token.bytes > 5 && strncmp(token.at, "peal_", 5) == 0;
}

/* Calls that only give information or end the run: they move no data. */
static bool
is_aside(struct token token)
{
    static const char *const of_peal[] = {"peal_rank", "peal_size", "peal_abort", "peal_fail", NULL};
    static const char *const words[] = {"Abort", "Error_string", "Error_class", "Comm_rank",     "Comm_size",
                                        "Wtime", "Initialized",  "Finalized",   "Comm_get_name", NULL};
    const char *name = token.at + (*token.at == 'P');
    const size_t left = token.bytes - (*token.at == 'P') - strlen("MPI_");

    return is_of_peal(token) ? is_one_of(token, of_peal)
                             : is_one_of((struct token){name + strlen("MPI_"), left, 0}, words);
}

/* Whether the function may pass on a call of this name, unless it is one of its callee's. */
static bool
is_call(struct token token)
{
    return (is_of_mpi(token) || is_of_peal(token)) && !is_aside(token);
}

/* Read the parameters, from behind their parenthesis on: each is the last name before a comma or the end. */
static bool
passing_read_parameters(struct read_function *function, struct text *text)
{
    struct token before = {NULL, 0, 0}, token;
    bool node = false;

    for (int depth = 1; depth > 0; before = token) {
        token = next(text);
        node = (node || passing_token_is(token, "peal_node")) && !passing_token_is(token, ",");
        if (token.bytes == 0 || passing_token_is(token, ";") || passing_token_is(token, "{"))
            return false;
        depth += passing_token_is(token, "(") - passing_token_is(token, ")");
        if (passing_is_name(before) && (passing_token_is(token, ",") || passing_token_is(token, "=") ||
                                        passing_token_is(token, "[") || passing_token_is(token, ")")))
            passing_add_name(&function->parameters, before);
        if (node && passing_is_name(token) && token.bytes < NAME_BYTES)
            snprintf(function->node, NAME_BYTES, "%.*s", (int)token.bytes, token.at);
    }
    return true;
}

/* Read the arguments of the call: the node, which every call has, and otherwise only what the function was given. */
static void
read_arguments(struct read_function *function, struct text *text, int first_line)
{
    static const char *const computes[] = {"+", "/", "%", "^", "?", "[", "++", "--", "=", "{", NULL};
    struct token before = {"(", 1, 0}, token;
    bool given = false, alone = true;

    for (int depth = 1; depth > 0 && !function->more; before = token) {
        token = next(text);
        depth += passing_token_is(token, "(") - passing_token_is(token, ")");
        struct text ahead = *text;
        const bool member = passing_token_is(before, ".") || passing_token_is(before, "->") ||
                            passing_token_is(before, "::"),
                   called = passing_token_is(next(&ahead), "(");

        function->more |=
            token.bytes == 0 || is_one_of(token, computes) ||
            (passing_token_is(token, "-") && !passing_token_is(before, "(") && !passing_token_is(before, ","));
        if (!passing_is_name(token) || member)
            continue;
        function->more |= passing_has_name(&function->locals, token);
        const bool node = function->node[0] && passing_token_is(token, function->node);

        alone &= node;
        given |= (passing_has_name(&function->parameters, token) && !node) ||
                 (function->method && !called && !is_of_mpi(token));
    }
    given |= alone && function->node[0];
    function->more |= !given || function->line < first_line || function->line > token.line;
}

/* Read the body, from behind its brace on. */
static void
read_body(struct read_function *function, struct text *text)
{
    static const char *const turns[] = {
        "for", "while", "do", "goto", "switch", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};
    static const char *const outputs[] = {"MPI_Status", "MPI_Request", NULL};
    struct token before = {NULL, 0, 0}, type = before, token;

    for (int depth = 1; depth > 0 && !function->more; type = before, before = token) {
        token = next(text);
        depth += passing_token_is(token, "{") - passing_token_is(token, "}");
        struct text ahead = *text;
        struct token after = next(&ahead);
        const bool member = before.bytes > 0 && (passing_token_is(before, ".") || passing_token_is(before, "->"));

        function->more |= token.bytes == 0 || is_one_of(token, turns) ||
                          (passing_token_is(token, "=") && passing_token_is(before, "]"));
        if (!passing_is_name(token))
            continue;
        if (passing_token_is(after, "(") || (passing_token_is(after, "<") && function->callee)) {
            const bool passed = function->callee ? passing_token_is(token, function->callee) : is_call(token);

            function->more |= function->callee && !passed && is_call(token);
            if (!passed)
                continue;
            function->more |= ++function->calls > 1;
            while (!passing_token_is(after, "(") && after.bytes > 0) /* arguments of a template */
                after = next(&ahead);
            *text = ahead;
            read_arguments(function, text, token.line);
        } else if (!member && before.bytes > 0 &&
                   (passing_is_name(before) || passing_token_is(before, "*") || passing_token_is(before, "&")) &&
                   (passing_token_is(after, "=") || passing_token_is(after, ";") || passing_token_is(after, ",") ||
                    passing_token_is(after, "[")) &&
                   !passing_token_is(before, "return") &&
                   !is_one_of(passing_is_name(before) ? before : type, outputs)) {
            passing_add_name(&function->locals, token);
        }
    }
}

/* Read the function that is declared in this line of the text. */
static bool
passes_on(struct read_function *function, struct text *text, int declared)
{
    struct token token;

    while (*text->at && text->line < declared)
        text->line += *text->at++ == '\n';
    for (int tokens = 0;; tokens++) {
        token = next(text);
        struct text ahead = *text;

        if (token.bytes == 0 || tokens > 20 || passing_token_is(token, "{") || passing_token_is(token, ";"))
            return false;
        if (passing_token_is(token, function->name) && passing_token_is(next(&ahead), "(")) {
            *text = ahead;
            break;
        }
    }
    if (!passing_read_parameters(function, text))
        return false;
    for (token = next(text); !passing_token_is(token, "{"); token = next(text))
        if (token.bytes == 0 || passing_token_is(token, ";") || passing_token_is(token, ":") ||
            passing_token_is(token, "}"))
            return false;
    read_body(function, text);
    return function->calls == 1 && !function->more;
}

/* ------------------------------------------------------------------ in Fortran */

/* Write the source so that next() reads it: in lower case but for "MPI_", without comments and continuations. */
static void
fortran_blank(char *bytes, bool fixed)
{
    char quote = '\0';

    for (char *at = bytes; *at; at++) {
        const bool begins = at == bytes || at[-1] == '\n', comment = fixed && begins && strchr("cC*", *at);

        if (quote || *at == '\'' || *at == '"') {
            quote = !quote ? *at : quote == *at || *at == '\n' ? '\0' : quote;
        } else if (*at == '!' || comment) {
            while (*at && *at != '\n')
                *at++ = ' ';
            at--;
        } else if (*at == '&' || *at == '#' || (*at == '/' && at[1] == '/')) {
            at[*at == '/'] = ' ';
            *at = ' ';
        } else if (strncasecmp(at, "mpi_", 4) == 0) {
            memcpy(at, "MPI_", 4);
            at += 3;
        } else {
            *at = (char)tolower((unsigned char)*at);
        }
    }
}

/* Read the arguments of the call, from behind its parenthesis on; those that the procedure names are `used`. */
static void
fortran_read_arguments(struct read_function *function, struct text *text, int first_line, struct read_names *used)
{
    static const char *const computes[] = {"+", "-", "*", "/", "(", "[", NULL};
    struct token before = {"(", 1, 0}, token;
    bool given = false;

    while (!passing_token_is(token = next(text), ")") && !function->more) {
        const bool sign =
            passing_token_is(token, "-") && (passing_token_is(before, ",") || passing_token_is(before, "("));

        function->more |= token.bytes == 0 || (is_one_of(token, computes) && !sign);
        if (passing_is_name(token)) {
            passing_add_name(used, token);
            given |= passing_has_name(&function->parameters, token);
        }
        before = token;
    }
    function->more |= !given || function->line < first_line || function->line > token.line;
}

static bool
fortran_ends(struct token token, struct text ahead)
{
    static const char *const ends[] = {"endsubroutine", "endfunction", "contains", NULL};
    const struct token after = next(&ahead);

    return token.bytes == 0 || is_one_of(token, ends) ||
           (passing_token_is(token, "end") && (after.line > token.line || passing_token_is(after, "subroutine") ||
                                               passing_token_is(after, "function") || after.bytes == 0));
}

/* Read the statements up to the end. */
static void
fortran_read_body(struct read_function *function, struct text *text)
{
    static const char *const turns[] = {"do", "goto", "go", "select", "forall", "where", "entry", NULL};
    struct read_names used = {.count = 0}, set = {.count = 0};
    struct token before = {NULL, 0, 0}, token = next(text);
    int depth = 0;

    for (; !fortran_ends(token, *text) && !function->more; before = token, token = next(text)) {
        struct text ahead = *text;

        depth += passing_token_is(token, "(") - passing_token_is(token, ")");
        function->more |= is_one_of(token, turns);
        if (passing_token_is(token, "=") && depth == 0) {
            function->more |= !passing_is_name(before);
            passing_add_name(&set, before);
        }
        if (!passing_is_name(token) || !passing_token_is(next(&ahead), "("))
            continue;
        const bool passed = function->callee ? passing_token_is(token, function->callee) : is_call(token);

        function->more |= function->callee && !passed && is_call(token);
        if (!passed)
            continue;
        function->more |= ++function->calls > 1;
        *text = ahead;
        fortran_read_arguments(function, text, token.line, &used);
    }
    for (int i = 0; i < set.count; i++)
        function->more |= passing_has_name(&used, (struct token){set.list[i], strlen(set.list[i]), 0});
}

/* Read the procedure that is declared in this line. */
static bool
fortran_passes_on(struct read_function *function, struct text *text, int declared)
{
    struct token token;

    while (*text->at && text->line < declared)
        text->line += *text->at++ == '\n';
    for (token = next(text); !passing_token_is(token, function->name); token = next(text))
        if (token.bytes == 0 || token.line > declared)
            return false;
    if (!passing_token_is(next(text), "("))
        return false;
    for (token = next(text); !passing_token_is(token, ")"); token = next(text)) {
        if (token.bytes == 0)
            return false;
        if (passing_is_name(token))
            passing_add_name(&function->parameters, token);
    }
    fortran_read_body(function, text);
    return function->calls == 1 && !function->more;
}

/* Whether the function `name`, which is declared there, does no more than pass on the call in `line`. */
static bool
source_passes_on(const char *file, int declared, struct read_function *function)
{
    FILE *in = file && !lookup_is_system(file) ? fopen(file, "re") : NULL;
    struct stat of;
    const size_t size = in && fstat(fileno(in), &of) == 0 && of.st_size <= MAX_BYTES ? (size_t)of.st_size : 0;
    char *bytes = size > 0 ? malloc(size + 1) : NULL;
    const size_t count = bytes ? fread(bytes, 1, size, in) : 0;
    bool passes = false;

    if (count > 0) {
        const size_t letters = strlen(file);
        const bool fixed = letters > 2 && (strcasecmp(file + letters - 2, ".f") == 0 || strstr(file, ".for"));

        bytes[count] = '\0';
        if (peal_is_fortran(file))
            fortran_blank(bytes, fixed);
        passes = (peal_is_fortran(file) ? fortran_passes_on : passes_on)(function, &(struct text){bytes, 1}, declared);
    }
    free(bytes);
    if (in)
        fclose(in);
    return passes;
}

/* ------------------------------------------------------------------ debugging information */

/* Go outwards from the innermost function, of the scopes, as long as each passes the call on. */
static void
passing_follow(Dwarf_Die *unit, Dwarf_Die *scopes, int count, const char *callee, struct passed *passed)
{
    char name[NAME_BYTES], own[NAME_BYTES], inner[sizeof passed->through];

    for (int i = 0; i < count; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        Dwarf_Attribute attribute;
        int declared = 0;

        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        const char *found = dwarf_diename(&scopes[i]);
        const size_t bytes = found ? strcspn(found, "<") : 0; /* of a template's name */

        if (bytes == 0 || bytes >= sizeof name || strcmp(found, "main") == 0 || strcmp(found, "peal_main") == 0 ||
            dwarf_decl_line(&scopes[i], &declared) != 0)
            return;
        snprintf(own, sizeof own, "%.*s", (int)bytes, found);
        struct read_function function = {.name = own,
                                         .callee = callee,
                                         .method =
                                             dwarf_attr_integrate(&scopes[i], DW_AT_object_pointer, &attribute) != NULL,
                                         .line = passed->line};
        const char *file = dwarf_decl_file(&scopes[i]);

        if (!source_passes_on(file, declared, &function))
            return;
        snprintf(inner, sizeof inner, "%s", passed->through);
        peal_append(empty_text(passed->through, sizeof passed->through), "%s\t%s\t%d\n%s", own, passed->file,
                    passed->line, inner);
        memcpy(name, own, sizeof name);
        callee = name;
        memcpy(passed->function, name, sizeof name);
        passed->whole = tag == DW_TAG_subprogram;
        if (passed->whole || !inlined_find_call(unit, &scopes[i], passed->file, sizeof passed->file, &passed->line))
            return;
    }
}

static bool
passed_in(const char *path, uintptr_t offset, const char *callee, struct passed *passed)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
    Dwarf_Die unit, *innermost = NULL, *scopes = NULL;
    Dwarf_Line *row = dwarf ? inlined_find_row(dwarf, offset - 1, &unit) : NULL;
    const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;

    *passed = (struct passed){.whole = false};
    if (file && dwarf_lineno(row, &passed->line) == 0 && dwarf_getscopes(&unit, offset - 1, &innermost) > 0) {
        snprintf(passed->file, sizeof passed->file, "%s", file);
        passing_follow(&unit, scopes, dwarf_getscopes_die(innermost, &scopes), callee, passed);
    }
    free(innermost);
    free(scopes);
    dwarf_end(dwarf);
    if (passed->whole) {
        struct frame_rule rule;

        frames_rule(fd, offset, &rule);
        passed->whole = rule.known;
        passed->rule = (struct passed_frame){rule.by_frame_pointer, rule.end, rule.came_from, rule.frame_pointer};
    }
    if (fd >= 0)
        close(fd);
    return passed->through[0] != '\0';
}

__attribute__((constructor)) static void
offer(void)
{
    line_finder.passed = passed_in;
}
#endif
