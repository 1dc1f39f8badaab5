/* SPDX-License-Identifier: MIT */
/* The heap of linked programs: the C library's, whose blocks are noted (linked_blocks.h). */
#include "lib/memory/linked_blocks.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_linked.h"
#include "lib/program/interpose.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

void *
blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc)
{
    size_t all = bytes + (blocks_are_kept() ? blocks_added : 0);
    void *memory;

    if (all < bytes) {
        errno = ENOMEM;
        return NULL;
    }
    memory = align > 16 ? memalign(align, all) : zero ? calloc(1, all) : malloc(all);
    if (memory && blocks_are_kept()) {
        blocks_add(memory, bytes, FROM_MALLOC, pc);
        if (blocks_added > 0)
            linked_given(memory, bytes, blocks_added, zero);
    }
    return memory;
}

void *
blocks_realloc(void *memory, size_t bytes, const void *pc)
{
    size_t all = bytes + blocks_added;
    struct peal_block block;
    void *more;

    if (!memory)
        return blocks_malloc(bytes, 0, false, pc);
    if (linked_node() && bytes > 0 && blocks_find_whole(memory, &block)) {
        size_t same = block.bytes < bytes ? block.bytes : bytes;

        if ((more = blocks_malloc(bytes, 0, false, pc))) {
            watch_copy(more, memory, same, (void *)(uintptr_t)pc);
            memcpy(more, memory, same);
            linked_free(linked_node(), memory, pc);
        }
        return more;
    }
    if (!blocks_drop(memory) || bytes == 0 || all < bytes)
        return realloc(memory, bytes);
    if ((more = realloc(memory, all)))
        blocks_add(more, bytes, FROM_MALLOC, pc);
    return more;
}

void
blocks_free(void *memory, const void *pc)
{
    struct node *node = memory ? linked_node() : NULL;

    if (node)
        linked_free(node, memory, pc);
    else
        blocks_return(memory);
}

void
peal_block_note(const void *begin, size_t bytes, const void *call, bool fresh)
{
    struct peal_block block;

    if (call && blocks_are_kept()) {
        blocks_add((void *)(uintptr_t)begin, bytes, 0, call);
        if (fresh)
            linked_given((void *)(uintptr_t)begin, bytes, PEAL_BLOCK_BEHIND, false);
    } else if (blocks_find_whole(begin, &block)) {
        blocks_forget(&block);
    }
}

/* ------------------------------------------------------------------ bound */

/* Calls that are redirected to Peal only for linked programs, in strict runs. */

static void *
linked_mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
    char *memory = mmap(at, bytes, rights, flags, fd, offset);

    if (memory != MAP_FAILED && !at) /* otherwise it may be part of a larger one */
        blocks_add(memory, bytes, FROM_MMAP, __builtin_return_address(0));
    return memory;
}

/* Forget the mappings that begin there, and the one that reaches into it. */
static void
forget_mapping(const void *memory, size_t bytes)
{
    struct peal_block block;

    if (blocks_find(memory, &block))
        blocks_drop(block.begin);
    blocks_clear((uintptr_t)memory, (uintptr_t)memory + bytes);
}

static int
linked_munmap(void *memory, size_t bytes)
{
    forget_mapping(memory, bytes);
    return munmap(memory, bytes);
}

static void *
linked_mremap(void *memory, size_t bytes, size_t more, int flags, void *to)
{
    forget_mapping(memory, bytes);
    return mremap(memory, bytes, more, flags, to);
}

static void *
linked_valloc(size_t bytes)
{
    return blocks_malloc(bytes, (size_t)sysconf(_SC_PAGESIZE), false, __builtin_return_address(0));
}

/* The C library reallocates the line. */
static ssize_t
linked_getdelim(char **line, size_t *room, int end, FILE *from)
{
    struct peal_block block;

    if (line && blocks_find_whole(*line, &block))
        blocks_forget(&block);
    return getdelim(line, room, end, from);
}

static ssize_t
linked_getline(char **line, size_t *room, FILE *from)
{
    return linked_getdelim(line, room, '\n', from);
}

static void
linked_delete(void *memory)
{
    blocks_free(memory, __builtin_return_address(0));
}

void *
linked_heap_address(const char *name)
{
#define CALL(name, function)                                                                                           \
    {                                                                                                                  \
        name, (linked_call)(function)                                                                                  \
    }
    typedef void (*linked_call)(void);
    static const struct interpose_call all[] = {
        CALL("mmap", linked_mmap),         CALL("mmap64", linked_mmap),         CALL("munmap", linked_munmap),
        CALL("mremap", linked_mremap),     CALL("valloc", linked_valloc),       CALL("getline", linked_getline),
        CALL("getdelim", linked_getdelim), CALL("__getdelim", linked_getdelim),
    };
    static const char *const deletes[] = {"_ZdlPv", "_ZdaPv"}; /* and what follows: a size, an alignment, nothrow */
    void *address = interpose_find(all, sizeof all / sizeof *all, name);

    for (size_t i = 0; i < sizeof deletes / sizeof *deletes && !address; i++)
        if (strncmp(name, deletes[i], 6) == 0)
            address = interpose_find(&(struct interpose_call){name, (linked_call)linked_delete}, 1, name);
    return address;
}

bool
linked_heap_begins(void)
{
    bool watched = linked_watched(), roomy = false;

#ifndef __SANITIZE_ADDRESS__ /* Peal's own sanitizer would end the run in Peal's copy, after the finding */
    roomy = dlsym(RTLD_DEFAULT, "__asan_init");
#endif
    return getenv("PEAL_STRICT") || watched ? blocks_begin(watched, roomy) : blocks_are_kept();
}
