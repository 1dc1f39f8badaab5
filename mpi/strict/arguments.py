#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print, in C, each function of MPI as watched programs call it: arguments.py CALLS.DEF.

The function first checks every integer, handle and list entry that MPI reads (lib/memory/unwritten_use.h), then jumps to PMPI_name,
which returns to the program.  Arguments that a call does not read are left out: counts beside MPI_IN_PLACE, or those of the root
alone.  A list of unknown length ends this script, with the list's name."""
import re
import sys

sys.dont_write_bytecode = True
import lists  # noqa: E402  pylint: disable=wrong-import-position

SCALARS = {"int": "int", "MPI_Aint": "MPI_Aint", "MPI_Count": "MPI_Count"}
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op", "MPI_Group", "MPI_Win", "MPI_Request", "MPI_Errhandler")
NEIGHBOURS = re.compile("I?neighbor_|Neighbor_")
ROOTED = re.compile("I?(gather|scatter|reduce|bcast)v?$", re.I)

# Lists that calls write, unless they are const.
WRITTEN = {"array_of_addresses", "array_of_datatypes", "array_of_integers", "array_of_indices", "array_of_statuses", "neighbors", "ranks2",
           "coords", "dims", "periods", "indx", "edges", "sources", "destinations", "sourceweights", "destweights"}
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


def length(call, name, names):
    """The length of a list that the call reads."""
    holder, times = lists.length_of(call, name, names)
    known = {"ONCE": "3 * n" if name == "ranges" else holder, "SUM": f"SUM({holder}, n)", "LAST": f"LAST({holder}, nnodes)"}
    text = known.get(times) or f"LENGTH(comm, {times}, {'root' if times == 'AT_ROOT' else '0'})"
    condition = significant(call, name, names) if lists.is_of_blocks(name) and not NEIGHBOURS.match(call) else None
    return f"({condition}) ? {text} : 0" if condition else f"WEIGHTS({name}, {text})" if name.endswith("weights") else text


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
    if call in READ_HANDLE and name in ("request", "datatype") or name == "position":
        return f'{{"{name}", 0, sizeof({kind}), {name}, 1}}'
    if "const" not in parameter and (name not in lists.HOLDERS or name in WRITTEN and call != "Dims_create"):
        return None
    return f'{{"{name}", 0, sizeof({kind}), {name}, {length(call, name, names)}}}'


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
