/* SPDX-License-Identifier: MIT */
/* Arithmetic on costs, and their text. */
#include "lib/base/text.h"
#include <inttypes.h>
#include <peal/cost.h>

bool
peal_parameter_allowed(double parameter)
{
    return parameter == 0 || (parameter >= 1e-100 && parameter <= 1e100);
}

double
peal_cost_time(struct peal_cost cost, struct peal_parameters parameters)
{
    return (double)cost.alpha * parameters.alpha + (double)cost.beta * parameters.beta +
           (double)cost.hop * parameters.hop + (double)cost.tau * parameters.tau;
}

/* a + b; INT64_MAX when the sum is too large to count, or an operand was. */
static int64_t
cost_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (a == INT64_MAX || b == INT64_MAX)
        return INT64_MAX;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

struct peal_cost
peal_cost_add(struct peal_cost a, struct peal_cost b)
{
    return (struct peal_cost){
        .alpha = cost_add(a.alpha, b.alpha),
        .beta = cost_add(a.beta, b.beta),
        .hop = cost_add(a.hop, b.hop),
        .tau = cost_add(a.tau, b.tau),
    };
}

bool
peal_cost_counted(struct peal_cost cost)
{
    return cost.alpha < INT64_MAX && cost.beta < INT64_MAX && cost.hop < INT64_MAX && cost.tau < INT64_MAX;
}

bool
peal_cost_equal(struct peal_cost a, struct peal_cost b)
{
    return a.alpha == b.alpha && a.beta == b.beta && a.hop == b.hop && a.tau == b.tau;
}

char *
peal_cost_text(struct peal_cost cost, char *text, size_t bytes)
{
    const struct {
        int64_t coefficient;
        const char *unit;
    } terms[] = {{cost.alpha, "α"}, {cost.beta, "β"}, {cost.hop, "t_d"}, {cost.tau, "τ"}};
    char whole[200] = "";

    if (!peal_cost_counted(cost))
        peal_append(IN_ARRAY(whole), "too large to count");
    for (size_t i = 0; i < sizeof terms / sizeof *terms && peal_cost_counted(cost); i++) {
        char number[24] = "";

        if (terms[i].coefficient == 0)
            continue;
        if (terms[i].coefficient != 1)
            snprintf(number, sizeof number, "%" PRId64, terms[i].coefficient);
        peal_append(IN_ARRAY(whole), "%s%s%s", *whole ? " + " : "", number, terms[i].unit);
    }
    if (bytes > 0)
        peal_append(empty_text(text, bytes), "%s", *whole ? whole : "0");
    return text;
}

const char *
peal_switching_name(enum peal_switching switching)
{
    switch (switching) {
    case PEAL_IDEAL:
        return "ideal";
    case PEAL_WORMHOLE:
        return "wormhole";
    case PEAL_STORE_FORWARD:
        return "store-forward";
    }
    return NULL;
}

const char *
peal_congestion_name(enum peal_congestion congestion)
{
    switch (congestion) {
    case PEAL_COUNT:
        return "count";
    case PEAL_VOLUME:
        return "volume";
    }
    return NULL;
}
