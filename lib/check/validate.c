/* SPDX-License-Identifier: MIT */
/* The request of a check, before anything runs. */
#include "lib/check/validate.h"
#include "lib/check/confirmation.h"
#include "lib/check/expression.h"
#include "lib/check/sizes.h"
#include "lib/labels/labels.h"
#include "lib/program/source.h"
#include <ctype.h>

enum peal_status (*confirmation)(const struct confirm_task *tasks, int count, const struct unit *unit, double seconds,
                                 struct peal_error *error);

/* With at most this many nodes vectors may have more words than there are labels. */
enum { FEW_NODES = 4 };

/* At most this many numbers have an exact sum, even as floats. */
enum { MAX_NUMBERED = 60 };

/* ------------------------------------------------------------------ what is wrong with a check itself */

static enum peal_status
refuse_limits(const struct peal_check *check, struct peal_error *error)
{
    const struct peal_check_values values = {4, 4, 16, 2};
    const char *const expressions[] = {check->max_rounds, check->max_words, check->max_hops, check->max_messages};
    size_t words;
    double value;

    for (int i = 0; i < 4; i++)
        if (expressions[i] && peal_check_expression(expressions[i], values, &value, error) != PEAL_OK)
            return PEAL_USAGE;
    bool holds;

    if (check->only && check_condition(check->only, values, &holds, error) != PEAL_OK)
        return PEAL_USAGE;
    for (int nodes = check->nodes_from; check->words_list && nodes <= check->nodes_to; nodes++)
        for (int i = 0; i < check->words_count && cases_wanted(check, nodes); i++)
            if (cases_words(check, i, nodes, &words, error) != PEAL_OK)
                return PEAL_USAGE;
    return PEAL_OK;
}

/* The longest of the blocks that were given. */
static size_t
validate_longest_block(const struct peal_check *check)
{
    size_t words = 0, more;

    for (int nodes = check->nodes_from; check->words_list && nodes <= check->nodes_to; nodes++)
        for (int i = 0; i < check->words_count && cases_wanted(check, nodes); i++)
            if (cases_words(check, i, nodes, &more, NULL) == PEAL_OK && more > words)
                words = more;
    for (int i = 0; i < check->size_count; i++)
        words = check->sizes[i] > words ? check->sizes[i] : words;
    return words;
}

