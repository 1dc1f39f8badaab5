/* SPDX-License-Identifier: MIT */
/* Finding the library of the MPI that the job runs under, and what the processes do together before there is a
 * machine. */
#include "lib/cluster/job.h"
#include "lib/cluster/part.h"
#include "lib/program/compile.h"
#include <dlfcn.h>
#include <peal/cluster.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct wire_kind *plugged;
struct wire *world_wire;
const void *world_communicator;

/* All processes of the job while machines are on a part of them; NULL: they are on all. */
static struct wire *whole_wire;
static const void *whole_communicator;

/* What the file is called, the packages that it is built from, and what a launcher of its kind leaves in the
 * environment. */
static const struct {
    const char *name, *packages, *trace[3];
} kinds[] = {
    {"openmpi", "openmpi-bin and libopenmpi-dev", {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}},
    {"mpich", "mpich and libmpich-dev", {"PMI_SIZE", "PMI_RANK"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The path of libpeal-mpi-NAME.so: beside libpeal.so, or where the build leaves it. */
static bool
plug_find_file(const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"", "lib/cluster/"};
    Dl_info info;
    char own[PATH_MAX];

    if (!dladdr(&plugged, &info) || !info.dli_fname || !realpath(info.dli_fname, own))
        return false;
    char *slash = strrchr(own, '/');

    if (!slash)
        return false;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s%slibpeal-mpi-%s.so", own, places[i], name) < PATH_MAX &&
            access(path, R_OK) == 0)
            return true;
    return false;
}

const char *
peal_mpi_built(int i)
{
    char path[PATH_MAX];

    for (int kind = 0; kind < KINDS; kind++)
        if (plug_find_file(kinds[kind].name, path) && i-- == 0)
            return kinds[kind].name;
    return NULL;
}

static bool
was_started_by(int kind)
{
    for (int i = 0; i < 3 && kinds[kind].trace[i]; i++)
        if (getenv(kinds[kind].trace[i]))
            return true;
    return false;
}

bool
peal_mpi_in_job(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (was_started_by(kind))
            return true;
    return false;
}

/* The kind that this process is to use; -1: none is there. */
static int
choose_kind(struct peal_error *error)
{
    const char *named = getenv("PEAL_MPI");
    char path[PATH_MAX];
    int kind = -1;

    for (int i = 0; i < KINDS; i++)
        if (named && strcmp(named, kinds[i].name) == 0)
            kind = i;
    if (named && *named && kind < 0) {
        peal_refuse(error, PEAL_USAGE, "PEAL_MPI is %s: it can be openmpi or mpich", named);
        return -1;
    }
    for (int i = 0; i < KINDS && kind < 0; i++)
        if (was_started_by(i))
            kind = i;
    for (int i = 0; i < KINDS && kind < 0; i++)
        if (plug_find_file(kinds[i].name, path))
            kind = i;
    if (kind < 0) {
        peal_refuse(error, PEAL_USAGE, "this Peal was built without MPI: install %s (or %s) and build it again",
                    kinds[0].packages, kinds[1].packages);
        return -1;
    }
    if (!plug_find_file(kinds[kind].name, path)) {
        peal_refuse(error, PEAL_USAGE, "this Peal was built without %s: install %s and build it again",
                    kinds[kind].name, kinds[kind].packages);
        return -1;
    }
    return kind;
}

/* Node 0's process compiles; the others get the result. */
static enum peal_status
compile_once(const char *path, const struct peal_program_options *options, struct compiled *program,
             struct peal_error *error)
{
    struct {
        struct peal_error error;
        uint64_t size;
        bool writable;
    } result = {.error = {.status = PEAL_OK}};

    *program = (struct compiled){0};
    if (world_wire->rank == 0) {
        compile_program(path, options, program, &result.error);
        result.size = program->bytes ? program->size : 0;
        if (result.size > 0)
            result.error.status = PEAL_OK;
        result.writable = program->writable;
    }
    plugged->broadcast(world_wire, &result, sizeof result, 0);
    if (result.error.status != PEAL_OK)
        return peal_refuse(error, result.error.status, "%s", result.error.text);
    if (world_wire->rank != 0) {
        program->bytes = malloc(result.size + 1);
        program->size = result.size;
        program->writable = result.writable;
        if (!program->bytes)
            plugged->abort(world_wire, PEAL_RESOURCES);
    }
    plugged->broadcast(world_wire, program->bytes, result.size, 0);
    return PEAL_OK;
}

enum peal_status
peal_mpi_begin(int *rank, int *size, struct peal_error *error)
{
    return peal_mpi_begin_on(NULL, rank, size, error);
}

enum peal_status
peal_mpi_begin_on(const void *communicator, int *rank, int *size, struct peal_error *error)
{
    char path[PATH_MAX];

    if (!world_wire) {
        int kind = choose_kind(error);

        if (kind < 0)
            return PEAL_USAGE;
        plug_find_file(kinds[kind].name, path);
        void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own parts look for its names */

        plugged = handle ? dlsym(handle, "peal_wire") : NULL;
        if (!plugged || plugged->version != WIRE_VERSION)
            return peal_refuse(error, PEAL_RESOURCES, "%s cannot be used: %s", path,
                               handle ? "it is of another version of Peal" : dlerror());
        if (!plugged->begin() || !(world_wire = plugged->open(communicator)))
            return peal_refuse(error, PEAL_RESOURCES, "%s did not begin", plugged->name);
        world_communicator = communicator;
        program_compiled = compile_once;
    }
    *rank = world_wire->rank;
    *size = world_wire->size;
    return PEAL_OK;
}

/* Sleep while waiting for the others, which leaves them the cores. */
static void
await_all(struct wire *wire)
{
    plugged->meet_begin(wire);
    while (!plugged->meet_done(wire))
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

bool
peal_mpi_narrow(int processes)
{
    if (!world_wire || whole_wire || processes >= world_wire->size)
        return true;
    await_all(world_wire);
    const void *part = plugged->narrow(world_communicator, processes);
    struct wire *wire = part ? plugged->open(part) : NULL;

    if (!wire && world_wire->rank < processes)
        plugged->abort(world_wire, PEAL_RESOURCES); /* the others would wait forever */
    whole_wire = world_wire;
    whole_communicator = world_communicator;
    world_wire = wire;
    world_communicator = part;
    return wire != NULL;
}

int
peal_mpi_widen(int code)
{
    if (whole_wire) {
        await_all(whole_wire);
        plugged->close(world_wire);
        world_wire = whole_wire;
        world_communicator = whole_communicator;
        whole_wire = NULL;
    }
    if (world_wire)
        plugged->broadcast(world_wire, &code, sizeof code, 0);
    return code;
}

void
peal_mpi_end(void)
{
    if (!world_wire)
        return;
    plugged->close(world_wire);
    world_wire = NULL;
    world_communicator = NULL;
    plugged->end();
}

const char *
peal_mpi_library(void)
{
    return world_wire ? plugged->library() : NULL;
}
