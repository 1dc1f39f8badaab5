/* SPDX-License-Identifier: MIT */
/* When, and where in its code, a node last loaded each place of its own window memory, and stored to it. */
#pragma once

#include "mpi/strict/span.h"

/* A place in the code: of the program's own access, or of a call with its buffer. */
struct own_site {
    const char *site, *call; /* NULL: the program's own */
};

struct own_pages;

/* Remember an access of this time.  Nothing happens without memory. */
void own_add(struct own_pages **pages, const struct byte_span *span, bool writes, struct own_site site, uint32_t time);

/* Forget the accesses to the bytes; with a site, only the loads there. */
void own_forget(struct own_pages *pages, const char *begin, size_t bytes, const char *site);

/* Accesses at one place that are later than `time`: how many bytes of the span, at which address first. */
struct own_found {
    struct own_site site;
    bool writes;
    size_t bytes;
    const char *first;
};

/* Find those, or only stores; at most `most` places.  Gives how many. */
int own_find(const struct own_pages *pages, const struct byte_span *span, bool stores, uint32_t time,
             struct own_found *found, int most);

void own_pages_free(struct own_pages *pages);
void own_sites_free(void);
