/* SPDX-License-Identifier: MIT */
/* The algorithms, one a file.  A new one is its file, one line here, and one in catalog.c's table. */
#ifndef ALGORITHMS_CATALOG_H
#define ALGORITHMS_CATALOG_H

#include <peal/collective.h>

extern const struct peal_algorithm scatter_binomial, scatter_linear, scatter_rda, scatter_rda_smaller;
extern const struct peal_algorithm gather_binomial, gather_linear, gather_rda;
extern const struct peal_algorithm broadcast_binomial, broadcast_linear, broadcast_rda, broadcast_scatter_allgather;
extern const struct peal_algorithm reduce_binomial, reduce_linear;
extern const struct peal_algorithm allgather_ring, allgather_gather_broadcast;
extern const struct peal_algorithm reduce_scatter_ring;
extern const struct peal_algorithm allreduce_reduce_broadcast, allreduce_reduce_scatter_allgather;
extern const struct peal_algorithm alltoall_shift;
extern const struct peal_algorithm barrier_dissemination;

/* Refuse a name that the catalogue lacks: says which names it has. */
enum peal_status catalog_refuse_name(enum peal_collective collective, const char *name, struct peal_error *error);

#endif
