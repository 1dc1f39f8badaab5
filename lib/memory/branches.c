/* SPDX-License-Identifier: MIT */
/* Notes which code a function reached, and at which sizes its comparisons change.  Called before every block of the
 * user's code, so the last notes are looked at first. */
#include "lib/memory/branches.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/memory/watched_image.h"
#include "lib/program/lines.h"
#include <math.h>
#include <stdlib.h>

enum { SITES = 1 << 10, RECENT = 1 << 12, MAX_LINES = 1 << 16 };

/* A comparison: the distance between its sides when it was first made, in the first case and in the last case with
 * another number of words. */
struct branch_site {
    uintptr_t offset; /* of its call in the image; 0: none */
    uint64_t last_case;
    int count;
    size_t words[2];
    int64_t apart[2];
};

/* The last note about an address, so that most calls return at once. */
struct recent {
    void *pc;
    uint64_t number; /* of the case; of a basic block 0 */
};

static struct {
    uint64_t number; /* of the case, from 1 */
    size_t words;    /* of it */
    struct branch_site sites[SITES];
    struct recent compared[RECENT], entered[RECENT];
    uint8_t *reached; /* one bit per offset: blocks that were entered */
    size_t image_bytes;
} branches;

void
branches_forget(void)
{
    for (int i = 0; i < SITES; i++)
        branches.sites[i].count = 0;
}

void
branches_case(size_t words)
{
    branches.number++;
    branches.words = words;
}

void
branches_end(void)
{
    free(branches.reached);
    memset(&branches, 0, sizeof branches);
}

/* ------------------------------------------------------------------ while it runs */

