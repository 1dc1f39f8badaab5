/* SPDX-License-Identifier: MIT */
/* From a wrong word back to the message that brought it. */
#include "lib/labels/trail.h"
#include "lib/machine/requests.h"

enum { MAX_WORDS = 1 << 24 };

struct carried {
    uint32_t round; /* 1 the first */
    int from, to;
    const char *file; /* of the send's post */
    int line;
    size_t first, count; /* its words */
};

struct arrived {
    uint64_t label;
    const uint64_t *place;
};

/* ------------------------------------------------------------------ looking at rounds */

/* Gives the copy after the message's last; its words have `word_bytes` bytes. */
static const struct copy *
pass(const struct request *receive, const struct copy *copy, size_t word_bytes)
{
    for (uint64_t bytes = receive->words * word_bytes; bytes > 0; bytes -= copy->bytes, copy++)
        continue;
    return copy;
}

void
deliveries_each(const struct peal_machine *machine,
                void (*see)(void *arg, const struct request *receive, const struct request *send,
                            const struct copy *copies),
                void *arg)
{
    const struct round *round = &machine->round;
    const size_t word_bytes = machine->options.word_bytes;
    const struct copy *copy = round->copies;

    for (size_t i = 0; i < round->complete_count; i++) {
        const struct request *receive = &round->requests[round->complete[i]];

        see(arg, receive, &round->requests[receive->partner], copy);
        copy = pass(receive, copy, word_bytes);
    }
    for (size_t i = 0; i < round->transfer_count; i++) {
        const struct request *send = &round->requests[round->admitted[i]];

        if (!(send->flags & REQUEST_MATCHED))
            continue;
        see(arg, &round->requests[send->partner], send, copy);
        copy = pass(&round->requests[send->partner], copy, word_bytes);
    }
}

bool
deliveries_counts(const struct peal_machine *machine, int64_t *operations)
{
    int64_t most = 0;

    for (size_t i = 0; i < machine->phase.runnable_count; i++) {
        int64_t *own = &operations[machine->phase.runnable[i]];

        most = *own > most ? *own : most;
        *own = 0;
    }
    return machine->round.transfer_count > 0 || most > 0;
}

static void
trail_note_message(void *arg, const struct request *receive, const struct request *send, const struct copy *copy)
{
    struct trail *trail = arg;
    size_t bytes = (size_t)receive->words * trail->machine->options.word_bytes, words = bytes / sizeof(uint64_t);

    if (trail->full || words > MAX_WORDS - trail->word_count ||
        !array_grow(&trail->messages, &trail->room, trail->count + 1, sizeof *trail->messages) ||
        !array_grow(&trail->words, &trail->word_room, trail->word_count + words, sizeof *trail->words)) {
        trail->full = true;
        return;
    }
    struct call_site site = request_site(trail->machine, send);

    site = site_of(trail->machine, site.file, site.line);
    trail->messages[trail->count++] =
        (struct carried){trail->rounds, send->node, receive->node, site.file, site.line, trail->word_count, words};
    for (size_t left = bytes; left > 0; left -= copy->bytes, copy++)
        for (size_t at = 0; at + sizeof(uint64_t) <= copy->bytes; at += sizeof(uint64_t)) {
            struct arrived *word = &trail->words[trail->word_count++];

            word->place = (const uint64_t *)(const void *)((const char *)copy->to + at);
            memcpy(&word->label, word->place, sizeof word->label);
        }
    trail->messages[trail->count - 1].count = trail->word_count - trail->messages[trail->count - 1].first;
}

static void
trail_note_round(struct peal_machine *machine, void *arg)
{
    struct trail *trail = arg;

    trail->machine = machine;
    trail->rounds += deliveries_counts(machine, trail->listener.operations);
    deliveries_each(machine, trail_note_message, trail);
}

enum peal_status
trail_begin(struct trail *trail, struct peal_machine *machine, struct peal_error *error)
{
    size_t nodes = (size_t)machine->options.nodes;

    *trail = (struct trail){.listener = {.look = trail_note_round,
                                         .arg = trail,
                                         .operations = calloc(nodes, sizeof *trail->listener.operations)}};
    if (!trail->listener.operations)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    round_listener_add(machine, &trail->listener);
    return PEAL_OK;
}

