/* SPDX-License-Identifier: MIT */
/* The source at the place of the store tells whether gcc or the program stored the pattern to a local in memory; for a
 * local in a register, or spilled from it, the code tells. */
#include "lib/memory/fresh_locals.h"
#include "lib/labels/labels.h"
#include "lib/machine/image.h"
#include "lib/machine/lookup.h"
#include "lib/machine/machine.h"
#include "lib/program/lines.h"
#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

/* ------------------------------------------------------------------ in memory */

/* Whether the text, from the place of a store on, declares a local without a value: its name, and brackets if it is an
 * array. */
static bool
is_bare(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    for (text += strspn(text, " \t\n"); *text == '['; text += strspn(text, " \t\n"))
        text = strchr(text, ']') ? strchr(text, ']') + 1 : "";
    return *text == '\0' || strchr(",;():", *text);
}

struct store_search {
    const char *path;
    uintptr_t offset;
    bool bare;
};

/* Read the source from there on, some lines. */
static void
read_source(FILE *source, int line, int column, struct store_search *search)
{
    char text[400];
    size_t bytes;
    int c = 0;

    while (line > 1 && (c = getc(source)) != EOF)
        line -= c == '\n';
    while (column-- > 1 && c != EOF)
        c = getc(source);
    bytes = fread(text, 1, sizeof text - 1, source);
    text[bytes] = '\0';
    search->bare = bytes == 0 || is_bare(text);
}

