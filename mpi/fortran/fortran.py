#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generate MPI's Fortran interface from calls.def and mpi.h: fortran.py WHAT CALLS.DEF MPI.H

WHAT is wrappers.inc (for mpi/fortran/fortran_calls.c), mpif.h, mpi.f90 or mpi_f08.f90.  A parameter's meaning follows from its type in C
and its name.  An unknown kind of parameter, or a call without a wrapper, ends the build."""
import re
import sys

HANDLES = {"MPI_Comm": "COMM", "MPI_Group": "GROUP", "MPI_Datatype": "TYPE", "MPI_Request": "REQUEST", "MPI_Message": "MESSAGE",
           "MPI_Op": "OP", "MPI_Errhandler": "ERRHANDLER", "MPI_Info": "INFO", "MPI_Win": "WIN", "MPI_File": "FILE"}
LOGICAL = {"flag", "reorder", "commute", "periods", "remain_dims", "high", "weighted"}
INTEGERS = {"int": "MPI_Fint", "MPI_Aint": "MPI_Aint", "MPI_Offset": "MPI_Offset", "MPI_Count": "MPI_Count"}
KINDS = {"int": "integer", "MPI_Aint": "integer(kind=MPI_ADDRESS_KIND)", "MPI_Offset": "integer(kind=MPI_OFFSET_KIND)",
         "MPI_Count": "integer(kind=MPI_COUNT_KIND)"}

# Functions of MPI-1, where an INTEGER stands for an address or an attribute.
OLD = {"Address", "Type_extent", "Type_lb", "Type_ub", "Type_hindexed", "Type_hvector", "Type_struct", "Attr_get", "Attr_put",
       "Keyval_create", "Attr_delete", "Keyval_free", "Errhandler_create", "Errhandler_get", "Errhandler_set"}
# Written by hand in mpi/fortran/fortran_calls.c, with their declarations in TAIL.
BY_HAND = {"Init", "Init_thread", "Pcontrol", "Wtime", "Wtick", "Aint_add", "Aint_diff", "Buffer_detach"}
# Calls whose buffers are used after they have returned, or whose address matters: the modules pass descriptors, not
# copies of array sections, which the compiler would make before the call and free after it.
LATER = re.compile(r"I[a-z]*(send|recv|bcast|gather|scatter|reduce|scan|toall|neighbor)|R(put|get|accumulate)|Put$|Get(_accumulate|_address)?$|"
                   r"Accumulate|Fetch_and_op|Compare_and_swap|\w+_init$|Win_(create|attach|detach)$|Buffer_attach|"
                   r"File_(i|\w+_(begin|end)$)")
# Those of their buffers that have several blocks.
BLOCKS = re.compile(r"I(all)?gatherv? recvbuf|Iscatterv? sendbuf|Ialltoall|Ineighbor_all(gatherv? recvbuf|toall)")
# The number of elements of an array of handles: the first of these parameters that the call has.
COUNTS = {"array_of_requests": ("count", "incount"), "array_of_types": ("count",), "array_of_datatypes": ("max_datatypes",),
          "array_of_info": ("count",)}


class Call:
    """A function of calls.def: its name without MPI_, and its parameters, as (type without const, stars, name, dimensions, const)."""

    def __init__(self, name, text, absent):
        self.name, self.absent, self.old = name, absent, name in OLD
        self.parameters = []
        for one in [] if text.strip() == "void" else re.sub(r"\s+", " ", text).split(","):
            base, word, dims = re.match(r"^(.*?)(\w+)((?:\[\d*\])*)$", one.strip()).groups()
            kind = base.replace("const", "").replace("*", "").strip()
            self.parameters.append(Parameter(self, kind, base.count("*") + dims.count("["), word, dims, "const" in base))

    def later(self):
        return LATER.match(self.name) and any(one.form == "choice" for one in self.parameters)

    def has(self, name):
        return any(one.name == name for one in self.parameters)


class Parameter:
    """One parameter: `form` says how it is passed on."""

    def __init__(self, call, kind, stars, name, dims, const):
        self.call, self.kind, self.stars, self.name, self.dims, self.const = call, kind, stars, name, dims, const
        self.fortran_name = "index" if name == "indx" else name
        self.short = call.old and kind == "MPI_Aint"  # an INTEGER for an address
        self.form = self.find_form()
        if not self.form:
            sys.exit(f"fortran.py: MPI_{call.name}: {kind} {'*' * stars}{name} is of no known kind")

    def find_form(self):
        if self.kind == "void" and self.stars == 1:
            named = {"attribute_val": "attribute", "extra_state": "extra", "baseptr": "pointer"}
            return named.get(self.name, "choice")
        if self.kind == "char":
            return {1: "text in" if self.const else "text out", 2: "texts", 3: "texts"}.get(self.stars)
        if self.kind in HANDLES and self.stars < 2:
            return "handles" if self.dims else "handle out" if self.stars else "handle"
        if self.kind == "MPI_Status":
            return "statuses" if self.dims else "status"
        if self.kind.endswith(("_function", "_fn")):
            return "function"
        if self.kind in INTEGERS and (self.stars < 2 or self.dims == "[][3]"):
            if self.dims:
                return "integers"
            return ("weights" if "weights" in self.name else "integer out") if self.stars else "integer"
        return None


def read_calls(path):
    """The calls that exist in Fortran: MPI_T and the conversions of handles exist in C only."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for absent, kind, name, parameters in re.findall(
            r"PEAL_MPI(_ABSENT)?\((\w+), (\w+), \(((?:[^()]|\([^()]*\))*)\)\)", text):
        if not name.startswith("T_") and not re.search(r"_(c2f|f2c)$", name) and name not in BY_HAND:
            if kind != "int":
                sys.exit(f"fortran.py: MPI_{name} is not of type int, and has no wrapper of its own")
            yield Call(name, parameters, bool(absent))


