/* SPDX-License-Identifier: MIT */
/* getopt for linked programs: its variables belong to the program, so every node has its own.  Programs that call it
 * link it from an archive.  It behaves like the C library's, except that messages are not translated. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE char *optarg;
VISIBLE int optind = 1, opterr = 1, optopt = '?';

static int at;          /* the position in an argument of several letters; 0: none is begun */
static int first, last; /* arguments that are not options, and were skipped: [first, last) */
static int begun;

/* Move the skipped arguments behind the options found since. */
static void
getopt_exchange(char **argv)
{
    for (int option = last; option < optind; option++) {
        char *word = argv[option];

        memmove(&argv[first + 1], &argv[first], (size_t)(option - first) * sizeof *argv);
        argv[first++] = word;
    }
    last = optind;
}

static int
is_option(int argc, char *const *argv)
{
    return optind < argc && argv[optind][0] == '-' && argv[optind][1];
}

/* Find the next option: 0 when optind is at one, else -1. */
static int
getopt_advance(int argc, char **argv, int in_order)
{
    if (in_order) { /* nothing is skipped */
        int ends = optind < argc && strcmp(argv[optind], "--") == 0;

        optind += ends;
        return !ends && is_option(argc, argv) ? 0 : -1;
    }
    if (first != last && last != optind)
        getopt_exchange(argv);
    else if (last != optind)
        first = optind;
    while (optind < argc && !is_option(argc, argv))
        optind++;
    last = optind;
    if (optind < argc && strcmp(argv[optind], "--") == 0) {
        optind++;
        if (first != last && last != optind)
            getopt_exchange(argv);
        else if (first == last)
            first = optind;
        last = argc;
        optind = argc;
    }
    if (is_option(argc, argv))
        return 0;
    if (first != last)
        optind = first;
    return -1;
}

static int
getopt_complain(char *const *argv, const char *letters, const char *what, const char *name, int result)
{
    if (opterr && *letters != ':')
        fprintf(stderr, "%s: %s '%s'\n", argv[0], what, name);
    return *letters == ':' && result == ':' ? ':' : '?';
}

/* The argument at optind is a long option of this name. */
static int
take_long(int argc, char **argv, const char *letters, const struct option *options, int *index, const char *name)
{
    size_t length = strcspn(name, "=");
    int found = -1, near = 0;

    for (int i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, name, length) != 0)
            continue;
        near++;
        if (found < 0 || strlen(options[i].name) == length)
            found = i;
        if (strlen(options[i].name) == length) {
            near = 1;
            break;
        }
    }
    optind++;
    at = 0;
    optopt = 0;
    if (near != 1)
        return getopt_complain(argv, letters, near ? "option is ambiguous:" : "unrecognized option", argv[optind - 1],
                               '?');
    const struct option *option = &options[found];

    if (name[length] == '=') {
        if (option->has_arg == no_argument) {
            optopt = option->val;
            return getopt_complain(argv, letters, "option doesn't allow an argument:", argv[optind - 1], '?');
        }
        optarg = (char *)(size_t)(name + length + 1);
    } else if (option->has_arg == required_argument) {
        if (optind >= argc) {
            optopt = option->val;
            return getopt_complain(argv, letters, "option requires an argument:", argv[optind - 1], ':');
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = found;
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int
take_letter(int argc, char **argv, const char *letters)
{
    char letter = argv[optind][at], text[2] = {letter, '\0'};
    const char *place = letter == ':' || letter == ';' ? NULL : strchr(letters, letter);
    char *rest = &argv[optind][++at];

    if (!*rest) {
        optind++;
        at = 0;
    }
    if (!place) {
        optopt = (unsigned char)letter;
        return getopt_complain(argv, letters, "invalid option --", text, '?');
    }
    if (place[1] != ':')
        return (unsigned char)letter;
    at = 0;
    if (*rest) {
        optarg = rest;
        optind++;
    } else if (place[2] == ':') {
        optarg = NULL;
    } else if (optind < argc) {
        optarg = argv[optind++];
    } else {
        optopt = (unsigned char)letter;
        return getopt_complain(argv, letters, "option requires an argument --", text, ':');
    }
    return (unsigned char)letter;
}

static int
getopt_next(int argc, char *const *given, const char *letters, const struct option *options, int *index, int single)
{
    char **argv = (char **)(size_t)given; /* which getopt may permute */
    int in_order = *letters == '+' || getenv("POSIXLY_CORRECT");

    if (optind == 0 || !begun) {
        optind = optind ? optind : 1;
        first = last = optind;
        at = 0;
        begun = 1;
    }
    letters += *letters == '+' || *letters == '-';
    optarg = NULL;
    if (at == 0) {
        if (getopt_advance(argc, argv, in_order) < 0)
            return -1;
        if (options && argv[optind][1] == '-')
            return take_long(argc, argv, letters, options, index, argv[optind] + 2);
        if (options && single && (argv[optind][2] || !strchr(letters, argv[optind][1])))
            return take_long(argc, argv, letters, options, index, argv[optind] + 1);
        at = 1;
    }
    return take_letter(argc, argv, letters);
}

VISIBLE int
getopt(int argc, char *const *argv, const char *letters)
{
    return getopt_next(argc, argv, letters, NULL, NULL, 0);
}

VISIBLE int
getopt_long(int argc, char *const *argv, const char *letters, const struct option *options, int *index)
{
    return getopt_next(argc, argv, letters, options, index, 0);
}

VISIBLE int
getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *options, int *index)
{
    return getopt_next(argc, argv, letters, options, index, 1);
}
