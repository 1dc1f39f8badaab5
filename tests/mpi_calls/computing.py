#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computing time in the model: pealrun --compute, on programs that spin for a time of their own thread's clock: computing.py BUILD FOLDER."""
import json
import os
import subprocess
import sys
import tempfile

build, folder = map(os.path.abspath, sys.argv[1:3])
tools = os.path.join(build, "tools")
os.chdir(tempfile.mkdtemp(prefix="peal-computing-"))
errors, functions_ran = [], []


def run(*words, code=0):
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != code:
        errors.append(f"{' '.join(words)} ended with {ended.returncode}, expected {code}: {ended.stderr}")
    return ended


def document(*options, program=("10", "1"), nodes="4"):
    """The document of a run, and what node 0 printed."""
    ended = run(f"{tools}/pealrun", "-q", "-n", nodes, *options, "--json=run.json", "./computing", *program)
    with open("run.json", encoding="utf-8") as file:
        run_json = json.load(file)
    spun, alone, with_calls, seconds, *functions = ended.stdout.split()
    functions_ran.append(functions)
    return run_json, int(spun), int(alone), int(with_calls), float(seconds)


def expect(condition, text):
    if not condition:
        errors.append(text)


run(f"{tools}/pealcc", "-O2", "--sample=weigh,meet", "--sample=weighed", f"{folder}/computing.c", "-o", "computing")

# Counted, the default: what is declared, and nothing else; twice the same document but for "host".
counted, _, alone, with_calls, seconds = document("--tau", "2", program=("1", "3"))
again, *_ = document("--compute", "count", "--tau", "2", program=("1", "3"))
expect("computing" not in counted, "a counted run is marked")
expect((counted["cost"]["tau"], counted["parameters"]["tau"]) == (4000, 2), f"counted: {counted['cost']}")
expect((alone, with_calls) == (3, 3), f"regions of a counted run ran {alone} and {with_calls} times")
expect({**counted, "host": 0} == {**again, "host": 0}, "counted runs differ")

# Measured: each of four nodes spins for 10 ms; they do so at the same time in the model, though one after another here.
for engine in "fibers", "threads":
    measured, spun, alone, _, seconds = document("--compute", "measure", "--engine", engine)
    tau = measured["cost"]["tau"]
    expect(spun - 1000000 <= tau < 2 * spun, f"{engine}: {tau} ns are charged of {spun}")
    expect(measured["computing"] == {"source": "measured", "speed": 1, "operation": 0}, f"{measured['computing']}")
    expect(measured["parameters"]["tau"] == 1 and measured["critical_path"]["tau"] >= spun - 1000000, "critical path")
    expect(seconds * 1e9 >= spun - 1000000, f"MPI_Wtime says {seconds} s")

# Processors twice as fast; declared operations keep their price beside it.
fast, spun, *_ = document("--compute", "measure", "--speed", "2")
expect(spun / 2 - 1000000 <= fast["cost"]["tau"] < spun, f"--speed 2: {fast['cost']['tau']} of {spun}")
declared, spun, *_ = document("--compute", "measure", "--tau", "100000", program=("0", "1"))
expect(400000000 <= declared["cost"]["tau"] < 500000000, f"declared: {declared['cost']}")

# Sampled: two runs of twenty are made, and twenty charged; a region that calls MPI always runs.
sampled, spun, alone, with_calls, _ = document("--compute", "sample", program=("2", "20"))
expect((alone, with_calls) == (2, 20), f"sampled regions ran {alone} and {with_calls} times")
expect(10 * spun - 1000000 <= sampled["cost"]["tau"] < 20 * spun, f"sampled: {sampled['cost']['tau']}, spun {spun}")
_, _, alone, *_ = document("--compute", "measure", program=("0", "20"))
expect(alone == 20, f"without sampling the region ran {alone} times")

