/* SPDX-License-Identifier: MIT */
/* Proves one function of a file, and compares nothing with runs:
 * prove SOURCES COLLECTIVE FILE FUNCTION [even|2^q|m|one-port|mpi|commutes|off-0|half|K|9..16|cvc5]...
 * m: its blocks are of one length, as a user's are; one-port: it asks for the ports; mpi: it is one for MPI; K: its
 * parameter; half: that is half of 2^⌈log₂P⌉; 9..16: of a function that is run by classes of P, this one alone, or
 * another; cvc5: the solver, for z3. */
#include "lib/proof/every.h"
#include <inttypes.h>
#include <peal/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    static const char *const ends[] = {"proved", "not followed", "fails", "unknown"};
    struct every_request request = {.solver = "z3", .order = EVERY_RANK_ORDER};
    struct peal_error error;
    struct every every;

    if (argc < 5 || !peal_collective_find(argv[2], &request.collective)) {
        fprintf(stderr, "prove SOURCES COLLECTIVE FILE FUNCTION "
                        "[even|2^q|m|one-port|mpi|commutes|off-0|half|K|9..16|cvc5]...\n");
        return 2;
    }
    request.top = argv[1];
    request.file = argv[3];
    request.function = argv[4];
    for (int i = 5; i < argc; i++) {
        request.even |= strcmp(argv[i], "even") == 0;
        request.one_length |= strcmp(argv[i], "m") == 0;
        request.one_port |= strcmp(argv[i], "one-port") == 0;
        request.power_of_two |= strcmp(argv[i], "2^q") == 0;
        if (strstr(argv[i], ".."))
            request.only = __builtin_ctzll(strtoull(strstr(argv[i], "..") + 2, NULL, 10));
        if (strcmp(argv[i], "cvc5") == 0)
            request.solver = argv[i];
        if (strcmp(argv[i], "mpi") == 0)
            request.arguments = peal_check_arguments(request.collective, false);
        if (strcmp(argv[i], "commutes") == 0)
            request.order = EVERY_ANY_ORDER;
        else if (strcmp(argv[i], "off-0") == 0)
            request.order = EVERY_ANY_ORDER_OFF_0;
        for (int q = 0; q <= EVERY_LOG; q++)
            if (strcmp(argv[i], "half") == 0)
                request.parameters[q] = q < 2 ? 1 : 1 << (q - 1);
            else if (strcmp(argv[i], "2^q") != 0 && !strstr(argv[i], "..") && strtol(argv[i], NULL, 10) > 0)
                request.parameters[q] = (int)strtol(argv[i], NULL, 10);
    }
    if (peal_every_make(&request, &every, &error) != PEAL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    printf("%s", ends[every.end]);
    if (every.end == EVERY_FAILS)
        printf(" P = %" PRId64, every.nodes);
    printf(": %s\n", every.text);
    return every.end != EVERY_PROVED;
}
