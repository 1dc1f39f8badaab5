/* SPDX-License-Identifier: MIT */
/* Run many cases, read from standard input as model.py writes them.  For each one line goes to standard output,
 *     NAME BYTES-OF-JSON BYTES-OF-OUTPUT
 * and then the JSON document of the run and what the nodes printed. */
#include "script.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *
need(const struct script *script, const char *key)
{
    const char *value = script_setting(script, key);

    if (value == NULL) {
        fprintf(stderr, "cases: case %s lacks \"machine %s\"\n", script->name, key);
        exit(2);
    }
    return value;
}

static void
options_of(const struct script *script, struct peal_options *options)
{
    struct peal_parameters *p = &options->parameters;
    const char *switching = need(script, "switching"), *eager = need(script, "eager");

    peal_options_init(options);
    options->nodes = atoi(need(script, "nodes"));
    options->topology = need(script, "topology");
    options->routing = strcmp(need(script, "routing"), "-") == 0 ? NULL : need(script, "routing");
    options->ports = strcmp(need(script, "ports"), "all") == 0 ? PEAL_PORTS_ALL : atoi(need(script, "ports"));
    options->half_duplex = atoi(need(script, "half-duplex")) != 0;
    options->switching = strcmp(switching, "wormhole") == 0        ? PEAL_WORMHOLE
                         : strcmp(switching, "store-forward") == 0 ? PEAL_STORE_FORWARD
                                                                   : PEAL_IDEAL;
    options->congestion = strcmp(need(script, "congestion"), "volume") == 0 ? PEAL_VOLUME : PEAL_COUNT;
    sscanf(need(script, "parameters"), "%lf %lf %lf %lf", &p->alpha, &p->beta, &p->hop, &p->tau);
    options->eager = strcmp(eager, "-") != 0;
    options->eager_words = options->eager ? (size_t)atoi(eager) : 0;
    options->mailbox = atoi(need(script, "mailbox"));
    options->carriers = atoi(need(script, "carriers"));
    options->wake_all = atoi(need(script, "wake-all")) != 0;
    if (script_setting(script, "engine") != NULL)
        options->engine = script_setting(script, "engine");
    options->lend_bytes = 8 * (size_t)atoi(need(script, "lend"));
    options->timeout_seconds = 20;
}

static void
program(struct peal_node *me, void *arg)
{
    const struct script *script = arg;

    script_run(me, script);
}

static void
run(struct script *script)
{
    struct peal_options options;
    struct peal_error error;
    char *json = NULL;
    size_t json_bytes = 0;
    FILE *document = open_memstream(&json, &json_bytes);

    options_of(script, &options);
    options.output = memfd_create("output", MFD_CLOEXEC);
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (machine == NULL || document == NULL || options.output < 0) {
        fprintf(stderr, "cases: case %s: %s\n", script->name, machine == NULL ? error.text : "out of memory");
        exit(2);
    }
    script->memory = calloc((size_t)options.nodes * SCRIPT_MEMORY, sizeof *script->memory);
    peal_run(machine, program, script);
    free(script->memory);
    if (peal_write_json(document, machine, NULL, "script", &error) != PEAL_OK || fclose(document) != 0) {
        fprintf(stderr, "cases: case %s: %s\n", script->name, error.text);
        exit(2);
    }

    off_t output_bytes = lseek(options.output, 0, SEEK_END);
    char *output = mmap(NULL, (size_t)output_bytes + 1, PROT_READ, MAP_PRIVATE, options.output, 0);
    printf("%s %zu %zu\n", script->name, json_bytes, (size_t)output_bytes);
    fwrite(json, 1, json_bytes, stdout);
    fwrite(output, 1, (size_t)output_bytes, stdout);
    fflush(stdout);

    munmap(output, (size_t)output_bytes + 1);
    close(options.output);
    free(json);
    peal_machine_destroy(machine);
}

int
main(void)
{
    struct script script;

    while (script_read(stdin, &script)) {
        run(&script);
        script_fini(&script);
    }
    return 0;
}