# ---------------------------------------------------------------- wrappers

def peers(one, described):
    """The number of elements of an array of handles."""
    if one.name in ("sendtypes", "recvtypes"):
        neighbours = "eighbor" in one.call.name
        receives = one.name == "recvtypes"
        return (f"fortran_peers(mpi, *comm, {str(neighbours).lower()}, {str(receives).lower()}, "
                f"{'NULL' if receives else 'sendbuf->address' if described else 'sendbuf'})")
    return "*" + next(name for name in COUNTS[one.name] if one.call.has(name))


def elements(one):
    """The parameters that are the count and the datatype of a buffer; None: it has none of its own, or they describe one of
    several blocks, or numbers that an operator combines."""
    if BLOCKS.match(f"{one.call.name} {one.name}") or one.call.has("op") and not one.call.has("origin_count"):
        return None
    after = one.call.parameters[one.call.parameters.index(one) + 1:][:2]
    fits = [(other.form, other.kind) for other in after] == [("integer", "int"), ("handle", "MPI_Datatype")]
    return after if fits else None


def pass_on(one, described):
    """(declarations, statements before the call, its argument, statements after it, hidden lengths)."""
    v, kind = one.name, HANDLES.get(one.kind)
    before, after, lengths = [], [], []
    declared, argument = f"MPI_Fint *{v}", v
    if described and one.name in [other.name for buffer in one.call.parameters if buffer.form == "choice"
                                  for other in elements(buffer) or []]:
        buffer = next(other for other in one.call.parameters if other.form == "choice" and one in (elements(other) or []))
        return f"const MPI_Fint *{v}", [], f"{buffer.name}_c.{'type' if one.kind == 'MPI_Datatype' else 'count'}", [], []
    if one.form in ("choice", "pointer"):
        declared = f"void *{v}"
        if one.form == "choice" and described:
            return pass_described(one)
        argument = f"fortran_choice(mpi, {v})" if one.form == "choice" else v
    elif one.form == "handle":
        declared, argument = f"const MPI_Fint *{v}", f"({one.kind})handle_numbered(mpi, KIND_{kind}, *{v})"
    elif one.form == "handle out":
        before = [f"{one.kind} {v}_c = ({one.kind})handle_numbered(mpi, KIND_{kind}, *{v}), {v}_was = {v}_c;"]
        argument, after = f"&{v}_c", [f"if ({v}_c != {v}_was)", f"    *{v} = handle_number(mpi, KIND_{kind}, (uintptr_t){v}_c);"]
    elif one.form == "handles":
        before = [f"const int {v}_count = {peers(one, described)};",
                  f"{one.kind} *{v}_c = (void *)fortran_handles(mpi, KIND_{kind}, {v}, {v}_count);"]
        argument = f"{v}_c"
        if not one.const and one.name != "array_of_types":
            after = [f"fortran_numbers(mpi, KIND_{kind}, {v}, {v}_c, {v}_count);"]
        if not re.match("I(all|neigh)", one.call.name):  # those read the array until they are complete
            after += [f"mpi_free(mpi, {v}_c);"]
    elif one.form in ("status", "statuses"):
        argument = f"fortran_{one.form}(mpi, {v})"
    elif one.form == "text in":
        declared, lengths = f"const char *{v}", [f"size_t {v}_length"]
        strips = str(one.call.name.startswith("Info_")).lower()
        before, argument = [f"char *{v}_c = fortran_text(mpi, {v}, {v}_length, {strips});"], f"{v}_c"
        after = [f"mpi_free(mpi, {v}_c);"]
    elif one.form == "text out":
        declared, lengths = f"char *{v}", [f"size_t {v}_length"]
        before, argument = [f"char {v}_c[FORTRAN_TEXT] = \"\";"], f"{v}_c"
        after = ["if (!code && *flag)" if one.call.has("flag") else "if (!code)", f"    fortran_fill({v}, {v}_length, {v}_c);"]
    elif one.form == "texts":
        declared, lengths, argument = f"const char *{v}", [f"size_t {v}_length"], "NULL"  # of calls that are absent
        before = [f"(void){v}, (void){v}_length;"]
    elif one.form == "integer":
        declared, argument = f"const {'MPI_Fint' if one.short else INTEGERS[one.kind]} *{v}", f"*{v}"
    elif one.form == "integer out" and one.short:
        before, argument, after = [f"MPI_Aint {v}_c = *{v};"], f"&{v}_c", [f"*{v} = (MPI_Fint){v}_c;"]
    elif one.form == "integer out":
        declared = f"{INTEGERS[one.kind]} *{v}"
        if one.fortran_name == "index":
            after = ["if (!code)", f"    fortran_indices({v}, 1);"]
    elif one.form == "weights":
        argument = f"fortran_weights(mpi, {v})"
    elif one.form == "integers" and one.short:
        before = [f"MPI_Aint *{v}_c = fortran_addresses(mpi, {v}, *count);"]
        argument, after = f"{v}_c", [f"mpi_free(mpi, {v}_c);"]
    elif one.form == "integers":
        declared = f"{INTEGERS[one.kind]} {'(*' + v + ')[3]' if one.dims == '[][3]' else '*' + v}"
        if one.name == "array_of_indices":
            after = ["if (!code)", f"    fortran_indices({v}, *outcount);"]
        elif one.name == "array_of_errcodes":
            argument = "NULL"
            before = [f"(void){v};"]
    elif one.form == "attribute":
        short = "MPI_Fint" if one.call.old else "MPI_Aint"
        key = next(name.name for name in one.call.parameters if name.name.endswith("keyval"))
        if one.call.has("flag"):
            declared, before, argument = f"{short} *{v}", [f"void *{v}_c = NULL;"], f"&{v}_c"
            after = ["if (!code && *flag)", f"    *{v} = ({short})fortran_attribute(*{key}, {v}_c);"]
        else:
            declared, argument = f"const {short} *{v}", f"(void *)(intptr_t)*{v}"
    elif one.form == "extra":
        declared, argument = f"const {'MPI_Fint' if one.call.old else 'MPI_Aint'} *{v}", f"(void *)(intptr_t)*{v}"
    elif one.form == "function":
        declared, argument = f"void (*{v})(void)", f"({one.kind} *){v}"
    return declared, before, argument, after, lengths


