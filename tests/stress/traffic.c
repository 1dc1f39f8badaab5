/* SPDX-License-Identifier: MIT */
/* Random traffic between all pairs: in every phase each node sends messages of random length, tag and destination, and
 * receives as many as the plan holds for it, named or from any source, in one of four manners.  Eager, small mailboxes
 * and seeds vary.  The plan is a function of the seed, so each node knows what it must get; the order is the machine's.
 *
 *   traffic [PROGRAMS] */
#include "tests/stress/stress.h"

#include <string.h>

enum manner {
    BY_PHASE,  /* any source, the phase as tag */
    BY_SOURCE, /* named sources, any tag */
    NARROW,    /* one partner a phase, receive and send by turns: fits boxes of one place */
    CHAOS      /* anything: may well end as a deadlock, and then the same one every way */
};

enum { MAX_MESSAGES = 6, MAX_WORDS = 40, MAX_RECEIVES = MAX_NODES * MAX_MESSAGES };

struct traffic {
    struct stage stage; /* first: the stress functions see only this */
    enum manner manner;
    int nodes, phases, messages;
};

struct letter {
    int dest, tag;
    size_t words;
};

/* Letter i of node `from` in a phase; i < letters(). */
static struct letter
letter(const struct traffic *plan, int phase, int from, int i)
{
    uint64_t number = chance(plan->stage.seed, (uint64_t)phase, (uint64_t)from, (uint64_t)i + 1);
    struct letter letter = {.dest = (int)(number % (uint64_t)plan->nodes),
                            .tag = plan->manner == BY_SOURCE ? (int)(number >> 20 & 3) : phase,
                            .words = number >> 40 & 1 ? 0 : (size_t)((number >> 24) % MAX_WORDS)};

    if (plan->manner == NARROW)
        letter.dest = (from + phase) % plan->nodes;
    return letter;
}

static int
letters(const struct traffic *plan, int phase, int from)
{
    if (plan->manner == NARROW)
        return plan->messages;
    return (int)(chance(plan->stage.seed, (uint64_t)phase, (uint64_t)from, 0) % (uint64_t)(plan->messages + 1));
}

/* Word 0 of a letter; word j is mix(word 0 + j). */
static uint64_t
stamp(int phase, int from, int i)
{
    return ((uint64_t)phase * MAX_NODES + (uint64_t)from) * MAX_MESSAGES + (uint64_t)i;
}

static void
write_letter(uint64_t *words, size_t count, uint64_t first)
{
    for (size_t j = 0; j < count; j++)
        words[j] = j == 0 ? first : mix(first + j);
}

/* Check that the received letter is one of the plan, from the reported node, with its tag and length; and note it. */
static void
read_letter(struct peal_node *me, struct traffic *plan, struct peal_message message, const uint64_t *words)
{
    saw(&plan->stage, me, (uint64_t)message.source << 40 | (uint64_t)message.tag << 20 | message.words);
    if (message.words == 0)
        return;

    int i = (int)(words[0] % MAX_MESSAGES), from = (int)(words[0] / MAX_MESSAGES % MAX_NODES);
    int phase = (int)(words[0] / MAX_MESSAGES / MAX_NODES);
    struct letter sent = letter(plan, phase, from, i);

    if (from != message.source || sent.dest != peal_rank(me) || sent.tag != message.tag || sent.words != message.words)
        peal_abort(me, "a letter that was never sent");
    for (size_t j = 1; j < message.words; j++)
        if (words[j] != mix(words[0] + j))
            peal_abort(me, "a letter with wrong words");
    saw(&plan->stage, me, words[0]);
}

/* Post the receive of a letter of node `from` as the manner has it. */
static struct peal_handle
expect(struct peal_node *me, const struct traffic *plan, int phase, int from, int i, uint64_t *words)
{
    uint64_t whim = chance(plan->stage.seed, (uint64_t)phase, stamp(phase, from, i), 7);
    int source = PEAL_ANY_SOURCE, tag = phase;

    switch (plan->manner) {
    case BY_PHASE:
        break;
    case BY_SOURCE:
    case NARROW:
        source = from;
        tag = plan->manner == NARROW && whim % 2 ? phase : PEAL_ANY_TAG;
        break;
    case CHAOS:
        source = whim % 3 ? PEAL_ANY_SOURCE : from;
        tag = whim / 3 % 3 ? PEAL_ANY_TAG : phase;
        break;
    }
    return peal_recv_async_tag(me, words, MAX_WORDS, source, tag);
}

static struct peal_handle
post(struct peal_node *me, const struct traffic *plan, int phase, int i, uint64_t *words)
{
    struct letter mine = letter(plan, phase, peal_rank(me), i);

    dawdle();
    write_letter(words, mine.words, stamp(phase, peal_rank(me), i));
    if (mine.words < 2)
        return peal_send_async_tag(me, words, mine.words, mine.dest, mine.tag);

    struct peal_piece pieces[2] = {{words, mine.words / 2}, {words + mine.words / 2, mine.words - mine.words / 2}};
    return peal_sendv_async_tag(me, pieces, 2, mine.dest, mine.tag);
}

