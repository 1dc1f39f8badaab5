/* SPDX-License-Identifier: MIT */
/* A schedule as a C file: a table of moves, and a function that carries them out as any algorithm does.
 *
 * The functions of all collectives are alike, except for a chunk's place on a node and the work before and after the
 * moves.  So the file is composed of three texts, of which only the middle one depends on the collective. */
#include "lib/synthesis/synthesis.h"
#include <string.h>

/* The texts of the file that depend on the collective. */
struct c_source_text {
    enum peal_collective collective;
    const char *signature; /* after the name */
    const char *words;     /* of the vector or block that is cut into chunks */
    const char *before, *place, *after;
    bool reduces;
};

/* In `place`: chunk j of block b of node a (of an all-to-all; 0 else) lies at work + result; `begin` is where the chunk
 * begins in its block.  Nodes are numbered as if the root were the root of the schedule. */
static const struct c_source_text texts[] = {
    {PEAL_BROADCAST, "(struct peal_node *me, void *a, size_t n, int root)", "n", "    s.work = a;\n", "begin", "",
     false},
    {PEAL_REDUCE, "(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)", "n",
     "    s.work = s.rank == ROOT ? a : peal_alloc(me, n); /* only the root's vector may change */\n"
     "    if (s.rank != ROOT)\n"
     "        memcpy(s.work, a, n * s.bytes);\n",
     "begin", "", true},
    {PEAL_SCATTER, "(struct peal_node *me, const void *in, size_t m, int root, void *out)", "m",
     "    s.work = peal_alloc(me, P * m);\n"
     "    for (size_t b = 0; s.rank == ROOT && b < P; b++) /* the block of the node that plays b */\n"
     "        memcpy(at(&s, b * m), (const char *)in + (b + (size_t)s.shift) % P * m * s.bytes, m * s.bytes);\n",
     "block * s->m + begin", "    memcpy(out, at(&s, (size_t)s.rank * m), m * s.bytes);\n", false},
    {PEAL_GATHER, "(struct peal_node *me, const void *in, size_t m, int root, void *out)", "m",
     "    s.work = peal_alloc(me, P * m);\n"
     "    memcpy(at(&s, (size_t)s.rank * m), in, m * s.bytes);\n",
     "block * s->m + begin",
     "    for (size_t b = 0; s.rank == ROOT && b < P; b++)\n"
     "        memcpy((char *)out + (b + (size_t)s.shift) % P * m * s.bytes, at(&s, b * m), m * s.bytes);\n",
     false},
    {PEAL_ALLGATHER, "(struct peal_node *me, const void *in, size_t m, void *out)", "m",
     "    s.work = out;\n"
     "    memmove(at(&s, (size_t)s.rank * m), in, m * s.bytes);\n",
     "block * s->m + begin", "", false},
    {PEAL_REDUCE_SCATTER, "(struct peal_node *me, const struct peal_op *op, const void *in, size_t m, void *out)", "m",
     "    s.work = peal_alloc(me, P * m);\n"
     "    memcpy(s.work, in, P * m * s.bytes);\n",
     "block * s->m + begin", "    memcpy(out, at(&s, (size_t)s.rank * m), m * s.bytes);\n", true},
    {PEAL_ALLREDUCE, "(struct peal_node *me, const struct peal_op *op, void *a, size_t n)", "n", "    s.work = a;\n",
     "begin", "", true},
    {PEAL_ALLTOALL, "(struct peal_node *me, const void *in, size_t m, void *out)", "m",
     "    s.work = peal_alloc(me, P * P * m);\n"
     "    memcpy(at(&s, (size_t)s.rank * P * m), in, P * m * s.bytes);\n",
     "block * s->m + begin",
     "    for (size_t a = 0; a < P; a++)\n"
     "        memcpy((char *)out + a * m * s.bytes, at(&s, (a * P + (size_t)s.rank) * m), m * s.bytes);\n",
     false},
};

static const struct c_source_text *
write_c_text(enum peal_collective collective)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].collective == collective)
            return &texts[i];
    return NULL;
}

/* ------------------------------------------------------------------ the head and the table */

