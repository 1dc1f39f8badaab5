/* SPDX-License-Identifier: MIT */
/* The preconditions with which a wrong function may be right.
 *
 * Each check with some of them that fails gives a case in which the function is wrong; preconditions that do not
 * exclude that case are no longer tried. */
#include "lib/check/precondition.h"
#include "lib/base/text.h"
#include "lib/check/cases.h"
#include "lib/check/expression.h"

enum { MAX_TOGETHER = 4 };

bool
peal_check_is_wrong(const struct peal_verdict *verdict)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR)
            return true;
    return false;
}

/* One precondition: a condition of --only, or other options. */
struct precondition {
    const char *only, *options, *text;
    bool divides, nonzero, root, contiguous, may_refuse;
    enum peal_check_element element;
    const struct peal_op *op;
};

/* With two nodes there is a run on lengths alone, without data: if only that is wrong, only shorter data explain it. */
#define SHORT "n < 2^28"

#define NUMBERS(type, name, operator, what)                                                                            \
    {                                                                                                                  \
        .element = PEAL_ELEMENT_##type, .op = operator, .options = "--elements " name, .text = what                    \
    }

/* Each group from the weakest on. */
static const struct precondition
    nodes[] = {{.only = "P > 1", .text = "P is more than 1"},
               {.only = "P > 2", .text = "P is more than 2"},
               {.only = "P % 2 = 0", .text = "P is even"},
               {.only = "P = 2^q", .text = "P is a power of two"},
               {.only = "sqrt(P) = floor(sqrt(P))", .text = "P is a square"}},
    sizes[] = {{.nonzero = true, .options = "--nonzero", .text = "nothing is empty"},
               {.divides = true, .options = "--divides", .text = "P divides the words"},
               {.only = "n >= P", .text = "there are P words or more"},
               {.divides = true,
                .nonzero = true,
                .options = "--divides --nonzero",
                .text = "P divides the words, and there is at least one"},
               {.only = SHORT, .text = "there are fewer than 2^28 words"}},
    roots[] = {{.root = true, .options = "--root 0", .text = "the root is node 0"}},
    types[] = {{.contiguous = true, .options = "--contiguous", .text = "datatypes have no gaps"}},
    operators[] = {{.op = PEAL_SUM_INT64, .options = "--op sum", .text = "the operator commutes"},
                   NUMBERS(LONG, "long", PEAL_SUM_INT64, "words are longs"),
                   NUMBERS(INT, "int", PEAL_SUM_INT64, "words are ints"),
                   NUMBERS(DOUBLE, "double", PEAL_SUM_INT64, "words are doubles"),
                   NUMBERS(FLOAT, "float", PEAL_SUM_INT64, "words are floats"),
                   NUMBERS(INT, "int --op max", PEAL_MAX_INT64, "words are ints, and the largest is asked for"),
                   NUMBERS(DOUBLE, "double --op max", PEAL_MAX_INT64,
                           "words are doubles, and the largest is asked for"),
                   NUMBERS(INT, "int --op min", PEAL_MIN_INT64, "words are ints, and the smallest is asked for"),
                   NUMBERS(DOUBLE, "double --op min", PEAL_MIN_INT64,
                           "words are doubles, and the smallest is asked for")},
    refusals[] = {{.may_refuse = true, .options = "--may-refuse", .text = "it does not refuse"}};

#define GROUP(list) list, sizeof(list) / sizeof *(list)
static const struct {
    const struct precondition *list;
    int count;
} groups[PRECONDITION_GROUPS] = {{GROUP(refusals)}, {GROUP(nodes)}, {GROUP(sizes)},
                                 {GROUP(roots)},    {GROUP(types)}, {GROUP(operators)}};

/* ------------------------------------------------------------------ what is known */

/* Whether the function has refused the case by itself. */
static bool
finding_is_refusal(const struct peal_finding *finding)
{
    static const char *const words[] = {" returns ", " throws: ", " aborted: ", " crashed: abort"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(finding->message, words[i]))
            return true;
    return false;
}

void
precondition_learn(struct precondition_search *search, const struct peal_check *check,
                   const struct peal_verdict *verdict)
{
    for (int i = 0; i < verdict->finding_count && search->known_count < PRECONDITION_KNOWN; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR)
            search->known[search->known_count++] =
                (struct precondition_known){verdict->findings[i].where, check->element, check->op,
                                            finding_is_refusal(&verdict->findings[i]) && !check->may_refuse};
}

/* Whether the check includes the case, in which the function is wrong.  A long size was tried with two nodes alone:
 * conditions on both do not explain it. */
