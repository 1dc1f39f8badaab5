/* SPDX-License-Identifier: MIT */
/* A node program that executes a script:  peal run script.c -p P -- CASE.  See model.py for the operations; a failure's
 * lines are the numbers of the operations, each node's counted from 1. */
#include "operations.h"

#include <peal/author.h>
#include <stdlib.h>
#include <string.h>

/* Every word that is sent says who sent it, in which operation, and which word of the message it is; every buffer that
 * receives is filled beforehand, so that words that must not be written show.  Once a send was waited for its buffer is
 * overwritten: it may be. */

/* ------------------------------------------------------------------ reading */

_Noreturn void
script_give_up(const char *what, const char *line)
{
    fprintf(stderr, "script: %s: %s\n", what, line);
    exit(2);
}

static int
number(const char *word)
{
    if (strcmp(word, "any") == 0)
        return SCRIPT_ANY;
    return word[0] == '@' ? SCRIPT_SOURCE_OF + atoi(word + 1) : atoi(word);
}

static void
read_setting(struct script *script, const char *line)
{
    if (script->setting_count == SCRIPT_SETTINGS)
        script_give_up("too many settings", line);
    char(*pair)[SCRIPT_TEXT] = script->setting[script->setting_count++];
    if (sscanf(line, "machine %159s %159[^\n]", pair[0], pair[1]) != 2)
        script_give_up("not a setting", line);
}

static void
read_operation(struct script *script, const char *line)
{
    struct script_operation op = {.line = 1};
    char word[SCRIPT_ARGUMENTS][32];
    int count = sscanf(line, "%d %15s %31s %31s %31s %31s %31s %31s", &op.rank, op.name, word[0], word[1], word[2],
                       word[3], word[4], word[5]);

    if (count < 2)
        script_give_up("not an operation", line);
    for (int i = 0; i < count - 2; i++)
        op.argument[i] = number(word[i]);
    for (int i = 0; i < script->operation_count; i++)
        op.line += script->operations[i].rank == op.rank;

    size_t bytes = (size_t)(script->operation_count + 1) * sizeof op;
    script->operations = realloc(script->operations, bytes);
    if (script->operations == NULL)
        script_give_up("out of memory", line);
    script->operations[script->operation_count++] = op;
}

bool
script_read(FILE *in, struct script *script)
{
    char line[256];

    memset(script, 0, sizeof *script);
    while (fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "case %159s", script->name) == 1 || line[0] == '#' || line[0] == '\n')
            continue;
        if (strcmp(line, "end\n") == 0)
            return true;
        if (strncmp(line, "machine ", 8) == 0)
            read_setting(script, line);
        else
            read_operation(script, line);
    }
    return false;
}

void
script_fini(struct script *script)
{
    free(script->operations);
    script->operations = NULL;
    script->operation_count = 0;
}

const char *
script_setting(const struct script *script, const char *key)
{
    for (int i = 0; i < script->setting_count; i++)
        if (strcmp(script->setting[i][0], key) == 0)
            return script->setting[i][1];
    return NULL;
}

/* ------------------------------------------------------------------ running */

static void start(struct player *player, int name, int first, int count);

/* Split the machine as "COLOR:KEY COLOR:KEY .." says, if it does: one pair a node. */
static void
split(struct table *table, const char *groups)
{
    int color, key;

    if (groups == NULL || strcmp(groups, "-") == 0)
        return;
    for (int skip = peal_rank(table->world); skip > 0; skip--)
        groups = strchr(groups, ' ') + 1;
    if (sscanf(groups, "%d:%d", &color, &key) != 2)
        script_give_up("not a color and a key", groups);
    table->group = peal_split_at(table->world, color, key, "script", 0);
}

/* Write Peal's numbers for a source and a tag that are `any`. */
static void
name_any(struct script_operation *op)
{
    static const struct {
        const char *operation;
        int source, tag;
    } wild[] = {{"irecv", 1, 3}, {"recv", 0, 2}, {"take", 1, 3}, {"sendrecv", 3, 5}, {"probe", 1, 2}, {"look", 0, 1}};

    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
        if (strcmp(operation_name(op), wild[i].operation) == 0) {
            int *source = &op->argument[wild[i].source], *tag = &op->argument[wild[i].tag];

            *source = *source == SCRIPT_ANY ? PEAL_ANY_SOURCE : *source;
            *tag = *tag == SCRIPT_ANY ? PEAL_ANY_TAG : *tag;
        }
}

