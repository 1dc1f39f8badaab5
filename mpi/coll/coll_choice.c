/* SPDX-License-Identifier: MIT */
/* The algorithm that carries out a collective: the cheapest, or that of --coll (the variable PEAL_COLL), as in
 * allreduce=ring,broadcast=chain:16. */
#include "mpi/coll/coll.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By collective; read before the nodes of a run start, then constant.  NULL: the cheapest. */
const char *coll_named[PEAL_COLLECTIVES];
static bool said[PEAL_COLLECTIVES]; /* reported that it did not fit a call; written by the node that found it */
static char *text;

bool
coll_configure(void)
{
    const char *wanted = getenv("PEAL_COLL");
    struct peal_error error;
    char *rest = NULL;

    memset(coll_named, 0, sizeof coll_named);
    memset(said, 0, sizeof said);
    free(text);
    text = wanted ? strdup(wanted) : NULL;
    for (char *one = text ? strtok_r(text, ",", &rest) : NULL; one; one = strtok_r(NULL, ",", &rest)) {
        enum peal_collective collective;
        char *name = strchr(one, '=');

        if (name)
            *name++ = '\0';
        if (!name || !peal_collective_find(one, &collective)) {
            fprintf(stderr, "peal: --coll: expected COLLECTIVE=ALGORITHM, as in allreduce=ring, got '%s'\n", one);
            return false;
        }
        if (peal_algorithm_check(collective, name, &error) != PEAL_OK) {
            fprintf(stderr, "peal: --coll: %s\n", error.text);
            return false;
        }
        coll_named[collective] = name;
    }
    return true;
}

/* The library may be unloaded before the process ends. */
__attribute__((destructor)) static void
forget_choice(void)
{
    free(text);
}

const char *
coll_named_algorithm(struct mpi *mpi, const struct comm *comm, enum peal_collective collective, size_t words,
                     const struct peal_op *op, int root, bool unequal)
{
    const char *name = coll_named[collective];
    struct peal_error error;
    struct peal_situation situation;
    int parameter;

    situation =
        peal_situation_on(peal_node_options(comm->view), peal_is_world(comm->view) ? peal_node_network(mpi->me) : NULL);
    situation.collective = collective;
    situation.nodes = comm->size;
    situation.words = words;
    situation.op = op;
    situation.root = root;
    situation.unequal = unequal;
    const struct peal_algorithm *algorithm = peal_algorithm_parse(collective, name, &parameter);

    situation.parameter = parameter;
    if (!algorithm || peal_algorithm_fits(algorithm, &situation, &error) == PEAL_OK)
        return name;
    if (comm->rank == 0 && !said[collective]) {
        said[collective] = true;
        fprintf(stderr, "peal: note: --coll %s=%s does not fit a call, which takes the cheapest: %s\n",
                peal_collective_name(collective), name, error.text);
    }
    return NULL;
}