enum peal_status
check_validate(const struct peal_check *check, struct peal_error *error)
{
    size_t most = check->nodes_to > 0 ? LABEL_INDICES / (size_t)cases_most(check) : 0;
    const char *why;
    char how[100];

    if (check->nodes_from < 1 || check->nodes_to < check->nodes_from || check->nodes_to > 2048)
        return peal_refuse(error, PEAL_USAGE, "P from %d to %d is out of range: a check takes 1 to 2048 nodes",
                           check->nodes_from, check->nodes_to);
    if (check->untrusted && check->file && !check->program && !confirmation)
        return peal_refuse(
            error, PEAL_RESOURCES,
            "a function that is not trusted cannot be confirmed: this build has no peal grade (-Dgrade)");
    if (check->file && !check->program && !check->identical && check->nodes_to <= FEW_NODES)
        most = (size_t)1 << 31; /* on lengths alone */
    if ((check->has_words && check->words > most) || validate_longest_block(check) > most)
        return peal_refuse(error, PEAL_USAGE, "%d nodes are checked with at most %zu words per vector or block",
                           check->nodes_to, most);
    if (check->identical && !peal_collective_has_op(check->collective))
        return peal_refuse(
            error, PEAL_USAGE,
            "--identical is for reductions: expected reduce, allreduce, reduce-scatter, scan or exscan, not %s",
            check->program ? "a whole program" : peal_collective_name(check->collective));
    if (check->algorithm && peal_algorithm_check(check->collective, check->algorithm, error) != PEAL_OK)
        return PEAL_USAGE;
    if (check->has_root &&
        (check->root < 0 || check->root >= check->nodes_from + peal_form_of(check->collective)->waits))
        return peal_refuse(error, PEAL_USAGE, "root %d is out of range: with %d node%s roots are 0 to %d", check->root,
                           check->nodes_from, plural(check->nodes_from),
                           check->nodes_from - 1 + peal_form_of(check->collective)->waits);
    for (int i = 0; check->has_to && check->to && i < check->to_count; i++)
        if (check->to[i] < 0 || check->to[i] >= check->nodes_from)
            return peal_refuse(error, PEAL_USAGE, "rank %d is out of range: with %d node%s ranks are 0 to %d",
                               check->to[i], check->nodes_from, plural(check->nodes_from), check->nodes_from - 1);
    if ((check->sizes || check->unequal) && !peal_collective_has_blocks(check->collective))
        return peal_refuse(error, PEAL_USAGE, "blocks of unequal lengths are for the block collectives");
    if (check->sizes && check->file && !check->unequal)
        return peal_refuse(error, PEAL_USAGE,
                           "--sizes: a function of blocks of unequal lengths is a %s: name that collective",
                           peal_call_name(check->collective, true));
    if (check->buffers > PEAL_BUFFERS_SEPARATE && !ways_allow_in_place(check))
        return peal_refuse(error, PEAL_USAGE,
                           "%s has no case in place: only scatter, gather, allgather and reduce-scatter have",
                           check->program ? check->file : peal_collective_name(check->collective));
    if (!check->file || check->program)
        return refuse_limits(check, error);
    if (!check->symbol || !*check->symbol)
        return peal_refuse(error, PEAL_USAGE, "expected --symbol, the function of %s that is checked", check->file);
    const bool cplusplus = peal_is_cplusplus(check->file);

    for (const char *c = check->symbol; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && !(cplusplus && strchr(":<>,* ", *c)))
            return peal_refuse(error, PEAL_USAGE, "--symbol: expected the name of a C%s function, got '%s'",
                               cplusplus ? "++" : "", check->symbol);
    if (check->element && !check->mpi)
        return peal_refuse(error, PEAL_USAGE, "--elements is for functions for MPI: native ones have words of 8 bytes");
    if (check->element && peal_collective_has_op(check->collective) && !(check->op && check->op->commutative))
        return peal_refuse(error, PEAL_USAGE,
                           "numbers are combined in any order: --elements takes --op sum, max or min");
    if (check->element && check->op && strncmp(check->op->name, "prod", 4) == 0)
        return peal_refuse(error, PEAL_USAGE, "--elements: expected --op sum, max or min, got %s", check->op->name);
    if (check->contiguous && !check->mpi)
        return peal_refuse(error, PEAL_USAGE, "--contiguous is for functions for MPI: native ones take no datatype");
    if (check->element && check->nodes_to > MAX_NUMBERED)
        return peal_refuse(error, PEAL_USAGE, "--elements: expected at most %d nodes", MAX_NUMBERED);
    if (check->element && check->identical)
        return peal_refuse(error, PEAL_USAGE, "--identical works on labels: leave out --elements");
    if (check->mpi && !peal_check_arguments(check->collective, check->unequal))
        return peal_refuse(error, PEAL_USAGE, "MPI has no call for %s: leave out --mpi",
                           peal_call_name(check->collective, check->unequal));
    if (check->has_call && !ways_fit(check, check->nodes_from, check->call, &why))
        return peal_refuse(error, PEAL_USAGE, "--call %s is not for this function%s",
                           peal_check_call_text(check->call, peal_check_call_names, "+", how, sizeof how), why);
    return refuse_limits(check, error);
}

/* ------------------------------------------------------------------ a user's file */

/* The name of the call as a member of union peal_check_function. */
static void
member_name(const struct peal_check *check, char name[40])
{
    snprintf(name, 40, "%s", peal_call_name(check->collective, check->unequal));
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
}