def pass_described(one):
    """A buffer passed as a descriptor: if it has its own count and datatype, it may be any section of an array."""
    v, own = one.name, elements(one)
    if own:
        before = [f"struct section {v}_c = fortran_section(mpi, {v}, *{own[0].name}, *{own[1].name});"]
        return f"const struct descriptor *{v}", before, f"{v}_c.address", [f"fortran_section_end(&{v}_c);"], []
    whole = "false" if one.call.name == "Get_address" else "true"
    return f"const struct descriptor *{v}", [], f"fortran_whole(mpi, {v}, {whole})", [], []


def wrapper(call, described=False):
    passed = [pass_on(one, described) for one in call.parameters]
    declared = [one[0] for one in passed] + ["MPI_Fint *ierror"] + [length for one in passed for length in one[4]]
    lines = [line for one in passed for line in one[1]]
    lines += [f"int code = FROM_FORTRAN(PMPI_{call.name}({', '.join(one[2] for one in passed)}));"]
    lines += [line for one in passed for line in one[3]]
    lines += ["fortran_leave(ierror, code);"]
    body = "".join(f"    {line}\n" for line in lines)
    name = f"mpi_{call.name.lower()}_{'described_' if described else ''}"
    return (f"FORTRAN({name}, ({', '.join(declared)}))\n{{\n"
            f"    struct mpi *mpi = mpi_caller(CALL_{call.name}, __builtin_return_address(0));\n{body}}}\n")


