# SPDX-License-Identifier: MIT
"""SCCL's questions on a DGX-1, answered by peal synthesize and by z3 with SCCL's encoding, one after the other.

A question is whether an all-gather of C chunks a node takes S steps and R rounds, messages between neighbours, all ports.  z3
reads it as Cai and others state it ("Synthesizing Optimal Collective Algorithms", PPoPP 2021, section 3.4): an integer for the step
after which a node has a chunk, a truth value for each chunk and link, an integer for the rounds of each step.

Times are seconds of processor, of the process and those it starts, so that other work on the machine matters little; Peal's
include the check of the proof where there is no schedule.  The ratio, z3's time over Peal's, is taken within a repetition; questions
that take z3 more than ten seconds are asked once.  Where z3 does not answer in the time that the mode allows, its time and the
ratio are lower bounds.
"""
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

from figures import number

# ((chunks, steps, rounds), whether there is a schedule, SCCL's seconds).  These are what its authors measured on their machine
# (microsoft/msccl-tools, SYNTHESIS.md); of most they say "less than 3 s".
QUESTIONS = [((1, 1, 1), False, 3), ((2, 2, 2), False, 3), ((3, 2, 4), False, 3), ((4, 2, 5), False, 3), ((5, 2, 6), False, 3),
             ((6, 2, 7), False, 3), ((1, 2, 2), True, 3), ((2, 3, 3), True, 3), ((2, 2, 3), True, 3), ((3, 3, 4), True, 3),
             ((4, 3, 5), True, 6.5), ((5, 3, 6), True, 44), ((6, 3, 7), True, 56)]

# The wires from each GPU of a DGX-1 to each other one.
DGX1 = ["02112000", "20120100", "11020020", "12200001", "20000211", "01002012", "00201102", "00011220"]


def smt(chunks, steps, rounds):
    """The question in SMT-LIB, with z3's pbeq and at-most."""
    nodes = range(len(DGX1))
    sources = {v: [u for u in nodes if DGX1[u][v] != "0"] for v in nodes}
    blocks = [(node, j) for node in nodes for j in range(chunks)]
    lines = []

    def start(c, v):
        return f"start_{c[0]}_{c[1]}_{v}"

    def send(c, u, v):
        return f"send_{c[0]}_{c[1]}_{u}_{v}"

    for c in blocks:
        for v in nodes:
            lines.append(f"(declare-const {start(c, v)} Int)")
            lines += [f"(declare-const {send(c, u, v)} Bool)" for u in sources[v]]
    for c in blocks:
        for v in nodes:
            lines.append(f"(assert (<= {start(c, v)} {steps}))")  # every node wants every chunk
            if v == c[0]:
                lines.append(f"(assert (= {start(c, v)} 0))")
            else:
                ones = " ".join(["1"] * len(sources[v]))
                lines.append(f"(assert (=> (<= {start(c, v)} {steps}) ((_ pbeq 1 {ones}) "
                             f"{' '.join(send(c, u, v) for u in sources[v])})))")
            lines += [f"(assert (=> {send(c, u, v)} (< {start(c, u)} {start(c, v)})))" for u in sources[v]]
    names = [f"rounds_{s}" for s in range(1, steps + 1)]
    for name in names:
        lines += [f"(declare-const {name} Int)", f"(assert (>= {name} 1))"]
    lines.append(f"(assert (<= (+ 0 {' '.join(names)}) {rounds}))")
    for s, name in enumerate(names, 1):
        for u, v in [(u, v) for v in nodes for u in sources[v]]:
            sent = " ".join(f"(and {send(c, u, v)} (= {start(c, v)} {s}))" for c in blocks)
            lines += [f"(assert (=> (= {name} {r}) ((_ at-most {r * int(DGX1[u][v])}) {sent})))"
                      for r in range(1, rounds - steps + 2)]
    return "\n".join([*lines, "(check-sat)", ""])


def ask(command, limit):
    """What a command prints, and the seconds of processor that it took, with what it started; None: it reached the limit."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return out.read() if process.returncode >= 0 else None, usage.ru_utime + usage.ru_stime


def verdict(text, pattern):
    """Whether there is a schedule, from what was printed; None: it does not say."""
    word = re.search(pattern, text or "", re.MULTILINE)
    return {"found": True, "sat": True, "none": False, "unsat": False}.get(word and word[0])


def measure(run, peal, question, exists, seconds):
    """One question: its figure."""
    chunks, steps, rounds = question
    ours, theirs, answers, limit = [], [], set(), run.mode["synthesis"]["seconds"]
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        path = os.path.join(folder, "question.smt2")
        with open(path, "w", encoding="ascii") as file:
            file.write(smt(*question))
        while len(ours) < (run.repetitions or 3) and not (theirs and theirs[-1] > 10):
            said, time = ask([peal, "synthesize", "allgather", "-t", "dgx1", "--ports", "all", "--direct", "--chunks", str(chunks),
                              "--steps", str(steps), "--rounds", str(rounds), "--search-seconds", "0"], limit)
            ours.append(time)
            answers.add(verdict(said, "^(found|none)"))
            said, time = ask(["z3", path], limit)
            theirs.append(time)
            answers.add(verdict(said, "^(sat|unsat)$") if said is not None else exists)
    name = ", ".join(map(str, question))
    if answers != {exists}:
        run.fail("synthesis", name, f"expected a schedule: {exists}, got the answers {answers}")
        return
    run.figures.append({"part": "synthesis", "work": name, "unit": "s", "exists": exists, "median": statistics.median(ours),
                        "least": min(ours), "greatest": max(ours), "repetitions": len(ours), "z3_s": statistics.median(theirs),
                        "ratio": statistics.median(z / p for p, z in zip(ours, theirs)), "ended": said is not None,
                        "sccl_s": seconds})


def synthesis(run):
    """Peal's and z3's time for each question."""
    peal = os.path.join(run.build, "tools", "peal")
    for program in [peal, "z3", "cadical"]:
        if shutil.which(program) is None:
            run.skipped.append({"what": "synthesis", "why": f"{os.path.basename(program)} is missing (tools/bench --install)"})
            return
    for question, exists, seconds in QUESTIONS[:run.mode["synthesis"]["questions"]]:
        measure(run, peal, question, exists, seconds)
    for f in [f for f in run.figures if f["part"] == "synthesis"]:
        what = f"all-gather on a DGX-1, C, S, R = {f['work']} ({'found' if f['exists'] else 'none'}):"
        run.aim("synthesis", f"{what} z3's time / Peal's", f["ratio"], "", 1, at_least=True,
                note="" if f["ended"] else "z3 did not answer")
        run.aim("synthesis", f"{what} Peal, beside SCCL's own figure", f["median"], "s", f["sccl_s"])


def describe_question(f):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    return (f"all-gather on a DGX-1, C, S, R = {f['work']}: {'found' if f['exists'] else 'none'}", f["median"], "s",
            f"{number(f['least'])} to {number(f['greatest'])}",
            f"z3 {'' if f['ended'] else 'more than '}{number(f['z3_s'])} s, ratio {number(f['ratio'])}")
