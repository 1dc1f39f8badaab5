/* SPDX-License-Identifier: MIT */
/* Finds uses of values that nobody has written.  Comparisons call here only if a value looks like one; printed values
 * are looked at by their format. */
#include "lib/memory/unwritten_use.h"
#include "lib/machine/nodes.h"
#include "lib/memory/fresh_locals.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_linked.h"
#include "lib/program/interpose.h"
#include <peal/post.h>
#include <unistd.h>

#define HERE __builtin_return_address(0)

/* ------------------------------------------------------------------ findings */

/* The node uses bytes that nobody has written, "prints" or "MPI_Send: node 1 passes tag,"; `at`: where they are, NULL:
 * it is not known. */
static void
unwritten_report(struct node *node, const char *verb, const void *at, size_t bytes, const void *pc)
{
    struct peal_run_finding finding = {.kind = PEAL_UNINITIALISED_USE};
    struct peal_text message = empty_text(finding.message, sizeof finding.message);
    struct peal_block block = {.rank = -1};
    char words[PEAL_BLOCK_TEXT];
    struct peal_place made;

    if (linked_is_known(node, pc))
        return;
    if (!strchr(verb, ':'))
        peal_append(message, "node %d ", node->rank);
    peal_append(message, "%s %zu byte%s that nobody has written", verb, bytes, plural(bytes));
    if (at && peal_block_find(&node->world, at, pc, &block) && block.kind != PEAL_BLOCK_FRAME &&
        block.kind != PEAL_BLOCK_STACK && block.kind != PEAL_BLOCK_ENDED &&
        peal_block_text(&node->world, &block, words) > 0)
        peal_append(message, ", from byte %td on of %s", (const char *)at - block.begin, words);
    made = (struct peal_place){block.rank, block.code, PEAL_CODE};
    finding.places = &made;
    finding.place_count = block.code != NULL;
    peal_add_finding_at(&node->world, &finding, pc, PEAL_CODE);
}

/* Whether all of these bytes, up to 8 of one word of the node's, were never written. */
static bool
is_unwritten(const struct node *node, uintptr_t begin, size_t bytes)
{
    const uint64_t *shadow = begin % 8 + bytes <= 8 ? shadow_get(begin / 8 * 8) : NULL;
    uint64_t mask = shadow_mask(begin / 8 * 8, begin, begin + bytes), fresh = FRESH_WORD;
    enum region region = shadow ? shadow_region(*shadow) : REGION_NONE;

    if (!shadow || shadow_owner(*shadow) != node->rank % SHADOW_ANYONE || (mask & ~(*shadow >> SHADOW_VALID)) != 0 ||
        !(region == REGION_BLOCK || (region == REGION_STACK && bytes >= 4)))
        return false;
    uint64_t written = region == REGION_STACK ? shadow_stored(begin) : *shadow;

    return (written & mask) == 0 && memcmp((const void *)begin, &fresh, bytes) == 0;
}

/* Whether the address lies in memory of the node's own. */
static bool
unwritten_is_own(const struct node *node, uintptr_t address)
{
    const uint64_t *shadow = shadow_get(address / 8 * 8);
    enum region region = shadow ? shadow_region(*shadow) : REGION_NONE;

    return shadow && shadow_owner(*shadow) == node->rank % SHADOW_ANYONE &&
           (region == REGION_BLOCK || region == REGION_STACK || region == REGION_GLOBAL);
}

/* Where one of the last `most` loads read a value of this length that nobody has written, or one that is written but
 * looks unwritten; NULL: nowhere. */
static const void *
loaded(const struct node *node, const struct shadow_copy *copy, int most, size_t bytes, bool written)
{
    const uint64_t fresh = FRESH_WORD;

    for (int i = 1; i <= most; i++) {
        const void *at = copy->loads[(copy->next_load - (unsigned)i) % LAST_LOADS];
        bool is = at && is_unwritten(node, (uintptr_t)at, bytes);

        if (is != written && (is || (at && unwritten_is_own(node, (uintptr_t)at) && memcmp(at, &fresh, bytes) == 0)))
            return at;
    }
    return NULL;
}

/* A value of the node looks unwritten.  It is, if one of its last loads was of an unwritten value.  If none was of such
 * a value, it is a variable in a register, if the program has any without a value. */
