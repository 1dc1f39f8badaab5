/* SPDX-License-Identifier: MIT */
/* Searches for words in the man pages, the kinds of findings, the lessons, the catalogue and the applications. */
#include "help/manual.h"
#include "lib/base/nearest.h"
#include "show/print.h"
#include <ctype.h>
#include <peal/tools.h>
#include <strings.h>

enum { SHOWN = 10, WORDS = 16, WORD = 80, NEAR = 240, LEFT = 28, LINE = 500, PART = 3 };

/* Something that a command shows.  Its names are separated by blanks; its text is paragraphs, one per line, each after
 * its heading and a tab. */
struct entry {
    const char *command, *names, *title, *text;
};

static const struct entry written[] = {
#include "search.inc"
};

/* Words of textbooks for things with another name here. */
static const struct entry textbooks[] = {
    {"peal list broadcast", "", "one-to-all broadcast", ""},
    {"peal list reduce", "", "all-to-one reduction", ""},
    {"peal list scatter", "", "one-to-all personalized communication: scatter", ""},
    {"peal list gather", "", "all-to-one personalized communication, concatenation: gather", ""},
    {"peal list allgather", "", "all-to-all broadcast, gossip: all-gather", ""},
    {"peal list alltoall", "", "all-to-all personalized, total exchange: all-to-all", ""},
    {"peal list reduce-scatter", "", "all-to-all reduction: reduce-scatter", ""},
    {"peal list scan", "", "prefix sum, parallel prefix: scan", ""},
    {"peal list shift", "", "circular shift, rotation: shift", ""},
    {"peal help run", "", "cut-through routing: --switching wormhole", ""},
    {"peal help topology", "", "mapping of processes to hosts, process placement, job placement: --place", ""},
    {"peal explain crash", "", "segfault, segmentation fault, SIGSEGV: crash", ""},
};

/* A word in lower case: its first `stem` letters, after which an ending may follow if it had one. */
struct search_word {
    char letters[WORD];
    int stem;
    bool given;        /* by the names or the title of the entry that is searched */
    const char *typed; /* its length as it was typed */
    int typed_length;
};

struct query {
    struct search_word words[WORDS], joined; /* "all-to-all" is alltoall, too */
    int count;
};

struct text_stretch {
    const char *from; /* NULL: none */
    int length;
};

struct hit {
    int score;
    char command[WORD], title[LINE], excerpt[LINE];
};

struct search {
    struct query query;
    const char *first;          /* the beginning of commands that come first */
    struct hit hits[SHOWN + 1]; /* the best, in their order, and room for one */
    int found;
};

/* ------------------------------------------------------------------ words */

static int
search_letter_count(const char *s)
{
    int count = 0;

    while (isalnum((unsigned char)s[count]) || (unsigned char)s[count] >= 0x80)
        count++;
    return count;
}

/* The characters before the next word. */
static size_t
gap(const char *s)
{
    size_t count = 0;

    while (s[count] && !search_letter_count(s + count))
        count++;
    return count;
}

/* The letters of its stem: "pipelin" of pipelining, "split" of splitting. */
static int
stem(const char *word)
{
    static const struct {
        const char *ending;
        int least; /* letters before it */
    } endings[] = {{"ies", 3}, {"ing", 4}, {"ion", 4}, {"es", 4}, {"ed", 4}, {"s", 3}};
    int length = (int)strlen(word);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int left = length - (int)strlen(endings[i].ending);

        if (left >= endings[i].least && strcmp(word + left, endings[i].ending) == 0 &&
            strcmp(word + left - 1, "ss") != 0)
            return left - (left > 4 && word[left - 1] == word[left - 2] && !strchr("ls", word[left - 1]));
    }
    return length;
}

/* Add the words of a text, without those that occur in every text; false: there are too many. */
static bool
query_add_words(struct query *query, const char *text)
{
    static const char common[] = " a an and are as at be by do does for how i in is it of on or the to what why with ";
    char between[WORD + 2];

    for (text += gap(text); *text; text += gap(text)) {
        struct search_word word = {.typed = text};
        size_t length = 0;

        for (; search_letter_count(text) || (*text == '-' && search_letter_count(text + 1)); text++)
            if (*text != '-' && length + 1 < WORD)
                word.letters[length++] = (char)tolower((unsigned char)*text);
        word.typed_length = (int)(text - word.typed);
        word.stem = stem(word.letters);
        peal_append(IN_ARRAY(query->joined.letters), "%s", word.letters);
        snprintf(between, sizeof between, " %s ", word.letters);
        if (strstr(common, between))
            continue;
        if (query->count == WORDS)
            return false;
        query->words[query->count++] = word;
    }
    query->joined.stem = stem(query->joined.letters);
    return true;
}