# ---------------------------------------------------------------- constants

def read_constants(path):
    """({name: number} of integers, {name: (type, number)} of handles) that mpi.h defines."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    numbers = {name: int(value) for name, value in re.findall(r"^#define (MPI_\w+) \(?(-?\d+)\)?$", text, flags=re.M)}
    for body in re.findall(r"^enum \{(.*?)\};", text, flags=re.S | re.M):
        value = -1
        for entry in filter(None, (entry.strip() for entry in body.split(","))):
            name, _, given = entry.partition("=")
            value = int(given) if given else value + 1
            numbers[name.strip()] = value
    numbers = {name: value for name, value in numbers.items() if not name.startswith(("MPI_T_", "MPI_F_"))}
    kinds = list(HANDLES)
    handles = {}
    for name, kind, number in re.findall(r"^#define (MPI_\w+) PEAL_MPI_HANDLE\((MPI_\w+), \d+, (\d+)\)", text, flags=re.M):
        handles[name] = kind, int(number)
    for name, number in re.findall(r"^#define (MPI_\w+) PEAL_MPI_TYPE\((\d+)\)", text, flags=re.M):
        handles[name] = "MPI_Datatype", int(number)
    for name, other in re.findall(r"^#define (MPI_\w+) (MPI_[A-Z_0-9]+)$", text, flags=re.M):
        if other in handles:
            handles[name] = handles[other]
    if len(numbers) < 100 or len(handles) < 90:
        sys.exit(f"fortran.py: {path} has {len(numbers)} numbers and {len(handles)} handles: it is written in another way")
    order = {kind: kinds.index(kind) + 1 for kind in kinds}  # as mpi/call/node.h numbers them; the number is handle_number's
    return numbers, {name: (kind, (order[kind] << 27) + number) for name, (kind, number) in handles.items()}


def fortran_numbers(numbers):
    """The constants of mpi.h, with lengths of texts that exclude the final zero; and Fortran's own."""
    own = {"MPI_STATUS_SIZE": 6, "MPI_SOURCE": 1, "MPI_TAG": 2, "MPI_ERROR": 3, "MPI_ADDRESS_KIND": 8, "MPI_OFFSET_KIND": 8,
           "MPI_COUNT_KIND": 8, "MPI_INTEGER_KIND": 4}
    return {**{name: value - (name.startswith("MPI_MAX_")) for name, value in numbers.items()}, **own}


# Constants that are recognized by their address, in this order: mpi/fortran/fortran_calls.c.
SENTINELS = ["MPI_STATUS_IGNORE(6)", "MPI_STATUSES_IGNORE(6,1)", "MPI_BOTTOM", "MPI_IN_PLACE", "MPI_UNWEIGHTED(1)",
             "MPI_WEIGHTS_EMPTY(1)", "MPI_ERRCODES_IGNORE(1)"]
