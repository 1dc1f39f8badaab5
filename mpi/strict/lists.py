# SPDX-License-Identifier: MIT
"""The lengths of the lists that calls of MPI take: for arguments.py, which looks at them, and mpi/process/calls.py, which copies them."""
import re

# The parameters that may hold a list's length: the first that the call has.  With none it has an entry for each dimension.
HOLDERS = {
    "array_of_requests": "count incount", "array_of_statuses": "count incount", "array_of_indices": "incount",
    "dims": "ndims maxdims", "periods": "ndims maxdims", "coords": "maxdims", "remain_dims": "",
    "ranks": "n", "ranks1": "n", "ranks2": "n", "ranges": "n", "degrees": "n", "weights": "", "neighbors": "maxneighbors",
    "array_of_integers": "max_integers", "array_of_addresses": "max_addresses", "array_of_datatypes": "max_datatypes",
    "sources": "maxindegree indegree n", "sourceweights": "maxindegree indegree", "indx": "maxindex nnodes", "edges": "maxedges",
    "destinations": "maxoutdegree outdegree", "destweights": "maxoutdegree outdegree",
    **{f"array_of_{n}": "count" for n in ("blocklengths", "displacements", "types")},
    **{f"array_of_{n}": "ndims" for n in ("dargs", "distribs", "gsizes", "psizes", "sizes", "starts", "subsizes")}}


def is_of_blocks(name):
    return re.fullmatch("(send|recv)(counts|types)|[sr]?displs", name)


def blocks(call, name, names):
    """The length of a list with an entry per node or neighbour: what lengths.h has it by."""
    if "eighbor" in call:
        return "SOURCES" if name.startswith("r") or name == "displs" else "DESTINATIONS"
    return "AT_ROOT" if "root" in names else "OWN" if "educe" in call else "MEMBERS"


def length_of(call, name, names):
    """A parameter or None, and what the length is: ONCE, that; SUM or LAST, of the list that it is; or by lengths.h."""
    if is_of_blocks(name):
        return None, blocks(call, name, names)
    if call == "Dist_graph_create" and name in ("destinations", "weights"):
        return "degrees", "SUM"
    if name == "edges" and "indx" in names and "maxedges" not in names:
        return "indx", "LAST"
    holder = next((n for n in HOLDERS[name].split() if n in names), None)
    return holder, "ONCE" if holder else "DIMENSIONS"
