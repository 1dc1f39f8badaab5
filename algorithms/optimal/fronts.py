#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The fronts of collectives on small networks, with their certificates: kept in *.tsv beside this file, checked, and shown.

  fronts.py --take DOCUMENT...   write the files from documents "peal/synthesis/1" of peal synthesize --json
  fronts.py --check PEAL [N]     check that each front's claims follow from its certificates; ask every N-th question again (40)
  fronts.py --table PEAL         print the table of algorithms/README.md
  fronts.py --embed              print the fronts as C, for peal compare --optimal; fails where a claim does not follow

A file has the fronts of a collective, a row each, and below it the rows of its points and certificates:

  front  topology ports chunks cut-chunks cut-round   at most so many chunks; a node or set must take in so many, so many a round
  point  steps rounds chunks how                      how: cut (no R/C is lower), closed (none with at most so many chunks), open
  none   steps rounds chunks formula proof            no such schedule: the SHA-256 of the formula (and of the proof that was
                                                      checked), 32 digits each; rounds 0: any number
"""
import glob
import json
import os
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
COLLECTIVES = ["broadcast", "scatter", "gather", "allgather", "reduce-scatter"]


def take(paths):
    """Write the files from documents."""
    rows = {}
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            d = json.load(file)
        cut = d["cut"]
        own = rows.setdefault(d["collective"], [])
        topology = d["topology"] if ":" in d["topology"] else f"{d['topology']}:{d['nodes']}"
        own.append(["front", topology, d["ports"], d["most_chunks"], cut["chunks"], cut["each_round"]])
        for i, point in enumerate(d["front"]):
            if any(later["steps"] <= point["steps"] for later in d["front"][i + 1:]):
                continue  # a later search found a better one
            how = "cut" if point["reaches_cut"] else "closed" if point["closed"] else "open"
            own.append(["point", point["steps"], point["rounds"], point["chunks"], how])
        for question in d["questions"]:
            if question["verdict"] == "none-by-proof":
                own.append(["none", question["steps"], question["rounds"] or 0, question["chunks"], question["formula"][:32],
                            question["proof"][:32]])
    for collective, own in rows.items():
        with open(os.path.join(HERE, collective + ".tsv"), "w", encoding="utf-8") as file:
            for row in own:
                print(*row, sep="\t", file=file)


def read(collective):
    """The fronts of a collective: dictionaries."""
    fronts = []
    path = os.path.join(HERE, collective + ".tsv")
    if not os.path.exists(path):
        return fronts
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *rest = line.rstrip("\n").split("\t")
            if kind == "front":
                fronts.append({"collective": collective, "topology": rest[0], "ports": rest[1], "chunks": int(rest[2]),
                               "cut": Fraction(int(rest[3]), int(rest[4])), "points": [], "none": []})
            elif kind == "point":
                fronts[-1]["points"].append({"steps": int(rest[0]), "rounds": int(rest[1]), "chunks": int(rest[2]), "how": rest[3]})
            else:
                fronts[-1]["none"].append({"steps": int(rest[0]), "rounds": int(rest[1]), "chunks": int(rest[2]),
                                           "formula": rest[3], "proof": rest[4]})
    return fronts


def ruled_out(front, steps, rounds, chunks):
    """Whether the cut or a certificate says that there is no such schedule (see lib/synthesis/front.c)."""
    if Fraction(rounds, chunks) < front["cut"]:
        return True
    return any(none["steps"] >= steps and (none["rounds"] == 0 or -(-none["chunks"] // chunks) * rounds <= none["rounds"])
               for none in front["none"])


def unproved(front):
    """The claims of a front that do not follow."""
    for i, point in enumerate(front["points"]):
        ratio = Fraction(point["rounds"], point["chunks"])
        if point["how"] == "cut" and ratio != front["cut"]:
            yield f"{point} is not at the cut"
        if i == 0 and not ruled_out(front, point["steps"] - 1, 10**6, 1) and point["steps"] > 1:
            yield f"fewer steps than {point}"
        if point["how"] == "closed":
            for chunks in range(1, front["chunks"] + 1):
                rounds = -(-ratio.numerator * chunks // ratio.denominator) - 1
                if rounds > 0 and not ruled_out(front, point["steps"], rounds, chunks):
                    yield f"{point}: {chunks} chunks in {rounds} rounds"


def ask(peal, front, steps, rounds, chunks):
    command = [peal, "synthesize", front["collective"], "-t", front["topology"], "--ports", front["ports"], "--steps", str(steps),
               "--rounds", str(rounds), "--chunks", str(chunks), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def check(peal, every):
    """Check all claims, and some certificates by asking again."""
    wrong, asked, claims = [], 0, 0
    questions = []
    for front in (front for collective in COLLECTIVES for front in read(collective)):
        claims += len(front["points"])
        wrong += [f"{front['collective']} {front['topology']} ports {front['ports']}: {what}" for what in unproved(front)]
        questions += [(front, point, None) for point in front["points"]]
        questions += [(front, none, none) for none in front["none"] if none["rounds"] > 0]
    for front, question, none in questions[::every]:
        answer = ask(peal, front, question["steps"], question["rounds"], question["chunks"])
        asked += 1
        if answer["verdict"] != ("none-by-proof" if none else "here") or (none and answer["formula"][:32] != none["formula"]):
            wrong.append(f"{front['collective']} {front['topology']} ports {front['ports']}: {question}: now {answer['verdict']}, "
                         f"formula {answer['formula']}")
    print(*wrong, sep="\n")
    print(f"{claims} points, {asked} questions asked again, {len(wrong)} wrong")
    return not wrong and claims > 0


def catalogue(peal, front):
    """(steps, R/C) of every algorithm that fits, and its name."""
    words = 5040
    command = [peal, "compare", front["collective"], "-t", front["topology"], "--ports", front["ports"], "--json", "-p",
               front["topology"].split(":")[1] if front["topology"].startswith(("full", "ring")) else str(nodes_of(front)),
               "-n" if front["collective"] == "broadcast" else "-m", str(words)]
    d = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [(entry["cost"]["alpha"], Fraction(entry["cost"]["beta"], words), entry["algorithm"]) for entry in d["algorithms"]]


def nodes_of(front):
    kind, extents = front["topology"].split(":")
    count = 2 ** int(extents) if kind == "hypercube" else 1
    for extent in extents.split("x") if kind != "hypercube" else []:
        count *= int(extent)
    return count


MARKS = {"cut": "", "closed": "*", "open": "?"}


def table(peal):
    """Print the points of each front, and the first algorithm of the catalogue that is on them."""
    fronts = {}
    for collective in COLLECTIVES:
        for front in read(collective):
            fronts.setdefault((int(front["ports"]), nodes_of(front), front["topology"]), {})[collective] = front
    print("| network | ports | " + " | ".join(COLLECTIVES) + " |")
    print("|---|---|" + "---|" * len(COLLECTIVES))
    for (ports, _, topology), row in sorted(fronts.items()):
        cells = []
        for collective in COLLECTIVES:
            points = []
            for point in row[collective]["points"] if collective in row else []:
                ratio = Fraction(point["rounds"], point["chunks"])
                names = [name for steps, volume, name in catalogue(peal, row[collective])
                         if (steps, volume) == (point["steps"], ratio)]
                points.append(f"{point['steps']}, {ratio}{MARKS[point['how']]} {names[0] if names else '–'}")
            cells.append("; ".join(points))
        print(f"| {topology} | {ports} | " + " | ".join(cells) + " |")


def embed():
    """Print the fronts as the tables of tools/peal/optimal.h; none whose claims do not follow from its certificates."""
    wrong, points, rows = [], [], []
    for front in (front for collective in COLLECTIVES for front in read(collective)):
        wrong += [f"{front['collective']} {front['topology']} ports {front['ports']}: {what}" for what in unproved(front)]
        rows.append(f'    {{"{front["collective"]}", "{front["topology"]}", {front["ports"]}, {front["chunks"]}, {front["cut"].numerator}, '
                    f'{front["cut"].denominator}, {len(front["none"])}, {len(points)}, {len(front["points"])}}},')
        points += [f'    {{{point["steps"]}, {point["rounds"]}, {point["chunks"]}, OPTIMAL_{point["how"].upper()}}},'
                   for point in front["points"]]
    print('/* Made by fronts.py. */\n#include "optimal.h"\n\nconst struct optimal_point optimal_points[] = {')
    print(*points, "};\n\nconst struct optimal_front optimal_fronts[] = {", *rows, "    {0},\n};", sep="\n")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return not wrong


def main():
    if sys.argv[1:2] == ["--take"]:
        take([path for name in sys.argv[2:] for path in glob.glob(name)])
    elif sys.argv[1:2] == ["--check"]:
        return check(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    elif sys.argv[1:2] == ["--table"]:
        table(sys.argv[2])
    elif sys.argv[1:2] == ["--embed"]:
        return embed()
    else:
        print(__doc__)
        return False
    return True


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