static bool
has_case(const struct peal_check *check, const struct precondition_known *known)
{
    const bool is_long = known->where.nodes == 2 && !known->where.sizes && known->where.words > 8 * 2 + 4;

    if (cases_unstored(&known->where))
        return !check->only || !strstr(check->only, SHORT);
    return !(known->refuses && check->may_refuse) && known->element == check->element && known->op == check->op &&
           (is_long || peal_check_asks_for(check, &known->where)) &&
           !(check->has_root && known->where.root != check->root) &&
           !(check->contiguous && known->where.call & CALLS_TYPES);
}

bool
precondition_tries(const struct peal_check *check, const struct peal_verdict *verdict)
{
    return check->suggests && check->file && !check->program && peal_check_is_wrong(verdict) && !check->only &&
           !check->divides && !check->nonzero && !check->contiguous && !check->has_root && !check->has_words &&
           !check->sizes && !check->choices && !check->has_delivery && !check->has_call &&
           check->nodes_from != check->nodes_to;
}

void
precondition_begin(struct precondition_search *search, const struct peal_check *check,
                   const struct peal_verdict *verdict)
{
    *search = (struct precondition_search){.check = check, .together = 1};
    precondition_learn(search, check, verdict);
}

/* ------------------------------------------------------------------ combinations */

/* Whether the check can be made with it. */
static bool
applies(const struct peal_check *check, const struct precondition *with)
{
    const bool combines = peal_collective_has_op(check->collective);

    if (with->root)
        return peal_collective_has_root(check->collective);
    if (with->contiguous)
        return ways_kinds(check) & CALLS_TYPES;
    if (with->may_refuse)
        return !check->may_refuse;
    if (with->element && (!check->mpi || check->element || check->unequal))
        return false;
    if (with->op)
        return combines ? !check->op || with->element : with->element && with->op == PEAL_SUM_INT64;
    return true;
}

/* Take the preconditions of the next combination into the check; false: one does not apply, or there are not `together`
 * of them. */
static bool
preconditions_combine(struct precondition_search *search)
{
    struct peal_check *narrowed = &search->narrowed;
    int rest = search->next, count = 0;
    struct peal_text only = empty_text(search->only, sizeof search->only);

    *narrowed = *search->check;
    narrowed->first_only = true;
    for (int i = 0; i < PRECONDITION_GROUPS; i++) {
        const int which = rest % (groups[i].count + 1) - 1;

        rest /= groups[i].count + 1;
        search->chosen[i] = which;
        if (which < 0)
            continue;
        const struct precondition *with = &groups[i].list[which];

        if (++count > search->together || !applies(search->check, with))
            return false;
        if (with->only)
            peal_append(only, "%s%s", search->only[0] ? ", " : "", with->only);
        narrowed->divides |= with->divides;
        narrowed->nonzero |= with->nonzero;
        narrowed->has_root |= with->root;
        narrowed->contiguous |= with->contiguous;
        narrowed->may_refuse |= with->may_refuse;
        narrowed->element = with->element ? with->element : narrowed->element;
        narrowed->op = with->op ? with->op : narrowed->op;
    }
    if (search->only[0])
        narrowed->only = search->only;
    return count == search->together;
}

const struct peal_check *
precondition_next(struct precondition_search *search)
{
    int all = 1;

    for (int i = 0; i < PRECONDITION_GROUPS; i++)
        all *= groups[i].count + 1;
    for (; search->together <= MAX_TOGETHER; search->together++, search->next = 0)
        while (search->next < all) {
            bool excluded = preconditions_combine(search);

            search->next++;
            for (int i = 0; excluded && i < search->known_count; i++)
                excluded = !has_case(&search->narrowed, &search->known[i]);
            if (excluded)
                return &search->narrowed;
        }
    return NULL;
}

void
precondition_suggest(const struct precondition_search *search, const char *bound, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);
    const char *between = "right where ";

    for (int i = 0; i < PRECONDITION_GROUPS; i++)
        if (search->chosen[i] >= 0) {
            peal_append(out, "%s%s", between, groups[i].list[search->chosen[i]].text);
            between = " and ";
        }
    peal_append(out, " (P = %.60s): try", bound);
    if (search->only[0])
        peal_append(out, " --only '%s'", search->only);
    for (int i = 0; i < PRECONDITION_GROUPS; i++)
        if (search->chosen[i] >= 0 && !groups[i].list[search->chosen[i]].only)
            peal_append(out, " %s", groups[i].list[search->chosen[i]].options);
}
