/* SPDX-License-Identifier: MIT */
/* Reads the value of each kind of option.  A refusal says what was expected; the caller adds the option's name. */
#include "options/options_read.h"
#include "lib/base/nearest.h"
#include "lib/check/expression.h"
#include "lib/check/orders.h"
#include "write/files.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

const char *const op_names[] = {"sum",        "max",        "min",         "prod",   "sum-double",
                                "max-double", "min-double", "prod-double", "affine", NULL};
const char *const view_names[] = {"time", "network", "blocks", "cost", NULL};

/* ------------------------------------------------------------------ values */

/* Read one of these words (NULL after the last); *choice is its index. */
static enum peal_status
option_read_word(const char *value, const char *const *words, size_t *choice, struct peal_error *error)
{
    struct nearest near = {.word = value};
    char all[200] = "";

    for (size_t i = 0; words[i]; i++) {
        peal_nearest_offer(&near, words[i]);
        if (strcmp(value, words[i]) == 0) {
            *choice = i;
            return PEAL_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    return peal_refuse(error, PEAL_USAGE, "expected %s%s", all, peal_nearest_words(&near, ""));
}

/* Read a number from least to most, SIZE_MAX for no limit. */
static enum peal_status
option_read_number(const char *value, size_t least, size_t most, const char *what, size_t *number,
                   struct peal_error *error)
{
    if (peal_parse_size(value, number, NULL) == PEAL_OK && *number >= least && *number <= most)
        return PEAL_OK;
    if (most == SIZE_MAX)
        return peal_refuse(error, PEAL_USAGE, "expected %s, a whole number from %zu", what, least);
    return peal_refuse(error, PEAL_USAGE, "expected %s, a whole number from %zu to %zu", what, least, most);
}

static enum peal_status
read_int(const char *value, size_t least, size_t most, const char *what, int *number, struct peal_error *error)
{
    size_t size = 0;
    enum peal_status status = option_read_number(value, least, most, what, &size, error);

    if (status == PEAL_OK)
        *number = (int)size;
    return status;
}

/* Read a decimal; false for anything else. */
static bool
option_read_real(const char *value, double *number)
{
    char *end = NULL;

    *number = strtod(value, &end);
    return strspn(value, "0123456789.eE+-") == strlen(value) && end != value && !*end;
}

/* Read the price of a coefficient of a cost. */
static enum peal_status
option_read_parameter(const char *value, const char *what, double *parameter, struct peal_error *error)
{
    double read;

    if (!option_read_real(value, &read) || !peal_parameter_allowed(read))
        return peal_refuse(error, PEAL_USAGE, "expected %s, 0 or a number from 1e-100 to 1e100", what);
    *parameter = read;
    return PEAL_OK;
}

/* Read numbers with commas between them, *count of them.  owner: the caller frees *numbers, also after an error */
static enum peal_status
option_read_list(const char *value, size_t **numbers, int *count, struct peal_error *error)
{
    int most = 1;
    char number[40];

    for (const char *at = value; *at; at++)
        most += *at == ',';
    free(*numbers);
    *numbers = malloc((size_t)most * sizeof **numbers);
    if (!*numbers)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    *count = 0;
    for (const char *at = value; *count < most; at += strcspn(at, ",") + 1) {
        enum peal_status status;

        snprintf(number, sizeof number, "%.*s", (int)(strcspn(at, ",") < 39 ? strcspn(at, ",") : 39), at);
        status = peal_parse_size(number, &(*numbers)[*count], error);
        if (status != PEAL_OK)
            return status;
        (*count)++;
    }
    return PEAL_OK;
}

static enum peal_status
option_read_ranks(const char *value, struct ranks *ranks, struct peal_error *error)
{
    size_t *numbers = NULL;
    enum peal_status status = PEAL_OK;

    free(ranks->list);
    *ranks = (struct ranks){.count = 0};
    if (strcmp(value, "none") != 0)
        status = option_read_list(value, &numbers, &ranks->count, error);
    if (status == PEAL_OK && !(ranks->list = calloc((size_t)ranks->count + 1, sizeof *ranks->list)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; status == PEAL_OK && i < ranks->count; i++)
        ranks->list[i] = numbers[i] < MAX_MACHINE_NODES ? (int)numbers[i] : MAX_MACHINE_NODES;
    free(numbers);
    return status;
}

static enum peal_status
option_read_seconds(const char *value, double *seconds, struct peal_error *error)
{
    double read;

    if (!option_read_real(value, &read) || !(read >= 0 && read <= 1e9))
        return peal_refuse(error, PEAL_USAGE, "expected a number of seconds from 0, which means no limit, to 1e9");
    *seconds = read;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ by kind */

static enum peal_status
option_read_integer(const struct option *option, const char *value, int *integer, struct peal_error *error)
{
    if (!option->words)
        return read_int(value, option->least, option->most, option->what, integer, error);
    if (strcmp(value, option->words[0]) == 0)
        *integer = option->word_value;
    else if (read_int(value, option->least, option->most, "", integer, NULL) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "expected a number from %zu to %zu, or %s", option->least, option->most,
                           option->words[0]);
    return PEAL_OK;
}

/* Whether the value is one for other commands: mpirun -np 8, or 1-64 for a range; *error says what is right here. */
static bool
is_of_others(const struct option *option, const char *value, struct peal_error *error)
{
    size_t digits = strspn(value, "0123456789"), rest = strlen(value) - digits;
    bool dash = digits > 0 && value[digits] == '-' && rest > 1 && strspn(value + digits + 1, "0123456789") == rest - 1;

    if (option->letter == 'n' && strcmp(value, "p") == 0)
        peal_refuse(error, PEAL_USAGE, "expected words; did you mean -p, the number of nodes (mpirun has -np)?");
    else if (dash)
        peal_refuse(error, PEAL_USAGE, "expected %s, got '%.40s'; did you mean %s%.*s:%.40s?",
                    option->kind == OPTION_RANGE ? "a range" : "one size", value,
                    option->kind == OPTION_RANGE ? ""
                    : option->letter == 'm'      ? "peal sweep -m "
                                                 : "peal sweep -n ",
                    (int)digits, value, value + digits + 1);
    else
        return false;
    return true;
}

static enum peal_status
read_size(const struct option *option, const char *value, size_t *size, struct peal_error *error)
{
    if (is_of_others(option, value, error))
        return error->status;
    return option->what ? option_read_number(value, option->least, option->most, option->what, size, error)
                        : peal_parse_size(value, size, error);
}

enum peal_status
option_read(const struct option *option, struct command_request *request, const char *value, struct peal_error *error)
{
    char *group = (char *)request + option->base;

    if (option->own_bytes)
        group = *(char **)(void *)group;
    void *into = group + option->into;
    enum peal_status status = PEAL_OK;
    size_t choice = 0;

    switch (option->kind) {
    case OPTION_ODD:
        return option->read(request, value, error);
    case OPTION_FLAG:
        *(bool *)into = true;
        return PEAL_OK;
    case OPTION_INTEGER:
        return option_read_integer(option, value, into, error);
    case OPTION_SIZE:
        return read_size(option, value, into, error);
    case OPTION_RANGE:
        return is_of_others(option, value, error) ? error->status
                                                  : peal_range_parse(value, option->least, option->most, into, error);
    case OPTION_RANKS:
        return option_read_ranks(value, into, error);
    case OPTION_SECONDS:
        return option_read_seconds(value, into, error);
    case OPTION_PARAMETER:
        return option_read_parameter(value, option->what, into, error);
    case OPTION_WORD:
        status = option_read_word(value, option->words, &choice, error);
        *(unsigned *)into = (unsigned)choice + (unsigned)option->word_value;
        return status;
    case OPTION_EITHER:
        status = option_read_word(value, option->words, &choice, error);
        *(bool *)into = choice == 1;
        return status;
    case OPTION_TEXT:
        *(const char **)into = value;
        return *value || !option->what ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "%s", option->what);
    case OPTION_DOCUMENT:
        if (value && *value)
            *(const char **)into = value;
        else
            *(bool *)(group + option->alone) = true;
    }
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the odd ones */

enum peal_status
read_by(struct command_request *request, const char *value, struct peal_error *error)
{
    bool down = *value == '-';

    if (read_int(value + down, 0, MAX_MACHINE_NODES, "", &request->call.by, NULL) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "expected a number of ranks: 1 up, -1 down");
    request->call.by = down ? -request->call.by : request->call.by;
    return PEAL_OK;
}

enum peal_status
read_sizes(struct command_request *request, const char *value, struct peal_error *error)
{
    return option_read_list(value, &request->call.sizes, &request->call.size_count, error);
}

/* Ranks with commas between them, -1 where a receive keeps waiting; or "first", an empty list: the first possible
 * choice everywhere. */
enum peal_status
read_choices(struct command_request *request, const char *value, struct peal_error *error)
{
    struct ranks *choices = &request->orders.choices;
    size_t most = 1;

    for (const char *at = value; *at; at++)
        most += *at == ',';
    free(choices->list);
    *choices = (struct ranks){malloc(most * sizeof *choices->list), 0};
    if (!choices->list)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (const char *at = value; strcmp(value, FIRST_CHOICES) != 0; at++) {
        char *end;
        long rank = strtol(at, &end, 10);

        if (end == at || (*end && *end != ',') || rank >= MAX_MACHINE_NODES ||
            (rank < PEAL_CHOICE_ALL && rank > PEAL_CHOICE_ORDERS) || rank < INT_MIN)
            return peal_refuse(
                error, PEAL_USAGE,
                "expected ranks with commas between them, -1 for waiting, as in 2,-1,1, or " FIRST_CHOICES);
        choices->list[choices->count++] = (int)rank;
        at = end;
        if (!*at)
            break;
    }
    return PEAL_OK;
}

enum peal_status
read_call(struct command_request *request, const char *value, struct peal_error *error)
{
    request->check->call = PEAL_CALL_ONCE;
    for (const char *at = value;; at++) {
        char word[40];
        size_t choice, length = strcspn(at, "+");

        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (option_read_word(word, peal_check_call_names, &choice, error) != PEAL_OK)
            return PEAL_USAGE;
        request->check->call |= choice > 0 ? 1U << (choice - 1) : 0;
        at += length;
        if (!*at)
            return PEAL_OK;
    }
}

enum peal_status
read_op(struct command_request *request, const char *value, struct peal_error *error)
{
    request->call.op = value;
    if (peal_op_find(value))
        return PEAL_OK;
    return option_read_word(value, op_names, &(size_t){0}, error);
}

enum peal_status
read_topology(struct command_request *request, const char *value, struct peal_error *error)
{
    (void)error;
    if (strncmp(value, "file:", 5) == 0)
        file_note_pipe(value + 5);
    request->machine.topology = value; /* the machine checks it */
    return PEAL_OK;
}

enum peal_status
read_delivery(struct command_request *request, const char *value, struct peal_error *error)
{
    static const char *const names[] = {"rendezvous", "eager:W", NULL};

    if (strncmp(value, "eager", 5) == 0 && (value[5] == '\0' || value[5] == ':')) {
        request->machine.eager = true;
        if (!value[5] || peal_parse_size(value + 6, &request->machine.eager_words, NULL) != PEAL_OK)
            return peal_refuse(error, PEAL_USAGE, "expected a number of words, as in eager:64");
        return PEAL_OK;
    }
    request->machine.eager = false;
    return strcmp(value, "eager:W") ? option_read_word(value, names, &(size_t){0}, error) : PEAL_OK;
}

enum peal_status
read_lend(struct command_request *request, const char *value, struct peal_error *error)
{
    request->machine.lend_bytes = PEAL_LEND_UNLIMITED;
    return strcmp(value, "unlimited") == 0 ? PEAL_OK : peal_parse_size(value, &request->machine.lend_bytes, error);
}

enum peal_status
read_stack(struct command_request *request, const char *value, struct peal_error *error)
{
    const size_t most = (size_t)1 << (sizeof(size_t) > 4 ? 40 : 28); /* as in the machine */
    enum peal_status status = peal_parse_size(value, &request->machine.stack_bytes, error);

    if (status == PEAL_OK && request->machine.stack_bytes > most)
        status = peal_refuse(error, PEAL_USAGE, "expected at most %zu bytes (%s), the stack of a node", most,
                             sizeof(size_t) > 4 ? "1 TiB" : "256 MiB");
    return status;
}

enum peal_status
read_seed(struct command_request *request, const char *value, struct peal_error *error)
{
    char *end = NULL;

    errno = 0;
    request->machine.seed = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno)
        return peal_refuse(error, PEAL_USAGE, "expected a whole number from 0 to 18446744073709551615");
    return PEAL_OK;
}

/* Read "network:2"; only the page knows whether there is such a round. */
enum peal_status
read_view(struct command_request *request, const char *value, struct peal_error *error)
{
    char name[12];
    size_t choice;

    snprintf(name, sizeof name, "%.*s", value[0] ? (int)strcspn(value, ":") : 0, value);
    request->document.view = value;
    return option_read_word(name, view_names, &choice, error);
}

static enum peal_status
read_checked_list(struct check_options *check, const char *value, struct peal_error *error)
{
    struct range range;
    enum peal_status status = peal_range_parse(value, 1, MAX_CHECKED_NODES, &range, error);

    if (status != PEAL_OK)
        return status;
    for (size_t i = 0; i < range.listed_count; i++)
        check->nodes_list[i] = (int)range.listed[i];
    check->nodes_count = (int)range.listed_count;
    check->nodes_from = (int)range.first;
    check->nodes_to = (int)range.last;
    return PEAL_OK;
}

/* P, FROM:TO for all from FROM to TO, or a list of them. */
enum peal_status
read_checked_nodes(struct command_request *request, const char *value, struct peal_error *error)
{
    struct check_options *check = request->check;

    if (strchr(value, ','))
        return read_checked_list(check, value, error);
    check->nodes_count = 0;

    char first[24];
    const char *colon = strchr(value, ':');
    int length = colon ? (int)(colon - value) : (int)strlen(value);

    snprintf(first, sizeof first, "%.*s", length < 23 ? length : 23, value);
    enum peal_status status = read_int(first, 1, MAX_CHECKED_NODES, "the number of nodes", &check->nodes_from, error);

    check->nodes_to = check->nodes_from;
    if (status == PEAL_OK && colon)
        status = read_int(colon + 1, (size_t)check->nodes_from, MAX_CHECKED_NODES, "the last number of nodes",
                          &check->nodes_to, error);
    return status;
}

/* The names of the formats of traces, and of schedules that can be written, NULL after the last. */
const char *const *
trace_formats(void)
{
    static const char *names[16];
    const char *summary;
    int count = 0;

    while (count < 14 && peal_trace_format(count, &names[count], &summary))
        count++;
    names[count] = "msccl";
    return names;
}

enum peal_status
read_trace_format(struct command_request *request, const char *value, struct peal_error *error)
{
    size_t choice = 0;
    enum peal_status status = option_read_word(value, trace_formats(), &choice, error);

    request->document.trace_format = trace_formats()[choice];
    return status;
}