static void
write_head(FILE *out, const struct peal_synthesis *asked, const struct peal_synthesized *result,
           const struct c_source_text *text)
{
    char ports[16] = "all";

    if (asked->ports != PEAL_PORTS_ALL)
        snprintf(ports, sizeof ports, "%d", asked->ports);
    fprintf(out,
            "/* %s on %s, found by peal synthesize.\n *\n"
            " *   rounds       %d, of %d chunks in all; a chunk is a %dth of %s%s\n"
            " *   cost         %dα + %d/%d·%sβ, where %d divides %s\n"
            " *   machine      ports %s, %s duplex%s%s\n"
            " *   requires     %d nodes%s\n */\n",
            peal_collective_name(asked->collective), peal_network_name(asked->network), result->steps, result->rounds,
            asked->chunks, text->words, asked->collective == PEAL_ALLREDUCE ? "/P" : "", result->steps, result->rounds,
            asked->collective == PEAL_ALLREDUCE ? asked->chunks * peal_network_nodes(asked->network) : asked->chunks,
            text->words,
            asked->collective == PEAL_ALLREDUCE ? asked->chunks * peal_network_nodes(asked->network) : asked->chunks,
            text->words, ports, asked->half_duplex ? "half" : "full",
            asked->congestion == PEAL_VOLUME ? ", congestion by volume" : "",
            asked->neighbours ? ", messages between neighbours" : "", peal_network_nodes(asked->network),
            text->reduces ? "; a commutative operator" : "");
}

static void
write_table(FILE *out, const struct peal_synthesis *asked, const struct peal_synthesized *result)
{
    bool pieces = asked->collective == PEAL_ALLREDUCE;
    int blocks = asked->chunks * (pieces ? peal_network_nodes(asked->network) : 1);
    bool rooted = peal_collective_has_root(asked->collective);

    fprintf(out,
            "#include <peal/peal.h>\n#include <string.h>\n\n"
            "enum { NODES = %d, CHUNKS = %d, STEPS = %d, MOVES = %zu%s%s };\n\n",
            peal_network_nodes(asked->network), blocks, result->steps, result->move_count, rooted ? ", ROOT = " : "",
            rooted ? (char[]){(char)('0' + asked->root / 10), (char)('0' + asked->root % 10), '\0'} : "");
    fputs("/* In step `step` message number `message` from one node to the other carries this chunk: chunk j of block "
          "b is\n"
          " * b·CHUNKS + j. */\n"
          "struct move {\n    short step, from, to, message;\n    int chunk;\n};\n\n"
          "static const struct move moves[MOVES + 1] = {\n",
          out);
    for (size_t i = 0; i < result->move_count; i++)
        fprintf(out, "%s{%d, %d, %d, %d, %d},%s", i % 4 == 0 ? "    " : " ", result->moves[i].step,
                result->moves[i].from, result->moves[i].to, result->moves[i].message, result->moves[i].chunk,
                i % 4 == 3 || i + 1 == result->move_count ? "\n" : "");
    fputs("    {-1, -1, -1, -1, -1}, /* the end */\n};\n\n", out);
}

/* ------------------------------------------------------------------ the functions */

static void
write_c_places(FILE *out, const struct c_source_text *text)
{
    bool blocks = strstr(text->place, "block") != NULL;

    fprintf(out,
            "/* What a node knows while it carries out the moves. */\n"
            "struct state {\n    char *work;\n    size_t m, bytes;\n    int rank, shift; /* ranks are counted from the "
            "shift on */\n};\n\n"
            "static void *\nat(const struct state *s, size_t word)\n{\n    return s->work + word * s->bytes;\n}\n\n"
            "/* The words of a chunk on this node. */\nstatic struct peal_piece\npiece_of(const struct state *s, int "
            "chunk)\n{\n"
            "    size_t %sj = (size_t)(chunk %% CHUNKS), begin = s->m * j / CHUNKS, end = s->m * (j + 1) / CHUNKS;\n\n"
            "    return (struct peal_piece){at(s, %s), end - begin};\n}\n\n",
            blocks ? "block = (size_t)(chunk / CHUNKS), " : "", text->place);
}

static const char post[] = "/* The moves of one message: from `move` on, up to the one that is returned. */\n"
                           "static const struct move *\n"
                           "end_of(const struct move *move)\n"
                           "{\n"
                           "    const struct move *end = move;\n\n"
                           "    while (end->step == move->step && end->from == move->from && end->to == move->to && "
                           "end->message == move->message)\n"
                           "        end++;\n"
                           "    return end;\n"
                           "}\n\n";

/* The posts of a step, and the wait for them, in both. */
#define POST_AND_WAIT                                                                                                  \
    "        if (move->from == s->rank)\n"                                                                             \
    "            peal_sendv_async(me, pieces, count, (move->to + s->shift) % NODES);\n"                                \
    "        else if (move->to == s->rank)\n"                                                                          \
    "            peal_recvv_async(me, pieces, count, (move->from + s->shift) % NODES);\n"                              \
    "        used += move->from == s->rank || move->to == s->rank;\n"                                                  \
    "        move = end;\n"                                                                                            \
    "    }\n"                                                                                                          \
    "    if (used > 0)\n"                                                                                              \
    "        peal_wait_all(me);\n"                                                                                     \
    "    else\n"                                                                                                       \
    "        peal_next_round(me);\n"

