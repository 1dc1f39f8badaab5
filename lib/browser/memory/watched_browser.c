/* SPDX-License-Identifier: MIT */
/* Watching in the browser: every node has an instance of the program, whose data and stack lie where the page put them
 * (lib/browser/program/program_browser.c), and the place of an access is what the page notes before each line's code. 
 * Programs for MPI have the C library's heap there: their blocks are not known. */
#include "lib/machine/lookup.h"
#include "lib/memory/fresh_locals.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/shadow.h"
#include "lib/memory/unwritten_use.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_image.h"
#include "lib/memory/watched_linked.h"
#include "lib/program/lines.h"
#include "lib/program/linked_browser.h"
#include "lib/program/unit_browser.h"
#include <malloc.h>
#include <stdlib.h>

static const struct peal_program_file *watched;
static const struct instance_memory *memory; /* of each node; NULL: no program is watched */
static int count;
static struct code_place *places; /* of its code; NULL: nobody asked */
static size_t place_count;

void
image_begin(const struct peal_program_file *file)
{
    watched = file;
    memory = program_memory(file, &count);
}

uint64_t
image_valid(uintptr_t address)
{
    (void)address;
    return 0xFF;
}

bool
image_before(uintptr_t address, struct peal_block *variable)
{
    (void)address, (void)variable;
    return false;
}

void
image_end(void)
{
    memory = NULL;
    watched = NULL;
    free(places);
    places = NULL;
    place_count = 0;
}

bool
image_there(void)
{
    return memory != NULL;
}

int
watch_stack(const struct peal_machine *machine, uintptr_t address)
{
    (void)machine;
    for (int rank = 0; rank < count; rank++)
        if (address - memory[rank].stack < memory[rank].data - memory[rank].stack)
            return rank;
    return -1;
}

/* The part of the node's data that lies there. */
static enum instance_data
data_at(int rank, uintptr_t address, char *name, size_t bytes)
{
    const struct instance_memory *of = &memory[rank];

    return address - of->data < of->end - of->data ? program_data(watched, address - of->data, name, bytes) : DATA_NONE;
}

/* The node whose data contain it; -1: none. */
static int
node_with(enum instance_data what, uintptr_t address)
{
    char name[1];

    for (int rank = 0; rank < count; rank++)
        if (data_at(rank, address, name, sizeof name) == what)
            return rank;
    return -1;
}

int
image_owner(uintptr_t address)
{
    return node_with(DATA_VARIABLE, address);
}

bool
image_constant(uintptr_t address)
{
    return node_with(DATA_CONSTANT, address) >= 0;
}

void
image_globals(int rank, const uintptr_t **begin, const uintptr_t **end)
{
    (void)rank;
    *begin = *end = NULL; /* nothing is compiled from C++ */
}

bool
image_variable(uintptr_t address, char *name, size_t bytes)
{
    name[0] = '\0';
    for (int rank = 0; rank < count && !name[0]; rank++)
        data_at(rank, address, name, bytes);
    return name[0];
}

bool
image_offset(const void *address, uintptr_t *offset)
{
    *offset = (uintptr_t)address;
    return memory != NULL;
}

bool
image_line_at(uintptr_t offset, char *file, size_t bytes, int *line)
{
    return line_finder.find(NULL, offset, file, bytes, line);
}

bool
image_line(void *pc, char *file, size_t bytes, int *line)
{
    return image_line_at((uintptr_t)pc, file, bytes, line);
}

struct image_code
image_code(void)
{
    if (watched && !places)
        places = program_places(watched, &place_count);
    return (struct image_code){(const unsigned char *)places, place_count, 0};
}

void
lines_each(int fd, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg)
{
    (void)fd;
    for (size_t i = 0; i < place_count; i++)
        if (places[i].what == CODE_FUNCTION || places[i].what == CODE_LINE)
            see(arg, i, places[i].what == CODE_LINE ? program_name(watched) : NULL, places[i].value);
}

/* What arrays a program has: its code has no debug data. */
void
lines_arrays(int fd, void (*see)(void *arg, const struct lines_array *array), void *arg)
{
    (void)fd, (void)see, (void)arg;
}

/* ------------------------------------------------------------------ of linked programs */

bool
linked_image_begin(void)
{
    const struct peal_program_file *file = linked_watched_file();

    if (file)
        image_begin(file);
    return file;
}

void *
blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc)
{
    (void)pc;
    return zero ? calloc(1, bytes) : align ? memalign(align, bytes) : malloc(bytes);
}

void *
blocks_realloc(void *block, size_t bytes, const void *pc)
{
    (void)pc;
    return realloc(block, bytes);
}

void
blocks_free(void *block, const void *pc)
{
    (void)pc;
    free(block);
}

void
blocks_return(void *memory)
{
    free(memory);
}

void
blocks_look(const void *address, size_t bytes, bool write, const void *pc)
{
    (void)address, (void)bytes, (void)write, (void)pc;
}

bool
blocks_near(uintptr_t address, struct peal_block *block)
{
    (void)address, (void)block;
    return false;
}

bool
named_find(struct node *node, const void *address, struct peal_block *block)
{
    (void)node;
    *block = (struct peal_block){.kind = PEAL_BLOCK_VARIABLE};
    return image_there() && image_variable((uintptr_t)address, block->name, sizeof block->name);
}

/* No variable of a stack has a name here. */
bool
named_on_stack(const struct node *node, const void *address)
{
    (void)node, (void)address;
    return false;
}

void
named_find_on_stack(struct node *node, const void *address, const void *call, struct peal_block *block)
{
    (void)node, (void)address, (void)call;
    *block = (struct peal_block){.kind = PEAL_BLOCK_STACK};
}

void
fresh_begin(void)
{
}

bool
fresh_local_begins(struct node *node, const void *code)
{
    (void)node, (void)code;
    return true;
}

void
use_print(const char *format, va_list list, const void *pc)
{
    (void)format, (void)list, (void)pc;
}