static void
unwritten_suspect(struct node *node, struct shadow_copy *copy, int most, const char *verb, size_t bytes, const void *pc)
{
    if (copy)
        peal_wrap_stored(copy);
    const void *at = copy ? loaded(node, copy, most, bytes, false) : NULL;
    bool written = !at && bytes >= 4 && copy && loaded(node, copy, LAST_LOADS, bytes, true);

    if (!at && bytes >= 4 && copy && !written)
        at = loaded(node, copy, LAST_LOADS, bytes, false);
    if (at || (bytes >= 4 && !written && fresh_locals(node, pc)))
        unwritten_report(node, verb, at, bytes, pc);
}

/* ------------------------------------------------------------------ comparisons */

static peal_compared asks; /* as last given to peal_watch_compares */

bool
peal_watch_compares(struct peal_node *me, peal_compared compared)
{
    const struct node *node = linked_node();
    struct shadow_copy *copy = node && &node->world == me ? linked_copy(node) : NULL;

    if (!copy)
        return false;
    copy->asked = compared != NULL;
    asks = compared ? compared : asks;
    return true;
}

/* The node that prints or writes here, in a watched run of a linked program; NULL. */
static struct node *
printing_node(void)
{
    struct node *node = linked_node();
    const struct shadow_copy *copy = node ? linked_copy(node) : NULL;

    if (copy && copy->asked)
        asks(&node->world, 0, 0, 0);
    return node;
}

/* A comparison of a linked program's (hooks_linked.c): one of its values has the pattern of fresh memory, or all
 * comparisons were asked for. */
PEAL_API void peal_wrap_compared(struct shadow_copy *copy, uint64_t left, uint64_t right, size_t bytes, const void *pc);

void
peal_wrap_compared(struct shadow_copy *copy, uint64_t left, uint64_t right, size_t bytes, const void *pc)
{
    enum { SIDES = 2 };
    const uint64_t fresh = FRESH_WORD >> (64 - 8 * bytes);
    struct node *node = linked_node();
    int since = (unsigned char)(copy->next_load - copy->compared);

    if (node && copy->asked)
        asks(&node->world, left, right, bytes);
    if (node && (left == fresh || right == fresh))
        unwritten_suspect(node, copy, since < SIDES ? since : SIDES, "compares", bytes, pc);
    copy->compared = copy->next_load;
}

/* ------------------------------------------------------------------ arguments of calls */

/* The arguments of one, in the order of its parameters (mpi/strict/arguments.py): a value, of 0 bytes if it is not
 * read, or a list. */
struct argument {
    const char *name;
    uint64_t value;
    size_t bytes;
    const void *list;
    long count;
};
PEAL_API void peal_wrap_arguments(const char *call, const struct argument *arguments, int count, const void *pc);
PEAL_API long peal_wrap_sum(const int *list, long count);

long
peal_wrap_sum(const int *list, long count)
{
    const struct node *node = linked_node();
    long sum = 0;

    for (long i = 0; node && list && i < count && unwritten_is_own(node, (uintptr_t)&list[i]); i++)
        sum += list[i];
    return sum;
}

/* The number of the first entry of a list that nobody has written; -1: there is none. */
static long
unwritten_entry(const struct node *node, const struct argument *list)
{
    enum { LONGEST = 1 << 20 };

    for (long i = 0; list->list && i < list->count && i < LONGEST; i++)
        if (is_unwritten(node, (uintptr_t)list->list + (uintptr_t)i * list->bytes, list->bytes))
            return i;
    return -1;
}

/* An argument was computed from what nobody has written: it was loaded within the call's lines, and nothing has been
 * compared since. */
static void
look_computed(struct node *node, struct shadow_copy *copy, const char *call, const void *pc)
{
    enum { MIN_BYTES = 4 };
    int since = (unsigned char)(copy->next_load - copy->compared);
    char verb[120];

    for (int i = 1; i <= since && i <= LAST_LOADS; i++) {
        unsigned at = (copy->next_load - (unsigned)i) % LAST_LOADS;

        if (!copy->loads[at] || !is_unwritten(node, (uintptr_t)copy->loads[at], MIN_BYTES) ||
            !fresh_same_line(node, copy->loaded_by[at], pc))
            continue;
        snprintf(verb, sizeof verb, "%s: node %d passes what it computes from", call, node->rank);
        unwritten_report(node, verb, copy->loads[at], MIN_BYTES, pc);
    }
}

