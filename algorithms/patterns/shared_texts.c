/* SPDX-License-Identifier: MIT */
/* The closed forms of the patterns of closed.c as text. */
#include "../catalog.h"

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Linear: the distances of all nodes from the root, which closed_add_linear adds up: on a line 1 + .. + r and 1 + ..
 * + P-1-r, on a ring ⌊P²/4⌋; in several dimensions those of each, P/zᵢ times.
 *   Ring: P-1 rounds, in each of which one message goes back along all dimensions that are not rings.
 *   Shifts by d = 1 .. P-1: min(d, P-d) messages on a link, Σ = ⌊P²/4⌋; max(d, P-d) hops on a line, which is P less
 * the minimum. On a hypercube q-j hops if j is the lowest bit of d; over all d the j add up to P-1-q. Under
 * store-forward on a line those that go back decide: d(P-d) - ⌊min(d, P-d)²/4⌋ (closed_round_load).
 *   Exchanges by x = 1 .. P-1: the top bit h of x messages on a link, for h numbers each: Σ h² = (P²-1)/3; x hops. On
 * a ring by P/2 and more: P/4 messages, and x less twice the second bit hops. Under store-forward exchange_route adds
 * up to h³ - Σ t(t+1)(4t-1)/6 over the t = 1, 2, .., h/2 for each h.
 *   Exchanges by 1, 2, 4, ..: min(h, P-h) messages on a link, P-1 in all. */

#define LINEAR_ROWS(words)                                                                                             \
    {.on = "full", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .near = true},                                        \
    {.on = "hypercube", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_d(P/2)log₂P",                          \
     .stored = "β" words "(P/2)log₂P"},                                                                                \
    {.on = "line", .when = "root 0", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_dP(P−1)/2",               \
     .stored = "β" words "P(P−1)/2"},                                                                                  \
    {.on = "line", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_d(r(r+1)+(P−1−r)(P−r))/2",                  \
     .stored = "β" words "(r(r+1)+(P−1−r)(P−r))/2"},                                                                   \
    {.on = "ring", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_d⌊P²/4⌋", .stored = "β" words "⌊P²/4⌋"},    \
    {.on = "mesh", .when = "root 0", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_d(P/2)Σ(zᵢ−1)",           \
     .stored = "β" words "(P/2)Σ(zᵢ−1)"},                                                                              \
    {.on = "mesh", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_d(P/2)Σ(rᵢ(rᵢ+1)+(zᵢ−1−rᵢ)(zᵢ−rᵢ))/zᵢ",     \
     .stored = "β" words "(P/2)Σ(rᵢ(rᵢ+1)+(zᵢ−1−rᵢ)(zᵢ−rᵢ))/zᵢ"},                                                      \
    {.on = "torus", .alpha = "α(P−1)", .beta = "β" words "(P−1)", .hop = "t_dPΣ⌊zᵢ²/4⌋/zᵢ",                            \
     .stored = "β" words "PΣ⌊zᵢ²/4⌋/zᵢ"},

const struct peal_closed_text linear_block_texts[] = {LINEAR_ROWS("m") {0}};

const struct peal_closed_text linear_vector_texts[] = {LINEAR_ROWS("n") {0}};

const struct peal_closed_text ring_block_texts[] = {
    {.on = "full ring", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true, .cited = ""},
    {.on = "line", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1)²", .stored = "βm(P−1)²"},
    {.on = "mesh", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1)Σ(zᵢ−1)", .stored = "βm(P−1)Σ(zᵢ−1)"},
    {.on = "torus", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1)Σ[zᵢ > 1]", .stored = "βm(P−1)Σ[zᵢ > 1]"},
    {.on = "hypercube", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1)log₂P", .stored = "βm(P−1)log₂P"},
    {0},
};

#define SHIFT_ROUTES                                                                                                   \
    {.on = "line", .alpha = "α(P−1)", .beta = "βm⌊P²/4⌋", .hop = "t_d(P(P−1)−⌊P²/4⌋)",                                 \
     .stored = "βm((P³−P)/6−Σ_{j=1..P−1}⌊min(j, P−j)²/4⌋)"},                                                           \
    {.on = "ring", .alpha = "α(P−1)", .beta = "βm⌊P²/4⌋", .hop = "t_d⌊P²/4⌋",                                          \
     .stored = "βm(P³−P+3P[(P mod 2) = 0])/12"},                                                                       \
    {.on = "hypercube", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P log₂P−P+1)",                               \
     .stored = "βm(P log₂P−P+1)"},

const struct peal_closed_text shifts_texts[] = {
    {.on = "full", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true},
    SHIFT_ROUTES
    {0},
};

const struct peal_closed_text alltoall_linear_texts[] = {
    {.on = "full", .alpha = "α⌈(P−1)/k⌉", .beta = "βm⌈(P−1)/k⌉", .near = true},
    SHIFT_ROUTES
    {0},
};

