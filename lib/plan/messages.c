/* SPDX-License-Identifier: MIT */
/* A scenario: messages as the user types them, as a plan without data.
 *
 *     1>6 4>7:100, 2>3:8w
 * A message is FROM>TO, or FROM>TO:WORDS; -> and → are > too.  Those between two commas are posted at the same
 * time, and a comma waits until all before it have arrived. */
#include "lib/base/text.h"
#include "lib/plan/plan.h"
#include <limits.h>

enum { MAX_NODES = 1 << 12 }; /* of a plan */

struct messages_reader {
    const char *text, *at;
    int nodes; /* 0: as many as the largest rank requires */
    int most;  /* the largest rank */
    size_t words, word_bytes;
    int phase;
    struct peal_plan *plan; /* NULL while the ranks are read */
    struct peal_error *error;
};

static bool refuse_at(const struct messages_reader *reader, const char *at, const char *format, ...) PEAL_PRINTF(3, 4);

/* Refuse the text at a character, which is counted from 1. */
static bool
refuse_at(const struct messages_reader *reader, const char *at, const char *format, ...)
{
    char what[300];
    int character = 1;

    for (const char *s = reader->text; s < at; s++)
        character += (*s & 0xC0) != 0x80;
    WRITE_ARGUMENTS(what, format);
    peal_refuse(reader->error, PEAL_USAGE, "--messages, character %d: %s", character, what);
    return false;
}

/* Refuse text other than expected, naming the word found. */
static bool
messages_refuse_word(const struct messages_reader *reader, const char *what)
{
    size_t length = strcspn(reader->at, " \t\n,");

    if (!*reader->at)
        return refuse_at(reader, reader->at, "expected %s, got the end", what);
    char word[sizeof(struct quoted)]; /* a longer word is cut when it is quoted */

    snprintf(word, sizeof word, "%.*s", length > 0 ? (int)(length < sizeof word ? length : sizeof word) : 1,
             reader->at);
    return refuse_at(reader, reader->at, "expected %s, got %s", what, quote(word).text);
}

static bool
messages_read_rank(struct messages_reader *reader, const char *what, int *rank)
{
    const char *begin = reader->at;
    int digits = (int)strspn(begin, "0123456789");
    int most = (reader->nodes > 0 ? reader->nodes : MAX_NODES) - 1;

    if (digits == 0)
        return messages_refuse_word(reader, what);
    *rank = 0;
    for (int i = 0; i < digits && *rank <= most; i++)
        *rank = 10 * *rank + (begin[i] - '0');
    if (*rank > most)
        return refuse_at(reader, begin, "node %.*s is out of range: ranks are 0 to %d", digits > 20 ? 20 : digits,
                         begin, most);
    reader->at += digits;
    if (*rank > reader->most)
        reader->most = *rank;
    return true;
}

/* ":8", ":8w", ":4Kw"; without it the usual words. */
static bool
messages_read_words(struct messages_reader *reader, size_t *words)
{
    char number[24];
    const char *begin = reader->at + 1;
    size_t length;

    *words = reader->words;
    if (*reader->at == ':') {
        length = strcspn(begin, " \t\n,");
        bool unit = length > 0 && begin[length - 1] == 'w';

        snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)(length - unit) : 0, begin);
        if (peal_parse_size(number, words, NULL) != PEAL_OK) {
            reader->at = begin;
            return messages_refuse_word(reader, "a number of words, as in 1>6:8w");
        }
        reader->at = begin + length;
    }
    if (*words > INT_MAX / reader->word_bytes)
        return refuse_at(reader, begin - 1, "%zu words: a message has at most %zu", *words,
                         (size_t)INT_MAX / reader->word_bytes);
    return true;
}

/* A node's side of a message. */
static bool
add_side(const struct messages_reader *reader, int node, int peer, bool sends, size_t words)
{
    struct peal_plan_block block = {
        .node = node, .id = 0, .send = sends ? peer : -1, .receive = sends ? -1 : peer, .channel = reader->phase};
    struct peal_plan_step step = {.does = sends ? PEAL_PLAN_SEND : PEAL_PLAN_RECEIVE,
                                  .count = (int)(words * reader->word_bytes),
                                  .round = reader->phase};

    if (peal_plan_add_block(reader->plan, &block) != SIZE_MAX && peal_plan_add_step(reader->plan, &step) != SIZE_MAX)
        return true;
    peal_refuse(reader->error, PEAL_RESOURCES, "not enough memory");
    return false;
}

static bool
messages_read_one(struct messages_reader *reader)
{
    static const char *const arrows[] = {">", "->", "→"};
    size_t length = 0, words;
    int from, to;

    if (!messages_read_rank(reader, "a message, as in 1>6", &from))
        return false;
    reader->at += strspn(reader->at, " \t\n");
    for (size_t i = 0; i < 3 && length == 0; i++)
        if (strncmp(reader->at, arrows[i], strlen(arrows[i])) == 0)
            length = strlen(arrows[i]);
    if (length == 0)
        return messages_refuse_word(reader, "> after the sender, as in 1>6");
    reader->at += length;
    reader->at += strspn(reader->at, " \t\n");
    if (!messages_read_rank(reader, "a receiver, as in 1>6", &to) || !messages_read_words(reader, &words))
        return false;
    if (*reader->at && !strchr(" \t\n,", *reader->at))
        return messages_refuse_word(reader, "a blank, a comma or :WORDS after the message");
    return !reader->plan || (add_side(reader, from, to, true, words) && add_side(reader, to, from, false, words));
}

static bool
messages_read_all(struct messages_reader *reader)
{
    reader->at = reader->text;
    for (reader->phase = 1;; reader->phase++) {
        do {
            reader->at += strspn(reader->at, " \t\n");
            if (!messages_read_one(reader))
                return false;
            reader->at += strspn(reader->at, " \t\n");
        } while (*reader->at && *reader->at != ',');
        if (!*reader->at++)
            return true;
    }
}

struct peal_plan *
peal_plan_read_messages(const char *text, int nodes, size_t words, size_t word_bytes, struct peal_error *error)
{
    struct messages_reader reader = {
        .text = text, .nodes = nodes, .most = 0, .words = words, .word_bytes = word_bytes, .error = error};

    if (!messages_read_all(&reader))
        return NULL;
    reader.plan = peal_plan_create(text, PEAL_COLLECTIVES, nodes > 0 ? nodes : reader.most + 1, 0, error);
    if (!reader.plan)
        return NULL;
    reader.plan->bare = true;
    if (messages_read_all(&reader) && peal_plan_finish(reader.plan, text, error) == PEAL_OK) {
        reader.plan->phases = reader.phase;
        return reader.plan;
    }
    peal_plan_destroy(reader.plan);
    return NULL;
}
