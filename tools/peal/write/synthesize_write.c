/* SPDX-License-Identifier: MIT */
/* Writes the result of a synthesis as its JSON document. */
#include "lib/record/json.h"
#include "show/synthesize.h"

static const char *
verdict_name(enum peal_synthesis_verdict verdict)
{
    static const char *const names[] = {"here", "none-by-cut", "none-by-proof", "undecided"};

    return names[verdict];
}

static void
write_moves(struct peal_json *json, const struct peal_move *moves, size_t count)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("moves", '['));
    for (size_t i = 0; i < count; i++)
        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("step", moves[i].step + 1),
                      PEAL_INT("from", moves[i].from), PEAL_INT("to", moves[i].to),
                      PEAL_INT("message", moves[i].message), PEAL_INT("chunk", moves[i].chunk), PEAL_CLOSE('}'));
    peal_json_put(json, PEAL_CLOSE(']'));
}

static void
synthesize_write_cut(struct peal_json *json, const struct peal_synthesis_cut *cut, int nodes)
{
    if (cut->each_round == 0) {
        peal_json_put(json, PEAL_TEXT("cut", NULL));
        return;
    }
    peal_json_put(json, PEAL_OPEN("cut", '{'), PEAL_OPEN("nodes", '['));
    for (int node = 0; node < nodes; node++)
        if (cut->member >> node & 1)
            peal_json_put(json, PEAL_INT(NULL, node));
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_UINT("chunks", cut->chunks), PEAL_UINT("each_round", cut->each_round),
                  PEAL_CLOSE('}'));
}

static void
write_answer(struct peal_json *json, const struct synthesis *synthesis, int chunks, int steps, int rounds,
             const struct peal_synthesized *answer)
{
    bool here = answer->verdict == PEAL_SYNTHESIS_HERE, cut = answer->verdict == PEAL_SYNTHESIS_CUT;

    peal_json_put(
        json, PEAL_INT("chunks", chunks), PEAL_INT("steps", steps),
        PEAL_INT_IF("rounds", rounds != PEAL_SYNTHESIS_ANY, rounds),
        PEAL_STRING("verdict", verdict_name(answer->verdict)), PEAL_INT_IF("found_steps", here, answer->steps),
        PEAL_INT_IF("found_rounds", here, answer->rounds), PEAL_BREAK, PEAL_INT("variables", answer->variables),
        PEAL_UINT("clauses", answer->clauses), PEAL_STRING("formula", answer->formula[0] ? answer->formula : NULL),
        PEAL_BREAK, PEAL_UINT("lemmas", answer->lemmas), PEAL_STRING("proof", answer->proof[0] ? answer->proof : NULL),
        PEAL_BREAK, PEAL_NUMBER("encode_seconds", answer->encode_seconds),
        PEAL_NUMBER("solve_seconds", answer->solve_seconds), PEAL_NUMBER("check_seconds", answer->check_seconds));
    synthesize_write_cut(json, cut ? &answer->cut : &(struct peal_synthesis_cut){0},
                         peal_network_nodes(synthesis->network));
}

static void
synthesize_write_point(struct peal_json *json, const struct synthesis *synthesis,
                       const struct peal_synthesis_point *point)
{
    bool reached = synthesis->found.reached && point == &synthesis->found.points[synthesis->found.point_count - 1];

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("chunks", point->chunks),
                  PEAL_INT("steps", point->steps), PEAL_INT("rounds", point->rounds),
                  PEAL_BOOL("closed", point->closed), PEAL_BOOL("reaches_cut", reached));
    write_moves(json, point->moves, point->move_count);
    peal_json_put(json, PEAL_CLOSE('}'));
}

static void
write_front(struct peal_json *json, const struct synthesis *synthesis)
{
    const struct peal_front *found = &synthesis->found;

    peal_json_put(json, PEAL_INT("most_chunks", synthesis->most_chunks), PEAL_STRING("from", synthesis->beaten));
    synthesize_write_cut(json, &found->cut, peal_network_nodes(synthesis->network));
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("front", '['));
    for (size_t i = 0; i < found->point_count; i++)
        if (found->points[i].moves)
            synthesize_write_point(json, synthesis, &found->points[i]);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("searches", '['));
    for (size_t i = 0; i < found->question_count; i++) {
        const struct peal_synthesis_question *question = &found->questions[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'));
        write_answer(json, synthesis, question->chunks, question->steps, question->rounds, &question->answer);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

void
synthesis_write(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_synthesis *asked = &synthesis->asked;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/synthesis/2"),
                  PEAL_STRING("collective", peal_collective_name(asked->collective)),
                  PEAL_INT("nodes", peal_network_nodes(synthesis->network)), PEAL_INT("root", asked->root),
                  PEAL_STRING("topology", peal_network_name(synthesis->network)),
                  PEAL_STRING("routing", peal_network_routing(synthesis->network)));
    peal_json_ports(&json, asked->ports);
    peal_json_put(&json, PEAL_STRING("duplex", asked->half_duplex ? "half" : "full"),
                  PEAL_STRING("congestion", peal_congestion_name(asked->congestion)),
                  PEAL_BOOL("direct", asked->neighbours), PEAL_BOOL("unpruned", asked->unpruned),
                  PEAL_BOOL("interrupted", synthesis->interrupted), PEAL_BOOL("late", synthesis->late), PEAL_BREAK);
    if (synthesis->front) {
        write_front(&json, synthesis);
    } else {
        write_answer(&json, synthesis, asked->chunks, asked->steps, asked->rounds, &synthesis->result);
        write_moves(&json, synthesis->result.moves, synthesis->result.move_count);
    }
    peal_json_put(&json, PEAL_CLOSE('}'));
}