const struct peal_closed_text xors_texts[] = {
    {.on = "full", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true},
    {.on = "line", .alpha = "α(P−1)", .beta = "βm(P²−1)/3", .hop = "t_dP(P−1)/2"},
    {.on = "ring", .alpha = "α(P−1)", .beta = "βm(5P²+6P−8)/24", .hop = "t_d(2P²−3P+4)/6"},
    {.on = "hypercube", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P/2)log₂P", .stored = "βm(P/2)log₂P"},
    {.on = "line", .alpha = "α(P−1)", .beta = "βm(P²−1)/3", .stored = "βm(19(P³−1)/147+2q/21−(P²−1)/18+(P−1)/6)",
     .names = "q = log₂P"},
    {0},
};

const struct peal_closed_text scan_doubling_texts[] = {
    {.on = "full hypercube", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true},
    {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(2^⌈log₂P⌉−1)"},
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(P−1)"},
    {.on = "mesh", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)", .stored = "βnΣzᵢ²/4"},
    {.on = "torus", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βnΣ(zᵢ²/4+[zᵢ > 2]zᵢ²/16)"},
    {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .stored = "βn(⌊h²/4⌋+h(P−h)−⌊(P−h)²/4⌋)",
     .names = "h = 2^(⌈log₂P⌉−1)"},
    {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn(P−1)", .stored = "βn(P²/4+[P > 2]P²/16)"},
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .stored = "βn(⌊h²/4⌋+(P−h)²−⌊(P−h)²/4⌋)",
     .names = "h = 2^(⌈log₂P⌉−1)"},
    {0},
};

/* Exchanges of blocks with the farthest node first: h messages of P/(2h) blocks on a link, P/2 a round; under
 * store-forward 3h/4 times that, and once for h = 1. */
const struct peal_closed_text far_exchanges_texts[] = {
    {.on = "full hypercube", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .near = true},
    {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .hop = "t_d(P−1)",
     .stored = "βmP(3P−2)/8"},
    {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .hop = "t_d(P−1)",
     .stored = "βmP((3P−2)/8+[P > 2]P/16)"},
    {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmPΣ(3zᵢ−2)/(8sᵢ)"},
    {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmPΣ((3zᵢ−2)/8+[zᵢ > 2]zᵢ/16)/sᵢ"},
    {0},
};

/* With the nearest first: h messages of h blocks on a link for h = 1, 2, 4, .., Σ h² = (P²-1)/3; a route meets ⌈3h²/4⌉
 * of them under store-forward, h² on a ring's last exchange. In several dimensions the same in each, with sᵢ blocks in
 * place of one. */
const struct peal_closed_text near_exchanges_texts[] = {
    {.on = "full hypercube", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .near = true, .cited = ""},
    {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P²−1)/3", .hop = "t_d(P−1)",
     .stored = "βm(3P³+4)/28"},
    {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P²−1)/3", .hop = "t_d(P−1)",
     .stored = "βm((3P³+4)/28+[P > 2]P³/32)"},
    {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣsᵢ(zᵢ²−1)/3", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmΣsᵢ(3zᵢ³+4)/28"},
    {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣsᵢ(zᵢ²−1)/3", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmΣsᵢ((3zᵢ³+4)/28+[zᵢ > 2]zᵢ³/32)"},
    {0},
};

const struct peal_closed_text pat_texts[] = {
    {.on = "full", .alpha = "α(a+min(P, 2^(q−a))−1)", .beta = "βm(P−1)", .near = true,
     .names = "q = ⌈log₂P⌉, A = parameter, a = min(q−1, ⌊log₂A⌋)"},
    {.on = "hypercube", .alpha = "α(a+D−1)", .beta = "βm(P−1)", .hop = "t_d(a(a+1)/2+(a+1)(D−1)+(q−a−2)D+2)",
     .stored = "βm(P(q−1)+1)", .names = "q = log₂P, A = parameter, a = min(q−1, ⌊log₂A⌋), D = 2^(q−a)"},
    {.on = "line", .when = "P = 2^q", .alpha = "α(a+D−1)", .beta = "βm(P/2)q", .hop = "t_d(P(a+D−2)+D−(D/2)(q−a))",
     .stored = "βmP(4Pq−5P+6)/8", .names = "q = log₂P, A = parameter, a = min(q−1, ⌊log₂A⌋), D = 2^(q−a)"},
    {.on = "ring", .when = "P = 2^q", .alpha = "α(a+D−1)", .beta = "βm(P/2)q", .hop = "t_d(P−D+(D/2)(q−a))",
     .stored = "βmP(P−1)/2", .names = "q = log₂P, A = parameter, a = min(q−1, ⌊log₂A⌋), D = 2^(q−a)"},
    {.on = "mesh torus", .when = "zᵢ = 2^qᵢ", .alpha = "α(a+D−1)", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ",
     .names = "q = log₂P, A = parameter, a = min(q−1, ⌊log₂A⌋), D = 2^(q−a)"},
    {0},
};