void
trail_fini(struct trail *trail)
{
    free(trail->listener.operations);
    free(trail->messages);
    free(trail->words);
    *trail = (struct trail){.count = 0};
}

/* ------------------------------------------------------------------ looking for words */

/* A word that came to a node, and its message. */
struct trail_found {
    const struct carried *message; /* NULL: there is none */
    uint64_t label;
};

/* The conditions of a search for a word. */
struct wanted {
    uint64_t label;          /* exactly this one; 0: */
    const struct leaf *leaf; /* one that has this leaf at least `times` times */
    size_t times;
    uint64_t parts;        /* not 0: all of whose leaves are among these */
    bool out_of_order;     /* and not in the order of the ranks */
    const uint64_t *place; /* not NULL: and which came to this place */
};

static bool
is_out_of_order(uint64_t label)
{
    for (size_t i = 1, leaves = label_leaves(label); i < leaves; i++)
        if (label_leaf(label, i).node < label_leaf(label, i - 1).node)
            return true;
    return false;
}

static bool
wanted_matches(const struct arrived *word, const struct wanted *wanted)
{
    enum label_kind kind = label_kind(word->label);
    size_t leaves = label_leaves(word->label);

    if (wanted->place && word->place != wanted->place)
        return false;
    if (wanted->label)
        return word->label == wanted->label;
    if (kind != LABEL_WORD && kind != LABEL_SEQUENCE)
        return false;
    if (wanted->leaf && label_times(word->label, *wanted->leaf) < wanted->times)
        return false;
    for (size_t i = 0; wanted->parts && i < leaves; i++)
        if (label_times(wanted->parts, label_leaf(word->label, i)) == 0)
            return false;
    return !wanted->out_of_order || is_out_of_order(word->label);
}

/* The last (or with `first` the first) such word that came to the node before this round. */
static struct trail_found
trail_find(const struct trail *trail, int node, uint32_t before, const struct wanted *wanted, bool first)
{
    for (size_t n = 0; n < trail->count; n++) {
        const struct carried *message = &trail->messages[first ? n : trail->count - 1 - n];

        if (message->to != node || message->round >= before)
            continue;
        for (size_t i = 0; i < message->count; i++)
            if (wanted_matches(&trail->words[message->first + i], wanted))
                return (struct trail_found){message, trail->words[message->first + i].label};
    }
    return (struct trail_found){NULL, 0};
}

static int
trail_count(const struct trail *trail, int node, uint32_t before, const struct wanted *wanted)
{
    int count = 0;

    for (size_t n = 0; n < trail->count; n++) {
        const struct carried *message = &trail->messages[n];

        for (size_t i = 0; message->to == node && message->round < before && i < message->count; i++)
            count += wanted_matches(&trail->words[message->first + i], wanted);
    }
    return count;
}

/* ------------------------------------------------------------------ explaining */

struct explanation {
    const struct trail *trail;
    const struct vectors *data;
    struct peal_finding *finding;
    struct peal_text text; /* its message */
    int node;              /* that holds the wrong word */
    bool sites;
};

/* "in round 2 from node 1 (f.c:18)": this message is the finding's. */
static void
trail_report_fault(const struct explanation *explanation, const struct carried *message)
{
    struct peal_finding *finding = explanation->finding;

    peal_append(explanation->text, "in round %u from node %d", message->round, message->from);
    finding->round = (int)message->round;
    if (!explanation->sites || !message->file)
        return;
    peal_append(explanation->text, " (%s:%d)", message->file, message->line);
    snprintf(finding->file, sizeof finding->file, "%s", message->file);
    finding->line = message->line;
}

static bool
trail_has_op(const struct explanation *explanation)
{
    return peal_collective_has_op(explanation->data->collective);
}

/* "x₃", or "word 3 of node 0". */
static void
name_leaf(const struct explanation *explanation, struct leaf leaf, size_t index, char text[80])
{
    if (trail_has_op(explanation))
        label_say_leaf(empty_text(text, 80), leaf, index);
    else
        snprintf(text, 80, "word %u of node %d%s", leaf.index, leaf.node % LABEL_EARLIER,
                 leaf.node < LABEL_EARLIER ? "" : " of the first call");
}

