#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module of tools/python ($1) with the command $2: installed by pip, its objects against the documents, its errors."""
import contextlib
import filecmp
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

source, command, version = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
folder = tempfile.TemporaryDirectory(prefix="peal-python-")
there = pathlib.Path(folder.name)
# As without a network; from the folder, and from an archive of its sources.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
archive = subprocess.run([sys.executable, "-c", "import backend, sys; print(backend.build_sdist(sys.argv[1]))", there],
                         cwd=source, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
for where, origin in ("folder", source), ("installed", there / archive):
    subprocess.run([sys.executable, "-m", "pip", "-q", "install", "--root-user-action=ignore", "--no-index", "--target",
                    there / where, origin], check=True)
assert not filecmp.dircmp(there / "folder" / "peal", there / "installed" / "peal").diff_files
leads = subprocess.run([sys.executable, "-c", "import backend, sys; print(backend.build_editable(sys.argv[1]))", there],
                       cwd=source, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
assert zipfile.ZipFile(there / leads).read("peal.pth").decode().strip() == str(source)
sys.path.insert(0, str(there / "installed"))
sys.dont_write_bytecode = True
os.environ["PEAL"] = command
import peal  # noqa: E402

assert peal.__file__.startswith(str(there)) and peal.__version__ == version, peal.__version__


@contextlib.contextmanager
def refused(code, beginning):
    try:
        yield
    except peal.Error as error:
        assert error.code == code and str(error).startswith(beginning), (error.code, str(error))
    else:
        raise AssertionError(f"not refused: {beginning}")


run = peal.run("scatter/binomial", nodes=8, block=4, topology="ring", switching="wormhole")
assert run.name == "scatter/binomial" and run.nodes == 8 and run.verified and run.failure is None and run.code == 0
assert run.cost == run.closed_form and run.cost.coefficients == (3, 28, 7, 0), run.cost
assert sum(each.charge.beta for each in run.rounds) == 28 and run.rounds[0].number == 1
assert run.rounds[0].transfers[0].source == 0 and run.rounds[0].transfers[0].words == 16
assert run.table[1]["messages"] == "0→2 4→6" and len(run.table) == 3, run.table
assert str(peal.Cost({"alpha": 1, "beta": 0, "hop": 2, "tau": 0})) == "α + 2t_d"
assert peal.run("barrier", nodes=1).rounds == [] and str(peal.run("barrier", nodes=1).cost) == "0"

for name, body, code in ("right", "print(MPI.COMM_WORLD.allreduce(1))", 0), ("wrong", "raise SystemExit(MPI.COMM_WORLD.recv())", 1):
    (there / f"{name}.py").write_text("from mpi4py import MPI\n" + body + "\n", encoding="utf-8")
    if importlib.util.find_spec("mpi4py"):
        of_python = peal.run(there / f"{name}.py", nodes=3)
        assert of_python.code == code and of_python.name.endswith(f"{name}.py"), repr(of_python)
        assert of_python.output == "3\n" * 3 if code == 0 else of_python.failure["kind"] == "deadlock", of_python.json
(there / "code.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
assert repr(peal.run(there / "code.py", nodes=2)).endswith("exit code 3")
(there / "bytes.c").write_text("#include <peal/peal.h>\n#include <stdio.h>\n"
                               "void peal_main(struct peal_node *me, int argc, char **argv)\n"
                               "{ (void)me, (void)argc, (void)argv; puts(\"a\\xFF\"); }\n", encoding="utf-8")
assert peal.run(there / "bytes.c", nodes=1).output == "a\ufffd\n"

page = run.report(there / "page.html")
assert (there / "page.html").read_text(encoding="utf-8") == page and page.startswith("<!")
run.save(there / "run.json")
assert peal.price(there / "run.json", topology="full", switching="ideal").cost.coefficients == (3, 28, 0, 0)
assert peal.run("scatter", nodes=5, topology="line:4", per_host=2, place="cyclic").json["placement"]["map"] == [0, 1, 2, 0, 1]

comparison = peal.compare("allreduce", nodes=8, words=64)
assert comparison.best == comparison.json["algorithms"][0]["algorithm"] == "recursive-doubling"
assert [row["time"] for row in comparison.table] == sorted(row["time"] for row in comparison.table)
assert repr(comparison.table).splitlines()[0].split()[0] == "algorithm"

sweep = peal.sweep("allreduce", nodes=8, words="1:64K")
assert sweep.crossovers[0]["before"] == "recursive-doubling" and sweep.crossovers[0]["from"] == 2405, sweep.crossovers
assert len(sweep.table) == 16 and all(row["time"] >= row["bound"] for row in sweep.table)

check = peal.check("scatter/binomial", nodes="1:4")
assert check.proved and check.findings == [] and check.table[0]["nodes"] == "1..4"
(there / "wrong.c").write_text("""#include <peal/peal.h>
void f(struct peal_node *me, void *a, size_t n, int root) { (void)me; (void)a; (void)n; (void)root; }
""")
check = peal.check("broadcast", file=there / "wrong.c", symbol="f", nodes="1:4")
assert not check.proved and check.code == 1 and check.findings[0]["kind"] == "wrong-result", check.findings

(there / "stuck.c").write_text("""#include <peal/peal.h>
void peal_main(struct peal_node *me, int argc, char **argv) {
  char word[8];
  (void)argc; (void)argv;
  peal_printf(me, "{\\n");
  peal_recv(me, word, 1, 1 - peal_rank(me));
}
""")
stuck = peal.run(there / "stuck.c", nodes=2)
assert stuck.failure["kind"] == "deadlock" and stuck.code != 0 and stuck.output == "{\n{\n", (stuck.code, stuck.output)

with refused(2, "scatter has no algorithm 'fastest'"):
    peal.run("scatter/fastest", nodes=8)
(there / "broken.c").write_text("int x\n", encoding="utf-8")
with refused(3, f"{there / 'broken.c'}:1:"):  # the compiler's message, too
    peal.run(there / "broken.c", nodes=2)
with refused(2, ""):
    peal.run("scatter", no_such_option=True)
os.environ["PEAL"] = str(there / "absent")
with refused(127, str(there / "absent")):
    peal.run("scatter", nodes=4)
del os.environ["PEAL"]
os.environ["PATH"] = str(there)
with refused(127, "the command peal was not found"):
    peal.run("scatter", nodes=4)