/* Wait in one of the ways there are. */
static struct peal_message
await(struct peal_node *me, struct peal_handle handle, uint64_t whim)
{
    struct peal_message message;

    dawdle();
    if (whim % 4)
        return peal_wait(me, handle);
    while (!peal_test_message(me, handle, &message))
        dawdle();
    return message;
}

static void
phase_by_turns(struct peal_node *me, struct traffic *plan, int phase)
{
    struct peal_handle in[MAX_MESSAGES], out[MAX_MESSAGES];
    uint64_t(*inbox)[MAX_WORDS] = peal_alloc(me, (size_t)MAX_MESSAGES * MAX_WORDS);
    uint64_t(*outbox)[MAX_WORDS] = peal_alloc(me, (size_t)MAX_MESSAGES * MAX_WORDS);
    int from = (peal_rank(me) + plan->nodes - phase % plan->nodes) % plan->nodes;

    for (int i = 0; i < plan->messages; i++) {
        in[i] = expect(me, plan, phase, from, i, inbox[i]);
        out[i] = post(me, plan, phase, i, outbox[i]);
    }
    for (int i = 0; i < plan->messages; i++) {
        read_letter(me, plan, await(me, in[i], chance(plan->stage.seed, 1, (uint64_t)phase, 1)), inbox[i]);
        peal_wait(me, out[i]);
    }
    peal_free(me, outbox);
    peal_free(me, inbox);
}

static void
phase_at_once(struct peal_node *me, struct traffic *plan, int phase)
{
    struct peal_handle in[MAX_RECEIVES], out[MAX_MESSAGES];
    uint64_t(*outbox)[MAX_WORDS] = peal_alloc(me, (size_t)MAX_MESSAGES * MAX_WORDS);
    uint64_t(*inbox)[MAX_WORDS] = peal_alloc(me, (size_t)plan->nodes * MAX_MESSAGES * MAX_WORDS);
    int expected = 0, posted = letters(plan, phase, peal_rank(me));

    for (int from = 0; from < plan->nodes; from++)
        for (int i = 0; i < letters(plan, phase, from); i++)
            if (letter(plan, phase, from, i).dest == peal_rank(me)) {
                in[expected] = expect(me, plan, phase, from, i, inbox[expected]);
                expected++;
            }
    for (int i = 0; i < posted; i++)
        out[i] = post(me, plan, phase, i, outbox[i]);
    for (int i = 0; i < expected; i++)
        read_letter(me, plan, await(me, in[i], chance(plan->stage.seed, 2, (uint64_t)phase, (uint64_t)i)), inbox[i]);
    if (posted > 0 && posted % 2 == 0)
        peal_wait_all(me);
    else
        for (int i = posted - 1; i >= 0; i--)
            peal_wait(me, out[i]);
    peal_free(me, inbox);
    peal_free(me, outbox);
}

static void
program(struct peal_node *me, void *arg)
{
    struct traffic *plan = arg;

    for (int phase = 0; phase < plan->phases; phase++) {
        if (plan->manner == NARROW)
            phase_by_turns(me, plan, phase);
        else
            phase_at_once(me, plan, phase);
        uint64_t whim = peal_random(me);
        if (whim % 5 == 0)
            peal_next_round(me);
        if (whim % 3 == 0)
            peal_compute(me, (int64_t)(whim % 1000));
        saw(&plan->stage, me, whim);
    }
}

int
main(int argc, char **argv)
{
    static const char *const topologies[] = {"full", "line", "ring", "mesh", "torus"};
    int programs = how_many(argc, argv, 60);
    bool good = true;

    for (int i = 0; i < programs && good; i++) {
        uint64_t number = mix((uint64_t)i + 1);
        struct traffic plan = {.stage.seed = (uint64_t)i,
                               .manner = (enum manner)(i % 4),
                               .nodes = 1 + (int)(number % 20),
                               .phases = 2 + (int)(number >> 8 & 7),
                               .messages = 1 + (int)((number >> 16) % MAX_MESSAGES)};
        struct peal_options options;

        peal_options_init(&options);
        options.nodes = plan.nodes;
        options.topology = topologies[(number >> 24) % 5];
        options.seed = number >> 32 & 1 ? number : 0;
        options.eager = number >> 33 & 1;
        options.eager_words = (size_t)(number >> 34) % MAX_WORDS;
        options.parameters.tau = 1;
        options.timeout_seconds = 100;
        if (plan.manner == NARROW)
            options.mailbox = 1 + (int)((number >> 40) % 3);
        else if (plan.manner == CHAOS && i % 8 == 7)
            options.mailbox = 1 + (int)((number >> 40) % 12);
        good = same_every_way(&options, program, &plan.stage);
    }
    return tell("traffic", good);
}