/* Execute the player's operations. */
static void
play(struct player *player)
{
    const struct script *script = player->table->script;
    int rank = peal_rank(player->table->world), number = 0, skip = 0;

    for (int i = 0; i < script->operation_count; i++) {
        struct script_operation op = script->operations[i];
        if (op.rank != rank || number++ < player->first || number > player->first + player->count || skip-- > 0)
            continue;
        skip = 0;
        for (int j = 0; j < SCRIPT_ARGUMENTS; j++)
            if (op.argument[j] >= SCRIPT_SOURCE_OF)
                op.argument[j] = player->table->source[op.argument[j] - SCRIPT_SOURCE_OF];
        name_any(&op);
        player->me = strncmp(op.name, "g:", 2) == 0 ? player->table->group : player->table->world;
        if (player->own)
            player->me = player->own;
        player->op = &op;
        if (strcmp(operation_name(&op), "skip") == 0) {
            skip = player->tested ? 0 : op.argument[0];
        } else if (strcmp(operation_name(&op), "start") == 0) {
            skip = op.argument[1];
            start(player, op.argument[0], number, op.argument[1]);
        } else {
            operation_execute(player, op.argument);
        }
    }
}

/* A strand's part of the script. */
static void
play_strand(struct peal_node *own, void *arg)
{
    struct player player = *(struct player *)arg;

    player.own = own;
    play(&player);
}

static void
start(struct player *player, int name, int first, int count)
{
    struct player *strand = peal_alloc(player->me, sizeof *strand / sizeof(uint64_t) + 1);

    *strand = (struct player){.table = player->table, .first = first, .count = count, .tested = true};
    player->table->strands[name] = (struct peal_handle){1, 1};
    /* the strand may join itself before its handle is known: it is an unknown handle */
    player->table->strands[name] = peal_start_at(player->me, NULL, play_strand, strand, "script", player->op->line);
}

/* Fill the memory that others reach, which outlives the node's program, and learn where theirs is. */
static void
share_memory(struct table *table)
{
    static uint64_t own[SCRIPT_MEMORY]; /* of a node's copy of a program file */
    struct peal_node *me = table->world;
    struct peal_meeting meeting = {.number = -1, .mine = &table->memory, .bytes = sizeof table->memory};

    table->memory = table->script->memory ? &table->script->memory[SCRIPT_MEMORY * peal_rank(me)] : own;
    for (int i = 0; i < SCRIPT_MEMORY; i++)
        table->memory[i] = ((uint64_t)peal_rank(me) + 1) * (UINT64_C(1) << 40) + (uint64_t)i;
    table->memories = peal_alloc(me, (size_t)peal_size(me));
    meeting.all = table->memories;
    peal_meet_at(me, &meeting, "script", 0);
}

void
script_run(struct peal_node *me, const struct script *script)
{
    size_t posts = 2 * (size_t)script->operation_count + 1;
    struct table table = {.world = me, .group = me, .script = script};
    struct player player = {.table = &table, .count = script->operation_count, .tested = true};

    split(&table, script_setting(script, "groups"));
    share_memory(&table);
    /* Memory of the node, in words of 8 bytes. */
    table.posted = peal_alloc(me, posts * (sizeof *table.posted / sizeof(uint64_t) + 1));
    for (int i = 0; i < HANDLES; i++)
        table.by_handle[i] = -1;
    for (int i = 0; i < STRANDS; i++)
        table.strands[i] = (struct peal_handle){1, 1}; /* that nobody gave */
    play(&player);
}

/* The entry of a program file: every node reads the case and runs its part. */
void peal_main(struct peal_node *me, int argc, char **argv);

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    struct script script;
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (in == NULL || !script_read(in, &script))
        peal_abort(me, "no case: give the name of a file that holds one");
    fclose(in);
    script_run(me, &script);
    script_fini(&script);
}
