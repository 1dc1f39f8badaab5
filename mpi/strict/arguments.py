#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print, in C, each function of MPI as watched programs call it: arguments.py CALLS.DEF.

The function first checks every integer, handle and list entry that MPI reads (lib/memory/unwritten_use.h), then jumps to PMPI_name,
which returns to the program.  Arguments that a call does not read are left out: counts beside MPI_IN_PLACE, or those of the root
alone.  A list of unknown length ends this script, with the list's name."""
import re
import sys

SCALARS = {"int": "int", "MPI_Aint": "MPI_Aint", "MPI_Count": "MPI_Count"}
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op", "MPI_Group", "MPI_Win", "MPI_Request", "MPI_Errhandler")
NEIGHBOURS = re.compile("I?neighbor_|Neighbor_")
ROOTED = re.compile("I?(gather|scatter|reduce|bcast)v?$", re.I)

# The number of entries of a list, by the name of the parameter; of lists that the call writes, 0.
LENGTHS = {
    "array_of_blocklengths": "count", "array_of_displacements": "count", "array_of_types": "count",
    "array_of_requests": "count", "array_of_dargs": "ndims", "array_of_distribs": "ndims", "array_of_gsizes": "ndims",
    "array_of_psizes": "ndims", "array_of_sizes": "ndims", "array_of_starts": "ndims", "array_of_subsizes": "ndims",
    "periods": "ndims", "ranks": "n", "ranks1": "n", "ranges": "3 * n", "degrees": "n",
    "remain_dims": "LENGTH(comm, DIMENSIONS, 0)", "position": "1", "datatype": "1", "request": "1",
    "array_of_addresses": 0, "array_of_datatypes": 0, "array_of_integers": 0, "array_of_indices": 0, "array_of_statuses": 0,
    "neighbors": 0, "ranks2": 0,
}
BY_CALL = {
    ("Cart_rank", "coords"): "LENGTH(comm, DIMENSIONS, 0)", ("Cart_coords", "coords"): 0, ("Cart_get", "coords"): 0,
    ("Cart_get", "dims"): 0, ("Cart_get", "periods"): 0, ("Graph_get", "indx"): 0, ("Graph_get", "edges"): 0,
    ("Testsome", "array_of_requests"): "incount", ("Waitsome", "array_of_requests"): "incount",
    ("Startall", "array_of_requests"): "count", ("Dist_graph_create", "sources"): "n",
    ("Dist_graph_create", "destinations"): "SUM(degrees, n)", ("Dist_graph_create", "weights"): "WEIGHTS(weights, SUM(degrees, n))",
    ("Dist_graph_create_adjacent", "sources"): "indegree", ("Dist_graph_create_adjacent", "destinations"): "outdegree",
    ("Dist_graph_create_adjacent", "sourceweights"): "WEIGHTS(sourceweights, indegree)",
    ("Dist_graph_create_adjacent", "destweights"): "WEIGHTS(destweights, outdegree)",
    ("Dist_graph_neighbors", "sources"): 0, ("Dist_graph_neighbors", "destinations"): 0,
    ("Graph_create", "indx"): "nnodes", ("Graph_map", "indx"): "nnodes", ("Type_match_size", "datatype"): 0,
    ("Graph_create", "edges"): "LAST(indx, nnodes)", ("Graph_map", "edges"): "LAST(indx, nnodes)",
}
READ_HANDLE = {"Cancel", "Request_free", "Start", "Test", "Wait", "Type_commit", "Type_free"}


def significant(call, name, names):
    """The condition under which the call reads the count, or the list of blocks, of this name; None: always."""
    conditions = []
    side = name[:4] if name[:4] in ("send", "recv") else "send" if name == "sdispls" else "recv"
    rooted = "root" in names
    if side == "send" and f"{side}buf" in names and not NEIGHBOURS.match(call):
        conditions.append("sendbuf != MPI_IN_PLACE")
    if side == "recv" and re.match("I?scatter", call, re.I):
        conditions.append("recvbuf != MPI_IN_PLACE")
    if rooted and (re.match("I?gather", call, re.I) and side == "recv" or re.match("I?scatter", call, re.I) and side == "send"):
        conditions.append("LENGTH(comm, AT_ROOT, root) > 0")
    elif rooted and re.match("I?(gather|scatter)", call, re.I):
        conditions.append("root != MPI_ROOT")
    if rooted:
        conditions.append("root != MPI_PROC_NULL")
    return " && ".join(conditions) or None