void
peal_wrap_arguments(const char *call, const struct argument *arguments, int count, const void *pc)
{
    struct node *node = linked_node();
    struct shadow_copy *copy = node ? linked_copy(node) : NULL;
    const uint64_t fresh = FRESH_WORD;
    bool all = true; /* all are read */
    char verb[120];

    if (!copy)
        return;
    peal_wrap_stored(copy);
    for (int i = 0; i < count; i++) {
        const struct argument *one = &arguments[i];
        long entry = unwritten_entry(node, one);

        all &= one->bytes > 0;
        if (entry >= 0) {
            snprintf(verb, sizeof verb, "%s: node %d passes %s[%ld],", call, node->rank, one->name, entry);
            unwritten_report(node, verb, (const char *)one->list + (size_t)entry * one->bytes, one->bytes, pc);
        } else if (!one->list && one->bytes >= 4 && memcmp(&one->value, &fresh, one->bytes) == 0) {
            snprintf(verb, sizeof verb, "%s: node %d passes %s,", call, node->rank, one->name);
            unwritten_suspect(node, copy, LAST_LOADS, verb, one->bytes, pc);
        }
    }
    if (all)
        look_computed(node, copy, call, pc);
    copy->compared = copy->next_load;
}

/* ------------------------------------------------------------------ what is printed */

/* Look at memory that is printed or written to a file: elements of `unit` bytes, or a text. */
static void
look_memory(struct node *node, const void *data, size_t bytes, size_t unit, const void *pc)
{
    size_t unwritten = 0;
    const void *first = NULL;

    watch_range(data, bytes, false, (void *)(uintptr_t)pc);
    if (unit == 4 || unit == 8 || bytes >= 16) {
        unwritten = peal_watch_unwritten(data, bytes, unit == 4 ? 4 : 8, &first);
        if (unwritten * 2 >= bytes && (unit == 4 || unit == 8 || (const char *)first - (const char *)data < 8))
            unwritten_report(node, "writes out", first, unwritten, pc);
    }
}

static void
look_text(struct node *node, const char *text, size_t most, const void *pc)
{
    size_t bytes = text ? strnlen(text, most) : 0, at = 0;

    if (!text)
        return;
    watch_text(text, bytes < most ? bytes + 1 : bytes, false, (void *)(uintptr_t)pc);
    while (at < bytes && !is_unwritten(node, (uintptr_t)text + at, 1))
        at++;
    if (at < bytes)
        unwritten_report(node, "prints", text + at, 1, pc);
}

/* One conversion of a format: `long` has as many bytes as a pointer here. */
struct conversion {
    enum { INT, LONG, DOUBLE, LONG_DOUBLE, POINTER, TEXT, NONE } what;
    bool is_short; /* its value has fewer bytes than it is passed in */
    int stars;     /* ints before it: a width, a precision */
    bool star_precision;
    size_t precision; /* of a text: the most bytes */
};

/* Read the conversion that follows a '%'; gives the place behind it, NULL if it is unknown. */
static const char *
read_conversion(const char *at, struct conversion *one)
{
    size_t longs = 0;

    *one = (struct conversion){NONE, false, 0, false, SIZE_MAX};
    at += strspn(at, "-+ #0'I");
    if (*at == '*')
        one->stars++, at++;
    at += strspn(at, "0123456789");
    if (*at == '$')
        return NULL;
    if (*at == '.' && at[1] == '*') {
        one->stars++, at += 2;
        one->star_precision = true;
    } else if (*at == '.') {
        one->precision = (size_t)strtoul(at + 1, NULL, 10);
        at += 1 + strspn(at + 1, "0123456789");
    }
    for (; *at && strchr("hlqjztL", *at); at++) {
        one->is_short |= *at == 'h';
        longs += *at != 'h';
    }
    if (!*at)
        return NULL;
    if (strchr("diouxX", *at))
        one->what = longs > 0 ? LONG : INT;
    else if (*at == 'c')
        one->what = INT, one->is_short = true;
    else if (strchr("eEfFgGaA", *at))
        one->what = longs > 0 && at[-1] == 'L' ? LONG_DOUBLE : DOUBLE;
    else if (*at == 's' && longs == 0)
        one->what = TEXT;
    else if (*at == 'p' || *at == 'n' || *at == 's')
        one->what = POINTER;
    else if (*at != '%' && *at != 'm')
        return NULL;
    return at + 1;
}

/* The bytes of a double that nobody has written, which may have been a float; 0: it was written. */
static size_t
unwritten_double(double value)
{
    const uint32_t half = (uint32_t)FRESH_WORD;
    uint64_t bits, of_float;
    float single;

    memcpy(&single, &half, sizeof single);
    double wide = (double)single;

    memcpy(&of_float, &wide, sizeof of_float);
    memcpy(&bits, &value, sizeof bits);
    return bits == FRESH_WORD ? 8 : bits == of_float ? 4 : 0;
}