TEXTS = ["MPI_ARGV_NULL(1)", "MPI_ARGVS_NULL(1,1)"]
FUNCTIONS = [f"MPI_{kind}_{what}" for kind in ("COMM", "TYPE", "WIN") for what in ("DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN")]
OLD_FUNCTIONS = ["MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN"]


def plain(names):
    return [re.sub(r"\(.*", "", name) for name in names]


def mpif(numbers, handles):
    """mpif.h, right in fixed and in free form: statements from column 7 to 72."""
    lines = ["! SPDX-License-Identifier: MIT", "! Peal's MPI for Fortran: written by mpi/fortran/fortran.py"]
    for name, value in {**fortran_numbers(numbers), **{name: value for name, (_, value) in handles.items()}}.items():
        lines += [f"INTEGER {name}", f"PARAMETER ({name}={value})"]
    for name in "MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING":
        lines += [f"LOGICAL {name}", f"PARAMETER ({name}=.FALSE.)"]
    lines += [f"INTEGER {name}" for name in SENTINELS] + [f"CHARACTER*1 {name}" for name in TEXTS]
    lines += [f"COMMON /PEALMP/ {name}" for name in plain(SENTINELS)] + [f"COMMON /PEALMC/ {name}" for name in plain(TEXTS)]
    lines += ["SAVE /PEALMP/, /PEALMC/"]
    for kind, names in (("DOUBLE PRECISION", ["MPI_WTIME", "MPI_WTICK", "PMPI_WTIME", "PMPI_WTICK"]),
                        ("INTEGER*8", ["MPI_AINT_ADD", "MPI_AINT_DIFF", "PMPI_AINT_ADD", "PMPI_AINT_DIFF"])):
        lines += [line for name in names for line in (f"{kind} {name}", f"EXTERNAL {name}")]
    lines += [f"EXTERNAL {name}" for name in FUNCTIONS + OLD_FUNCTIONS + ["MPI_CONVERSION_FN_NULL"]]
    too_long = [line for line in lines if len(line) > 66 and line[0] != "!"]
    if too_long:
        sys.exit(f"fortran.py: too long for fixed form: {too_long}")
    return "\n".join(line if line[0] == "!" else "      " + line for line in lines) + "\n"


# ---------------------------------------------------------------- modules

def declaration(one, f08):
    """The lines that declare a parameter in an interface."""
    name, logical = one.fortran_name, "logical" if one.name in LOGICAL else None
    if one.form == "choice" and one.call.later():
        return [f"type(*), dimension(..){', intent(in)' if one.const else ', asynchronous'} :: {name}"]
    anything = [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"type(*), dimension(*) :: {name}"]
    if one.form in ("choice", "pointer"):
        return anything
    if one.form in ("handle", "handle out", "handles"):
        kind = f"type({one.kind})" if f08 else "integer"
        return [f"{kind}{', intent(in)' if one.form == 'handle' else ''} :: {name}{'(*)' if one.dims else ''}"]
    if one.form in ("status", "statuses"):
        many = one.form == "statuses"
        return [f"type(MPI_Status) :: {name}{'(*)' if many else ''}" if f08 else
                f"integer :: {name}(MPI_STATUS_SIZE{',*' if many else ''})"]
    if one.form.startswith("text"):
        many = "(*)" if one.form == "texts" and one.stars == 2 else "(count,*)" if one.form == "texts" else ""
        return [f"character(len=*), intent({'out' if one.form == 'text out' else 'in'}) :: {name}{many}"]
    if one.form == "function":
        return [f"external :: {name}"]
    if one.form in ("attribute", "extra"):
        return [f"{'integer' if one.call.old else KINDS['MPI_Aint']} :: {name}"]
    kind = logical or ("integer" if one.short else KINDS[one.kind])
    many = {"weights": "(*)", "integers": "(3,*)" if one.dims == "[][3]" else "(*)"}.get(one.form, "")
    return [f"{kind}{', intent(in)' if one.form == 'integer' else ''} :: {name}{many}"]