static void *
read_store(void *arg)
{
    struct store_search *search = arg;
    int fd = open(search->path, O_RDONLY | O_CLOEXEC), line, column;
    char file[1000];
    FILE *source =
        fd >= 0 && lines_place(fd, search->offset, file, sizeof file, &line, &column) ? fopen(file, "re") : NULL;

    if (source) {
        read_source(source, line, column, search);
        fclose(source);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* Look it up on a stack other than the node's. */
static void
fresh_look_up(struct node *node, void *(*read)(void *arg), void *search)
{
    bool inside = node->inside;

    node->inside = true;
    lookup_apart(read, search);
    node->inside = inside;
}

static _Atomic uint64_t known[1 << 10]; /* stores by their addresses, with the answer in the last bit but one */

bool
fresh_local_begins(struct node *node, const void *code)
{
    const uint64_t is_known = 1, is_bare = 2;
    const struct image *image = node->machine->image;
    const struct image_copy *copy = image_copy_at(image, (uintptr_t)code);
    uint64_t key = (uint64_t)(uintptr_t)code << 2 | is_known;
    _Atomic uint64_t *place = &known[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 54];
    uint64_t answer = atomic_load_explicit(place, memory_order_relaxed);

    if ((answer & ~is_bare) == key)
        return answer & is_bare;
    struct store_search search = {node->machine->symbols, copy ? (uintptr_t)code - copy->base : 0, true};

    if (search.path && copy)
        fresh_look_up(node, read_store, &search);
    atomic_store_explicit(place, key | (search.bare ? is_bare : 0), memory_order_relaxed);
    return search.bare;
}

/* ------------------------------------------------------------------ arguments */

struct line_search {
    const char *path;
    uintptr_t load, call; /* their offsets */
    bool same;
};

static void *
read_lines(void *arg)
{
    enum { LINES = 8 }; /* of a long call */
    struct line_search *search = arg;
    int fd = open(search->path, O_RDONLY | O_CLOEXEC), line[2], column;
    char file[2][1000];

    search->same = fd >= 0 && lines_place(fd, search->load - 1, file[0], sizeof file[0], &line[0], &column) &&
                   lines_place(fd, search->call - 1, file[1], sizeof file[1], &line[1], &column) &&
                   line[0] >= line[1] && line[0] < line[1] + LINES && strcmp(file[0], file[1]) == 0;
    if (fd >= 0)
        close(fd);
    return NULL;
}

bool
fresh_same_line(struct node *node, const void *load, const void *call)
{
    const struct image *image = node->machine->image;
    const struct image_copy *copy = image_copy_at(image, (uintptr_t)call);
    struct line_search search = {node->machine->symbols, 0, 0, false};
    static _Atomic uint64_t others[1 << 8]; /* loads and calls that are not in one line, by their addresses */
    uint64_t key = ((uintptr_t)load ^ (uint64_t)(uintptr_t)call << 20) * UINT64_C(0x9E3779B97F4A7C15) | 1;

    if (!search.path || !copy || atomic_load(&others[key >> 56]) == key)
        return false;
    search.load = (uintptr_t)load - copy->base;
    search.call = (uintptr_t)call - copy->base;
    fresh_look_up(node, read_lines, &search);
    if (!search.same)
        atomic_store(&others[key >> 56], key);
    return search.same;
}

/* ------------------------------------------------------------------ in registers */

#if defined __x86_64__ && PEAL_LIBDW
/* The code of one function. */
struct code {
    const uint8_t *begin, *end;
};

static bool
fresh_is_pattern(const uint8_t *at, size_t bytes)
{
    const uint64_t fresh = FRESH_WORD;

    return memcmp(at, &fresh, bytes) == 0;
}

/* The place in the frame that the operand at `at` names by a displacement from a register, and the bytes of the
 * operand; 0 bytes: it is another kind of operand. */
static size_t
fresh_read_place(const uint8_t *at, uint8_t *base, int32_t *place)
{
    enum { BY_STACK_POINTER = 4, BY_FRAME_POINTER = 5 };
    size_t head = (*at & 7) == BY_STACK_POINTER ? 2 : 1; /* one more byte, which says that there is no index */
    int8_t near;

    *base = *at & 7;
    if ((*base != BY_STACK_POINTER && *base != BY_FRAME_POINTER) || (head == 2 && at[1] != 0x24))
        return 0;
    if (*at >> 6 == 1) {
        memcpy(&near, at + head, sizeof near);
        *place = near;
        return head + sizeof near;
    }
    memcpy(place, at + head, sizeof *place);
    return *at >> 6 == 2 ? head + sizeof *place : 0;
}

/* Whether the function takes the address of a place in its frame, or of one just below (an array, a struct). */
static bool
takes_address(struct code code, uint8_t base, int32_t place)
{
    enum { LEA = 0x8D, LONGEST = 64 }; /* in bytes: a loop sets anything longer */
    int32_t other;
    uint8_t by;

    for (const uint8_t *at = code.begin; at + 7 < code.end; at++)
        if (*at == LEA && fresh_read_place(at + 1, &by, &other) > 0 && by == base && other <= place &&
            other > place - LONGEST)
            return true;
    return false;
}

/* Whether a register is set to the pattern there, or a place in the frame whose address nobody takes: one of 4 bytes by
 * an immediate value; one of 8, by way of a register; a floating-point register from a constant. */
static bool
sets_local(struct code code, const uint8_t *at)
{
    enum { MOVE_TO_REGISTER = 0xB8, MOVE_TO_PLACE = 0xC7, STORE = 0x89, WIDE = 0x48 };
    bool wide = (at[0] & 0xFE) == WIDE && (at[1] & 0xF8) == MOVE_TO_REGISTER && fresh_is_pattern(at + 2, 8);
    int32_t place, constant;
    size_t bytes;
    uint8_t base;

    if (wide && (at[10] & 0xFB) == WIDE && at[11] == STORE)
        return fresh_read_place(at + 12, &base, &place) > 0 && !takes_address(code, base, place);
    if (wide)
        return memcmp(at + 10, "\xF3\x48\xAB", 3) != 0; /* a loop that sets an array */
    if ((at[0] & 0xF8) == MOVE_TO_REGISTER && fresh_is_pattern(at + 1, 4))
        return !fresh_is_pattern(at + 1, 8);
    if (at[0] == MOVE_TO_PLACE && (bytes = fresh_read_place(at + 1, &base, &place)) > 0 &&
        fresh_is_pattern(at + 1 + bytes, 4))
        return !takes_address(code, base, place);
    if ((at[0] & 0xFE) != 0xF2 || at[1] != 0x0F || at[2] != 0x10 || (at[3] & 0xC7) != 5)
        return false;
    memcpy(&constant, at + 4, sizeof constant);
    return constant > 0 && constant < 1 << 24 && fresh_is_pattern(at + 8 + constant, at[0] == 0xF2 ? 8 : 4);
}

/* ------------------------------------------------------------------ functions */

struct local_search {
    const char *path;
    const struct image_copy *copy;
    size_t bytes; /* that can be read */
    bool found;
};

static void
see_function(void *arg, const struct lines_variable *function)
{
    enum { LONGEST = 24 }; /* bytes that are looked at from an instruction on */
    struct local_search *search = arg;
    const uint8_t *begin = (const uint8_t *)search->copy->base + function->begin;
    const struct code code = {begin, begin + function->bytes};

    if (search->found || strncmp(function->name, "__tsan_", 7) == 0 ||
        strncmp(function->name, "__sanitizer_", 12) == 0 || function->bytes > search->bytes ||
        function->begin > search->bytes - function->bytes)
        return;
    for (const uint8_t *at = begin; at + LONGEST < code.end && !search->found; at++)
        search->found = sets_local(code, at);
}

static void *
fresh_read_program(void *arg)
{
    struct local_search *search = arg;
    int fd = open(search->path, O_RDONLY | O_CLOEXEC);

    search->found = fd < 0;
    if (fd < 0)
        return NULL;
    lines_functions(fd, see_function, search);
    close(fd);
    return NULL;
}

static bool
fresh_search_program(struct node *node, const void *code)
{
    const struct image *image = node->machine->image;
    struct local_search search = {node->machine->symbols, image_copy_at(image, (uintptr_t)code),
                                  image ? image->frozen : 0, true};

    if (!search.path || !search.copy)
        return true; /* it is not known */
    fresh_look_up(node, fresh_read_program, &search);
    return search.found;
}
#else
static bool
fresh_search_program(struct node *node, const void *code)
{
    (void)node, (void)code;
    return true; /* it is not known */
}
#endif

static _Atomic enum { UNKNOWN, NONE, SOME } locals;

bool
fresh_locals(struct node *node, const void *code)
{
    if (atomic_load(&locals) == UNKNOWN)
        atomic_store(&locals, fresh_search_program(node, code) ? SOME : NONE);
    return atomic_load(&locals) == SOME;
}

void
fresh_begin(void)
{
    memset(known, 0, sizeof known);
    atomic_store(&locals, UNKNOWN);
}
