#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print, in C, the calls of MPI for nodes that are processes: calls.py client|server CALLS.DEF.

The client's are functions that hand their arguments over (client.c), with a letter each: v, as it is; H, a handle; s, a list of
statuses; 4, 8, h, a handle, or t, a status, what lies at an address, in and out; T, a status, in; i and o, a text, in and out.  The server's are rows of a table (serve.c),
which says what each argument is; some of windows have none."""
import re
import sys

HANDLES = {"MPI_Comm": "COMM", "MPI_Group": "GROUP", "MPI_Datatype": "TYPE", "MPI_Request": "REQUEST", "MPI_Message": "MESSAGE",
           "MPI_Op": "OP", "MPI_Errhandler": "ERRHANDLER", "MPI_Info": "INFO", "MPI_Win": "WIN", "MPI_File": "FILE"}
SIZES = {"int": 4, "MPI_Fint": 4, "MPI_Aint": 8, "MPI_Count": 8, "MPI_Offset": 8, "MPI_Status": "t", **{h: "h" for h in HANDLES}}
RANKS = {"source", "dest", "root", "target_rank", "rank_source", "rank_dest", "ranks1", "ranks2", "newrank"}
TAGS = {"tag", "sendtag", "recvtag"}
# Numbers that each interface has its own for, by the names of the parameters.
NUMBERS = {**{n: "RANK" for n in RANKS}, **{n: "TAG" for n in TAGS}, "assert": "ASSERT", "result": "COMPARISON", "split_type": "SPLIT",
           "lock_type": "LOCK", "required": "THREADS", "provided": "THREADS", "order": "ORDER", "array_of_distribs": "DISTRIBUTION",
           "array_of_dargs": "PORTION", "combiner": "COMBINER", "typeclass": "CLASS", "errorclass": "ERROR", "errorcode": "ERROR",
           **{n: "KEYVAL" for n in ("keyval", "comm_keyval", "type_keyval", "win_keyval")}}
# What the client answers by itself, and what the server does by hand.
LOCAL = {"Get_address", "Address", "Aint_add", "Aint_diff", "Alloc_mem", "Free_mem", "Pcontrol", "Wtick", "Status_c2f", "Status_f2c"}
# Windows whose memory several processes access, and those of absolute addresses.
WITHOUT = {"Win_allocate_shared", "Win_shared_query", "Win_create_dynamic", "Win_attach", "Win_detach"}
BUFFERS = {"buf", "sendbuf", "recvbuf", "buffer", "inbuf", "outbuf", "inoutbuf", "origin_addr", "result_addr", "compare_addr"}
LISTS = {  # lengths by the name of the parameter: those of the first that the call has
    "array_of_requests": "count incount", "array_of_statuses": "count incount", "array_of_indices": "incount",
    "dims": "ndims maxdims", "periods": "ndims maxdims", "ranks": "n", "ranks1": "n", "ranks2": "n", "neighbors": "maxneighbors",
    "array_of_integers": "max_integers", "array_of_addresses": "max_addresses", "array_of_datatypes": "max_datatypes",
    "sources": "maxindegree indegree n", "sourceweights": "maxindegree indegree", "degrees": "n",
    "destinations": "maxoutdegree outdegree", "destweights": "maxoutdegree outdegree", "ranges": "n", "indx": "maxindex nnodes",
    **{f"array_of_{n}": "count" for n in ("blocklengths", "displacements", "types")},
    **{f"array_of_{n}": "ndims" for n in ("dargs", "distribs", "gsizes", "psizes", "sizes", "starts", "subsizes")}}


def split(parameters):
    parts = [] if parameters == "void" else [" ".join(p.split()) for p in re.split(r",(?![^(]*\))", parameters)]
    found = []
    for part in parts:
        if part == "...":
            continue
        m = re.match(r"(const )?(\w+) ?(\**) ?(\w+)(\[\](?:\[3\])?)?$", part)
        found.append((m[4], m[2], bool(m[1]), len(m[3]) + (1 if m[5] else 0), m[5] or ""))
    return found


def letter(call, parameter):
    """How the client hands an argument over."""
    name, kind, const, depth, array = parameter
    if kind == "char" and depth == 1:
        return "i" if const else "o"
    if kind == "void" and depth == 1 and (name in ("buffer_addr", "baseptr") or name == "attribute_val" and "get" in call.lower()):
        return "8"
    if depth == 1 and not array and not name.endswith("weights") and kind in SIZES and call not in ("Init", "Init_thread") or \
            name in ("provided",):
        size = str(SIZES[kind])
        return size.upper() if const else size
    return "H" if kind in HANDLES and depth == 0 else "s" if kind == "MPI_Status" else "v"


def element(call, name, kind):
    if kind in HANDLES:
        return f"ELEMENT_HANDLE + KIND_{HANDLES[kind]}"
    if kind == "MPI_Status" or kind != "int":
        return "ELEMENT_STATUS" if kind == "MPI_Status" else "ELEMENT_PLAIN"
    return "ELEMENT_TOPOLOGY" if (call, name) == ("Topo_test", "status") else \
        f"ELEMENT_{NUMBERS[name]}" if name in NUMBERS and call != "Abort" else "ELEMENT_PLAIN"


def blocks(call, name):
    """The length of a list with an entry for each node, or neighbour."""
    if "eighbor" in call:
        return "SOURCES" if name.startswith("r") or name == "displs" else "DESTINATIONS"
    return "AT_ROOT" if re.match("I?(gather|scatter)", call, re.I) else "OWN" if "educe" in call else "MEMBERS"


def buffer(call, index, parameters):
    """A buffer: the count and type of its data, and how often it has these."""
    names = [p[0] for p in parameters]
    name, _, const, _, _ = parameters[index]
    out = not const and name != "sendbuf"
    stem = name[:4] if name in ("sendbuf", "recvbuf") else {"inbuf": "in", "outbuf": "out", "origin_addr": "origin_",
                                                            "result_addr": "result_"}.get(name, "")
    short, times = re.sub("^i", "", call.lower()), "ONCE"

    def first(*wanted):
        return next((names.index(w) for w in wanted if w in names), -1)
    count = first(stem + "count", stem + "counts", stem + "size", "recvcounts", "recvcount", "count")
    kind = first(stem + "type", stem + "types", stem + "datatype", "datatype")
    if call.startswith("Pack") and name == "outbuf" or call.startswith("Unpack") and name == "inbuf":
        count, kind = names.index(stem + "size"), -1
    displs = first({"send": "sdispls", "recv": "rdispls"}.get(stem, "")) if "sdispls" in names else first("displs")
    lists = names[count].endswith("counts") and "reduce" not in short
    if lists:
        times = blocks(call, name)
    elif short == "reduce_scatter":
        times = "SUM" if name == "sendbuf" else "MINE"
    elif short == "reduce_scatter_block" and name == "sendbuf":
        times = "OWN"
    elif short in ("gather", "scatter", "reduce") and name == ("sendbuf" if short == "scatter" else "recvbuf"):
        times = "ROOT_ONCE" if short == "reduce" else "AT_ROOT"
    elif short in ("alltoall", "allgather") and (name == "recvbuf" or short == "alltoall"):
        times = "MEMBERS"
    elif short in ("neighbor_alltoall", "neighbor_allgather"):
        times = "SOURCES" if name == "recvbuf" else "DESTINATIONS" if short == "neighbor_alltoall" else "ONCE"
    elif "root" in names and short != "bcast":
        times = "OWN_SIDE"
    elif "win" in names and count < 0:
        times = "ALONE"
    return f"{{.kind = BUFFER, .out = {int(out)}, .count = {count}, .type = {kind}, .displs = {displs if lists else -1}, .times = {times}}}"


def row(call, index, parameters):
    """What an argument is, for the server."""
    name, kind, const, depth, _ = parameters[index]
    names = [p[0] for p in parameters]
    how = letter(call, parameters[index])
    if how in "io":
        return f"{{.kind = {'TEXT_IN' if how == 'i' else 'TEXT_OUT'}}}"
    if how not in "vHs":
        size = 24 if how in "tT" else 8 if how == "h" else how
        return f"{{.kind = SLOT, .out = {int(not how.isupper())}, .element = {element(call, name, kind)}, .size = {size}}}"
    if kind.endswith("function") or name.endswith("_fn"):
        return "{.kind = FUNCTION}"
    if call in ("Init", "Init_thread") and depth:
        return "{.kind = NOTHING}"
    if depth == 0:
        return f"{{.kind = VALUE, .element = {element(call, name, kind)}}}"
    if kind == "void":
        return buffer(call, index, parameters) if name in BUFFERS and not call.startswith("Buffer") else "{.kind = VALUE}"
    size = {"t": 24, "h": 8}.get(SIZES[kind], SIZES[kind]) * (3 if name == "ranges" else 1)
    count, times = next((names.index(n) for n in LISTS.get(name, "").split() if n in names), -1), "ONCE"
    if re.fullmatch("(send|recv)(counts|types)|[sr]?displs", name):
        count, times = -1, blocks(call, name)
    elif name in ("coords", "remain_dims") or name in ("dims", "periods") and count < 0:
        count, times = (names.index("maxdims"), "ONCE") if "maxdims" in names else (-1, "DIMENSIONS")
    elif name == "edges":
        count, times = (names.index("maxedges"), "ONCE") if "maxedges" in names else (names.index("indx"), "LAST")
    elif call == "Dist_graph_create" and name in ("destinations", "weights"):
        count, times = names.index("degrees"), "SUM"
    out = not const and name not in ("ranges",)
    beside = names.index("sendbuf") if "sendbuf" in names and (name.startswith("send") or name == "sdispls") else -1
    return f"{{.kind = LIST, .type = {beside}, .out = {int(out)}, .element = {element(call, name, kind)}, .size = {size}, .count = {count}, .times = {times}}}"


def main():
    with open(sys.argv[2], encoding="utf-8") as opened:
        text = re.sub(r"/\*.*?\*/", "", opened.read(), flags=re.S)
    for absent, kind, call, parameters in re.findall(r"^PEAL_MPI(_ABSENT)?\(([\w ]+), (\w+), \((.*?)\)\)$", text, re.S | re.M):
        if absent:
            found = []
        else:
            found = split(parameters)
        names = [p[0] for p in found]
        result = f"ELEMENT_HANDLE + KIND_{HANDLES[kind]}" if kind in HANDLES else "ELEMENT_ERROR" if kind == "int" else "ELEMENT_PLAIN"
        if sys.argv[1] == "server":
            if call in LOCAL or call == "Wtime" or call in WITHOUT:
                continue
            rows = ", ".join(row(call, i, found) for i in range(len(found)))
            request = names.index("request") if "request" in names and any(n in BUFFERS or n == "newcomm" for n in names) else -1
            persistent = call.endswith("_init")
            print(f"[CALL_{call}] = {{(void (*)(void))PMPI_{call}, {len(found)}, {names.index('comm') if 'comm' in names else -1}, "
                  f"{names.index('root') if 'root' in names else -1}, {request}, {int(persistent)}, {result}, {{{rows or '{.kind = VALUE}'}}}}},")
        elif call not in LOCAL and call != "Wtime":
            letters = "".join(letter(call, p) for p in found)
            values = ", ".join(f"(uint64_t)({'int64_t' if not p[3] and p[1] not in HANDLES else 'uintptr_t'}){p[0]}" for p in found)
            print(f'EXPORT({kind}, {call}, ({" ".join(parameters.split())}))\n{{\n    const uint64_t values[] = {{{values or 0}}};\n\n'
                  f'    return ({kind}){"(uintptr_t)" if kind in HANDLES else ""}client_call(CALL_{call}, "{letters}", values, __builtin_return_address(0));\n}}')


main()