/* For a word missing from what the node holds: report whether it ever came. */
static void
trail_report_missing(const struct explanation *explanation, struct leaf leaf, size_t index)
{
    const struct wanted any = {.leaf = &leaf, .times = 1};
    struct trail_found found = trail_find(explanation->trail, explanation->node, UINT32_MAX, &any, true);
    char name[80];

    name_leaf(explanation, leaf, index, name);
    if (found.message) {
        peal_append(explanation->text, "; %s came to node %d ", name, explanation->node);
        trail_report_fault(explanation, found.message);
        peal_append(explanation->text, ", and was lost");
    } else if (leaf.node != explanation->node) {
        peal_append(explanation->text, "; no message ever brought %s to node %d", name, explanation->node);
    }
}

/* For a combination that misses a leaf: name the last message that went into it. */
static void
trail_report_last(const struct explanation *explanation, uint64_t is)
{
    const struct wanted part = {.parts = is};
    struct trail_found last = trail_find(explanation->trail, explanation->node, UINT32_MAX, &part, false);

    if (explanation->finding->round > 0 || !last.message)
        return;
    peal_append(explanation->text, "; the last that went into it came ");
    trail_report_fault(explanation, last.message);
}

/* A leaf is in the word too often: follow it to the node at which its second copy came. */
static void
trail_report_again(const struct explanation *explanation, struct leaf leaf, size_t index, size_t allowed)
{
    const struct wanted spoiled = {.leaf = &leaf, .times = allowed + 1}, any = {.leaf = &leaf, .times = 1};
    uint32_t before = UINT32_MAX;
    int node = explanation->node;
    struct trail_found found;
    char name[80];

    while (allowed > 0 && (found = trail_find(explanation->trail, node, before, &spoiled, true)).message) {
        node = found.message->from;
        before = found.message->round;
    }
    found = trail_find(explanation->trail, node, before, &any, false);
    name_leaf(explanation, leaf, index, name);
    if (!found.message) {
        peal_append(explanation->text, "; node %d itself combined %s again", node, name);
        return;
    }
    bool second = allowed > 0 && trail_count(explanation->trail, node, before, &any) + (leaf.node == node) > 1;

    peal_append(explanation->text, "; %s came to node %d%s ", name, node,
                allowed == 0 ? ""
                : second     ? ", which had it,"
                             : " only once,");
    trail_report_fault(explanation, found.message);
}

/* The leaves are right, but in another order: follow them to the node that joined them in it. */
static void
trail_report_order(const struct explanation *explanation, uint64_t is)
{
    const struct wanted spoiled = {.parts = is, .out_of_order = true}, part = {.parts = is};
    uint32_t before = UINT32_MAX;
    int node = explanation->node;
    struct trail_found found;

    while ((found = trail_find(explanation->trail, node, before, &spoiled, true)).message) {
        node = found.message->from;
        before = found.message->round;
    }
    found = trail_find(explanation->trail, node, before, &part, false);
    if (!found.message)
        return;
    peal_append(explanation->text, "; node %d combined the words that came ", node);
    trail_report_fault(explanation, found.message);
    peal_append(explanation->text, " on the wrong side");
}

/* A word that is not a combination: the message that brought it. */
static void
trail_report_moved(const struct explanation *explanation, uint64_t is, const uint64_t *place)
{
    const struct wanted here = {.label = is, .place = place}, anywhere = {.label = is};
    struct trail_found found = trail_find(explanation->trail, explanation->node, UINT32_MAX, &here, false);

    if (!found.message)
        found = trail_find(explanation->trail, explanation->node, UINT32_MAX, &anywhere, false);
    if (!found.message)
        return;
    peal_append(explanation->text, "; it came ");
    trail_report_fault(explanation, found.message);
}