def blocks(call, name, names):
    """The length of a list with an entry per node or neighbour."""
    if NEIGHBOURS.match(call):
        return f"LENGTH(comm, {'SOURCES' if name.startswith('r') or name == 'displs' else 'DESTINATIONS'}, 0)"
    length = "LENGTH(comm, AT_ROOT, root)" if "root" in names else "LENGTH(comm, OWN, 0)" if "educe" in call else "LENGTH(comm, MEMBERS, 0)"
    condition = significant(call, name, names)
    return f"({condition}) ? {length} : 0" if condition else length


def look(call, parameter, names):
    """The initialiser of one argument that the call reads; None: it reads none."""
    name = re.search(r"(\w+)\s*(\[[^\]]*\])*$", parameter)[1]
    kind = re.sub(r"\bconst\b", "", parameter[:parameter.rindex(name)]).strip()
    is_list = "[" in parameter or "*" in kind
    kind = kind.replace("*", "").strip()
    if not is_list and kind in tuple(SCALARS) + HANDLES:
        condition = significant(call, name, names) if re.fullmatch("(send|recv)?(count|type)|datatype", name) and "comm" in names else None
        value = f"(uint64_t){'(uintptr_t)' if kind in HANDLES else ''}{name}"
        return f'{{"{name}", {value}, {f"{condition} ? " if condition else ""}sizeof {name}{" : 0" if condition else ""}, NULL, 0}}'
    if not is_list or kind not in tuple(SCALARS) + HANDLES:
        return None
    if re.fullmatch("(send|recv)(counts|types)|[sr]?displs", name):
        length = blocks(call, name, names)
    elif (call, name) in BY_CALL:
        length = BY_CALL[call, name]
    elif name in ("dims",):
        length = "ndims"
    elif name in ("request", "datatype") and call not in READ_HANDLE:
        return None
    elif "[" not in parameter and name not in LENGTHS:
        return None  # a result
    else:
        length = LENGTHS[name]
    return length and f'{{"{name}", 0, sizeof({kind}), {name}, {length}}}'


def split(parameters):
    return [" ".join(part.split()) for part in re.split(r",(?![^(]*\))", parameters)]


HEAD = """#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <peal/mpi/mpi.h>
#include <stddef.h>
#include <stdint.h>

struct argument {
    const char *name;
    uint64_t value;
    size_t bytes;
    const void *list;
    long count;
};
enum { MEMBERS, OWN, AT_ROOT, SOURCES, DESTINATIONS, DIMENSIONS };
void peal_wrap_arguments(const char *call, const struct argument *arguments, int count, const void *pc);
int peal_mpi_length(MPI_Comm comm, int what, int root);
long peal_wrap_sum(const int *list, long count);
#define LENGTH(comm, what, root) peal_mpi_length(comm, what, root)
#define SUM(list, count) peal_wrap_sum(list, count)
#define LAST(list, count) ((list) && (count) > 0 ? peal_wrap_sum((list) + (count) - 1, 1) : 0)
#define WEIGHTS(list, count) ((list) == MPI_UNWEIGHTED || (list) == MPI_WEIGHTS_EMPTY ? 0 : (count))
#define LOOK(name, ...) static __attribute__((noinline)) void look_##name(const void *pc, __VA_ARGS__)
#define CALL(type, name, parameters) __attribute__((weak)) type MPI_##name parameters
"""


def main():
    with open(sys.argv[1], encoding="utf-8") as opened:
        text = opened.read()
    print(HEAD)
    for kind, call, parameters in re.findall(r"^PEAL_MPI\(([\w ]+), (\w+), \((.*?)\)\)$", text, re.S | re.M):
        parts = split(parameters)
        names = [re.search(r"(\w+)\)?\s*(\[[^\]]*\])*$", part)[1] for part in parts if part != "..."]
        if "..." in parameters or parts == ["void"]:
            continue
        read = [line for line in (look(call, part, names) for part in parts) if line]
        if read:
            arguments = ", ".join(names)
            print(f"LOOK({call}, {', '.join(parts)})\n{{\n    const struct argument arguments[] = {{{', '.join(read)}}};\n\n"
                  f'    peal_wrap_arguments("MPI_{call}", arguments, {len(read)}, pc);\n}}\n\n'
                  f"CALL({kind}, {call}, ({', '.join(parts)}))\n{{\n    look_{call}(__builtin_return_address(0), {arguments});\n"
                  f"    return PMPI_{call}({arguments});\n}}\n")


main()
