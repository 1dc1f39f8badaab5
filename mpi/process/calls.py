#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print, in C, the calls of MPI for nodes that are processes: calls.py client|server CALLS.DEF.

The client's are functions that hand their arguments over (client.c), with a letter each: v, as it is; H, a handle; s, a list of
statuses; 4, 8, h (a handle) or t (a status), the bytes at an address, in and out; T, a status, in; i and o, a text, in and out.
The server's are rows of a table (serve.c), which says what each argument is."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "strict"))
sys.dont_write_bytecode = True
import lists  # noqa: E402  pylint: disable=wrong-import-position

HANDLES = {"MPI_Comm": "COMM", "MPI_Group": "GROUP", "MPI_Datatype": "TYPE", "MPI_Request": "REQUEST", "MPI_Message": "MESSAGE",
           "MPI_Op": "OP", "MPI_Errhandler": "ERRHANDLER", "MPI_Info": "INFO", "MPI_Win": "WIN", "MPI_File": "FILE"}
SIZES = {"int": 4, "MPI_Fint": 4, "MPI_Aint": 8, "MPI_Count": 8, "MPI_Offset": 8, "MPI_Status": "t", **{h: "h" for h in HANDLES}}
# Numbers for which each interface has its own values, by the names of the parameters.
NUMBERS = {name: kind for kind, names in {
    "RANK": "rank source dest root target_rank rank_source rank_dest ranks1 ranks2 newrank", "TAG": "tag sendtag recvtag",
    "KEYVAL": "keyval comm_keyval type_keyval win_keyval", "ERROR": "errorclass errorcode", "THREADS": "required provided",
    "ASSERT": "assert", "COMPARISON": "result", "SPLIT": "split_type", "LOCK": "lock_type", "ORDER": "order", "CLASS": "typeclass",
    "DISTRIBUTION": "array_of_distribs", "PORTION": "array_of_dargs", "COMBINER": "combiner"}.items() for name in names.split()}
# Parameters that are counts of 64 bits in the functions of MPI 4 whose names end in _c, and have another size in those without.
COUNTS = {"count", "blocklength", "disp_unit", "displs", "sdispls", "rdispls", "incount", "outcount", "insize", "outsize", "position", "size",
          "stride", "sendcount", "recvcount", "sendcounts", "recvcounts", "origin_count", "result_count", "target_count",
          *(f"array_of_{n}" for n in ("blocklengths", "displacements", "gsizes", "sizes", "starts", "subsizes"))}
# Functions that have counts of 64 bits already.
WIDE = {"Op_create", "Type_create_resized", "Type_get_extent", "Type_get_true_extent", "File_get_type_extent", "Register_datarep"}
# Functions of MPI 4 and 5 that Peal lacks; those before the bar also have a form that ends in _c.
LATER = """Allgather_init Allgatherv_init Allreduce_init Alltoall_init Alltoallv_init Alltoallw_init Bcast_init Comm_attach_buffer
Comm_detach_buffer Exscan_init Gather_init Gatherv_init Neighbor_allgather_init Neighbor_allgatherv_init Neighbor_alltoall_init
Neighbor_alltoallv_init Neighbor_alltoallw_init Precv_init Psend_init Reduce_init Reduce_scatter_block_init Reduce_scatter_init Scan_init
Scatter_init Scatterv_init Session_attach_buffer Session_detach_buffer | Abi_get_fortran_booleans Abi_get_fortran_info Abi_get_info
Abi_set_fortran_booleans Abi_set_fortran_info Barrier_init Buffer_flush Buffer_iflush Comm_create_from_group Comm_flush_buffer
Comm_idup_with_info Comm_iflush_buffer File_fromint File_toint Get_hw_resource_info Group_from_session_pset Info_create_env
Intercomm_create_from_groups Parrived Pready Pready_list Pready_range Remove_error_class Remove_error_code Remove_error_string
Request_get_status_all Request_get_status_any Request_get_status_some Session_c2f Session_call_errhandler Session_create_errhandler Session_f2c Session_finalize
Session_flush_buffer Session_fromint Session_get_errhandler Session_get_info Session_get_nth_pset Session_get_num_psets
Session_get_pset_info Session_iflush_buffer Session_init Session_set_errhandler Session_toint Type_get_value_index
T_category_get_events T_category_get_num_events T_event_callback_get_info T_event_callback_set_info T_event_copy T_event_get_index
T_event_get_info T_event_get_num T_event_get_source T_event_get_timestamp T_event_handle_alloc T_event_handle_free T_event_handle_get_info
T_event_handle_set_info T_event_read T_event_register_callback T_event_set_dropped_handler T_source_get_info T_source_get_num
T_source_get_timestamp"""
# What the client answers by itself, and what the server does by hand.
LOCAL = {"Get_address", "Address", "Aint_add", "Aint_diff", "Alloc_mem", "Free_mem", "Pcontrol", "Wtick", "Wtime", "Status_c2f", "Status_f2c"}
CHANGED = {"Is_thread_main"}  # what the client changes in the answer
BUFFERS = {"buf", "sendbuf", "recvbuf", "buffer", "inbuf", "outbuf", "inoutbuf", "origin_addr", "result_addr", "compare_addr"}


