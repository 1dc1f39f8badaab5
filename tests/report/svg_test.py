#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of --svg and --png: each is a whole SVG file that shows what the command's document says; what cannot be drawn is refused in
one line, before the run where that is known.

  tests/report/svg_test.py PEAL     exits with 77, which means skipped, where there is no node"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

peal = os.path.abspath(sys.argv[1])
if not shutil.which("node"):
    print("skipped: node draws the pictures of --svg, and is not here (package nodejs)")
    sys.exit(77)

PROGRAM = """#include <peal/peal.h>
void peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 1;
    (void)argc, (void)argv;
    if (peal_rank(me) == 0) peal_send(me, &x, 1, 1);
    if (peal_rank(me) == 1) peal_recv(me, &x, 1, 0);
}
"""


def run(*words, path=None):
    environment = dict(os.environ, **({"PATH": path} if path else {}))
    return subprocess.run([peal, *words], capture_output=True, text=True, check=False, env=environment)


def marks(file, attribute):
    """The values of an attribute, of all marks that have it."""
    root = tree.parse(file).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
    text = open(file, encoding="utf-8").read()
    assert "NaN" not in text and "undefined" not in text and "var(" not in text, file
    return [mark.get(attribute) for mark in root.iter() if mark.get(attribute) is not None]


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    with open("hello.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    for words in (["run", "scatter", "-t", "mesh:2x4"], ["explain", "allreduce", "-p", "6", "-n", "12"], ["run", "hello.c", "-p", "2"],
                  ["run", "--messages", "1>6 4>7, 2>3:8w", "-t", "line:8"]):
        done = run(*words, "--svg", "a.svg", "--json=a.json")
        assert done.returncode == 0, done.stderr
        rounds = json.load(open("a.json", encoding="utf-8"))["rounds"]
        wanted = [f"{i + 1}:{j}" for i, each in enumerate(rounds) for j in range(len(each["transfers"]))]
        assert sorted(set(marks("a.svg", "data-transfer"))) == sorted(wanted), words
    text = open("a.svg", encoding="utf-8").read()
    assert "critical path</text>" in text and ": Space-time</text>" in text
    assert run("run", "allreduce/ring", "-p", "2", "--svg", "a.svg").returncode == 0
    assert "allreduce/reduce-scatter-allgather (ring) on 2" in open("a.svg", encoding="utf-8").read()
    # of several paths that are as long the one along which the data go
    assert run("run", "allgather/ring", "-p", "5", "--svg", "r.svg", "--json=r.json").returncode == 0
    rounds = json.load(open("r.json", encoding="utf-8"))["rounds"]
    path = [rounds[int(r)]["transfers"][int(i)] for r, i in sorted(mark.split(",") for mark in marks("r.svg", "data-critical"))]
    assert len(path) == 4 and all(a["to"] == b["from"] for a, b in zip(path, path[1:])), path
    done = run("compare", "scatter", "-p", "8", "--svg", "b.svg", "--json=b.json")
    shown, algorithms = set(marks("b.svg", "data-algorithm")), json.load(open("b.json", encoding="utf-8"))["algorithms"]
    assert shown == {each["algorithm"] for each in algorithms}, shown
    assert run("sweep", "broadcast", "-p", "8", "-n", "1:1K:x32", "--svg", "c.svg").returncode == 0
    assert "binomial" in marks("c.svg", "data-line")
    assert run("lesson", "S3", "Q8", "--svg", "d.svg").returncode == 0
    assert {"1:0", "1:1", "3:0"} <= set(marks("d.svg", "data-transfer"))

    with open("t.csv", "w", encoding="utf-8") as file:
        file.write("nodes,collective,algorithm,bytes,time\n" + "".join(
            f"{P},allreduce,{name},{n},{time}\n" for P in (4, 8) for n in (64 << i for i in range(16))
            for name, time in (("ring", 2 * P + n / 500), ("recursive-doubling", P + n / 300), ("default", P + n / 500))))
    done = run("fit", "t.csv", "--svg", "f.svg", "--json=f.json")
    model = json.load(open("f.json", encoding="utf-8"))
    assert done.returncode == 0 and len(model["times"]) == 64 and len(model["choices"]) == 16, done.stderr
    assert marks("f.svg", "data-times") == ["64"] and marks("f.svg", "data-curve") == ["library", "model"]
    with open("t.txt", "w", encoding="utf-8") as file:
        file.write("1 2\n2 3\n3 4\n")
    done = run("fit", "broadcast/binomial", "t.txt", "-p", "8", "--svg", "g.svg")
    assert (done.returncode, done.stderr) == (2, "peal: --report, --svg and --png show a table with times of many algorithms\n"), done

    unseen = "a\u202eb\u2066\x1b\u2028\U000e0041"  # shown as "?", and kept where a program reads
    with open(unseen, "w", encoding="utf-8") as file:
        file.write("0 1\n1 2\n")
    done = run("run", "broadcast", "-p", "3", "-t", "file:" + unseen, "--svg", "u.svg", "--view", "network", "--json=u.json", "--report=u.html")
    svg, document = open("u.svg", encoding="utf-8").read(), open("u.json", encoding="utf-8").read()
    assert done.returncode == 0 and document.isascii() and "\x1b" not in document, done.stderr
    assert json.loads(document)["topology"] == "file:" + unseen
    assert "a?b????" in svg and not set(unseen) - set("ab") & set(svg), svg
    assert not set(unseen) - set("ab") & set(open("u.html", encoding="utf-8").read().split('id="peal-page"')[1])
    done = run("price", "u.json", "-t", "file:" + unseen, "-t", "ring", "--csv")
    assert "file:a?b????,shortest" in done.stdout, done

    for words, said in ((["--view", "x"], "--view x: expected time, network, blocks or cost"),
                        (["--view", "time:4"], "round 4 is out of range: rounds are 0 to 3"),
                        (["--view", "time:x"], "round x is out of range: rounds are 0 to 3"),
                        (["--rounds", "none"], "shows every round: leave out --rounds")):
        done = run("run", "scatter", "--svg", "e.svg", *words)
        assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done
        assert not os.path.exists("e.svg")
    done = run("run", "scatter", "--view", "time")
    assert (done.returncode, done.stderr) == (2, "peal: --view goes with --svg or --png\n"), done
    if shutil.which("rsvg-convert"): # the same picture, twice as large as it is in its own units
        for words in ("run", "scatter", "--view", "blocks"), ("compare", "scatter", "-p", "8"):
            assert run(*words, "--png", "e.png").returncode == 0 and run(*words, "--svg", "e.svg").returncode == 0
            with open("e.png", "rb") as file, open("e.svg", encoding="utf-8") as drawn:
                head, svg = file.read(24), drawn.read()
            width, height = (float(re.search(rf'<svg[^>]* {side}="([0-9.]+)', svg)[1]) for side in ("width", "height"))
            assert head[:8] == b"\x89PNG\r\n\x1a\n", head
            assert all(abs(got - 2 * side) < 2 for got, side in zip(struct.unpack(">II", head[16:]), (width, height))), (head, width, height)
            os.remove("e.svg")
        done = run("run", "scatter", "--png", "e.png", "--svg", "e.svg")
        assert (done.returncode, done.stderr) == (2, "peal: --svg and --png: one of them at a time\n"), done
        os.remove("e.png")
    done = run("run", "scatter", "--svg", "e.svg", path="/nowhere")
    assert (done.returncode, done.stdout, done.stderr) == (4, "", "peal: --svg e.svg: the picture is drawn by node: install the package nodejs\n"), done
    with open("node", "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\n[ "$1" = --version ] || { echo broken >&2; exit 5; }\n')
    os.chmod("node", 0o755)
    done = run("run", "scatter", "--svg", "e.svg", path=work + ":" + os.environ["PATH"])
    assert done.returncode == 4 and done.stderr == "peal: --svg e.svg: broken\n" and not os.path.exists("e.svg"), done
print("pictures are drawn, or refused in one line")
