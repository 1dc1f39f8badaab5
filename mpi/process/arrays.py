# Finds the array that has an address: array_at(address) gives where its memory begins, its bytes, and its name, or None.
import gc
import sys
from array import array


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
    frame, found = sys._getframe(1), None
    while frame and (frame.f_code.co_filename.startswith("<") or "mpi4py/" in frame.f_code.co_filename):
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
