/* SPDX-License-Identifier: MIT */
/* A build without processes starts neither clang nor a solver. */
#include "lib/proof/every.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum peal_status
peal_every_available(const char *solver, struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "this build starts no solver (processes are left out of it)");
}

enum peal_status
peal_every_make(const struct every_request *request, struct every *proof, struct peal_error *error)
{
    return peal_every_available(request->solver, error);
}

bool
peal_every_follows(enum peal_collective collective)
{
    return false;
}