/* Where the word ends that begins at s; NULL when it is another one.  "hot spot" is hotspot. */
static const char *
search_match(const char *s, const struct search_word *word)
{
    static const char *const endings[] = {"", "s", "es", "ed", "ing", "ion", "ions", "e", "y", "ies"};
    size_t count = word->letters[word->stem] ? sizeof endings / sizeof *endings : word->stem > 2 ? 7 : 1;
    int before = search_letter_count(s);

    for (int i = 0; i < word->stem; i++, s++) {
        if (i > 0 && *s == ' ' && (before < PART || search_letter_count(s + 1) < PART)) /* "no such" is not nosuch */
            return NULL;
        if (i > 0 && *s && strchr(" -_/", *s))
            before = search_letter_count(++s);
        if ((char)tolower((unsigned char)*s) != word->letters[i])
            return NULL;
    }
    if (*s && *s == s[-1] && search_letter_count(s) > 2) /* "splitting" */
        s++;
    for (size_t i = 0; i < count; i++)
        if (search_letter_count(s) == (int)strlen(endings[i]) && strncasecmp(s, endings[i], strlen(endings[i])) == 0)
            return s + search_letter_count(s);
    return NULL;
}

/* Find the next place of the word in the text, up to `end`; NULL, or where it ends. */
static const char *
search_next(const char *text, const char *end, const struct search_word *word)
{
    for (; text < end; text += search_letter_count(text) ? search_letter_count(text) : 1) {
        const char *stop = search_letter_count(text) ? search_match(text, word) : NULL;

        if (stop && stop <= end)
            return stop;
    }
    return NULL;
}

/* Find the shortest stretch of the text that has all words, except those that are given. */
static struct text_stretch
search_find_stretch(const struct query *query, const char *text, const char *end)
{
    struct text_stretch best = {NULL, NEAR + 1};

    for (; text < end; text += search_letter_count(text) ? search_letter_count(text) : 1) {
        const char *stop = search_letter_count(text) ? search_match(text, &query->joined) : NULL, *last = NULL;
        bool begins = false;

        for (int i = 0; search_letter_count(text) && i < query->count && !stop; i++)
            begins = begins || (!query->words[i].given && search_match(text, &query->words[i]));
        for (int i = 0; begins && i < query->count; i++) {
            const char *other = query->words[i].given ? text : search_next(text, end, &query->words[i]);

            begins = other != NULL;
            last = other > last ? other : last;
        }
        stop = begins ? last : stop;
        if (stop && stop <= end && stop - text < best.length)
            best = (struct text_stretch){text, (int)(stop - text)};
    }
    return best;
}

/* ------------------------------------------------------------------ one entry */

/* Which part of a name or title of this length the words make up, from 0 to `most`. */
static int
search_title_share(const struct query *query, int length, int most)
{
    int words = (int)strlen(query->joined.letters);

    return words >= length ? most : most * words / length;
}

/* Write a line of the text around a stretch of it. */
static void
excerpt(char line[LINE], const char *text, const char *end, struct text_stretch around, int columns)
{
    struct peal_text out = empty_text(line, LINE);
    const char *from = text;

    if (around.from + around.length - text > columns - 4)
        while (around.from + around.length - from > columns * 2 / 3 && from < around.from)
            from += strcspn(from, " ") + 1;
    from = from > around.from ? around.from : from;
    peal_append(out, "%s", from > text ? "... " : "");
    for (int length; from < end; from += length + (from[length] == ' ')) {
        length = (int)strcspn(from, " \n");
        if (from + length > end)
            length = (int)(end - from);
        size_t used = strlen(line);

        peal_append(out, "%.*s%s", length, from, from + length < end ? " " : "");
        if (print_width(line) + (from + length < end ? 3 : 0) > columns) {
            snprintf(line + used, LINE - used, "...");
            return;
        }
    }
}

