/* SPDX-License-Identifier: MIT */
/* Matches the names that a submission's object file calls against those that the test forbids or allows. */
#include "grade/assignment_keys.h"
#include "grade/marking_program.h"
#include "lib/check/channels.h"
#include <ctype.h>
#include <dlfcn.h>
#include <fnmatch.h>

/* Replace a Fortran name by that in C: mpi_bcast_, or one of the modules' names, such as pmpi_bcast_described_, by
 * MPI_Bcast. */
static void
write_in_c(char *name)
{
    static const char *const endings[] = {"_described_", "_f08_", "_"};
    size_t ending = 0, prefix = strncmp(name, "pmpi_", 5) == 0 ? 5 : strncmp(name, "mpi_", 4) == 0 ? 4 : 0;

    while (ending < 3 && !text_has_ending(name, endings[ending]))
        ending++;
    if (prefix == 0 || ending == 3)
        return;
    name[strlen(name) - strlen(endings[ending])] = '\0';
    if (ending == 0 && prefix == 5)
        memmove(name, name + 1, strlen(name)), prefix = 4;
    for (size_t i = 0; i <= prefix && name[i]; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
}

/* Write the name without the suffix that the headers' macros add: "peal_scatter" for peal_scatter_by and _at. */
static void
stem_of(const char *name, size_t length, char stem[200])
{
    snprintf(stem, 200, "%.*s", (int)length, name);
    write_in_c(stem);
    for (size_t end = strlen(stem); end > 3 && (!strcmp(stem + end - 3, "_at") || !strcmp(stem + end - 3, "_by"));
         end -= 3)
        stem[end - 3] = '\0';
}

static bool
forbidden_has(const struct assignment_test *test, enum peal_collective collective)
{
    return collective < PEAL_COLLECTIVES && test->refused >> collective & 1;
}

/* The first collective that the test refuses; PEAL_COLLECTIVES: none.  With one the catalogue is refused. */
static enum peal_collective
first_refused(const struct assignment_test *test)
{
    int first = 0;

    while (first < PEAL_COLLECTIVES && !forbidden_has(test, (enum peal_collective)first))
        first++;
    return (enum peal_collective)first;
}

/* Whether the name matches one of the list. */
static bool
is_listed(char **list, const char *name)
{
    char pattern[200];

    for (; *list; list++) {
        stem_of(*list, strlen(*list), pattern);
        if (fnmatch(pattern, name, 0) == 0)
            return true;
    }
    return false;
}

/* Whether it is the second name of a function of MPI: PMPI_Send. */
static bool
is_profiled(const char *name)
{
    return strncmp(name, "PMPI_", 5) == 0;
}

bool
forbidden_has_line(const char *lines, const char *name)
{
    for (size_t length; *lines; lines += length + (lines[length] != '\0')) {
        length = strcspn(lines, "\n");
        if (length == strlen(name) && memcmp(lines, name, length) == 0)
            return true;
    }
    return false;
}

/* Calls of MPI by which a function called by a driver could learn about other nodes without a message, or end the
 * program before the driver does. */
static const char *const not_graded[] = {"MPI_Comm_split*",
                                         "MPI_Comm_create",
                                         "MPI_Comm_create_*group*",
                                         "MPI_Comm_spawn*",
                                         "MPI_Comm_accept",
                                         "MPI_Comm_connect",
                                         "MPI_Comm_join",
                                         "MPI_Comm_get_parent",
                                         "MPI_Intercomm_*",
                                         "MPI_Dist_graph_create*",
                                         "MPI_Graph_create",
                                         "MPI_Win_*_shared*",
                                         "MPI_Win_shared_*",
                                         "MPI_*_name",
                                         "MPI_Open_port",
                                         "MPI_Info_*",
                                         "MPI_File_*",
                                         "MPI_Session_*",
                                         "MPI_T_*",
                                         "MPI_Init*",
                                         "MPI_Finalize",
                                         NULL};

/* Calls of MPI that a node in a process of its own cannot make: they reach the memory of others, go on in the
 * background, or take messages back. */
static const char *const not_apart[] = {"MPI_Win_*",       "MPI_Put",        "MPI_Get",          "MPI_Rput",
                                        "MPI_Rget",        "MPI_*ccumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap",
                                        "MPI_Ibarrier",    "MPI_Ibcast",     "MPI_I*gather*",    "MPI_I*scatter*",
                                        "MPI_I*alltoall*", "MPI_I*reduce*",  "MPI_I*scan",       "MPI_Comm_idup",
                                        "MPI_Mprobe",      "MPI_Improbe",    "MPI_Cancel",       NULL};

/* Note a call in a function to be proved with which the proof cannot be confirmed, unless the assignment allows it. */
static bool
notes_apart(const struct assignment_test *test, const char *name, struct mark *mark)
{
    for (int i = 0; test->mpi && test->proof && not_apart[i]; i++)
        if (fnmatch(not_apart[i], name + is_profiled(name), 0) == 0 && !is_listed(test->allow, name)) {
            mark_note(mark,
                      "forbidden: it calls %s, which nodes in processes of their own cannot do: each mark is confirmed "
                      "with such nodes",
                      name);
            return true;
        }
    return false;
}

static bool
is_of_driver(const struct assignment_test *test, const char *name)
{
    bool found = false;

    for (int i = 0; test->mpi && (test->driver || test->proof) && not_graded[i]; i++)
        found |= fnmatch(not_graded[i], name + is_profiled(name), 0) == 0;
    return found;
}

/* Note a name through which nodes learn of each other without a message, unless the assignment allows it. */
static bool
notes_sharing(const struct assignment_test *test, const char *name, struct mark *mark)
{
    bool theirs = test->offers && forbidden_has_line(test->offers, name);

    if (theirs || is_listed(test->allow, name))
        return false;
    if (fnmatch("*MPI_Init*", name, 0) == 0 || fnmatch("*MPI_Finalize", name, 0) == 0) {
        if (is_of_driver(test, name))
            mark_note(mark, "forbidden: it calls %s, which only the driver may call", name);
        return is_of_driver(test, name);
    }
    if (!is_of_driver(test, name) &&
        (!peal_contained_shares(name) ||
         (strncmp(name, "peal_", 5) != 0 && strncmp(name, "_gfortran_", 10) != 0 && !dlsym(RTLD_DEFAULT, name))))
        return false; /* the linker reports a name that no library has */
    mark_note(mark, "forbidden: it calls %s, by which nodes can share data without a message", name);
    return true;
}

bool
forbidden_refuses(const void *arg, const char *name)
{
    const struct assignment_test *test = arg;

    return is_listed(test->forbid, name) || (test->lists_collectives && forbidden_has(test, keys_collective(name)));
}

void
forbidden_note(const char *calls, const struct assignment_test *test, struct mark *mark)
{
    char stem[200], pattern[200];

    for (const char *name = calls, *end; *name; name = end + (*end != '\0')) {
        end = name + strcspn(name, "\n");
        if (*name == '=')
            continue;
        stem_of(name, (size_t)(end - name), stem);
        if (strncmp(stem, "peal_algorithm_", 15) == 0 && first_refused(test) < PEAL_COLLECTIVES) {
            mark_note(mark, "forbidden: it calls %s, through which it has peal_%s", stem,
                      peal_collective_name(first_refused(test)));
            continue;
        }
        if (!is_listed(test->forbid, stem) && (notes_sharing(test, stem, mark) || notes_apart(test, stem, mark)))
            continue;
        if (test->lists_collectives && !is_listed(test->forbid, stem) && forbidden_has(test, keys_collective(stem))) {
            mark_note(mark, "forbidden: it calls %s, a collective that the test does not allow", stem);
            continue;
        }
        for (char **forbidden = test->forbid; *forbidden; forbidden++) {
            stem_of(*forbidden, strlen(*forbidden), pattern);
            if (fnmatch(pattern, stem + is_profiled(stem), 0) != 0 && fnmatch(pattern, stem, 0) != 0)
                continue;
            mark_note(mark, strcmp(stem, pattern) == 0 ? "forbidden: it calls %s" : "forbidden: it calls %s (%s)", stem,
                      *forbidden);
            break;
        }
    }
}