def interface(call, f08):
    lines = [line for one in call.parameters for line in declaration(one, f08)]
    lines += [IERROR[f08] + " :: ierror"]
    used = sorted({name for name in [*HANDLES, "MPI_Status"] if f"({name})" in "".join(lines)})
    used += [f"MPI_{word}_KIND" for word in ("ADDRESS", "OFFSET", "COUNT") if f"MPI_{word}_KIND" in "".join(lines)]
    used += ["MPI_STATUS_SIZE"] if "MPI_STATUS_SIZE" in "".join(lines) else []
    names = ", &\n  ".join([one.fortran_name for one in call.parameters] + ["ierror"])
    imported = f"import :: {', '.join(used)}\n" if used else ""
    # Each module has a name of its own, since a file may use both.
    bind = f' bind(C, name="{"" if f08 else "p"}mpi_{call.name.lower()}_described_")' if call.later() else ""
    return f"subroutine MPI_{call.name}({names}){bind}\n{imported}" + "\n".join(lines) + "\nend subroutine\n"


SIZED = {"character": "character(len=*)", "logical": "logical", **{f"integer{k}": f"integer({k})" for k in (1, 2, 4, 8, 16)},
         **{f"{kind}{k}": f"{kind}({k})" for kind in ("real", "complex") for k in (4, 8, 16)}}
AINT = KINDS["MPI_Aint"]
IERROR = {False: "integer", True: "integer, optional"}  # with intent(out) gfortran 12 gives calls the line numbers of other calls

# The interfaces of the calls that are written by hand; {} is the declaration of ierror.
TAIL = """subroutine MPI_Init(ierror)
{} :: ierror
end subroutine
subroutine MPI_Init_thread(required, provided, ierror)
integer, intent(in) :: required
integer :: provided
{} :: ierror
end subroutine
subroutine MPI_Pcontrol(level)
integer, intent(in) :: level
end subroutine
subroutine MPI_Buffer_detach(buffer_addr, size, ierror){}
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
type(*), dimension(*) :: buffer_addr
integer :: size
{} :: ierror
end subroutine
double precision function MPI_Wtime()
end function
double precision function MPI_Wtick()
end function
double precision function PMPI_Wtime()
end function
double precision function PMPI_Wtick()
end function
function MPI_Aint_add(base, disp)
import :: MPI_ADDRESS_KIND
integer(kind=MPI_ADDRESS_KIND) :: MPI_Aint_add, base, disp
end function
function MPI_Aint_diff(addr1, addr2)
import :: MPI_ADDRESS_KIND
integer(kind=MPI_ADDRESS_KIND) :: MPI_Aint_diff, addr1, addr2
end function
"""

# Interfaces by which programs declare their own functions: procedure(MPI_User_function).
ABSTRACT = f"""subroutine MPI_User_function(invec, inoutvec, len, datatype)
import :: c_ptr, MPI_Datatype
type(c_ptr), value :: invec, inoutvec
integer :: len
type(MPI_Datatype) :: datatype
end subroutine
""" + "".join(f"""subroutine MPI_{kind}_copy_attr_function(old{old}, {low}_keyval, extra_state, &
  attribute_val_in, attribute_val_out, flag, ierror)
import :: MPI_ADDRESS_KIND, {handle}
type({handle}) :: old{old}
integer :: {low}_keyval, ierror
{AINT} :: extra_state, attribute_val_in, attribute_val_out
logical :: flag
end subroutine
subroutine MPI_{kind}_delete_attr_function({name}, {low}_keyval, attribute_val, extra_state, ierror)
import :: MPI_ADDRESS_KIND, {handle}
type({handle}) :: {name}
integer :: {low}_keyval, ierror
{AINT} :: attribute_val, extra_state
end subroutine
""" for kind, low, old, name, handle in (("Comm", "comm", "comm", "comm", "MPI_Comm"), ("Type", "type", "type", "datatype", "MPI_Datatype"),
                                         ("Win", "win", "win", "win", "MPI_Win"))) + "".join(f"""subroutine MPI_{kind}_errhandler_function({name}, error_code)
import :: MPI_{kind}
type(MPI_{kind}) :: {name}
integer :: error_code
end subroutine
""" for kind, name in (("Comm", "comm"), ("Win", "win"), ("File", "file"))) + f"""subroutine MPI_Grequest_query_function(extra_state, status, ierror)
import :: MPI_ADDRESS_KIND, MPI_Status
{AINT} :: extra_state
type(MPI_Status) :: status
integer :: ierror
end subroutine
subroutine MPI_Grequest_free_function(extra_state, ierror)
import :: MPI_ADDRESS_KIND
{AINT} :: extra_state
integer :: ierror
end subroutine
subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
import :: MPI_ADDRESS_KIND
{AINT} :: extra_state
logical :: complete
integer :: ierror
end subroutine
"""