/* Score its paragraphs, and write the best one's line. */
static int
score_text(const struct query *query, const char *text, char line[LINE])
{
    int best = 0, count = 0;

    for (const char *end; *text; text = end + (*end == '\n')) {
        end = text + strcspn(text, "\n");
        const char *tab = memchr(text, '\t', (size_t)(end - text)), *body = tab ? tab + 1 : text;
        struct text_stretch heading = search_find_stretch(query, text, tab ? tab : text),
                            found = search_find_stretch(query, body, end);
        int score = found.from ? 100 - found.length / 3 : 0;

        if (heading.from)
            score = 250 + search_title_share(query, (int)strcspn(text, ":=[\t"), 250);
        count += score > 0;
        if (score <= best)
            continue;
        best = score;
        int left = tab && tab > text ? snprintf(line, LINE, "%.*s: ", (int)(tab - text), text) : 0;

        left = left >= COLUMNS - LEFT - 20 ? 0 : left;
        if (heading.from && left == 0)
            excerpt(line, text, tab, heading, COLUMNS - LEFT);
        else
            excerpt(line + left, body, end, found.from ? found : (struct text_stretch){body, 0}, COLUMNS - LEFT - left);
    }
    return best ? best + (count > 20 ? 20 : count) : 0;
}

/* Score its names: one that is the words, then one that ends with them. */
static int
score_names(const struct query *query, const char *name)
{
    int best = 0;

    for (const char *end; *name; name = end + strspn(end, " ")) {
        end = name + strcspn(name, " ");
        struct text_stretch found = search_find_stretch(query, name, end);
        int length = (int)(end - name) - (strncmp(name, "peal_", 5) == 0 ? 5 : 0),
            all = search_title_share(query, length, 400);
        int score = !found.from ? 0 : all == 400 ? 1000 : found.from + found.length == end ? 300 + all : 200 + all / 4;

        best = score > best ? score : best;
    }
    return best;
}

/* Score an entry, 0: it lacks a word.  Writes the line that has them, "" if that is its title. */
static int
score_entry(struct query *query, const struct entry *entry, char line[LINE])
{
    const char *names_end = entry->names + strlen(entry->names), *title_end = entry->title + strlen(entry->title);
    int best = score_names(query, entry->names), given = 0;

    line[0] = '\0';
    if (best < 300 && search_find_stretch(query, entry->title, title_end).from)
        best = 300 + search_title_share(query, (int)(title_end - entry->title), 300);
    if (best > 0)
        return best;
    for (int i = 0; i < query->count; i++) {
        struct search_word *word = &query->words[i];

        word->given = search_next(entry->names, names_end, word) || search_next(entry->title, title_end, word);
        given += word->given;
    }
    best = given == query->count ? 250 : score_text(query, entry->text, line);
    for (int i = 0; i < query->count; i++)
        query->words[i].given = false;
    return given > 0 && best > 20 ? best - 20 : best;
}

/* Weigh a score: a lesson comes before other texts, and all else before reference material. */
static int
search_weigh(int score, const char *command)
{
    static const char *const references[] = {"peal help peal_", "peal help libpeal", "peal help json"};

    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strncmp(command, references[i], strlen(references[i])) == 0)
            return score == 1000 ? 650 : score / 4;
    return score < 130 && strncmp(command, "peal lesson", 11) == 0 ? score + 20 : score;
}

static void
search_entry(void *arg, const struct entry *entry)
{
    struct search *search = arg;
    struct hit new;
    int at = search->found < SHOWN ? search->found : SHOWN;

    if ((new.score = score_entry(&search->query, entry, new.excerpt)) == 0)
        return;
    new.score = search_weigh(new.score, entry->command);
    search->found++;
    if (search->first && strncmp(entry->command, search->first, strlen(search->first)) == 0)
        new.score += 1000;
    snprintf(new.command, sizeof new.command, "%s", entry->command);
    excerpt(new.title, entry->title, entry->title + strlen(entry->title), (struct text_stretch){entry->title, 0},
            COLUMNS - LEFT);
    for (; at > 0 && search->hits[at - 1].score < new.score; at--)
        search->hits[at] = search->hits[at - 1];
    search->hits[at] = new;
}

/* ------------------------------------------------------------------ all entries */

static void
visit_catalogue(void (*visit)(void *, const struct entry *), void *arg)
{
    char command[WORD], title[LINE], text[4 * LINE], needs[200];
    const struct peal_algorithm *a;
    const struct peal_application *app;

    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        const char *name = peal_collective_name((enum peal_collective)i);

        snprintf(command, sizeof command, "peal list %s", name);
        snprintf(title, sizeof title, "the algorithms of %s", name);
        visit(arg, &(struct entry){command, name, title, ""});
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        snprintf(command, sizeof command, "peal list %s/%s", peal_collective_name(a->collective), a->name);
        peal_requirements_text(a, needs, sizeof needs);
        snprintf(text, sizeof text, "%s%s\n%s%s\n%s%s\n%s%s", a->also ? "also: " : "", a->also ? a->also : "",
                 *needs ? "requires: " : "", needs, a->optimal ? "optimal in: " : "", a->optimal ? a->optimal : "",
                 a->source ? "source: " : "", a->source ? a->source : "");
        visit(arg, &(struct entry){command, command + strlen("peal list "), a->summary, text});
    }
    for (int i = 0; (app = peal_application_get(i)); i++) {
        snprintf(command, sizeof command, "peal app %s", app->name);
        snprintf(text, sizeof text, "requires: %s\nsource: %s", app->needs, app->source);
        visit(arg, &(struct entry){command, app->name, app->summary, text});
    }
}

