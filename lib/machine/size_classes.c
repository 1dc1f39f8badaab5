/* SPDX-License-Identifier: MIT */
/* An allocator of powers of two on pages of its own, so that a program that damages the heap leaves it whole. */
#include "lib/machine/size_classes.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Before each block. */
struct head {
    size_t bytes;      /* with this */
    struct head *next; /* while it is free */
};

enum { MIN = 6, MAX = 13, CHUNK_BYTES = 1 << 18 }; /* blocks of 2^6 to 2^13 bytes are cut from chunks */
enum { KEPT = 3, KEPT_BYTES = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct head *spare[MAX + 1];
static char *fresh, *fresh_end;

/* The pages freed last, which the next machine takes: touching a page first costs more than all else of a node. */
static struct pages {
    void *memory;
    size_t bytes;
} kept[KEPT];
static int replaced; /* the one that goes next */

static void *
own_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void *
own_pages(size_t bytes)
{
    void *memory = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && !memory; i++)
        if (kept[i].bytes == bytes) {
            memory = kept[i].memory;
            kept[i] = (struct pages){NULL, 0};
        }
    pthread_mutex_unlock(&lock);
    return memory ? memset(memory, 0, bytes) : own_map(bytes);
}

void
own_unmap(void *memory, size_t bytes)
{
    struct pages old = {memory, bytes};

    if (memory && bytes <= KEPT_BYTES) {
        pthread_mutex_lock(&lock);
        old = kept[replaced];
        kept[replaced] = (struct pages){memory, bytes};
        replaced = (replaced + 1) % KEPT;
        pthread_mutex_unlock(&lock);
    }
    if (old.memory)
        munmap(old.memory, old.bytes);
}

void
own_pages_forget(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT; i++) {
        if (kept[i].memory)
            munmap(kept[i].memory, kept[i].bytes);
        kept[i] = (struct pages){NULL, 0};
    }
    pthread_mutex_unlock(&lock);
}

/* A block of 2^power bytes; the caller has the lock. */
static struct head *
own_take(int power)
{
    struct head *head = spare[power];
    size_t bytes = (size_t)1 << power;

    if (head) {
        spare[power] = head->next;
        return head;
    }
    if ((size_t)(fresh_end - fresh) < bytes) { /* the rest of the old chunk is lost */
        char *chunk = own_map(CHUNK_BYTES);

        if (!chunk)
            return NULL;
        fresh = chunk;
        fresh_end = chunk + CHUNK_BYTES;
    }
    head = (struct head *)(void *)fresh;
    fresh += bytes;
    head->bytes = bytes;
    return head;
}

void *
own_alloc(size_t bytes)
{
    struct head *head = NULL;
    int power = MIN;

    if (__builtin_add_overflow(bytes, sizeof *head, &bytes))
        return NULL;
    while (power <= MAX && (size_t)1 << power < bytes)
        power++;
    if (power > MAX) {
        if ((head = own_map(bytes)))
            head->bytes = bytes;
        return head ? head + 1 : NULL;
    }
    pthread_mutex_lock(&lock);
    head = own_take(power);
    pthread_mutex_unlock(&lock);
    return head ? head + 1 : NULL;
}

void
own_free(void *memory)
{
    struct head *head = memory ? (struct head *)memory - 1 : NULL;

    if (!head)
        return;
    if (head->bytes > (size_t)1 << MAX) {
        munmap(head, head->bytes);
        return;
    }
    int power = __builtin_ctzll(head->bytes);

    pthread_mutex_lock(&lock);
    head->next = spare[power];
    spare[power] = head;
    pthread_mutex_unlock(&lock);
}
