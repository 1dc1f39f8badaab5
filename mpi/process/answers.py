# What python.c asks Python itself: each answer is None if there is none.
import gc
import os
import re
import sys
from array import array
from functools import lru_cache
from itertools import islice


def script():
    """The file of the program; as Python names it, one that it got by -c or as standard input."""
    return getattr(sys.modules["__main__"], "__file__", None) or ("<string>" if sys.argv[0] == "-c" else "<stdin>")


def is_own(code):
    """Whether it is the program's, not mpi4py's or the interpreter's."""
    return "mpi4py/" not in code.co_filename and (code.co_filename[0] != "<" or code.co_filename == script())


@lru_cache(maxsize=1 << 14)
def called_at(code, instruction, path, number):
    """The name of what this instruction calls, as the line has it: "comm.recv" of "comm.recv(source=1)"."""
    line, last, first, after = next(islice(code.co_positions(), instruction, None))
    if path == "<string>":
        lines = sys.orig_argv[sys.orig_argv.index("-c") + 1].encode().splitlines()
    else:
        with open(path, "rb") as opened:
            lines = opened.readlines()
    text = lines[number - 1][first:after if line == last else None]
    end, depth = len(text), 0
    for i, letter in enumerate(text):
        if letter == ord("("):
            end, depth = i if depth == 0 else end, depth + 1
        depth -= letter == ord(")")
    return re.search(rb"\.?([\w.]*)$", text[:end])[1].decode()


def script_end():
    """The script, and the number of its lines, which is known where the file cannot be read."""
    path = script()
    try:
        with open(path, "rb") as opened:
            return path, max(sum(1 for _ in opened), 1)
    except OSError:
        return path, int(os.environ.get("PEAL_LINES", 1))


def exception():
    """The exception that ends the program: what it says, and the last of its lines that is not a library's."""
    value, trace, place = getattr(sys, "last_value", None), getattr(sys, "last_traceback", None), ("", "", 0)
    if value is None or trace is None:
        return None
    while trace:
        code = trace.tb_frame.f_code
        if is_own(code) and "-packages/" not in code.co_filename and "/lib/python" not in code.co_filename:
            place = code.co_filename, code.co_name, trace.tb_lineno
        trace = trace.tb_next
    said = str(value).split("\n", maxsplit=1)[0]
    return (type(value).__name__ + (": " if said else "") + said, *place)


def memory_of(value):
    """Where the memory that an array, or what it is a part of, has allocated begins, its bytes, and what the array is a part of."""
    path, (numpy, MPI, mapped, foreign) = "", map(sys.modules.get, ("numpy", "mpi4py.MPI", "mmap", "ctypes"))
    arrays = (numpy.ndarray,) if numpy else ()
    plain = (bytearray, bytes, array, *([mapped.mmap] if mapped else []))
    in_c = (foreign.Array, foreign.Structure) if foreign else ()
    while True:
        if isinstance(value, memoryview):
            value, path = value.obj, path + ".obj"
        elif isinstance(value, arrays) and value.base is not None:
            value, path = value.base, path + ".base"
        elif isinstance(value, arrays):
            return (value.__array_interface__["data"][0], value.nbytes, path) if value.flags.owndata else None
        elif isinstance(value, in_c) and value._b_base_ is not None:
            value, path = value._b_base_, path + "._b_base_"
        elif isinstance(value, in_c):
            return (foreign.addressof(value), foreign.sizeof(value), path) if value._b_needsfree_ else None
        elif MPI and isinstance(value, plain):
            memory = getattr(MPI, "memory", None) or MPI.buffer
            return MPI.Get_address(value), memory(value).nbytes, path
        else:
            return None


def named(frame):
    """The values of a frame, of its lists and of its objects, with their names; then what lists that were made lately begin with."""
    for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
        yield name, value
        if isinstance(value, (list, tuple)):
            yield from ((f"{name}[{i}]", part) for i, part in enumerate(value[:1000]))
        elif isinstance(value, dict):
            yield from ((f"{name}[{key!r}]", part) for key, part in list(value.items())[:1000])
        elif not isinstance(value, (type, type(sys))):
            yield from ((f"{name}.{key}", part) for key, part in list(getattr(value, "__dict__", {}).items()))
    yield from (("", made[0]) for age in (0, 1) for made in gc.get_objects(age) if type(made) is list and made)


def array_at(address):
    """Where the memory of the array that has an address begins, its bytes, and its name."""
    frame, found = sys._getframe(1), None
    while frame and not is_own(frame.f_code):
        frame = frame.f_back
    for name, value in named(frame) if frame else ():
        memory = memory_of(value)
        if not memory or not memory[0] <= address < memory[0] + memory[1]:
            continue
        whole = not memory[2] or getattr(value, "nbytes", None) == memory[1]
        if whole or not found:
            found = (*memory[:2], name if whole or not name else name + memory[2])
        if whole:
            break
    return found
