/* SPDX-License-Identifier: MIT */
/* The last load and the last store of each 4 bytes, in pages.  The node's earlier ones are not needed: what comes after
 * the last also comes after them. */
#include "mpi/strict/own_access.h"
#include <stdlib.h>

enum { LOADED, STORED, ACCESSES };
enum { CELL_BYTES = 4, PAGE_BITS = 12, PAGE_CELLS = (1 << PAGE_BITS) / CELL_BYTES, SITES = UINT16_MAX };

struct own_cell {
    uint32_t time[ACCESSES];
    uint16_t site[ACCESSES];
    uint8_t bytes[ACCESSES]; /* one bit each */
};

struct own_page {
    uintptr_t number;
    struct own_cell cells[PAGE_CELLS];
};

/* An open hash; the room is a power of two. */
struct own_pages {
    size_t count, room;
    struct own_page **list;
};

static struct own_site *sites; /* an open hash; from 1; guarded by the caller's lock */
static size_t site_count;

static uint64_t
own_access_hash(uint64_t number)
{
    return number * UINT64_C(0x9E3779B97F4A7C15) >> 20;
}

/* The number of a site; 0: there are too many. */
static uint16_t
own_access_site_number(struct own_site site)
{
    if (!sites && !(sites = calloc(SITES + 1, sizeof *sites)))
        return 0;
    size_t at = own_access_hash((uintptr_t)site.site) % SITES + 1;

    while (sites[at].site && (sites[at].site != site.site || sites[at].call != site.call))
        at = at % SITES + 1;
    if (!sites[at].site && site_count >= SITES / 2)
        return 0;
    site_count += !sites[at].site;
    sites[at] = site;
    return (uint16_t)at;
}

static struct own_page **
page_at(const struct own_pages *pages, uintptr_t number)
{
    size_t at = own_access_hash(number) & (pages->room - 1);

    while (pages->list[at] && pages->list[at]->number != number)
        at = (at + 1) & (pages->room - 1);
    return &pages->list[at];
}

static bool
own_pages_grow(struct own_pages *pages)
{
    struct own_pages more = {pages->count, pages->room ? 2 * pages->room : 16, NULL};

    if (!(more.list = calloc(more.room, sizeof(struct own_page *))))
        return false;
    for (size_t i = 0; i < pages->room; i++)
        if (pages->list[i])
            *page_at(&more, pages->list[i]->number) = pages->list[i];
    free(pages->list);
    *pages = more;
    return true;
}

/* The page of an address, made if it is not there; NULL without memory. */
static struct own_page *
page_make(struct own_pages **pages, uintptr_t address)
{
    if (!*pages && !(*pages = calloc(1, sizeof **pages)))
        return NULL;
    if (2 * ((*pages)->count + 1) > (*pages)->room && !own_pages_grow(*pages))
        return NULL;
    struct own_page **at = page_at(*pages, address >> PAGE_BITS);

    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->number = address >> PAGE_BITS;
        (*pages)->count++;
    }
    return *at;
}

static struct own_page *
page_find(const struct own_pages *pages, uintptr_t address)
{
    return pages && pages->room ? *page_at(pages, address >> PAGE_BITS) : NULL;
}

/* The bytes of the cell at `at` that lie in the range, one bit each; *next: the cell behind it. */
static uint8_t
bytes_in(uintptr_t at, uintptr_t begin, uintptr_t end, uintptr_t *next)
{
    uintptr_t cell = at & ~(uintptr_t)(CELL_BYTES - 1), low = begin > cell ? begin - cell : 0,
              high = end < cell + CELL_BYTES ? end - cell : CELL_BYTES;

    *next = cell + CELL_BYTES;
    return (uint8_t)(((1U << high) - 1) & ~((1U << low) - 1));
}

static struct own_cell *
own_page_cell(struct own_page *page, uintptr_t at)
{
    return &page->cells[(at & ((1 << PAGE_BITS) - 1)) / CELL_BYTES];
}

void
own_add(struct own_pages **pages, const struct byte_span *span, bool writes, struct own_site site, uint32_t time)
{
    int access = writes ? STORED : LOADED;
    uint16_t number = own_access_site_number(site);
    char *end;

    for (int i = 0; i < span->count && number; i++) {
        uintptr_t at = (uintptr_t)span_piece(span, i, &end), begin = at, next;

        for (; at < (uintptr_t)end; at = next) {
            struct own_page *page = page_make(pages, at);
            uint8_t bytes = bytes_in(at, begin, (uintptr_t)end, &next);

            if (!page)
                return;
            struct own_cell *cell = own_page_cell(page, at);
            bool same = cell->time[access] == time && cell->site[access] == number;

            cell->bytes[access] = (uint8_t)(same ? cell->bytes[access] | bytes : bytes);
            cell->time[access] = time;
            cell->site[access] = number;
        }
    }
}

void
own_forget(struct own_pages *pages, const char *begin, size_t bytes, const char *site)
{
    uintptr_t at = (uintptr_t)begin, end = at + bytes, next;

    for (; at < end; at = next) {
        struct own_page *page = page_find(pages, at);
        struct own_cell *cell = page ? own_page_cell(page, at) : NULL;

        bytes_in(at, at, end, &next);
        if (cell && !site)
            *cell = (struct own_cell){{0}, {0}, {0}};
        else if (cell && sites[cell->site[LOADED]].site == site)
            cell->bytes[LOADED] = 0;
    }
}

/* Count a cell's access. */
static int
own_access_count(struct own_found *found, int known, int most, struct own_found one)
{
    for (int i = 0; i < known; i++)
        if (found[i].site.site == one.site.site && found[i].writes == one.writes) {
            found[i].bytes += one.bytes;
            return known;
        }
    if (known < most)
        found[known++] = one;
    return known;
}

int
own_find(const struct own_pages *pages, const struct byte_span *span, bool stores, uint32_t time,
         struct own_found *found, int most)
{
    int known = 0;
    char *end;

    for (int i = 0; i < span->count && pages; i++) {
        uintptr_t at = (uintptr_t)span_piece(span, i, &end), begin = at, next;

        for (; at < (uintptr_t)end; at = next) {
            struct own_page *page = page_find(pages, at);

            if (!page) {
                next = ((at >> PAGE_BITS) + 1) << PAGE_BITS;
                continue;
            }
            const struct own_cell *cell = own_page_cell(page, at);
            uint8_t bytes = bytes_in(at, begin, (uintptr_t)end, &next);

            for (int access = stores ? STORED : LOADED; access < ACCESSES; access++)
                if ((cell->bytes[access] & bytes) && cell->time[access] > time)
                    known = own_access_count(found, known, most,
                                             (struct own_found){sites[cell->site[access]], access == STORED,
                                                                (size_t)__builtin_popcount(cell->bytes[access] & bytes),
                                                                (const char *)at});
        }
    }
    return known;
}

void
own_pages_free(struct own_pages *pages)
{
    for (size_t i = 0; pages && i < pages->room; i++)
        free(pages->list[i]);
    if (pages)
        free(pages->list);
    free(pages);
}

void
own_sites_free(void)
{
    free(sites);
    sites = NULL;
    site_count = 0;
}