static void
visit_all(void (*visit)(void *, const struct entry *), void *arg)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        visit(arg, &written[i]);
    for (size_t i = 0; i < sizeof textbooks / sizeof *textbooks; i++)
        visit(arg, &textbooks[i]);
    visit_catalogue(visit, arg);
}

/* ------------------------------------------------------------------ the nearest word */

struct nearest_search {
    struct nearest near;
    char known[WORD]; /* near.name */
    bool names_only;
};

static void
search_compare_nearest(struct nearest_search *nearest, const char *known, int length)
{
    char lower[WORD];

    snprintf(lower, sizeof lower, "%.*s", length, known);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (strpbrk(lower, "0123456789") == NULL && length > 2 && length < WORD &&
        peal_nearest_offer(&nearest->near, lower))
        nearest->near.name = strcpy(nearest->known, lower);
}

static void
compare_entry(void *arg, const struct entry *entry)
{
    struct nearest_search *nearest = arg;
    const char *const texts[] = {entry->names, entry->title, entry->text};

    for (const char *s = entry->names; nearest->names_only && *s; s += strcspn(s, " "), s += strspn(s, " "))
        search_compare_nearest(nearest, s, (int)strcspn(s, " "));
    for (size_t i = 0; i < (nearest->names_only ? 1 : 3); i++)
        for (const char *s = texts[i]; *s; s += search_letter_count(s) ? search_letter_count(s) : 1)
            if (search_letter_count(s) > 0)
                search_compare_nearest(nearest, s, search_letter_count(s));
}

/* Say which of the words is nowhere, and the nearest one; or that they are not together. */
static enum peal_status
search_refuse(const struct query *query, const char *typed, struct peal_error *error)
{
    static struct search alone;
    struct nearest_search nearest = {.near.word = typed, .names_only = true};
    int i = 0;

    for (; i < query->count; i++) {
        alone = (struct search){.query = {.words = {query->words[i]}, .joined = query->words[i], .count = 1}};
        visit_all(search_entry, &alone);
        if (alone.found == 0)
            break;
    }
    if (i == query->count)
        return peal_refuse(error, PEAL_USAGE,
                           "nothing found with all of '%s' near one another: each word is found alone", typed);
    visit_all(compare_entry, &nearest);
    nearest.names_only = false;
    if (!nearest.near.name && strlen(nearest.near.word = query->words[i].letters) > 3)
        visit_all(compare_entry, &nearest);
    return peal_refuse(error, PEAL_USAGE, "nothing found with '%.*s'%s", query->words[i].typed_length,
                       query->words[i].typed,
                       peal_nearest_words(&nearest.near, " in man pages, lessons, kinds of findings and catalogue"));
}

/* ------------------------------------------------------------------ the list */

enum peal_status
manual_search(int count, char *const *words, const char *first, struct peal_error *error)
{
    static struct search search;
    char typed[LINE] = "";

    search = (struct search){.first = first};
    for (int i = 0; i < count; i++) {
        peal_append(IN_ARRAY(typed), "%s%s", i ? " " : "", words[i]);
        if (!query_add_words(&search.query, words[i]))
            return peal_refuse(error, PEAL_USAGE, "expected at most %d words", WORDS);
    }
    if (search.query.count == 0)
        return peal_refuse(error, PEAL_USAGE, "'%s' has no word to search for", typed);
    visit_all(search_entry, &search);
    if (search.found == 0)
        return search_refuse(&search.query, typed, error);
    for (int i = 0; i < search.found && i < SHOWN; i++) {
        const struct hit *hit = &search.hits[i];

        print_ink(stdout, BOLD);
        print_left(stdout, hit->command, LEFT);
        print_ink(stdout, PLAIN);
        if (strlen(hit->command) >= LEFT)
            printf("\n%*s", LEFT, "");
        puts(hit->title);
        if (hit->excerpt[0])
            print_inked(stdout, FAINT, "%*s%s\n", LEFT, "", hit->excerpt);
    }
    if (search.found > SHOWN)
        printf("\n... and %d more: more words find fewer.\n", search.found - SHOWN);
    return PEAL_OK;
}