void
trail_explain(const struct trail *trail, const struct vectors *data, int rank, size_t i, bool sites,
              struct peal_finding *finding)
{
    const struct explanation explanation = {trail, data, finding, IN_ARRAY(finding->message), vectors_node(data, rank),
                                            sites};
    const uint64_t *place = vectors_word(data, &data->out[rank], i);
    uint64_t is = *place, should = vectors_should(data, rank, i, NULL);
    enum label_kind kind = label_kind(is);
    struct leaf more, less, wants = label_leaf(should, 0);
    bool words = kind == LABEL_SEQUENCE || (kind == LABEL_WORD && trail_has_op(&explanation));

    if (trail->full)
        return;
    if (!words) {
        if (is != 0 && kind != LABEL_NONE)
            trail_report_moved(&explanation, is, place);
        if (wants.kind == LABEL_WORD && finding->round == 0)
            trail_report_missing(&explanation, wants, i);
        return;
    }
    bool has_more = label_surplus(is, should, &more), has_less = label_surplus(should, is, &less);

    if (has_more && more.kind == LABEL_WORD)
        trail_report_again(&explanation, more, wants.index, label_times(should, more));
    else if (has_less)
        trail_report_missing(&explanation, less, wants.index);
    if (has_less)
        trail_report_last(&explanation, is);
    else if (!has_more && !vectors_reversed(data))
        trail_report_order(&explanation, is);
}

/* ------------------------------------------------------------------ the busiest node */

struct trail_load {
    size_t messages, words, least, most;
};

static void
trail_load_add(struct trail_load *load, size_t words)
{
    load->least = load->messages == 0 || words < load->least ? words : load->least;
    load->most = words > load->most ? words : load->most;
    load->messages++;
    load->words += words;
}

static bool
is_more(const struct trail_load *a, const struct trail_load *b, bool words)
{
    return words ? a->words > b->words : a->messages > b->messages;
}

/* "7 messages of 1 to 4 words, 16 words in all" */
static void
say_load(const struct trail_load *load, const struct vectors *data, char *text, size_t bytes)
{
    bool blocks = peal_collective_has_blocks(data->collective);
    size_t m = data->where->words, whole = blocks ? m * (size_t)data->where->nodes : m;
    struct peal_text out = empty_text(text, bytes);

    peal_append(out, "%zu message%s ", load->messages, plural(load->messages));
    if (load->most == 0)
        peal_append(out, "without words");
    else if (load->least == load->most)
        peal_append(out, "of %zu word%s%s", load->most, plural(load->most), load->messages > 1 ? " each" : "");
    else
        peal_append(out, "of %zu to %zu words", load->least, load->most);
    if (load->least == load->most && load->most > 0 && load->most == whole && !data->where->sizes)
        peal_append(out, " (%s)", blocks ? "all blocks" : "the whole vector");
    if (load->messages > 1 && load->most > 0)
        peal_append(out, ", %zu word%s in all", load->words, plural(load->words));
}

void
trail_say_busiest(const struct trail *trail, const struct vectors *data, bool words, int64_t most, char *text,
                  size_t bytes)
{
    size_t nodes = (size_t)data->where->nodes, busiest = 0;
    struct trail_load *loads = calloc(2 * nodes, sizeof *loads); /* sent, then received */
    char what[200];

    text[0] = '\0';
    for (size_t i = 0; loads && i < trail->count; i++) {
        trail_load_add(&loads[trail->messages[i].from], trail->messages[i].count);
        trail_load_add(&loads[nodes + (size_t)trail->messages[i].to], trail->messages[i].count);
    }
    for (size_t i = 1; loads && i < 2 * nodes; i++)
        if (is_more(&loads[i], &loads[busiest], words))
            busiest = i;
    size_t load = !loads ? 0 : words ? loads[busiest].words : loads[busiest].messages;

    if (load > 0 && (int64_t)load <= most) {
        snprintf(text, bytes, "no node sends or receives more than %zu %s%s, but they wait for one another", load,
                 words ? "word" : "message", plural(load));
    } else if (load > 0) {
        int node = (int)(busiest % nodes);

        say_load(&loads[busiest], data, what, sizeof what);
        snprintf(text, bytes, "%snode %d%s %s %s",
                 peal_collective_has_root(data->collective) && node == data->where->root ? "the root, " : "", node,
                 peal_collective_has_root(data->collective) && node == data->where->root ? "," : "",
                 busiest < nodes ? "sends" : "receives", what);
    }
    free(loads);
}