# Sampled functions, on copies that are loaded and placed: three runs of twenty are made, and twenty charged; one that calls
# MPI always runs; a call that is skipped returns what the last one returned.
for options, nodes in (["--sample", "weigh,meet"], "4"), (["--sample", "meet,weigh,meet", "--engine", "threads"], "4"), (["--sample", "weigh"], "70"):
    sampled, *_ = document(*options, program=("1", "20", "functions"), nodes=nodes)
    weight = f"{20 * (1 + 4 + 9 + 16 + 25 + 36 + 0.75) + sum(range(21)):g}"
    expect(functions_ran[-1] == ["3", "20", weight], f"{options}: functions ran {functions_ran[-1]}")
    expect(21000000 <= sampled["cost"]["tau"], f"{options}: {sampled['cost']['tau']}")
document("--compute", "sample", program=("0", "20"))
expect(functions_ran[-1] == ["20", "20", weight], f"without --sample functions ran {functions_ran[-1]}")
os.environ["PEAL_SAMPLED"] = "spin"  # is nobody's
document("--compute", "sample", program=("0", "20"))
name = "weigh" + 1000 * "h"
ended = run(f"{tools}/peal", "run", f"{folder}/computing.c", "-q", "--sample", name, "--cflags", f"-Dweigh={name}", "--", "1", "20", "functions")
expect(ended.stdout.split()[4:5] == ["3"], f"a long name: {ended.stdout}")
for name, what in ("spin", "a static function"), ("weighed", "a variable"):
    expect(f"pealcc --sample={name}" in run(f"{tools}/pealrun", "--sample", name, "./computing", code=3).stderr, f"{what} is sampled")

# How it scales is that of the critical path, in which nodes that compute in different rounds do so at the same time.
scaled = json.loads(run(f"{tools}/pealrun", "--scale", "1,4", "--compute", "measure", "--json", "./computing", "5", "1", "", "chain").stdout)["runs"]
times = [one["critical_path"]["time"] for one in scaled]
expect(abs(scaled[1]["speedup"] * times[1] / times[0] - 1) < 1e-9 and times[1] + 5000000 < scaled[1]["cost"]["time"], f"{scaled}")

# A recorded run is priced the same for ever.
document("--compute", "measure")
with open("run.json", encoding="utf-8") as file:
    was = json.load(file)
priced = [run(f"{tools}/peal", "price", "run.json", "--tau", "0.5", "--alpha", "500", "--json").stdout for _ in range(2)]
now = json.loads(priced[0])
expect(priced[0] == priced[1], "two prices of one record differ")
expect(now["computing"] == was["computing"] and now["cost"]["tau"] == was["cost"]["tau"], "the price lost the computing")
expect(now["cost"]["time"] == was["cost"]["alpha"] * 500 + was["cost"]["beta"] * 0.125 + was["cost"]["tau"] * 0.5,
       f"{now['cost']}")
replaced = json.loads(run(f"{tools}/peal", "price", "run.json", "--coll", "barrier=tree", "--json").stdout)["cost"]
expect(replaced["alpha"] > was["cost"]["alpha"] and replaced["tau"] == was["cost"]["tau"], f"computing is lost beside another barrier: {replaced}")
text = run(f"{tools}/peal", "price", "run.json", "--tau", "0.5").stdout
expect("computing       measured: τ is a nanosecond" in text, text)

# What does not apply.
for words in (["pealrun", "--speed", "2", "./computing"], ["pealrun", "--compute", "measure", "--speed", "0", "./computing"],
              ["pealrun", "--compute", "measure", "--sample", "weigh", "./computing"],
              ["peal", "run", "scatter", "--compute", "measure"]):
    refused = run(f"{tools}/{words[0]}", *words[1:], code=2)
    expect(refused.stderr.count("\n") == 1 and "--compute" in refused.stderr, refused.stderr)

print(*errors, sep="\n", end="\n" if errors else "")
sys.exit(1 if errors else 0)
