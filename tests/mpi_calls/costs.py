#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The costs of an MPI program, with the names of its calls, in bytes: costs.py BUILD SOURCE."""
import json
import os
import re
import subprocess
import sys
import tempfile

build, source = sys.argv[1:]
tools = os.path.join(build, "tools")
errors = []
with open(source, encoding="utf-8") as opened:
    line = {word: i + 1 for i, row in enumerate(opened) for word in re.findall(r"/\* ([A-Z]+) \*/", row)}


def run(code, *command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != code:
        errors.append(f"{command}: exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(text, *parts):
    for part in parts:
        if part not in text:
            errors.append(f"expected\n  {part}\ngot\n{text}")


with tempfile.TemporaryDirectory() as scratch:
    program, document, trace, page = (os.path.join(scratch, name) for name in ["costs", "run.json", "trace", "page.html"])
    peal, pealrun = os.path.join(tools, "peal"), os.path.join(tools, "pealrun")
    send, recv = f"MPI_Send at costs.c:{line['SEND']}", f"MPI_Recv at costs.c:{line['RECV']}"
    total = f"MPI_Allreduce by recursive-doubling at costs.c:{line['SUM']}"
    chain = f"MPI_Bcast by chain:16 at costs.c:{line['BCAST']}"

    run(0, os.path.join(tools, "pealcc"), source, "-o", program)
    kinds = set()
    for engine in ["fibers", "threads"]:
        run(0, pealrun, "-n", "4", "--engine", engine, "--coll", "broadcast=chain:16", f"--json={document}", f"--trace={trace}",
            program)
        with open(document, encoding="utf-8") as opened:
            read = json.load(opened)
        kinds.add(json.dumps([read["calls"], read["collectives"], read["rounds"]]))
        if read["word_bytes"] != 1:
            errors.append("words of MPI programs are bytes")
        first = read["rounds"][0]["transfers"][0]
        sender, receiver = (read["calls"][i] for i in first["calls"])
        if (first["words"], sender["call"], sender["line"], receiver["call"], receiver["line"]) != (
                400, "MPI_Send", line["SEND"], "MPI_Recv", line["RECV"]):
            errors.append(f"the first transfer is {first} by {sender} and {receiver}")
        if os.path.basename(sender["file"]) != "costs.c" or "algorithm" in sender:
            errors.append(f"a send is by {sender}")
        if {"call": "MPI_Bcast", "algorithm": "chain:16", "file": sender["file"], "line": line["BCAST"]} not in read["calls"]:
            errors.append(f"the broadcast is not among {read['calls']}")
    if len(kinds) != 1:
        errors.append("the engines name different calls")
    with open(trace, encoding="utf-8") as opened:
        expect(opened.read(), '"bytes": 400', f'"call": "{send}"', f'"call": "{recv}"', f'"call": "{total}"')
    priced = run(0, peal, "price", document, "-t", "ring")
    expect(priced, f"\n  {send} and 1 other\n", f"\n  {total}\n", f"\n  {chain}\n")
    if priced.count(total) != 1 or max(map(len, priced.splitlines())) > 80:
        errors.append(f"expected a call once above its rounds, and 80 columns, got\n{priced}")
    expect(run(0, peal, "export", "--format", "chrome", document), f'"call": "{total}"')
    run(0, peal, "price", document, "-t", "ring", f"--json={page}.json")
    with open(page + ".json", encoding="utf-8") as opened:
        again = json.load(opened)
        if again["calls"] != read["calls"] or again["rounds"][0]["transfers"][0]["calls"] != first["calls"]:
            errors.append("a run that is priced again loses its calls")
    # other algorithms in a recorded run cost what a run with them costs
    groups = os.path.join(scratch, "groups")
    run(0, os.path.join(tools, "pealcc"), os.path.join(os.path.dirname(source), "replaced.c"), "-o", groups)
    run(0, pealrun, "-n", "8", f"--json={document}", groups)
    for choice, network in [("allreduce=ring", "full"), ("allreduce=recursive-doubling,broadcast=chain:4", "ring"),
                            ("allreduce=reduce-broadcast,broadcast=linear", "torus:2x4")]:
        costs = []
        for command in [[pealrun, "-n", "8", "-t", network, "--coll", choice, f"--json={page}.json", groups],
                        [peal, "price", document, "-t", network, "--coll", choice, f"--json={page}.json"]]:
            run(0, *command)
            with open(page + ".json", encoding="utf-8") as opened:
                costs.append(json.load(opened)["cost"])
        if costs[0] != costs[1]:
            errors.append(f"with {choice} on {network} a run costs {costs[0]}, its price is {costs[1]}")
    expect(run(0, peal, "price", document, "--coll", "broadcast=linear"), "\nT was 30α + 7776β = 30972 ", "\nratio  ", "MPI_Bcast by linear at replaced.c")
    if "has no call that can take it" not in run(2, peal, "price", document, "--coll", "gather=linear"):
        errors.append("a collective that was not called is replaced")
    # the ring takes operators that commute
    run(0, os.path.join(tools, "pealcc"), os.path.join(os.path.dirname(source), "ordered.c"), "-o", groups + "2")
    run(0, pealrun, "-n", "4", f"--json={page}.json", groups + "2")
    noted = subprocess.run([peal, "price", page + ".json", "--coll", "allreduce=ring"], capture_output=True, text=True, check=False).stderr
    expect(noted, "1 call by --coll allreduce=ring; 1 as recorded: ", "commut")
    # a document need not name the calls
    with open(document, encoding="utf-8") as opened:
        unnamed = json.load(opened)
    for call in unnamed["calls"]:
        call["call"] = None
    with open(document, "w", encoding="utf-8") as opened:
        json.dump(unnamed, opened)
    expect(run(0, peal, "price", document, "--coll", "allreduce=ring"), "\nT was 30α + 7776β = 30972 ")
    with open(document, "w", encoding="utf-8") as opened:
        json.dump(dict(unnamed, routing="up"), opened)
    expect(run(2, peal, "price", document, "--coll", "allreduce=ring"), "topology full has no routing 'up'")
    expect(run(0, pealrun, "-n", "8", "--profile", groups), "function  computing", "main  ")
    explained = run(0, peal, "explain", program, "-p", "4")
    expect(explained, "1 transfer of 400 bytes", f"{send} to {recv}", total, "400 bytes\n  charge")
    if "word" in explained:
        errors.append(f"words that are bytes are called words:\n{explained}")
    expect(run(1, pealrun, "-n", "4", program, "stuck"), "node 3 waits in MPI_Finalize for node 2 (costs.c:%d)" % line["FINALIZE"],
           "node 2 waits in MPI_Recv to receive 40 bytes with tag 7 from node 3 (costs.c:%d)" % line["STUCK"])
    expect(run(1, peal, "explain", program, "-p", "4", "--", "stuck"), "waits in MPI_Finalize for others",
           "waits in MPI_Recv for a receive of 40 bytes from node 3 with tag 7")
    expect(run(1, pealrun, "-n", "4", program, "mismatch"), "MPI_Allreduce of 24 bytes by MPI_SUM",
           "MPI_Allreduce of 28 bytes by MPI_SUM")
    stuck = json.loads(run(1, pealrun, "-n", "4", "--json", program, "stuck").split("\npeal: ")[0])
    if [node["call"] for node in stuck["failure"]["nodes"]] != ["MPI_Finalize", "MPI_Finalize", "MPI_Recv", "MPI_Finalize"]:
        errors.append(f"the calls of a failure are {stuck['failure']['nodes']}")
print("\n".join(errors) or "all costs bear names")
sys.exit(1 if errors else 0)