def split(parameters):
    parts = [] if parameters == "void" else [" ".join(p.split()) for p in re.split(r",(?![^(]*\))", parameters)]
    found = []
    for part in parts:
        if part == "...":
            continue
        m = re.match(r"(const )?(\w+) ?(\**) ?(\w+)(\[\](?:\[3\])?)?$", part)
        found.append((m[4], m[2], bool(m[1]), len(m[3]) + (1 if m[5] else 0), m[5] or ""))
    return found


def has_large(call, parameters):
    """Whether MPI 4 has the call with counts of 64 bits, too."""
    return call in WIDE or any(p[0] in COUNTS and p[1] == "int" for p in parameters) and call not in ("Type_get_contents", "Testsome", "Waitsome") and \
        (any(p[1] == "MPI_Datatype" for p in parameters) or call.startswith(("Win_", "Buffer_")))


def is_large(call, parameter):
    return parameter[0] in COUNTS and parameter[1] == "int" and not (call == "Type_create_darray" and parameter[0] == "size")


def letter(call, parameter):
    """How the client hands an argument over."""
    name, kind, const, depth, array = parameter
    if kind == "char" and depth == 1:
        return "i" if const else "o"
    if kind == "void" and depth == 1 and (name in ("buffer_addr", "baseptr") or name == "attribute_val" and "get" in call.lower()):
        return "8"
    if depth == 1 and not array and not name.endswith("weights") and kind in SIZES and name != "argc":
        size = str(SIZES[kind])
        return size.upper() if const else size
    return "H" if kind in HANDLES and depth == 0 else "s" if kind == "MPI_Status" else "v"


def element(call, name, kind):
    if kind in HANDLES:
        return f"OF_KIND(ELEMENT_HANDLE, KIND_{HANDLES[kind]})"
    if kind == "MPI_Fint" and call.endswith(("_f2c", "_c2f")):
        return f"OF_KIND(ELEMENT_INTEGER, KIND_{call[:-4].upper()})"
    if kind == "MPI_Status":
        return "ELEMENT_STATUS"
    if (call, name) == ("Topo_test", "status"):
        return "ELEMENT_TOPOLOGY"
    return f"ELEMENT_{NUMBERS[name]}" if kind == "int" and name in NUMBERS and call != "Abort" else "ELEMENT_PLAIN"


def buffer(call, index, parameters):
    """A buffer: the count and type of its data, and how often they occur."""
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
    listed = names[count].endswith("counts") and "reduce" not in short
    if listed:
        times = lists.blocks(call, name, names)
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
    return f"{{.kind = BUFFER, .out = {int(out)}, .count = {count}, .type = {kind}, .displs = {displs if listed else -1}, .times = {times}}}"


