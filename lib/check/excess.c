/* SPDX-License-Identifier: MIT */
/* Compares the charge of a run with the requested limits, the lower bound and the closed form. */
#include "lib/check/excess.h"
#include "lib/check/expression.h"

/* The list of the excesses. */
struct excess_list {
    struct excess *excesses;
    int count;
};

struct excess_limit {
    enum peal_failure_kind kind;
    const char *expression; /* that was asked for; NULL */
    int64_t is, bound;
    char is_text[120];
};

static const char *
units_of(enum peal_failure_kind kind, int64_t is)
{
    if (kind == PEAL_EXCESS_ROUNDS)
        return is == 1 ? "round" : "rounds";
    return is == 1 ? "word (each round's longest message)" : "words (each round's longest message)";
}

/* List a coefficient that exceeds its limit; its message is completed later. */
static struct excess *
excess_add(struct excess_list *list, const struct excess_limit *limit, int64_t most)
{
    struct excess *excess = &list->excesses[list->count++];

    *excess = (struct excess){.kind = limit->kind, .most = most, .more = true};
    if (limit->is_text[0])
        snprintf(excess->message, sizeof excess->message, "%s; ", limit->is_text);
    else
        snprintf(excess->message, sizeof excess->message, "takes %lld %s; ", (long long)limit->is,
                 units_of(limit->kind, limit->is));
    return excess;
}

/* Compare one coefficient with the given limit, or with the lower bound. */
static enum peal_status
excess_compare(struct excess_list *list, const struct excess_limit *limit, bool has_bound,
               struct peal_check_values values, struct peal_error *error)
{
    struct excess *excess;
    char text[200];
    double most = 0;
    bool above;

    if (!limit->expression) {
        if (!has_bound || limit->is <= limit->bound)
            return PEAL_OK;
        excess = excess_add(list, limit, limit->bound);
        excess->severity = PEAL_SEVERITY_WARNING;
        peal_append(IN_ARRAY(excess->message), "no run can be below %lld", (long long)limit->bound);
        return PEAL_OK;
    }
    enum peal_status status = peal_check_limit(limit->expression, values, limit->is, &most, &above, text, error);

    if (!above)
        return status;
    excess = excess_add(list, limit, (int64_t)most);
    excess->asked = true;
    peal_append(IN_ARRAY(excess->message), "%s", text);
    return PEAL_OK;
}

/* Compare the charge of an algorithm of the catalogue with its closed form, if any. */
static void
compare_closed_form(struct excess_list *list, const struct peal_check *check, struct peal_situation situation,
                    struct peal_cost cost)
{
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(check->collective, check->algorithm, &situation.parameter);
    struct peal_cost closed;

    if (!peal_algorithm_cost(algorithm, &situation, &closed))
        return;
    if (peal_cost_equal(cost, closed))
        return;
    bool rounds = cost.alpha != closed.alpha;
    int64_t is = rounds ? cost.alpha : cost.beta, most = rounds ? closed.alpha : closed.beta;
    struct excess *excess = &list->excesses[list->count++];
    char charged[100], form[100], text[PEAL_CLOSED_TEXT];
    bool has_text = peal_closed_form_text(algorithm, &situation, text, sizeof text);

    *excess = (struct excess){.kind = rounds ? PEAL_EXCESS_ROUNDS : PEAL_EXCESS_WORDS, .most = most, .more = is > most};
    snprintf(excess->message, sizeof excess->message, "costs %s; its closed form%s%s is %s",
             peal_cost_text(cost, charged, sizeof charged), has_text ? " " : "", has_text ? text : "",
             peal_cost_text(closed, form, sizeof form));
}

bool
excess_promised(const struct peal_check *check, struct peal_situation situation)
{
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(check->collective, check->algorithm, &situation.parameter);
    struct peal_cost closed;

    return peal_algorithm_cost(algorithm, &situation, &closed);
}

