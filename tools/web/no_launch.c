/* SPDX-License-Identifier: MIT */
/* A build without processes starts no MPI job and is in none. */
#include "run/launch.h"

bool
launch_needed(const struct command_request *request)
{
    (void)request;
    return false;
}

int
launch(const struct command_request *request, char **argv)
{
    (void)request, (void)argv;
    return PEAL_RESOURCES; /* not reached: none is needed */
}

enum peal_status
launch_join(struct command_request *request, struct peal_error *error)
{
    (void)request, (void)error;
    return PEAL_OK;
}

bool
launch_is_silent(void)
{
    return false;
}

int
launch_leave(int code)
{
    return code;
}