def row(call, index, parameters):
    """What an argument is, for the server."""
    large = has_large(call, parameters) and is_large(call, parameters[index])
    return plain_row(call, index, parameters).replace("{", "{.large = 1, " if large else "{")


def plain_row(call, index, parameters):
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
    if name in ("argc", "argv"):
        return "{.kind = NOTHING}"
    if depth == 0:
        return f"{{.kind = VALUE, .element = {element(call, name, kind)}}}"
    if kind == "void":
        return buffer(call, index, parameters) if name in BUFFERS and not call.startswith("Buffer") else "{.kind = VALUE}"
    size = {"t": 24, "h": 8}.get(SIZES[kind], SIZES[kind]) * (3 if name == "ranges" else 1)
    holder, times = lists.length_of(call, name, names)
    count = names.index(holder) if holder else -1
    out = not const and name != "ranges"
    beside = names.index("sendbuf") if "sendbuf" in names and (name.startswith("send") or name == "sdispls") else -1
    return f"{{.kind = LIST, .type = {beside}, .out = {int(out)}, .element = {element(call, name, kind)}, .size = {size}, .count = {count}, .times = {times}}}"


def server_row(kind, call, parameters):
    names = [p[0] for p in parameters]
    place = {name: names.index(name) if name in names else -1 for name in ("comm", "root", "request")}
    if not any(n in BUFFERS or n == "newcomm" for n in names):
        place["request"] = -1
    rows = ", ".join(row(call, i, parameters) for i in range(len(parameters)))
    result = "ELEMENT_ERROR" if kind == "int" else element(call, "", kind)
    print(f"[CALL_{call}] = {{(void (*)(void))PMPI_{call}, {len(parameters)}, {place['comm']}, {place['root']}, {place['request']}, "
          f"{int(call.endswith('_init'))}, {result}, {{{rows or '{.kind = VALUE}'}}}}},")


def stub(kind, call, parameters, values, number, letters):
    handle = "(uintptr_t)" if kind in HANDLES else ""
    print(f'EXPORT({kind}, {call}, ({parameters}))\n{{\n    const uint64_t values[] = {{{values or 0}}};\n\n'
          f'    return ({kind}){handle}client_call({number}, "{letters}", values, __builtin_return_address(0));\n}}')


def stubs(kind, call, text, asked, absent):
    """The call, and its form for counts of 64 bits.  One that Peal lacks hands nothing over."""
    found = [] if absent else asked
    letters, parts = "".join(letter(call, p) for p in found), " ".join(text.split())
    values = ", ".join(f"(uint64_t)({'int64_t' if not p[3] and p[1] not in HANDLES else 'uintptr_t'}){p[0]}" for p in found)
    stub(kind, call, parts, values, f"CALL_{call}", letters)
    if has_large(call, asked):
        large = [is_large(call, p) for p in asked]
        parts = ", ".join(part.replace("int ", "long long ") if one else part for part, one in zip(parts.split(", "), large))
        letters = "".join("8" if one and way == "4" else way for way, one in zip(letters, large))
        stub(kind, call + "_c", parts, values, f"CALL_{call} | LARGE_CALL", letters)


def main():
    with open(sys.argv[2], encoding="utf-8") as opened:
        text = re.sub(r"/\*.*?\*/", "", opened.read(), flags=re.S)
    for absent, kind, call, parameters in re.findall(r"^PEAL_MPI(_ABSENT)?\(([\w ]+), (\w+), \((.*?)\)\)$", text, re.S | re.M):
        if call in LOCAL or (call in CHANGED and sys.argv[1] == "client"):
            continue
        asked = split(parameters)
        if sys.argv[1] == "server":
            server_row(kind, call, [] if absent else asked)
        else:
            stubs(kind, call, parameters, asked, absent)
    if sys.argv[1] == "client":
        first, others = (part.split() for part in LATER.split("|"))
        for name in [*first, *(n + "_c" for n in first), *others]:
            print(f"LACKING({name})")


main()
