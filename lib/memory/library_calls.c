/* SPDX-License-Identifier: MIT */
/* The C library's calls that touch memory, for a watched program: the memory is checked first.
 *
 * Outside of watched runs (a destructor, say) they are the C library's own, and in strict runs check the blocks of
 * linked programs (linked_blocks.h). */
#include "lib/base/unbacked.h"
#include "lib/machine/machine.h"
#include "lib/machine/rules.h"
#include "lib/memory/heap.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/shadow.h"
#include "lib/memory/unwritten_use.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_linked.h"
#if PEAL_PROCESSES
#include "lib/program/interpose.h"
#include <dlfcn.h>
#endif
#include <errno.h>
#include <malloc.h>
#include <peal/author.h>
#include <peal/hints.h>
#include <stdlib.h>

#define HERE __builtin_return_address(0)

/* Begin the definition of the call that replaces `name`, declared and exported. */
#define WRAP(type, name, ...)                                                                                          \
    PEAL_API type peal_wrap_##name(__VA_ARGS__);                                                                       \
    type peal_wrap_##name(__VA_ARGS__)

/* Whether the call is one of the C++ library's, which throws where it gets no memory. */
static bool
may_throw(const void *pc)
{
#if PEAL_PROCESSES
    Dl_info object;

    return dladdr(pc, &object) && object.dli_fname && strstr(object.dli_fname, "libstdc++");
#else
    return !pc;
#endif
}

/* A call has a negative length, which as a size_t is a huge number: end the node, if one runs here. */
static void
refuse_length(const char *call, size_t length, void *pc)
{
    struct node *checked = watch_node();
    struct peal_node *me = checked ? &checked->world : peal_self();
    const struct access_site where = {.pc = checked ? pc : NULL, .file = pc, .line = PEAL_CODE};

    if (!me || may_throw(pc))
        return;
    peal_advise(me, "%s", PEAL_HINT(negative_length));
    report_fault(me->node, PEAL_OUT_OF_BOUNDS, &where, "node %d calls %s with a length of %td", me->node->rank, call,
                 (ptrdiff_t)length);
}

#define LOOK_LENGTH(call, length) ((ptrdiff_t)(length) < 0 ? refuse_length(call, length, HERE) : (void)0)

/* A string with its zero is read. */
static size_t
libcall_read_string(const char *text, void *pc)
{
    size_t bytes = strlen(text);

    watch_text(text, bytes + 1, false, pc);
    return bytes;
}

static size_t
read_up_to(const char *text, size_t most, void *pc)
{
    size_t bytes = strnlen(text, most);

    watch_text(text, bytes < most ? bytes + 1 : bytes, false, pc);
    return bytes;
}

/* ------------------------------------------------------------------ memory that is allocated and freed */

/* Memory of the node in a watched run, otherwise a block of the C library. */
static void *
libcall_allocate(size_t bytes, size_t align, bool zero, void *pc)
{
    struct node *node = watch_node();

    return node ? heap_malloc(node, bytes, align, zero, pc) : blocks_malloc(bytes, align, zero, pc);
}

WRAP(void *, malloc, size_t bytes)
{
    LOOK_LENGTH("malloc", bytes);
    return libcall_allocate(bytes, 16, false, HERE);
}

WRAP(void *, calloc, size_t count, size_t bytes)
{
    size_t total;

    LOOK_LENGTH("calloc", count);
    LOOK_LENGTH("calloc", bytes);
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return libcall_allocate(total, 16, true, HERE);
}

#if PEAL_PROCESSES
/* The new of the C++ library, which is loaded with a program, not for this library. */
static void *
libcall_find_new(void)
{
    static const char *const names[] = {"libstdc++.so.6", "libc++.so.1"};
    void *address = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !address; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);

        if (library) {
            address = dlsym(library, "_Znwm");
            dlclose(library);
        }
    }
    return address;
}

#else
static void *
libcall_find_new(void)
{
    return NULL;
}
#endif

/* C++'s new: without memory the library's own throws. */
static void *
make_new(size_t bytes, size_t align, bool throws, void *pc)
{
    struct node *node = watch_node();
    void *memory = node ? heap_new(node, bytes, align, pc) : blocks_malloc(bytes, align, false, pc);
    void *address = memory || !throws ? NULL : libcall_find_new(), *(*own)(size_t bytes);

    if (!address)
        return memory;
    memcpy(&own, &address, sizeof own); /* C has no cast from data to function */
    return own(bytes);
}

