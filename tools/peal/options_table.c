/* SPDX-License-Identifier: MIT */
/* The table of options, and how the value of each is read. */
#include "files.h"
#include "options.h"
#include <errno.h>
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ words that an option takes */

static const char *const op_names[] = {"sum",        "max",        "min",         "prod",   "sum-double",
                                       "max-double", "min-double", "prod-double", "affine", NULL};
static const char *const switching_names[] = {"ideal", "wormhole", "store-forward", NULL};
static const char *const congestion_names[] = {"count", "volume", NULL};
static const char *const wake_names[] = {"one", "all", NULL};
static const char *const level_names[] = {"all", "summary", "none", NULL};
/* As typed; what takes a number behind it is only for shells. */
static const char *const buffers_names[] = {"separate", "in-place", "both", NULL};
static const char *const delivery_names[] = {"rendezvous", "eager:", NULL};
static const char *const ports_names[] = {"all", NULL};
static const char *const carriers_names[] = {"auto", NULL};
static const char *const engine_names[] = {"threads", "fibers", "auto", "mpi", NULL};
static const char *const format_names[] = {"table", "osu", NULL};
static const char *const execute_names[] = {"cheap", "all", "none", NULL};

/* ------------------------------------------------------------------ values */

/* Read one of these words (NULL after the last); *choice is its place. */
static enum peal_status
read_word(const char *value, const char *const *words, size_t *choice, struct peal_error *error)
{
    char all[200] = "";

    for (size_t i = 0; words[i]; i++) {
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
    const char *near = peal_suggest(value, words);

    if (near)
        return peal_refuse(error, PEAL_USAGE, "did you mean %s?  (%s)", near, all);
    return peal_refuse(error, PEAL_USAGE, "say %s", all);
}

static enum peal_status
read_int(const char *value, int least, int most, const char *what, int *number, struct peal_error *error)
{
    size_t size = 0;

    if (peal_parse_size(value, &size, NULL) != PEAL_OK || size < (size_t)least || size > (size_t)most)
        return peal_refuse(error, PEAL_USAGE, "%s is a whole number from %d to %d", what, least, most);
    *number = (int)size;
    return PEAL_OK;
}

/* Read a decimal; false when it is none. */
static bool
read_real(const char *value, double *number)
{
    char *end = NULL;

    *number = strtod(value, &end);
    return strspn(value, "0123456789.eE+-") == strlen(value) && end != value && !*end;
}

/* Read what a coefficient of a cost is worth. */
static enum peal_status
read_parameter(const char *value, const char *what, double *parameter, struct peal_error *error)
{
    double read;

    if (!read_real(value, &read) || !peal_parameter_allowed(read))
        return peal_refuse(error, PEAL_USAGE, "%s is 0, or a number from 1e-100 to 1e100", what);
    *parameter = read;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ one function an option */

static enum peal_status
read_nodes(struct request *request, const char *value, struct peal_error *error)
{
    return read_int(value, 1, MOST_MACHINE_NODES, "the number of nodes", &request->machine.nodes, error);
}

static enum peal_status
read_block(struct request *request, const char *value, struct peal_error *error)
{
    request->has_block = true;
    return peal_parse_size(value, &request->block_words, error);
}

static enum peal_status
read_words(struct request *request, const char *value, struct peal_error *error)
{
    request->has_words = true;
    return peal_parse_size(value, &request->vector_words, error);
}

static enum peal_status
read_root(struct request *request, const char *value, struct peal_error *error)
{
    request->has_root = true;
    return read_int(value, 0, MOST_MACHINE_NODES - 1, "a rank", &request->root, error);
}

static enum peal_status
read_by(struct request *request, const char *value, struct peal_error *error)
{
    bool down = *value == '-';

    request->has_by = true;
    if (read_int(value + down, 0, MOST_MACHINE_NODES, "", &request->by, NULL) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "say how many ranks up, or as in -1 down");
    request->by = down ? -request->by : request->by;
    return PEAL_OK;
}

/* Read numbers with commas between them; *count is how many.  owner: the caller frees *numbers, also after an error */
static enum peal_status
read_list(const char *value, size_t **numbers, int *count, struct peal_error *error)
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
read_to(struct request *request, const char *value, struct peal_error *error)
{
    size_t *ranks = NULL;

    if (strcmp(value, "none") == 0) {
        free(request->to);
        request->to = calloc(1, sizeof *request->to);
        request->to_count = 0;
        return request->to ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    enum peal_status status = read_list(value, &ranks, &request->to_count, error);

    free(request->to);
    request->to = status == PEAL_OK ? malloc((size_t)request->to_count * sizeof *request->to) : NULL;
    for (int i = 0; i < request->to_count && request->to; i++)
        request->to[i] = ranks[i] < MOST_MACHINE_NODES ? (int)ranks[i] : MOST_MACHINE_NODES;
    free(ranks);
    if (status == PEAL_OK && !request->to)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return status;
}

static enum peal_status
read_sizes(struct request *request, const char *value, struct peal_error *error)
{
    return read_list(value, &request->sizes, &request->size_count, error);
}

static enum peal_status
read_op(struct request *request, const char *value, struct peal_error *error)
{
    request->op = value;
    if (peal_op_find(value))
        return PEAL_OK;
    return read_word(value, op_names, &(size_t){0}, error);
}

static enum peal_status
read_topology(struct request *request, const char *value, struct peal_error *error)
{
    if (strncmp(value, "file:", 5) == 0)
        file_note_pipe(value + 5);
    const char **more = realloc(request->topologies, (size_t)(request->topology_count + 1) * sizeof *more);

    if (!more)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    request->topologies = more;
    request->topologies[request->topology_count++] = value;
    request->machine.topology = value; /* the machine knows what it can be */
    return PEAL_OK;
}

static enum peal_status
read_routing(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    request->machine.routing = value;
    return PEAL_OK;
}

static enum peal_status
read_ports(struct request *request, const char *value, struct peal_error *error)
{
    if (strcmp(value, "all") == 0) {
        request->machine.ports = PEAL_PORTS_ALL;
        return PEAL_OK;
    }
    if (read_int(value, 1, 1 << 16, "", &request->machine.ports, NULL) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "say a number from 1 to 65536, or all");
    return PEAL_OK;
}

static enum peal_status
read_half_duplex(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->machine.half_duplex = true;
    return PEAL_OK;
}

static enum peal_status
read_noncombining(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->machine.noncombining = true;
    return PEAL_OK;
}

static enum peal_status
read_alpha(struct request *request, const char *value, struct peal_error *error)
{
    return read_parameter(value, "the start-up time", &request->machine.parameters.alpha, error);
}

static enum peal_status
read_beta(struct request *request, const char *value, struct peal_error *error)
{
    return read_parameter(value, "the time per word", &request->machine.parameters.beta, error);
}

static enum peal_status
read_hop(struct request *request, const char *value, struct peal_error *error)
{
    return read_parameter(value, "the time per hop", &request->machine.parameters.hop, error);
}

static enum peal_status
read_tau(struct request *request, const char *value, struct peal_error *error)
{
    return read_parameter(value, "the time per operation", &request->machine.parameters.tau, error);
}

static enum peal_status
read_switching(struct request *request, const char *value, struct peal_error *error)
{
    static const enum peal_switching kinds[] = {PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD};
    size_t choice = 0;
    enum peal_status status = read_word(value, switching_names, &choice, error);

    request->machine.switching = kinds[choice];
    return status;
}

static enum peal_status
read_congestion(struct request *request, const char *value, struct peal_error *error)
{
    size_t choice = 0;
    enum peal_status status = read_word(value, congestion_names, &choice, error);

    request->machine.congestion = choice ? PEAL_VOLUME : PEAL_COUNT;
    return status;
}

static enum peal_status
read_delivery(struct request *request, const char *value, struct peal_error *error)
{
    static const char *const names[] = {"rendezvous", "eager:W", NULL};

    if (strncmp(value, "eager", 5) == 0 && (value[5] == '\0' || value[5] == ':')) {
        request->machine.eager = true;
        if (!value[5] || peal_parse_size(value + 6, &request->machine.eager_words, NULL) != PEAL_OK)
            return peal_refuse(error, PEAL_USAGE, "eager:W takes a number of words, as in eager:64");
        return PEAL_OK;
    }
    request->machine.eager = false;
    return strcmp(value, "eager:W") ? read_word(value, names, &(size_t){0}, error) : PEAL_OK;
}

static enum peal_status
read_mailbox(struct request *request, const char *value, struct peal_error *error)
{
    return read_int(value, 1, 1 << 30, "the number of places", &request->machine.mailbox, error);
}

static enum peal_status
read_word_bytes(struct request *request, const char *value, struct peal_error *error)
{
    int bytes = 8;
    enum peal_status status = read_int(value, 1, 1 << 20, "the size of a word", &bytes, error);

    request->machine.word_bytes = (size_t)bytes;
    return status;
}

static enum peal_status
read_engine(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    request->machine.engine = value;
    return PEAL_OK;
}

static enum peal_status
read_carriers(struct request *request, const char *value, struct peal_error *error)
{
    request->machine.carriers = PEAL_CARRIERS_AUTO;
    if (strcmp(value, "auto") == 0)
        return PEAL_OK;
    if (read_int(value, 1, 4096, "", &request->machine.carriers, NULL) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "say a number from 1 to 4096, or auto");
    return PEAL_OK;
}

static enum peal_status
read_wake(struct request *request, const char *value, struct peal_error *error)
{
    size_t choice = 0;
    enum peal_status status = read_word(value, wake_names, &choice, error);

    request->machine.wake_all = choice == 1;
    return status;
}

static enum peal_status
read_stack(struct request *request, const char *value, struct peal_error *error)
{
    const size_t most = (size_t)1 << 40; /* as the machine has it */
    enum peal_status status = peal_parse_size(value, &request->machine.stack_bytes, error);

    if (status == PEAL_OK && request->machine.stack_bytes > most)
        status = peal_refuse(error, PEAL_USAGE, "the stack of a node has at most %zu bytes (1 TiB)", most);
    return status;
}

static enum peal_status
read_seed(struct request *request, const char *value, struct peal_error *error)
{
    char *end = NULL;

    errno = 0;
    request->machine.seed = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno)
        return peal_refuse(error, PEAL_USAGE, "the seed is a whole number from 0 to 18446744073709551615");
    return PEAL_OK;
}

static enum peal_status
read_timeout(struct request *request, const char *value, struct peal_error *error)
{
    double seconds;

    if (!read_real(value, &seconds) || !(seconds >= 0 && seconds <= 1e9))
        return peal_refuse(error, PEAL_USAGE, "the time allowed is a number of seconds from 0, which is none, to 1e9");
    request->machine.timeout_seconds = seconds;
    return PEAL_OK;
}

static enum peal_status
read_input(struct request *request, const char *value, struct peal_error *error)
{
    request->input = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_output(struct request *request, const char *value, struct peal_error *error)
{
    request->output = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_json(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    if (value && *value)
        request->json_file = value;
    else
        request->json = true;
    return PEAL_OK;
}

static enum peal_status
read_csv(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    if (value && *value)
        request->csv_file = value;
    else
        request->csv = true;
    return PEAL_OK;
}

static enum peal_status
read_format(struct request *request, const char *value, struct peal_error *error)
{
    size_t choice = 0;
    enum peal_status status = read_word(value, format_names, &choice, error);

    request->osu = choice == 1;
    return status;
}

static enum peal_status
read_nodes_range(struct request *request, const char *value, struct peal_error *error)
{
    return range_parse(value, 1, MOST_MACHINE_NODES, &request->nodes_range, error);
}

static enum peal_status
read_block_range(struct request *request, const char *value, struct peal_error *error)
{
    request->has_block = true;
    return range_parse(value, 0, SIZE_MAX, &request->block_range, error);
}

static enum peal_status
read_words_range(struct request *request, const char *value, struct peal_error *error)
{
    request->has_words = true;
    return range_parse(value, 0, SIZE_MAX, &request->words_range, error);
}

/* P, or FROM:TO for every one of them. */
static enum peal_status
read_checked_nodes(struct request *request, const char *value, struct peal_error *error)
{
    char first[24];
    const char *colon = strchr(value, ':');
    int length = colon ? (int)(colon - value) : (int)strlen(value);

    snprintf(first, sizeof first, "%.*s", length < 23 ? length : 23, value);
    enum peal_status status =
        read_int(first, 1, MOST_CHECKED_NODES, "the number of nodes", &request->nodes_from, error);

    request->nodes_to = request->nodes_from;
    if (status == PEAL_OK && colon)
        status = read_int(colon + 1, request->nodes_from, MOST_CHECKED_NODES, "the last number of nodes",
                          &request->nodes_to, error);
    return status;
}

static enum peal_status
read_file(struct request *request, const char *value, struct peal_error *error)
{
    request->file = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_checked_program(struct request *request, const char *value, struct peal_error *error)
{
    request->checked_program = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_classroom50(struct request *request, const char *value, struct peal_error *error)
{
    request->classroom50 = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_gradescope(struct request *request, const char *value, struct peal_error *error)
{
    request->gradescope = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_symbol(struct request *request, const char *value, struct peal_error *error)
{
    request->symbol = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a function");
}

static enum peal_status
read_max_rounds(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    request->max_rounds = value;
    return PEAL_OK;
}

static enum peal_status
read_max_words(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    request->max_words = value;
    return PEAL_OK;
}

/* Ranks with commas between them, -1 where a receive waits on. */
static enum peal_status
read_choices(struct request *request, const char *value, struct peal_error *error)
{
    size_t most = 1;

    for (const char *at = value; *at; at++)
        most += *at == ',';
    free(request->choices);
    request->choice_count = 0;
    request->choices = malloc(most * sizeof *request->choices);
    if (!request->choices)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (const char *at = value;; at++) {
        char *end;
        long rank = strtol(at, &end, 10);

        if (end == at || (*end && *end != ',') || rank < -1 || rank >= MOST_MACHINE_NODES)
            return peal_refuse(error, PEAL_USAGE, "say ranks with commas between them, -1 for waiting, as in 2,-1,1");
        request->choices[request->choice_count++] = (int)rank;
        at = end;
        if (!*at)
            return PEAL_OK;
    }
}

static enum peal_status
read_buffers(struct request *request, const char *value, struct peal_error *error)
{
    static const enum peal_check_buffers buffers[] = {PEAL_BUFFERS_SEPARATE, PEAL_BUFFERS_IN_PLACE, PEAL_BUFFERS_BOTH};
    size_t choice = 0;
    enum peal_status status = read_word(value, buffers_names, &choice, error);

    request->buffers = buffers[choice];
    return status;
}

static enum peal_status
read_max_runs(struct request *request, const char *value, struct peal_error *error)
{
    size_t runs = 0;

    if (peal_parse_size(value, &runs, NULL) != PEAL_OK || runs < 1)
        return peal_refuse(error, PEAL_USAGE, "the number of runs is a whole number from 1");
    request->max_runs = runs;
    return PEAL_OK;
}

static enum peal_status
read_junit(struct request *request, const char *value, struct peal_error *error)
{
    request->junit = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_jobs(struct request *request, const char *value, struct peal_error *error)
{
    return read_int(value, 1, 1024, "the number of processes", &request->jobs, error);
}

static enum peal_status
read_execute(struct request *request, const char *value, struct peal_error *error)
{
    static const enum execute kinds[] = {EXECUTE_CHEAP, EXECUTE_ALL, EXECUTE_NONE};
    size_t choice = 0;
    enum peal_status status = read_word(value, execute_names, &choice, error);

    request->execute = kinds[choice];
    return status;
}

static enum peal_status
read_fit(struct request *request, const char *value, struct peal_error *error)
{
    request->fit = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_plot(struct request *request, const char *value, struct peal_error *error)
{
    request->plot = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name the files, as in --plot scatter");
}

static enum peal_status
read_trace(struct request *request, const char *value, struct peal_error *error)
{
    request->trace_file = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

static enum peal_status
read_step(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->step = true;
    return PEAL_OK;
}

static enum peal_status
read_check(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->check = true;
    return PEAL_OK;
}

static enum peal_status
read_report(struct request *request, const char *value, struct peal_error *error)
{
    request->report_file = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a file");
}

/* The names of the formats of traces, NULL after the last. */
static const char *const *
trace_formats(void)
{
    static const char *names[16];
    const char *summary;

    for (int i = 0; i < 15 && peal_trace_format(i, &names[i], &summary); i++)
        ;
    return names;
}

static enum peal_status
read_trace_format(struct request *request, const char *value, struct peal_error *error)
{
    size_t choice = 0;
    enum peal_status status = read_word(value, trace_formats(), &choice, error);

    request->trace_format = trace_formats()[choice];
    return status;
}

static enum peal_status
read_goal(struct request *request, const char *value, struct peal_error *error)
{
    (void)value;
    return read_trace_format(request, "goal", error);
}

static enum peal_status
read_launcher(struct request *request, const char *value, struct peal_error *error)
{
    request->launcher = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a command, as in 'srun -N 4'");
}

static enum peal_status
read_repetitions(struct request *request, const char *value, struct peal_error *error)
{
    return read_int(value, 1, 1000000, "the number of repetitions", &request->repetitions, error);
}

static enum peal_status
read_rounds(struct request *request, const char *value, struct peal_error *error)
{
    static const enum peal_rounds levels[] = {PEAL_ROUNDS_ALL, PEAL_ROUNDS_SUMMARY, PEAL_ROUNDS_NONE};
    size_t choice = 0;
    enum peal_status status = read_word(value, level_names, &choice, error);

    request->machine.rounds = levels[choice];
    return status;
}

static enum peal_status
read_tag_output(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->machine.tag_output = true;
    return PEAL_OK;
}

static enum peal_status
read_compiler(struct request *request, const char *value, struct peal_error *error)
{
    request->compiler = value;
    return *value ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "name a compiler");
}

static enum peal_status
read_flags(struct request *request, const char *value, struct peal_error *error)
{
    (void)error;
    request->flags = value;
    return PEAL_OK;
}

static enum peal_status
read_all(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->all = true;
    return PEAL_OK;
}

static enum peal_status
read_help(struct request *request, const char *value, struct peal_error *error)
{
    (void)value, (void)error;
    request->help = true;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the table */

const struct option options_table[] = {
    {'p', OPTIONS_MACHINE, "nodes", "P", "nodes (as many as -t says, else 8)", "Size", read_nodes},
    {'m', OPTIONS_TARGET, "block", "WORDS", "words of a block, for collectives of blocks (4)", "Size", read_block},
    {'n', OPTIONS_TARGET, "words", "WORDS", "words of a vector (m·P); P blocks share them", "Size", read_words},
    {'n', OPTIONS_APP, "size", "N", "how large: rows, cells, keys, ... (the application's\nown; peal app lists them)",
     "Size", read_words},
    {'p', OPTIONS_SWEEP, "nodes", "RANGE", "nodes: a number, or FROM:TO:xF, FROM:TO:+S, or\nFROM:TO, which is x2 (8)",
     "Size", read_nodes_range},
    {'m', OPTIONS_SWEEP, "block", "RANGE", "words of a block (1:1Mi:x4; 4 over several P)", "Size", read_block_range},
    {'n', OPTIONS_SWEEP, "words", "RANGE", "words of a vector, which P blocks share\n(1:1Mi:x4)", "Size",
     read_words_range},
    {'p', OPTIONS_FIT, "nodes", "P", "processes of the job (2)", "Size", read_nodes},
    {'n', OPTIONS_FIT, "words", "RANGE",
     "words of a message: a number, or FROM:TO:xF,\nFROM:TO:+S, or FROM:TO, which is x2 (1:1Mi)", "Size",
     read_words_range},
    {0, OPTIONS_FIT, "ranks", "A,B", "which two play (0 and P - 1)", "Size", read_to},
    {'p', OPTIONS_CHECK, "nodes", "P|FROM:TO", "nodes: this number, or all from FROM to TO (1:16)", "Size",
     read_checked_nodes},
    {'r', OPTIONS_TARGET, "root", "RANK", "the root (0)", "Size", read_root},
    {0, OPTIONS_TARGET, "op", "NAME", "operator of a reduction: sum, max, min, prod,\nsum-double, ..., affine (sum)",
     "Size", read_op},
    {0, OPTIONS_TARGET, "sizes", "LIST", "blocks of unequal lengths, as in 3,0,5, over and over", "Size", read_sizes},
    {0, OPTIONS_TARGET, "by", "RANKS", "how far a shift goes; -1 is one down (1)", "Size", read_by},
    {0, OPTIONS_TARGET, "to", "LIST", "who gets a multicast, as in 0,3,5, or none (all)", "Size", read_to},

    {'t', OPTIONS_MACHINE, "topology", "SPEC",
     "the network, as in hypercube:3; see below. Many take P\nwhere numbers are left out (full)", "Machine",
     read_topology},
    {'t', OPTIONS_PRICE, "topology", "SPEC",
     "a network, as in hypercube:3; see below. Again, or\nwith commas, for several (as recorded)", "Machine",
     read_topology},
    {0, OPTIONS_MACHINE | OPTIONS_PRICE, "routing", "NAME", "how messages find their way (the topology's own)",
     "Machine", read_routing},
    {0, OPTIONS_MACHINE, "ports", "K|all", "sends and receives of a node per round (1)", "Machine", read_ports},
    {0, OPTIONS_MACHINE, "half-duplex", NULL, "sends and receives share the ports", "Machine", read_half_duplex},
    {0, OPTIONS_MACHINE, "noncombining", NULL, "refuse messages that bundle packets", "Machine", read_noncombining},
    {0, OPTIONS_MACHINE, "delivery", "HOW",
     "rendezvous, or eager:W: sends of at most W words\nare complete when posted (rendezvous)", "Machine",
     read_delivery},
    {0, OPTIONS_MACHINE, "mailbox", "PLACES", "places of each node's boxes (65536)", "Machine", read_mailbox},
    {0, OPTIONS_WORD, "word-bytes", "BYTES", "bytes of a word (8): 4 for a program of int or float", "Machine",
     read_word_bytes},

    {0, OPTIONS_MACHINE, "alpha", "TIME", "α, a start-up (1000)", "Prices", read_alpha},
    {0, OPTIONS_MACHINE, "beta", "TIME", "β, a word (1)", "Prices", read_beta},
    {0, OPTIONS_MACHINE, "hop", "TIME", "t_d, a hop (0)", "Prices", read_hop},
    {0, OPTIONS_MACHINE, "tau", "TIME", "τ, an operation declared with peal_compute (0)", "Prices", read_tau},
    {0, OPTIONS_MACHINE, "switching", "HOW", "ideal, wormhole or store-forward (ideal)", "Prices", read_switching},
    {0, OPTIONS_MACHINE, "congestion", "HOW", "what a shared link costs: count or volume (count)", "Prices",
     read_congestion},
    {0, OPTIONS_PRICE, "alpha", "TIME", "α, a start-up (as recorded)", "Prices", read_alpha},
    {0, OPTIONS_PRICE, "beta", "TIME", "β, a word (as recorded)", "Prices", read_beta},
    {0, OPTIONS_PRICE, "hop", "TIME", "t_d, a hop (as recorded)", "Prices", read_hop},
    {0, OPTIONS_PRICE, "tau", "TIME", "τ, an operation (as recorded)", "Prices", read_tau},
    {0, OPTIONS_PRICE, "switching", "HOW", "ideal, wormhole or store-forward (as recorded)", "Prices", read_switching},
    {0, OPTIONS_PRICE, "congestion", "HOW", "what a shared link costs: count or volume\n(as recorded)", "Prices",
     read_congestion},

    {0, OPTIONS_CHECK, "file", "FILE", "a C file, of which a function is checked", "What is checked", read_file},
    {0, OPTIONS_CHECK, "symbol", "NAME", "the function", "What is checked", read_symbol},
    {0, OPTIONS_CHECK, "program", "FILE", "a whole node program, with its arguments behind --", "What is checked",
     read_checked_program},
    {0, OPTIONS_CHECK, "all", NULL, "every algorithm of the catalogue", "What is checked", read_all},
    {0, OPTIONS_CHECK, "choices", "LIST",
     "only this order of arrival: the ranks that receives\nfrom any source take from, as a finding tells them",
     "What is checked", read_choices},
    {0, OPTIONS_CHECK, "buffers", "HOW",
     "in and out: separate, in-place (a node's own block of the\nlarger is the smaller), or both; of a function, what "
     "is\nwrong in place is a warning unless it is said",
     "What is checked", read_buffers},
    {0, OPTIONS_CHECK, "max-rounds", "EXPR",
     "rounds it may take, in P, m, n and q = ⌈log₂P⌉, as in\n'ceil(log2(P))' (no limit)", "Limits", read_max_rounds},
    {0, OPTIONS_CHECK, "max-words", "EXPR",
     "words it may take: those of the rounds' longest\nmessages, as in 'm*(P-1)' (no limit)", "Limits", read_max_words},
    {0, OPTIONS_CHECK, "max-runs", "N", "runs to try orders of arrival in, before it ends without\na proof (1M)",
     "Limits", read_max_runs},
    {0, OPTIONS_CHECK, "jobs", "N", "checks at a time (two a core)", "Running", read_jobs},

    {0, OPTIONS_GRADE, "jobs", "N", "cases that are checked at a time (two a core)", "Running", read_jobs},

    {0, OPTIONS_SWEEP, "execute", "WHICH", "which schedules are run: cheap, all, none; the rest\nis computed (cheap)",
     "Running", read_execute},
    {0, OPTIONS_MACHINE, "engine", "NAME",
     "what a node is: threads, fibers, or auto, which\npicks one by P and the system's limits (threads;\ncompare and "
     "sweep: auto, fibers for many nodes);\nmpi: a process of an MPI job",
     "Running", read_engine},
    {0, OPTIONS_FIT, "engine", "mpi", "measure between two processes of an MPI job", "Running", read_engine},
    {0, OPTIONS_MACHINE | OPTIONS_FIT, "launcher", "COMMAND",
     "with --engine mpi: what starts the processes, as in\n'srun -N 4' (the mpirun of the MPI)", "Running",
     read_launcher},
    {0, OPTIONS_TARGET, "repetitions", "N", "with --engine mpi: how often a collective is measured\n(10)", "Running",
     read_repetitions},
    {0, OPTIONS_FIT, "repetitions", "N", "how often each size goes there and back (100)", "Running", read_repetitions},
    {0, OPTIONS_MACHINE, "carriers", "N|auto", "nodes that run at a time (auto)", "Running", read_carriers},
    {0, OPTIONS_MACHINE, "wake", "one|all", "all: release every runnable node at once, for\nstress tests (one)",
     "Running", read_wake},
    {0, OPTIONS_MACHINE, "stack", "BYTES", "stack of a node (the engine's choice)", "Running", read_stack},
    {0, OPTIONS_MACHINE, "seed", "NUMBER", "decides every random choice (0)", "Running", read_seed},
    {0, OPTIONS_MACHINE | OPTIONS_FIT, "timeout", "SECONDS", "end a longer run; 0: never, of a check after 10 (0)",
     "Running", read_timeout},
    {0, OPTIONS_STEP, "check", NULL, "then check the program, as peal check does", "Running", read_check},

    {0, OPTIONS_TARGET, "input", "FILE",
     "the root's data; every node's, in order of the ranks,\nwhere all nodes have some (made up)", "Data and results",
     read_input},
    {0, OPTIONS_TARGET, "output", "FILE", "where the bytes of --input arrive", "Data and results", read_output},
    {'o', OPTIONS_REPORT, "output", "FILE", "the page (standard output)", "Data and results", read_output},
    {0, OPTIONS_MACHINE | OPTIONS_PRICE, "rounds", "LEVEL", "how much of the rounds: all, summary, none (all)",
     "Data and results", read_rounds},
    {0, OPTIONS_MACHINE | OPTIONS_PRICE | OPTIONS_FIT, "json", "[=FILE]",
     "one JSON document instead of the table;\nwith =FILE beside it", "Data and results", read_json},
    {0, OPTIONS_MACHINE, "trace", "FILE", "write a trace that Perfetto opens beside the table", "Data and results",
     read_trace},
    {0, OPTIONS_STEP, "step", NULL, "step through the rounds on the terminal", "Data and results", read_step},
    {0, OPTIONS_MACHINE, "report", "FILE.html", "write a page for the browser beside the table", "Data and results",
     read_report},
    {0, OPTIONS_EXPORT, "format", "NAME", "chrome: a trace that Perfetto opens; goal: a schedule\nfor LogGOPSim",
     "Data and results", read_trace_format},
    {0, OPTIONS_EXPORT, "goal", NULL, "the same as --format goal", "Data and results", read_goal},
    {'o', OPTIONS_EXPORT, "output", "FILE", "where to write it (standard output)", "Data and results", read_trace},
    {0, OPTIONS_PRICE, "csv", "[=FILE]",
     "comma-separated values, a row a network, instead of\nthe table; with =FILE beside it", "Data and results",
     read_csv},
    {0, OPTIONS_COMPARE, "csv", "[=FILE]", "comma-separated values instead of the table;\nwith =FILE beside it",
     "Data and results", read_csv},
    {0, OPTIONS_COMPARE, "format", "NAME", "table, or osu: size and time, as the OSU benchmarks\nprint them (table)",
     "Data and results", read_format},
    {0, OPTIONS_CHECK | OPTIONS_GRADE, "junit", "FILE", "write a report that test tools read beside the table",
     "Data and results", read_junit},
    {0, OPTIONS_GRADE, "json", "[=FILE]", "one JSON document instead of the table;\nwith =FILE beside it",
     "Data and results", read_json},
    {0, OPTIONS_GRADE, "csv", "[=FILE]",
     "comma-separated values, a row a submission, instead of\nthe table; with =FILE beside it", "Data and results",
     read_csv},
    {0, OPTIONS_GRADE, "classroom50", "FILE", "write the result.json of Classroom 50 beside the table",
     "Data and results", read_classroom50},
    {0, OPTIONS_GRADE, "gradescope", "FILE",
     "write the results.json of Gradescope beside the table;\nof several submissions into this folder",
     "Data and results", read_gradescope},
    {0, OPTIONS_SWEEP, "plot", "NAME", "write NAME.dat, the gnuplot script NAME.gp, and with\ngnuplot NAME.svg",
     "Data and results", read_plot},
    {0, OPTIONS_SWEEP, "fit", "FILE", "find α and β from measured sizes and times instead", "Data and results",
     read_fit},
    {0, OPTIONS_JSON, "json", NULL, "one JSON document instead of the table", "General", read_json},

    {0, OPTIONS_TARGET, "tag-output", NULL, "begin every line a node prints with its rank", "Programs in files",
     read_tag_output},
    {0, OPTIONS_TARGET | OPTIONS_REPORT, "file", "FILE",
     "a C file, of which a function stands for the\nalgorithm of the collective", "Programs in files", read_file},
    {0, OPTIONS_TARGET | OPTIONS_REPORT, "symbol", "NAME", "the function of --file", "Programs in files", read_symbol},
    {0, OPTIONS_TARGET | OPTIONS_REPORT, "cc", "COMPILER", "the C compiler ($CC, else cc)", "Programs in files",
     read_compiler},
    {0, OPTIONS_GRADE, "cc", "COMPILER", "the C compiler ($CC, else cc)", "Programs in files", read_compiler},
    {0, OPTIONS_TARGET | OPTIONS_REPORT, "cflags", "FLAGS", "more flags for it ($CFLAGS)", "Programs in files",
     read_flags},

    {0, OPTIONS_LESSON, "all", NULL, "every lesson, a line each", "General", read_all},
    {'h', OPTIONS_HELP, "help", NULL, "this help", "General", read_help},
    {0, 0, NULL, NULL, NULL, NULL, NULL},
};

bool
option_taken(const struct command *command, const struct option *option)
{
    if (option->set & ~(unsigned)(OPTIONS_MACHINE | OPTIONS_TARGET) & (command->takes | OPTIONS_HELP))
        return true;
    if (!(option->set & command->takes))
        return false;
    for (const char *const *name = command->lacks; name && *name; name++)
        if (strcmp(*name, option->name) == 0)
            return false;
    return true;
}

enum words
option_words(const struct option *option, const char *const **words)
{
    static const struct {
        const char *name;
        const char *const *words;
    } listed[] = {
        {"op", op_names},         {"switching", switching_names}, {"congestion", congestion_names},
        {"wake", wake_names},     {"rounds", level_names},        {"delivery", delivery_names},
        {"ports", ports_names},   {"carriers", carriers_names},   {"engine", engine_names},
        {"format", format_names}, {"execute", execute_names},     {"buffers", buffers_names},
    };

    *words = NULL;
    if (option->read == read_trace_format) {
        *words = trace_formats();
        return WORDS_LISTED;
    }
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (strcmp(listed[i].name, option->name) == 0) {
            *words = listed[i].words;
            return WORDS_LISTED;
        }
    if (strcmp(option->name, "topology") == 0)
        return WORDS_TOPOLOGY;
    if (strcmp(option->name, "routing") == 0)
        return WORDS_ROUTING;
    return option->value && strstr(option->value, "FILE") ? WORDS_FILE : WORDS_NONE;
}