static const char copying_step[] =
    "/* Post the messages of one step and wait for them; a node without any waits for "
    "the round.  Returns the next step's moves. */\n"
    "static const struct move *\n"
    "make_step(struct peal_node *me, const struct state *s, const struct move *move)\n"
    "{\n"
    "    struct peal_piece pieces[MOVES + 1];\n"
    "    int step = move->step, used = 0;\n\n"
    "    while (move->step == step) {\n"
    "        const struct move *end = end_of(move);\n"
    "        int count = 0;\n\n"
    "        for (const struct move *m = move; m < end; m++)\n"
    "            pieces[count++] = piece_of(s, m->chunk);\n" POST_AND_WAIT "    return move;\n"
    "}\n\n";

static const char reducing_step[] =
    "/* Post the messages of one step and wait for them; a node without any waits for the round.  What comes in the "
    "first `combined`\n"
    " * steps is combined with the node's own words.  Returns the next step's moves. */\n"
    "static const struct move *\n"
    "make_step(struct peal_node *me, const struct peal_op *op, const struct state *s, const struct move *move, int "
    "combined)\n"
    "{\n"
    "    const struct move *first = move;\n"
    "    struct peal_piece pieces[MOVES + 1];\n"
    "    int step = move->step, used = 0;\n"
    "    size_t words = 0;\n\n"
    "    for (const struct move *m = move; m->step == step; m++)\n"
    "        words += m->to == s->rank ? piece_of(s, m->chunk).words : 0;\n"
    "    char *came = peal_alloc(me, words + 1), *next = came;\n\n"
    "    while (move->step == step) {\n"
    "        const struct move *end = end_of(move);\n"
    "        int count = 0;\n\n"
    "        for (const struct move *m = move; m < end; m++) {\n"
    "            struct peal_piece piece = piece_of(s, m->chunk);\n\n"
    "            if (m->to == s->rank && step < combined) {\n"
    "                piece.data = next;\n"
    "                next += piece.words * s->bytes;\n"
    "            }\n"
    "            pieces[count++] = piece;\n"
    "        }\n" POST_AND_WAIT "    next = came;\n"
    "    for (const struct move *m = first; m < move && step < combined; m++)\n"
    "        if (m->to == s->rank) {\n"
    "            struct peal_piece piece = piece_of(s, m->chunk);\n\n"
    "            peal_combine(op, piece.data, next, piece.data, piece.words);\n"
    "            next += piece.words * s->bytes;\n"
    "        }\n"
    "    peal_free(me, came);\n"
    "    return move;\n"
    "}\n\n";

static void
write_function(FILE *out, const struct peal_synthesis *asked, const struct c_source_text *text, const char *name)
{
    bool rooted = peal_collective_has_root(asked->collective),
         P = strstr(text->before, "P ") || strstr(text->after, "P;");

    fprintf(out,
            "void\n%s%s\n{\n"
            "    struct state s = {.m = %s, .bytes = peal_word_bytes(me)};\n"
            "    const struct move *move = moves;\n%s\n"
            "    if (peal_size(me) != NODES)\n"
            "        peal_abort(me, \"this schedule is for %d nodes\");\n",
            name, text->signature, text->words, P ? "    const size_t P = NODES;\n" : "",
            peal_network_nodes(asked->network));
    fputs(
        rooted
            ? "    s.shift = (root - ROOT + NODES) % NODES;\n    s.rank = (peal_rank(me) - s.shift + NODES) % NODES;\n"
            : "    s.rank = peal_rank(me);\n",
        out);
    fprintf(out, "%s    while (move->step >= 0)\n", text->before);
    if (text->reduces)
        fprintf(out, "        move = make_step(me, op, &s, move, %s);\n",
                asked->collective == PEAL_ALLREDUCE ? "STEPS / 2" : "STEPS");
    else
        fputs("        move = make_step(me, &s, move);\n", out);
    fprintf(out, "%s}\n", text->after);
}

enum peal_status
peal_synthesis_write_c(FILE *out, const struct peal_synthesis *asked, const struct peal_synthesized *result,
                       const char *name, struct peal_error *error)
{
    const struct c_source_text *text = write_c_text(asked->collective);

    if (text == NULL || result->verdict != PEAL_SYNTHESIS_HERE)
        return peal_refuse(error, PEAL_USAGE, "there is no schedule to write");
    write_head(out, asked, result, text);
    write_table(out, asked, result);
    write_c_places(out, text);
    fputs(post, out);
    fputs(text->reduces ? reducing_step : copying_step, out);
    write_function(out, asked, text, name);
    return ferror(out) ? peal_refuse(error, PEAL_RESOURCES, "the C file cannot be written") : PEAL_OK;
}
