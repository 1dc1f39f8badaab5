# Imports the slow modules of the script once, and forks each node, which runs the script as `python3 SCRIPT` does.
# Arguments: the spawner, the channels' file, where the processes' numbers go, their standard outputs, SCRIPT, its arguments.
import sys

has_folder = sys.path[0] == ""  # of the script's modules; unless PYTHONSAFEPATH is set
if has_folder:
    del sys.path[0]  # the working directory, whose modules are not the program's
import builtins
import gc
import os
import re
import time
import types


def become(rank):
    """This process is a node: its channel, standard output and input, and random numbers of its own."""
    os.write(numbers, rank.to_bytes(4, sys.byteorder) + os.getpid().to_bytes(4, sys.byteorder))
    os.close(numbers)
    os.dup2(outputs[rank], 1)
    for output in outputs:
        os.close(output)
    if rank > 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    while os.getppid() == zygote:  # once that has ended, the spawner is the parent
        time.sleep(0.001)
    if os.getppid() != spawner:
        os._exit(1)
    os.environ["PEAL_PROCESS"] = f"{file} {rank} {spawner}"
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def run():
    """Run the script as the interpreter does; the frames here are not the program's."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=os.path.abspath(sys.argv[0]), __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "mpi4py":
            if node > 0:
                sys.exit(1)  # node 0 says it
            print("peal: python3 has no mpi4py: apt-get install python3-mpi4py, and call /usr/bin/python3 if python3 is another one",
                  file=sys.stderr)
        trace = error.__traceback__.tb_next or error.__traceback__
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


zygote = os.getpid()
spawner, file, numbers = map(int, sys.argv[1:4])
outputs = [int(number) for number in sys.argv[4].split(",")]
sys.argv[:] = sys.argv[5:]
try:
    with open(sys.argv[0], "rb") as opened:
        text = opened.read()
    code = compile(text, os.path.abspath(sys.argv[0]), "exec", dont_inherit=True)
except (OSError, ValueError, SyntaxError):
    os._exit(0)  # a folder, an archive, or what is wrong: each node has Python run it
if has_folder:
    sys.path.insert(0, os.path.dirname(os.path.realpath(sys.argv[0])))
for name in re.findall(rb"^(?:import|from) (numpy|scipy|pandas|matplotlib)\b", text, re.M):
    try:
        __import__(name.decode())
    except Exception:  # the script says so, at its line
        pass
gc.freeze()
for node in range(len(outputs)):
    if os.fork() == 0:
        become(node)
        break
else:
    os._exit(0)
run()