static void
look_format(struct node *node, const char *format, va_list list, const void *pc)
{
    struct shadow_copy *copy = linked_copy(node);
    struct conversion one;

    for (const char *at = format; (at = strchr(at, '%')) && (at = read_conversion(at + 1, &one));) {
        size_t bytes = 0;
        int last = -1;

        for (int i = 0; i < one.stars; i++)
            last = va_arg(list, int);
        if (one.star_precision && last >= 0)
            one.precision = (size_t)last;
        switch (one.what) {
        case INT:
            bytes = va_arg(list, unsigned) == (unsigned)FRESH_WORD && !one.is_short ? 4 : 0;
            break;
        case LONG:
            bytes = va_arg(list, unsigned long) == FRESH_WORD ? 8 : 0;
            break;
        case DOUBLE:
            bytes = unwritten_double(va_arg(list, double));
            break;
        case LONG_DOUBLE:
            (void)va_arg(list, long double);
            break;
        case POINTER:
            bytes = va_arg(list, uintptr_t) == FRESH_WORD ? 8 : 0;
            break;
        case TEXT:
            look_text(node, va_arg(list, const char *), one.precision, pc);
            break;
        case NONE:
            break;
        }
        if (bytes > 0)
            unwritten_suspect(node, copy, LAST_LOADS, "prints", bytes, pc);
    }
}

void
use_print(const char *format, va_list list, const void *pc)
{
    struct node *node = printing_node();
    va_list again;

    if (!node)
        return;
    va_copy(again, list);
    look_format(node, format, again, pc);
    va_end(again);
}

/* ------------------------------------------------------------------ calls */

/* The calls that lib/program/interpose.c has for a node's output. */
PEAL_API int peal_wrap_vfprintf(FILE *file, const char *format, va_list list);
PEAL_API size_t peal_wrap_fwrite(const void *data, size_t size, size_t count, FILE *file);
PEAL_API int peal_wrap_fputs(const char *text, FILE *file);
PEAL_API int peal_wrap_puts(const char *text);

static int
watched_vfprintf(FILE *file, const char *format, va_list list)
{
    use_print(format, list, HERE);
    return peal_wrap_vfprintf(file, format, list);
}

static int
watched_vprintf(const char *format, va_list list)
{
    use_print(format, list, HERE);
    return peal_wrap_vfprintf(stdout, format, list);
}

#define PRINT(print, file)                                                                                             \
    va_list list;                                                                                                      \
                                                                                                                       \
    va_start(list, format);                                                                                            \
    use_print(format, list, HERE);                                                                                     \
    int length = print(file, format, list);                                                                            \
    va_end(list);                                                                                                      \
    return length

static int
watched_fprintf(FILE *file, const char *format, ...)
{
    PRINT(peal_wrap_vfprintf, file);
}

static int
watched_printf(const char *format, ...)
{
    PRINT(peal_wrap_vfprintf, stdout);
}

static int
watched_dprintf(int file, const char *format, ...)
{
    PRINT(vdprintf, file);
}

static int
watched_puts(const char *text)
{
    struct node *node = printing_node();

    if (node)
        look_text(node, text, SIZE_MAX, HERE);
    return peal_wrap_puts(text);
}

static int
watched_fputs(const char *text, FILE *file)
{
    struct node *node = printing_node();

    if (node)
        look_text(node, text, SIZE_MAX, HERE);
    return peal_wrap_fputs(text, file);
}

static size_t
watched_fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    struct node *node = printing_node();
    size_t bytes;

    if (node && !__builtin_mul_overflow(size, count, &bytes) && bytes > 0)
        look_memory(node, data, bytes, size, HERE);
    return peal_wrap_fwrite(data, size, count, file);
}

static ssize_t
watched_write(int file, const void *data, size_t bytes)
{
    struct node *node = printing_node();

    if (node && bytes > 0)
        look_memory(node, data, bytes, 1, HERE);
    return write(file, data, bytes);
}

void *
use_call_address(const char *name)
{
#define CALL(name) {#name, (void (*)(void))watched_##name},
    static const struct interpose_call calls[] = {CALL(printf) CALL(vprintf) CALL(fprintf) CALL(vfprintf) CALL(dprintf)
                                                      CALL(puts) CALL(fputs) CALL(fwrite) CALL(write)};

    return interpose_find(calls, sizeof calls / sizeof *calls, name);
}