/* The source for a function for MPI: another function around it takes the arguments from struct peal_mpi_call. */
static struct unit_source
asked_mpi(const struct peal_check *check, char text[CHECK_TEXT])
{
    static const char judge[] = "#include <peal/check.h>\n\n"
                                "int peal_judged_call(const struct peal_mpi_call *call);\n"
                                "void peal_main(struct peal_node *me, int argc, char **argv);\n\n"
                                "void\npeal_main(struct peal_node *me, int argc, char **argv)\n{\n"
                                "    (void)argc, (void)argv;\n"
                                "    peal_check_call_mpi(me, peal_judged_call);\n}\n";

    snprintf(text, CHECK_TEXT,
             "#undef peal_main\n"
             "#include <peal/mpi/judged.h>\n"
             "#pragma GCC diagnostic ignored \"-Wunused\"\n"
             "#ifdef __cplusplus\n"
             "extern \"C\"\n"
             "#else\n"
             "#pragma GCC diagnostic error \"-Wincompatible-pointer-types\"\n"
             "#pragma GCC diagnostic error \"-Wint-conversion\"\n"
             "#pragma GCC diagnostic error \"-Wimplicit-function-declaration\"\n"
             "#endif\n"
             "int peal_judged_call(const struct peal_mpi_call *peal_call);\n"
             "int\npeal_judged_call(const struct peal_mpi_call *peal_call)\n{\n"
             "    PEAL_MPI_ARGUMENTS(%s, %s);\n"
             "    /* as %s: see --arguments in peal-check(1) */\n"
             "    return PEAL_MPI_RESULT(%s(%s));\n}\n",
             check->long_counts ? "size_t" : "int", check->long_counts ? "long_" : "",
             peal_call_name(check->collective, check->unequal), check->symbol,
             check->arguments ? check->arguments : peal_check_arguments(check->collective, check->unequal));
    return (struct unit_source){
        .file = check->file,
        .sources = check->sources,
        .before = "#define peal_main peal_main_of_the_file\n",
        .after = text,
        .judge_text = judge,
        .judge_functions = "peal_judged_call\n",
        .compiler = check->compiler,
        .flags = check->flags,
        .calls_mpi = true,
        .watched = true,
        .branches = true,
        .untrusted = check->untrusted,
    };
}

const char *
peal_check_arguments(enum peal_collective collective, bool unequal)
{
    static const char *const lists[PEAL_COLLECTIVES][2] = {
        [PEAL_BROADCAST] = {"buffer, count, datatype, root, comm"},
        [PEAL_SCATTER] = {"sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm",
                          "sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm"},
        [PEAL_GATHER] = {"sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm",
                         "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm"},
        [PEAL_ALLGATHER] = {"sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm",
                            "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm"},
        [PEAL_REDUCE] = {"sendbuf, recvbuf, count, datatype, op, root, comm"},
        [PEAL_ALLREDUCE] = {"sendbuf, recvbuf, count, datatype, op, comm"},
        [PEAL_SCAN] = {"sendbuf, recvbuf, count, datatype, op, comm"},
        [PEAL_EXSCAN] = {"sendbuf, recvbuf, count, datatype, op, comm"},
        [PEAL_REDUCE_SCATTER] = {"sendbuf, recvbuf, recvcount, datatype, op, comm",
                                 "sendbuf, recvbuf, recvcounts, datatype, op, comm"},
        [PEAL_ALLTOALL] = {"sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm",
                           "sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm"},
        [PEAL_BARRIER] = {"comm"},
    };

    return lists[collective][unequal];
}

/* The file is a unit of its own; a peal_main that passes its function to peal_check_call judges it. */
struct unit_source
check_source(const struct peal_check *check, char text[CHECK_TEXT])
{
    static const char judge[] = "#include <peal/check.h>\n\n"
                                "extern const union peal_check_function peal_judged_function;\n"
                                "void peal_main(struct peal_node *me, int argc, char **argv);\n\n"
                                "void\npeal_main(struct peal_node *me, int argc, char **argv)\n{\n"
                                "    (void)argc, (void)argv;\n"
                                "    peal_check_call(me, &peal_judged_function);\n}\n";
    char member[40];

    if (check->program)
        return (struct unit_source){.file = check->file,
                                    .sources = check->sources,
                                    .compiler = check->compiler,
                                    .flags = check->flags,
                                    .watched = true};
    if (check->mpi)
        return asked_mpi(check, text);
    member_name(check, member);
    snprintf(text, CHECK_TEXT,
             "#undef peal_main\n"
             "#ifdef __cplusplus\n"
             "extern \"C\"\n"
             "#else\n"
             "#pragma GCC diagnostic error \"-Wincompatible-pointer-types\"\n"
             "extern\n"
             "#endif\n"
             "const union peal_check_function peal_judged_function;\n"
             "/* a %s: see union peal_check_function in peal/form.h */\n"
             "const union peal_check_function peal_judged_function = {.%s = %s};\n",
             peal_call_name(check->collective, check->unequal), member, check->symbol);
    return (struct unit_source){
        .file = check->file,
        .before = "#include <peal/author.h>\n#define peal_main peal_main_of_the_file\n",
        .after = text,
        .judge_text = judge,
        .judge_functions = "peal_judged_function\n",
        .compiler = check->compiler,
        .flags = check->flags,
        .watched = true,
        .branches = true,
        .untrusted = check->untrusted,
    };
}
