/* SPDX-License-Identifier: MIT */
/* Prints the lines that prices on one network and on several have in common. */
#include "show/price_show.h"
#include "run/target.h"
#include "show/print.h"

void
price_show_run(const struct peal_record *run, const char *what)
{
    enum peal_collective collective = PEAL_COLLECTIVES;
    bool known = run->collective && peal_collective_find(run->collective, &collective);
    char count[64];

    const struct peal_algorithm *algorithm =
        known && run->algorithm ? peal_algorithm_find(collective, run->algorithm) : NULL;
    const char *also = algorithm ? algorithm->also : NULL;

    print_ink(stdout, BOLD);
    if (run->collective)
        printf("%s/%s", run->collective, also && target_name(algorithm, what) == also ? also : run->algorithm);
    else
        fputs(run->program ? run->program : "a program", stdout);
    print_ink(stdout, PLAIN);
    printf(" on %s", print_count((unsigned)run->options.nodes, "node", count));
    if (known && run->has_block_words)
        printf(", m = %zu word%s a block", run->block_words, plural(run->block_words));
    else if (known && peal_form_of(collective)->out != PEAL_SIDE_NONE && run->has_vector_words)
        printf(", n = %zu word%s", run->vector_words, plural(run->vector_words));
    if (known && peal_collective_has_root(collective) && run->has_root)
        printf(", root %d", run->root);
    putchar('\n');
}

void
price_show_machine(const char *label, const struct peal_options *options)
{
    char text[400];

    snprintf(text, sizeof text, "%.200s, routing %.60s, %s switching%s", options->topology, options->routing,
             peal_switching_name(options->switching),
             options->congestion == PEAL_VOLUME ? ", congestion by volume" : "");
    print_labelled(stdout, label, text);
}

void
price_show_notes(const struct peal_record *was)
{
    if (was->failure)
        fputs("peal: note: the recorded run failed; the rounds that it made until then are priced\n", stderr);
    if (was->options.ports == PEAL_PORTS_ALL)
        fputs(
            "peal: note: with --ports all the network decides who sends when: run on another, the rounds may differ\n",
            stderr);
}

double
price_time(const struct peal_record *run)
{
    return peal_cost_time(run->cost, run->options.parameters);
}