/* Its forms, of one object or of several. */
#define WRAP_NEW(name, align, throws, ...)                                                                             \
    WRAP(void *, name, __VA_ARGS__)                                                                                    \
    {                                                                                                                  \
        return make_new(bytes, align, throws, HERE);                                                                   \
    }
#define NOTHROW __attribute__((unused)) const void *nothrow
WRAP_NEW(_Znwm, 0, true, size_t bytes)
WRAP_NEW(_Znam, 0, true, size_t bytes)
WRAP_NEW(_ZnwmSt11align_val_t, align, true, size_t bytes, size_t align)
WRAP_NEW(_ZnamSt11align_val_t, align, true, size_t bytes, size_t align)
WRAP_NEW(_ZnwmRKSt9nothrow_t, 0, false, size_t bytes, NOTHROW)
WRAP_NEW(_ZnamRKSt9nothrow_t, 0, false, size_t bytes, NOTHROW)
WRAP_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, align, false, size_t bytes, size_t align, NOTHROW)
WRAP_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, align, false, size_t bytes, size_t align, NOTHROW)

static void *
change(void *memory, size_t bytes, void *pc)
{
    struct node *node = watch_node();
    size_t before;

    if (node && memory && !heap_bytes(memory, &before) && shadow_get((uintptr_t)memory / 8 * 8))
        report_fault_free(node, (uintptr_t)memory, "realloc", &(struct access_site){.pc = pc});
    if (!node || (memory && !heap_bytes(memory, &before)))
        return blocks_realloc(memory, bytes, pc);
    void *more = heap_malloc(node, bytes, 16, false, pc);

    if (!memory || !more)
        return more;
    watch_copy(more, memory, before < bytes ? before : bytes, pc);
    memcpy(more, memory, before < bytes ? before : bytes);
    heap_free(node, memory, pc);
    return more;
}

WRAP(void *, realloc, void *memory, size_t bytes)
{
    LOOK_LENGTH("realloc", bytes);
    return change(memory, bytes, HERE);
}

WRAP(void *, reallocarray, void *memory, size_t count, size_t bytes)
{
    size_t total;

    LOOK_LENGTH("reallocarray", count);
    LOOK_LENGTH("reallocarray", bytes);
    if (!__builtin_mul_overflow(count, bytes, &total))
        return change(memory, total, HERE);
    errno = ENOMEM;
    return NULL;
}

WRAP(void, free, void *memory)
{
    struct node *node = watch_node();

    if (node && memory) {
        heap_free(node, memory, HERE);
        return;
    }
    blocks_free(memory, HERE);
}

WRAP(void *, aligned_alloc, size_t align, size_t bytes)
{
    LOOK_LENGTH("aligned_alloc", bytes);
    return libcall_allocate(bytes, align, false, HERE);
}

WRAP(void *, memalign, size_t align, size_t bytes)
{
    return libcall_allocate(bytes, align, false, HERE);
}

WRAP(int, posix_memalign, void **memory, size_t align, size_t bytes)
{
    if (align % sizeof *memory != 0 || align == 0 || (align & (align - 1)) != 0)
        return EINVAL;
    watch_range(memory, sizeof *memory, true, HERE);
    *memory = libcall_allocate(bytes, align, false, HERE);
    return *memory ? 0 : ENOMEM;
}