/* Compare with the requested limits and, with `usual`, with the lower bound. */
static enum peal_status
compare_limits(struct excess_list *list, const struct peal_check *check, const struct peal_check_case *c,
               struct peal_situation situation, const struct vectors *data, bool usual,
               const struct peal_machine *machine, struct peal_cost cost, struct peal_error *error)
{
    size_t begins[LABEL_NODES + 1] = {0};
    const struct peal_blocks blocks_of = {.begins = begins};
    struct peal_cost bound = {0};
    const char *source;

    if (c->sizes && data->form->in != PEAL_SIDE_PAIRS) { /* there each node has its own */
        for (int b = 0; b < c->nodes; b++)
            begins[b + 1] = begins[b] + peal_layout_block(&data->layout, b);
        situation.blocks = &blocks_of;
    }
    bool has_bound = usual && peal_lower_bound(&situation, &bound, &source);
    struct peal_check_values values = peal_check_values_of(check->collective, c);
    struct excess_limit limits[] = {
        {PEAL_EXCESS_ROUNDS, check->max_rounds, cost.alpha, bound.alpha, ""},
        {PEAL_EXCESS_WORDS, check->max_words, cost.beta, bound.beta, ""},
        {PEAL_EXCESS_HOPS, check->max_hops, 0, 0, ""},
        {PEAL_EXCESS_MESSAGES, check->max_messages, 0, 0, ""},
    };
    enum peal_status status = PEAL_OK;

    if (check->max_hops || check->max_messages) {
        struct sent_messages traffic;

        sent_count(peal_machine_schedule(machine), &traffic);
        limits[2].is = traffic.hops;
        limits[3].is = traffic.messages;
        for (int i = 2; i < 4; i++)
            peal_sent_say(&traffic, i == 2, limits[i].is_text, sizeof limits[i].is_text);
    }
    for (int i = 0; status == PEAL_OK && i < 4; i++)
        status = excess_compare(list, &limits[i], has_bound && i < 2, values, error);
    return status;
}

int
excess_find(const struct peal_check *check, const struct peal_check_case *c, const struct peal_situation *situation,
            const struct vectors *data, bool extra, const struct peal_machine *machine, struct peal_cost cost,
            struct excess excesses[MAX_EXCESSES], struct peal_error *error)
{
    struct excess_list list = {.excesses = excesses};
    bool empty = c->words == 0 && !data->form->waits; /* no message need be sent, but few programs notice that */
    bool usual = !check->algorithm && !check->program && c->ports == 1 && !c->eager && !empty;

    error->status = PEAL_OK;
    if (check->algorithm && (!data->form->waits || c->root == c->nodes)) /* no node late */
        compare_closed_form(&list, check, *situation, cost);
    if (!extra && (usual || excess_limited(check)))
        compare_limits(&list, check, c, *situation, data, usual, machine, cost, error);
    return list.count;
}

/* ------------------------------------------------------------------ algorithms that cost the same */

void
alike_note(struct alike *alike, struct peal_situation situation, struct peal_cost cost)
{
    const struct peal_algorithm *algorithm;
    struct peal_cost closed;

    alike->cases++;
    alike->nodes = situation.nodes > alike->nodes ? situation.nodes : alike->nodes;
    if (situation.op) /* it costs the same with any operator */
        situation.op = &label_op_commutative;
    for (int i = 0; i < MAX_ALIKE && (algorithm = peal_algorithm_get(i)); i++)
        if (algorithm->collective == situation.collective && !alike->differs[i])
            alike->differs[i] = peal_algorithm_fits(algorithm, &situation, NULL) != PEAL_OK ||
                                !peal_algorithm_cost(algorithm, &situation, &closed) || closed.alpha != cost.alpha ||
                                closed.beta != cost.beta;
}

void
alike_say(const struct alike *alike, enum peal_collective collective, char *text, size_t bytes)
{
    const struct peal_algorithm *algorithm;
    struct peal_text out = empty_text(text, bytes);

    for (int i = 0; alike->nodes > 2 && i < MAX_ALIKE && (algorithm = peal_algorithm_get(i)); i++)
        if (algorithm->collective == collective && !alike->differs[i])
            peal_append(out, "%s%s/%s", text[0] ? ", " : "", peal_collective_name(collective), algorithm->name);
}