def sizes():
    """MPI_Sizeof, for each type and rank."""
    names = [f"peal_sizeof_{name}" for name in SIZED]
    bodies = "".join(f"subroutine {name}(x, size, ierror)\n{kind}, dimension(..), intent(in) :: x\n"
                     f"integer, intent(out) :: size\ninteger, optional, intent(out) :: ierror\nend subroutine\n"
                     for name, kind in zip(names, SIZED.values()))
    return f"interface MPI_Sizeof\n{bodies}end interface\nprivate :: {', &  '.join(name + chr(10) for name in names)}".replace(
        "\n, &", ", &\n") + "\n"


def comparisons():
    """== and /= for handles."""
    text = ""
    for sign, word in ("==", "equal"), ("/=", "differ"):
        text += f"interface operator({sign})\n" + "".join(
            f"pure logical function peal_{word}_{kind[4:]}(a, b)\nimport :: {kind}\ntype({kind}), intent(in) :: a, b\nend function\n"
            for kind in HANDLES) + "end interface\n"
    return text


def module(name, calls, numbers, handles):
    f08 = name == "mpi_f08"
    lines = ["! SPDX-License-Identifier: MIT", "! Peal's MPI for Fortran: written by mpi/fortran/fortran.py", f"module {name}",
             "use, intrinsic :: iso_c_binding, only: c_ptr", "implicit none", "private :: c_ptr"]
    lines += [f"integer, parameter :: {one} = {value}" for one, value in fortran_numbers(numbers).items()
              if not f08 or one not in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")]
    lines += [f"logical, parameter :: {one} = .false." for one in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING")]
    if f08:
        lines += [f"type, bind(C) :: {kind}\ninteger :: MPI_VAL\nend type" for kind in HANDLES]
        lines += ["type, bind(C) :: MPI_Status\ninteger :: MPI_SOURCE, MPI_TAG, MPI_ERROR",
                  "integer, private :: cancelled, bytes(2)\nend type"]
    for one, (kind, value) in handles.items():
        lines += [f"type({kind}), parameter :: {one} = {kind}({value})" if f08 else f"integer, parameter :: {one} = {value}"]
    statuses = "type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)"
    lines += [statuses if f08 else f"integer :: {', '.join(SENTINELS[:2])}", f"integer :: {', '.join(SENTINELS[2:])}",
              f"character(len=1) :: {', '.join(TEXTS)}"]
    lines += [f"common /pealmp/ {one}" for one in plain(SENTINELS)] + [f"common /pealmc/ {one}" for one in plain(TEXTS)]
    lines += ["save /pealmp/, /pealmc/"]
    lines += [f"external :: {one}" for one in FUNCTIONS + ([] if f08 else OLD_FUNCTIONS) + ["MPI_CONVERSION_FN_NULL"]]
    text = "\n".join(lines) + "\n" + sizes()
    if f08:
        text += comparisons() + f"abstract interface\n{ABSTRACT}end interface\n"
    bind = ' bind(C, name="mpi_buffer_detach_f08_")' if f08 else ""
    text += "interface\n" + "".join(interface(call, f08) for call in calls if not (f08 and call.old))
    return text + TAIL.format(IERROR[f08], IERROR[f08], bind, IERROR[f08]) + f"end interface\nend module {name}\n"


def main():
    what, calls, header = sys.argv[1:4]
    calls = list(read_calls(calls))
    if what == "wrappers.inc":
        sys.stdout.write("\n".join([wrapper(call) for call in calls] + [wrapper(call, True) for call in calls if call.later()]))
    elif what == "mpif.h":
        sys.stdout.write(mpif(*read_constants(header)))
    else:
        sys.stdout.write(module(what.removesuffix(".f90"), calls, *read_constants(header)))


if __name__ == "__main__":
    main()