static struct recent *
recent_of(struct recent *list, const void *pc)
{
    return &list[(uintptr_t)pc * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static struct branch_site *
branches_site_at(uintptr_t offset)
{
    for (uintptr_t i = 0; i < SITES; i++) {
        struct branch_site *site = &branches.sites[(offset + i) % SITES];

        if (site->offset == 0)
            site->offset = offset;
        if (site->offset == offset)
            return site;
    }
    return NULL;
}

static void
branches_compare(void *pc, int64_t left, int64_t right)
{
    struct recent *recent = recent_of(branches.compared, pc);
    uintptr_t offset;

    if (recent->pc == pc && recent->number == branches.number)
        return;
    *recent = (struct recent){pc, branches.number};
    struct branch_site *site = image_offset(pc, &offset) ? branches_site_at(offset) : NULL;

    if (!site || site->last_case == branches.number)
        return;
    site->last_case = branches.number;
    if (site->count > 0 && branches.words == site->words[site->count - 1])
        return;
    int i = site->count > 0;

    site->words[i] = branches.words;
    site->apart[i] = (int64_t)((uint64_t)left - (uint64_t)right);
    site->count = i + 1;
}

static void
branches_enter(void *pc)
{
    struct recent *recent = recent_of(branches.entered, pc);
    uintptr_t offset;

    if (recent->pc == pc || !image_offset(pc, &offset))
        return;
    if (!branches.reached) {
        branches.image_bytes = image_code().bytes;
        branches.reached = calloc(branches.image_bytes / 8 + 1, 1);
    }
    if (!branches.reached || offset >= branches.image_bytes)
        return;
    recent->pc = pc;
    branches.reached[offset / 8] |= (uint8_t)(1 << offset % 8);
}

#ifdef __EMSCRIPTEN__ /* the page adds the place (tools/web/page/compile.js) */
#define PLACE void *pc
#define PLACED , PLACE
#define PC pc
#else
#define PLACE void
#define PLACED
#define PC __builtin_return_address(0)
#endif
#define HOOK(name, ...)                                                                                                \
    PEAL_API void peal_wrap___sanitizer_cov_trace_##name(__VA_ARGS__);                                                 \
    void peal_wrap___sanitizer_cov_trace_##name(__VA_ARGS__)
#define COMPARISON(name, type)                                                                                         \
    HOOK(name, type a, type b PLACED)                                                                                  \
    {                                                                                                                  \
        branches_compare(PC, a, b);                                                                                    \
    }
/* clang-format off */
COMPARISON(cmp1, int8_t) COMPARISON(cmp2, int16_t) COMPARISON(cmp4, int32_t) COMPARISON(cmp8, int64_t)
/* The constant comes first. */
COMPARISON(const_cmp1, int8_t) COMPARISON(const_cmp2, int16_t) COMPARISON(const_cmp4, int32_t)
COMPARISON(const_cmp8, int64_t)
    /* clang-format on */

    HOOK(pc, PLACE)
{
    branches_enter(PC);
}

/* Comparisons of floating-point numbers say nothing about a size; a switch reaches its blocks, or does not. */
HOOK(cmpf, float a, float b)
{
    (void)a, (void)b;
}

HOOK(cmpd, double a, double b)
{
    (void)a, (void)b;
}

HOOK(switch, uint64_t value, const void *cases)
{
    (void)value, (void)cases;
}

/* ------------------------------------------------------------------ sizes */

/* The words at which the sides of the comparison meet, if their difference continues as it began; 0: never. */
static size_t
meeting(const struct branch_site *site)
{
    if (site->count < 2 || site->apart[0] == site->apart[1])
        return 0;
    double words = (double)site->words[1] - (double)site->words[0];
    double slope = ((double)site->apart[1] - (double)site->apart[0]) / words;
    double at = (double)site->words[1] - (double)site->apart[1] / slope;

    return at >= 1 && at < 0x1p40 ? (size_t)llround(at) : 0;
}

static int
by_words(const void *a, const void *b)
{
    const struct branch_size *x = a, *y = b;

    return (x->words > y->words) - (x->words < y->words);
}

/* Whether both are the same file: a compiler leaves out the folder that it ran in. */
static bool
branches_is_file(const char *whole, const char *name)
{
    size_t length = strlen(whole), end = strlen(name);

    return end <= length && strcmp(whole + length - end, name) == 0 &&
           (end == length || whole[length - end - 1] == '/');
}

int
branches_sizes(const char *of, struct branch_size *sizes, int most)
{
    int count = 0, line;
    char file[256];

    for (int i = 0; i < SITES && count < most; i++) {
        size_t words = meeting(&branches.sites[i]);

        if (words == 0)
            continue;
        bool known = image_line_at(branches.sites[i].offset, file, sizeof file, &line) && branches_is_file(file, of);

        sizes[count++] = (struct branch_size){words, known ? line : 0};
    }
    qsort(sizes, (size_t)count, sizeof *sizes, by_words);
    return count;
}

/* ------------------------------------------------------------------ arrays of fixed length */

static bool
is_reached(uintptr_t offset)
{
    return branches.reached && offset < branches.image_bytes && branches.reached[offset / 8] >> offset % 8 & 1;
}

struct array_sizes {
    struct branch_size *list;
    int count, most;
    size_t word_bytes;
};

/* Add a size, unless the list has it; if there are too many, the largest are left out. */
static void
branches_add_size(struct array_sizes *sizes, struct branch_size size)
{
    for (int i = 0; i < sizes->count; i++)
        if (sizes->list[i].words == size.words)
            return;
    if (sizes->count < sizes->most)
        sizes->list[sizes->count++] = size;
    else if (size.words < sizes->list[sizes->count - 1].words)
        sizes->list[sizes->count - 1] = size;
    qsort(sizes->list, (size_t)sizes->count, sizeof *sizes->list, by_words);
}

static void
see_array(void *arg, const struct lines_array *array)
{
    struct array_sizes *sizes = arg;
    uintptr_t at = array->begin;

    while (at < array->end && !is_reached(at))
        at++;
    if (at == array->end && array->end > 0)
        return;
    branches_add_size(sizes, (struct branch_size){array->count + 1, array->line});
    branches_add_size(sizes, (struct branch_size){array->bytes / sizes->word_bytes + 1, array->line});
}

int
branches_arrays(size_t word_bytes, struct branch_size *list, int most)
{
    struct array_sizes sizes = {list, 0, most, word_bytes};
    const struct image_code code = image_code();

    if (code.symbols >= 0)
        lines_arrays(code.symbols, see_array, &sizes);
    return sizes.count;
}

/* ------------------------------------------------------------------ lines that were not reached */

/* A place in the code: a function or a block begins, or a line. */
struct branch_place {
    uintptr_t offset;
    enum { PLACE_FUNCTION, PLACE_BLOCK, PLACE_LINE } what;
    int line;
    bool reached; /* a block was entered; a function, or one that calls it, was entered */
};

struct places {
    const char *file;
    struct branch_place *list;
    size_t count, room;
    bool full;
};

static void
branches_add_place(struct places *places, struct branch_place place)
{
    if (array_grow(&places->list, &places->room, places->count + 1, sizeof *places->list))
        places->list[places->count++] = place;
    else
        places->full = true;
}

static void
see_row(void *arg, uintptr_t offset, const char *file, int line)
{
    struct places *places = arg;

    if (!file)
        branches_add_place(places, (struct branch_place){offset, PLACE_FUNCTION, 0, false});
    else if (line > 0 && line < MAX_LINES && branches_is_file(places->file, file))
        branches_add_place(places, (struct branch_place){offset, PLACE_LINE, line, false});
}

static int
by_offset(const void *a, const void *b)
{
    const struct branch_place *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (int)x->what - (int)y->what;
}

/* The function in which the address lies; NULL. */
static struct branch_place *
branches_function_at(const struct places *places, uintptr_t offset)
{
    struct branch_place *found = NULL;

    for (size_t i = 0; i < places->count && places->list[i].offset <= offset; i++)
        if (places->list[i].what == PLACE_FUNCTION)
            found = &places->list[i];
    return found;
}

#ifndef __EMSCRIPTEN__
/* Read an address that the loader filled in; false: no such place. */
static bool
branches_read_place(const unsigned char *base, size_t bytes, uintptr_t place, uintptr_t *target)
{
    if (place % sizeof(void *) != 0 || place >= bytes)
        return false;
    memcpy(target, base + place, sizeof *target);
    *target -= (uintptr_t)base;
    return true;
}
#endif

#if defined __x86_64__
/* Where the instruction at `at` goes through a place that the loader filled, "call *x(%rip)" or "jmp *x(%rip)"; false:
 * it does not. */
static bool
branches_goes_through(const unsigned char *base, size_t bytes, size_t at, unsigned char how, uintptr_t *target)
{
    int32_t far;

    if (at >= bytes || bytes - at < 6 || base[at] != 0xFF || base[at + 1] != how)
        return false;
    memcpy(&far, base + at + 2, sizeof far);
    return branches_read_place(base, bytes, at + 6 + (uintptr_t)(intptr_t)far, target);
}

/* The bytes of the instruction at `at` if it is a call, and its target; 0: it is not one.  clang calls through a jump
 * that the linker made (with or without an endbr64 before it). */
static size_t
branches_call_at(const unsigned char *base, size_t bytes, size_t at, uintptr_t *target)
{
    enum { CALL = 0x15, JUMP = 0x25 };
    int32_t far;

    if (branches_goes_through(base, bytes, at, CALL, target))
        return 6;
    if (base[at] != 0xE8 || bytes - at < 5)
        return 0;
    memcpy(&far, base + at + 1, sizeof far);
    uintptr_t direct = at + 5 + (uintptr_t)(intptr_t)far;

    *target = direct;
    if (!branches_goes_through(base, bytes, direct, JUMP, target))
        branches_goes_through(base, bytes, direct + 4, JUMP, target);
    return 5;
}
#elif defined __aarch64__
/* As on x86-64: the linker's "adrp x16, page; ldr x17, [x16, place]; ...; br x17". */
static bool
branches_goes_through(const unsigned char *base, size_t bytes, size_t at, uintptr_t *target)
{
    uint32_t code[2];

    if (at >= bytes || bytes - at < sizeof code)
        return false;
    memcpy(code, base + at, sizeof code);
    if ((code[0] & 0x9F00001F) != 0x90000010 || (code[1] & 0xFFC003FF) != 0xF9400211)
        return false;
    int64_t pages = (int32_t)((code[0] >> 5 & 0x7FFFF) << 13 | (code[0] >> 29 & 3) << 11) >> 11;

    return branches_read_place(
        base, bytes, (at & ~(uintptr_t)0xFFF) + (uintptr_t)(pages * 4096) + (code[1] >> 10 & 0xFFF) * 8, target);
}

/* Find the target of "bl"; the linker's code may begin with "bti c". */
static size_t
branches_call_at(const unsigned char *base, size_t bytes, size_t at, uintptr_t *target)
{
    uint32_t code;

    if (at % sizeof code != 0 || bytes - at < sizeof code)
        return 0;
    memcpy(&code, base + at, sizeof code);
    if (code >> 26 != 0x25)
        return 0;
    uintptr_t direct = at + (uintptr_t)(intptr_t)((int32_t)(code << 6) >> 4);

    *target = direct;
    if (!branches_goes_through(base, bytes, direct, target))
        branches_goes_through(base, bytes, direct + sizeof code, target);
    return sizeof code;
}
#elif defined __EMSCRIPTEN__
/* The code is a list of its places. */
static size_t
branches_call_at(const unsigned char *base, size_t bytes, size_t at, uintptr_t *target)
{
    const struct code_place *place = &((const struct code_place *)(const void *)base)[at];

    (void)bytes;
    *target = place->what == CODE_CALL ? (uintptr_t)place->value
                                       : (uintptr_t)peal_wrap___sanitizer_cov_trace_pc - (uintptr_t)base;
    return place->what == CODE_CALL || place->what == CODE_BLOCK;
}
#endif

/* Find the calls that begin the basic blocks. */
static void
branches_add_blocks(struct places *places, const unsigned char *base, size_t bytes)
{
    const uintptr_t hook = (uintptr_t)peal_wrap___sanitizer_cov_trace_pc - (uintptr_t)base;
    uintptr_t target;
    size_t length;

    for (size_t at = 0; at < bytes; at++)
        if ((length = branches_call_at(base, bytes, at, &target)) > 0 && target == hook)
            branches_add_place(places, (struct branch_place){at, PLACE_BLOCK, 0, is_reached(at + length)});
}

/* Mark the functions that entered ones call: they could have been entered, too. */
static void
follow_calls(const struct places *places, const unsigned char *base, size_t bytes)
{
    struct branch_place *from, *to;
    uintptr_t target;

    for (bool more = true; more;) {
        more = false;
        for (size_t at = 0; at < bytes; at++) {
            if (branches_call_at(base, bytes, at, &target) == 0 || target >= bytes ||
                !(to = branches_function_at(places, target)) || to->offset != target || to->reached ||
                !(from = branches_function_at(places, at)) || !from->reached)
                continue;
            to->reached = more = true;
        }
    }
}

/* Append the lines that have only the bit IDLE, and the lines without code between them. */
enum { IDLE = 1, RUN = 2 };
static void
branches_write_lines(const uint8_t *lines, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);

    for (int first = 1, last; first < MAX_LINES; first++) {
        if (lines[first] != IDLE)
            continue;
        last = first;
        for (int line = first; line < MAX_LINES && !(lines[line] & RUN); line++)
            last = lines[line] ? line : last;
        if (strlen(text) + 24 > bytes) {
            peal_append(out, ", ...");
            return;
        }
        peal_append(out, last > first ? "%s%d..%d" : "%s%d", *text ? ", " : "", first, last);
        first = last;
    }
}

void
branches_unreached(const char *file, char *text, size_t bytes)
{
    const struct image_code code = image_code();
    struct places places = {.file = file};
    struct branch_place *function = NULL;
    uint8_t *lines = calloc(MAX_LINES, 1);
    int block = 0; /* of the block: RUN or IDLE; before the first of a function, 0 */

    text[0] = '\0';
    if (lines && branches.reached && code.base) {
        lines_each(code.symbols, see_row, &places);
        branches_add_blocks(&places, code.base, code.bytes);
        qsort(places.list, places.count, sizeof *places.list, by_offset);
        for (size_t i = 0; i < places.count; i++)
            if (places.list[i].what == PLACE_BLOCK && places.list[i].reached &&
                (function = branches_function_at(&places, places.list[i].offset)))
                function->reached = true;
        follow_calls(&places, code.base, code.bytes);
        function = NULL;
    }
    for (size_t i = 0; lines && !places.full && i < places.count; i++) {
        const struct branch_place *place = &places.list[i];

        if (place->what == PLACE_FUNCTION) {
            function = &places.list[i];
            block = 0;
        } else if (place->what == PLACE_BLOCK) {
            block = place->reached ? RUN : IDLE;
        } else if (function && function->reached) {
            lines[place->line] |= (uint8_t)block;
        }
    }
    if (lines)
        branches_write_lines(lines, text, bytes);
    free(places.list);
    free(lines);
}