static char *
libcall_duplicate(const char *text, size_t bytes, void *pc)
{
    char *copy = libcall_allocate(bytes + 1, 16, true, pc);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

WRAP(char *, strdup, const char *text)
{
    return libcall_duplicate(text, libcall_read_string(text, HERE), HERE);
}

WRAP(char *, strndup, const char *text, size_t most)
{
    return libcall_duplicate(text, read_up_to(text, most, HERE), HERE);
}

/* ------------------------------------------------------------------ memory that is read and written */

/* What the calls return where there is nothing to copy. */
static void *
memcpy_end(void *to, size_t bytes)
{
    (void)bytes;
    return to;
}

#define memmove_end memcpy_end

static void *
mempcpy_end(void *to, size_t bytes)
{
    return (char *)to + bytes;
}

/* The copies are called under two names: clang has its own for -fsanitize=thread. */
#define WRAP_COPY(wrapped, name)                                                                                       \
    WRAP(void *, wrapped, void *to, const void *from, size_t bytes)                                                    \
    {                                                                                                                  \
        LOOK_LENGTH(#name, bytes);                                                                                     \
        watch_copy(to, from, bytes, HERE);                                                                             \
        return unbacked_swallows(to, bytes) ? name##_end(to, bytes) : name(to, from, bytes);                           \
    }
WRAP_COPY(memcpy, memcpy)
WRAP_COPY(mempcpy, mempcpy)
WRAP_COPY(memmove, memmove)
WRAP_COPY(__tsan_memcpy, memcpy)
WRAP_COPY(__tsan_memmove, memmove)

#define WRAP_SET(wrapped)                                                                                              \
    WRAP(void *, wrapped, void *to, int byte, size_t bytes)                                                            \
    {                                                                                                                  \
        LOOK_LENGTH("memset", bytes);                                                                                  \
        watch_range(to, bytes, true, HERE);                                                                            \
        return unbacked_swallows(to, bytes) ? to : memset(to, byte, bytes);                                            \
    }
WRAP_SET(memset)
WRAP_SET(__tsan_memset)

WRAP(void, bzero, void *to, size_t bytes)
{
    LOOK_LENGTH("bzero", bytes);
    watch_range(to, bytes, true, HERE);
    memset(to, 0, bytes);
}

WRAP(int, memcmp, const void *left, const void *right, size_t bytes)
{
    LOOK_LENGTH("memcmp", bytes);
    watch_range(left, bytes, false, HERE);
    watch_range(right, bytes, false, HERE);
    return memcmp(left, right, bytes);
}

/* Up to C17 these functions take a const pointer and return a plain one; glibc 2.43 has macros that keep const. */
static void *
unconst(const void *found)
{
    return (void *)(uintptr_t)found;
}

WRAP(void *, memchr, const void *memory, int byte, size_t bytes)
{
    const char *found = memchr(memory, byte, bytes);

    watch_range(memory, found ? (size_t)(found - (const char *)memory) + 1 : bytes, false, HERE);
    return unconst(found);
}

WRAP(size_t, strlen, const char *text)
{
    return libcall_read_string(text, HERE);
}

WRAP(char *, strcpy, char *to, const char *from)
{
    size_t bytes = libcall_read_string(from, HERE) + 1;

    watch_text(to, bytes, true, HERE);
    return memcpy(to, from, bytes);
}

WRAP(char *, strncpy, char *to, const char *from, size_t bytes)
{
    read_up_to(from, bytes, HERE);
    LOOK_LENGTH("strncpy", bytes);
    watch_range(to, bytes, true, HERE);
    return strncpy(to, from, bytes);
}

static char *
libcall_append(char *to, const char *from, size_t bytes, void *pc)
{
    char *end = to + libcall_read_string(to, pc);

    watch_text(end, bytes + 1, true, pc);
    memmove(end, from, bytes);
    end[bytes] = '\0';
    return to;
}

WRAP(char *, strcat, char *to, const char *from)
{
    return libcall_append(to, from, libcall_read_string(from, HERE), HERE);
}

WRAP(char *, strncat, char *to, const char *from, size_t most)
{
    return libcall_append(to, from, read_up_to(from, most, HERE), HERE);
}

WRAP(int, strcmp, const char *left, const char *right)
{
    libcall_read_string(left, HERE);
    libcall_read_string(right, HERE);
    return strcmp(left, right);
}

WRAP(int, strncmp, const char *left, const char *right, size_t bytes)
{
    read_up_to(left, bytes, HERE);
    read_up_to(right, bytes, HERE);
    return strncmp(left, right, bytes);
}

WRAP(char *, strchr, const char *text, int character)
{
    libcall_read_string(text, HERE);
    return unconst(strchr(text, character));
}

WRAP(char *, strrchr, const char *text, int character)
{
    libcall_read_string(text, HERE);
    return unconst(strrchr(text, character));
}

WRAP(char *, strstr, const char *text, const char *part)
{
    libcall_read_string(text, HERE);
    libcall_read_string(part, HERE);
    return unconst(strstr(text, part));
}

/* ------------------------------------------------------------------ text that is written into memory */

/* Write at most `room` bytes; look at what will be written. */
static int
libcall_print(char *to, size_t room, const char *format, va_list list, void *pc)
{
    va_list again;

    use_print(format, list, pc);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0 && room > 0)
        watch_text(to, (size_t)length < room ? (size_t)length + 1 : room, true, pc);
    return vsnprintf(to, room, format, list);
}

WRAP(int, vsnprintf, char *to, size_t room, const char *format, va_list list)
{
    return libcall_print(to, room, format, list, HERE);
}

WRAP(int, vsprintf, char *to, const char *format, va_list list)
{
    return libcall_print(to, INT32_MAX, format, list, HERE);
}

WRAP(int, snprintf, char *to, size_t room, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int length = libcall_print(to, room, format, list, HERE);
    va_end(list);
    return length;
}

WRAP(int, sprintf, char *to, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int length = libcall_print(to, INT32_MAX, format, list, HERE);
    va_end(list);
    return length;
}

WRAP(void, qsort, void *base, size_t count, size_t bytes, int (*compare)(const void *left, const void *right))
{
    if (count > 1) {
        watch_range(base, count * bytes, false, HERE);
        watch_range(base, count * bytes, true, HERE);
    }
    qsort(base, count, bytes, compare);
}

/* ------------------------------------------------------------------ for programs that are linked already */

#if PEAL_PROCESSES
/* In other runs, and for other names, only the lengths are checked. */
static void *
plain_malloc(size_t bytes)
{
    LOOK_LENGTH("malloc", bytes);
    return malloc(bytes);
}

static void *
plain_calloc(size_t count, size_t bytes)
{
    LOOK_LENGTH("calloc", count);
    LOOK_LENGTH("calloc", bytes);
    return calloc(count, bytes);
}

static void *
plain_realloc(void *memory, size_t bytes)
{
    LOOK_LENGTH("realloc", bytes);
    return blocks_realloc(memory, bytes, HERE);
}

#define PLAIN_COPY(name)                                                                                               \
    static void *plain_##name(void *to, const void *from, size_t bytes)                                                \
    {                                                                                                                  \
        LOOK_LENGTH(#name, bytes);                                                                                     \
        return name(to, from, bytes);                                                                                  \
    }
PLAIN_COPY(memcpy)
PLAIN_COPY(memmove)

/* With -D_FORTIFY_SOURCE calls also have the room as an argument. */
#define PLAIN_CHECKED(name)                                                                                            \
    static void *checked_##name(void *to, const void *from, size_t bytes, size_t room)                                 \
    {                                                                                                                  \
        LOOK_LENGTH(#name, bytes);                                                                                     \
        return __builtin___##name##_chk(to, from, bytes, room);                                                        \
    }
PLAIN_CHECKED(memcpy)
PLAIN_CHECKED(memmove)

static void *
checked_memset(void *to, int byte, size_t bytes, size_t room)
{
    LOOK_LENGTH("memset", bytes);
    return __builtin___memset_chk(to, byte, bytes, room);
}

static void *
plain_memset(void *to, int byte, size_t bytes)
{
    LOOK_LENGTH("memset", bytes);
    return memset(to, byte, bytes);
}

/* The function to which a linked program's call of this name goes. */
static void *
address_of(const char *name)
{
#define CALL(name) {#name, (void (*)(void))peal_wrap_##name},
    static const struct interpose_call calls[] = {INSTRUMENT_CALLS(CALL)};
    typedef void (*plain_call)(void);
    static const struct interpose_call plain[] = {
        {"malloc", (plain_call)plain_malloc},         {"calloc", (plain_call)plain_calloc},
        {"realloc", (plain_call)plain_realloc},       {"memcpy", (plain_call)plain_memcpy},
        {"memmove", (plain_call)plain_memmove},       {"memset", (plain_call)plain_memset},
        {"__memcpy_chk", (plain_call)checked_memcpy}, {"__memmove_chk", (plain_call)checked_memmove},
        {"__memset_chk", (plain_call)checked_memset},
    };
    void *address = NULL;

    if (linked_heap_begins()) {
        address = interpose_find(calls, sizeof calls / sizeof *calls, name);
        if (!address && linked_watched())
            address = use_call_address(name);
        if (!address)
            address = linked_heap_address(name);
    }
    return address ? address : interpose_find(plain, sizeof plain / sizeof *plain, name);
}

__attribute__((constructor)) static void
offer(void)
{
    interpose_further = address_of;
}
#endif
