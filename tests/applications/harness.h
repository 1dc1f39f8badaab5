/* SPDX-License-Identifier: MIT */
/* Shared by the tests of applications: run one with its result compared, and keep its schedule. */
#ifndef TESTS_APPLICATIONS_HARNESS_H
#define TESTS_APPLICATIONS_HARNESS_H

#include "../algorithms/harness.h"
#include <peal/application.h>

/* One run and its outcome. */
struct app_trial {
    const struct peal_application *application;
    struct peal_machine *machine;
    struct peal_problem problem;
    struct peal_application_outcome outcome;
    struct peal_schedule schedule; /* a copy that may be priced again */
    enum peal_status status;
    struct peal_error error;
};

/* Run an application.  parameters NULL: the usual ones; engine NULL: threads.  owner: app_try_fini */
void app_try(struct app_trial *trial, const struct peal_application *application, int nodes, const char *topology,
             size_t n, const size_t *parameters, const char *engine);
void app_try_fini(struct app_trial *trial);

/* The cost of a run of this application, its result verified, with the usual parameters or the first one given. */
struct peal_cost app_cost(const char *name, int nodes, const char *topology, size_t n);
struct peal_cost app_cost_with(const char *name, int nodes, const char *topology, size_t n, size_t parameter);

#endif
