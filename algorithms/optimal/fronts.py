#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The fronts of collectives on small networks, with their certificates: kept in *.tsv beside this file, checked, and shown.

  fronts.py --take DOCUMENT...   add what documents "peal/synthesis/2" of peal synthesize --json say
  fronts.py --catalogue PEAL     add the algorithms of the catalogue that beat an open point
  fronts.py --check PEAL [N]     check that each front's claims follow from its certificates, and that no algorithm of the catalogue
                                 beats a point; ask every N-th question again (40)
  fronts.py --table PEAL         print the tables of algorithms/README.md
  fronts.py --embed              print the fronts as C, for peal compare --optimal; fails where a claim does not follow

A file has the fronts of a collective, a row each, and below it the rows of its points and certificates:

  front  topology ports chunks cut-chunks cut-round   at most so many chunks; a node or set must take in so many, so many a round
  point  steps rounds chunks how by                   how: cut (no R/C is lower), closed (none with at most so many chunks, up to the
                                                      steps of the next point or four more than the least), open
  none   steps rounds chunks formula proof by         no such schedule: the SHA-256 of the formula and of the proof that was
                                                      checked, 32 digits each; rounds 0: any number

`by` is the algorithm of the catalogue that makes a point, the seconds that an answer took on a busy machine where they are more
than three (--check does not ask these again), or -.
"""
import glob
import json
import os
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
FURTHER_STEPS = 4  # that peal synthesize looks further than the least number
CHEAP_SECONDS = 3
COLLECTIVES = ["broadcast", "scatter", "gather", "allgather", "reduce-scatter"]


def take(paths):
    """Add what documents say to the files: a front, or the answer to one question about a front that is kept."""
    fronts = {collective: read(collective) for collective in COLLECTIVES}
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            d = json.load(file)
        topology = d["topology"] if ":" in d["topology"] else f"{d['topology']}:{d['nodes']}"
        found = [front for front in fronts[d["collective"]] if (front["topology"], front["ports"]) == (topology, str(d["ports"]))]
        if not found:
            fronts[d["collective"]].append({"collective": d["collective"], "topology": topology, "ports": str(d["ports"]), "chunks": 1,
                                            "cut": Fraction(d["cut"]["chunks"], d["cut"]["each_round"]), "points": [], "none": []})
        front = found[0] if found else fronts[d["collective"]][-1]
        front["chunks"] = max(front["chunks"], d.get("most_chunks", d.get("chunks")))
        for question in d.get("searches", [d]):
            seconds = round(question["solve_seconds"] + question["check_seconds"])
            by = str(seconds) if seconds > CHEAP_SECONDS else "-"
            if question["verdict"] == "here":
                front["points"].append({"steps": question["found_steps"], "rounds": question["found_rounds"],
                                        "chunks": question["chunks"], "by": by})
            elif question["verdict"] == "none-by-proof":
                front["none"].append({"steps": question["steps"], "rounds": question["rounds"] or 0, "chunks": question["chunks"],
                                      "formula": question["formula"][:32], "proof": question["proof"][:32], "by": by})
    write(fronts)


def take_catalogue(peal):
    """Add the algorithms of the catalogue that beat a point, or lie between two."""
    fronts = {collective: read(collective) for collective in COLLECTIVES}
    for own in fronts.values():
        for front in own:
            front["points"] += [{"steps": steps, "rounds": ratio.numerator, "chunks": ratio.denominator, "by": name}
                                for steps, ratio, name in catalogue(peal, front) if ratio.denominator <= front["chunks"]]
    write(fronts)


def write(fronts):
    """Write the files: of each front the points that nothing beats, and the certificates that no other one implies."""
    for collective, own in fronts.items():
        with open(os.path.join(HERE, collective + ".tsv"), "w", encoding="utf-8") as file:
            for front in own:
                tidy(front)
                print("front", front["topology"], front["ports"], front["chunks"], front["cut"].numerator, front["cut"].denominator,
                      sep="\t", file=file)
                for point in front["points"]:
                    print("point", point["steps"], point["rounds"], point["chunks"], point["how"], point["by"], sep="\t", file=file)
                for none in front["none"]:
                    print("none", *none.values(), sep="\t", file=file)


def tidy(front):
    """Sort, leave out what is not needed, and say of each point how it is known."""
    points, none = [], []
    for point in sorted(front["points"], key=lambda p: (p["steps"], ratio_of(p), p["by"] != "-", p["chunks"])):
        if not points or ratio_of(point) < ratio_of(points[-1]):
            points.append(point)
    for row in sorted(front["none"], key=lambda n: (-n["steps"], n["rounds"] > 0, n["chunks"], -n["rounds"])):
        if not any(implies(other, row["steps"], row["rounds"], row["chunks"]) for other in none):
            none.append(row)
    front["points"], front["none"] = points, sorted(none, key=lambda n: (n["steps"], n["chunks"], n["rounds"]))
    for point in points:
        point["how"] = "cut" if ratio_of(point) == front["cut"] else "closed"
    for i, point in enumerate(points):
        if point["how"] == "closed" and any(True for _ in lower_ratios(front, i)):
            point["how"] = "open"


def ratio_of(point):
    return Fraction(point["rounds"], point["chunks"])


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
                fronts[-1]["points"].append({"steps": int(rest[0]), "rounds": int(rest[1]), "chunks": int(rest[2]), "how": rest[3],
                                             "by": rest[4]})
            else:
                fronts[-1]["none"].append({"steps": int(rest[0]), "rounds": int(rest[1]), "chunks": int(rest[2]),
                                           "formula": rest[3], "proof": rest[4], "by": rest[5]})
    return fronts


def implies(none, steps, rounds, chunks):
    """Whether a certificate says that there is no such schedule; rounds 0: with any number (see lib/synthesis/front.c)."""
    return none["steps"] >= steps and (none["rounds"] == 0 or (rounds > 0 and -(-none["chunks"] // chunks) * rounds <= none["rounds"]))


def ruled_out(front, steps, rounds, chunks):
    """Whether the cut or a certificate says that there is no such schedule."""
    if 0 < rounds < front["cut"] * chunks:
        return True
    return any(implies(none, steps, rounds, chunks) for none in front["none"])


def lower_ratios(front, i):
    """The schedules that would be between a point and the next one, and are not ruled out."""
    points = front["points"]
    steps = points[i + 1]["steps"] - 1 if i + 1 < len(points) else points[0]["steps"] + FURTHER_STEPS
    for chunks in range(1, front["chunks"] + 1):
        rounds = -(-ratio_of(points[i]).numerator * chunks // ratio_of(points[i]).denominator) - 1
        if rounds > 0 and not ruled_out(front, steps, rounds, chunks):
            yield f"{chunks} chunks in {steps} steps and {rounds} rounds"


def unproved(front):
    """The claims of a front that do not follow."""
    first = front["points"][0]
    if first["steps"] > 1 and not ruled_out(front, first["steps"] - 1, 0, 1):
        yield f"fewer steps than {first}"
    for i, point in enumerate(front["points"]):
        if point["how"] == "cut" and ratio_of(point) != front["cut"]:
            yield f"{point} is not at the cut"
        if i > 0 and (point["steps"] <= front["points"][i - 1]["steps"] or ratio_of(point) >= ratio_of(front["points"][i - 1])):
            yield f"{point} after {front['points'][i - 1]}"
        if point["how"] == "closed":
            yield from (f"{point}: {what}" for what in lower_ratios(front, i))


def beaten(peal, front):
    """The algorithms of the catalogue that beat the points, which none may; and points that no algorithm makes as they say."""
    made = catalogue(peal, front)
    for point in front["points"]:
        if not point["by"].isdecimal() and point["by"] != "-" and (point["steps"], ratio_of(point), point["by"]) not in made:
            yield f"{point} is not that of {point['by']}"
    for steps, ratio, name in made:
        if ratio.denominator <= front["chunks"] and all(p["steps"] > steps or ratio_of(p) > ratio for p in front["points"]):
            yield f"{name} takes {steps} steps and {ratio}, which no point reaches"


def ask(peal, front, steps, rounds, chunks):
    command = [peal, "synthesize", front["collective"], "-t", front["topology"], "--ports", front["ports"], "--steps", str(steps),
               "--rounds", str(rounds), "--chunks", str(chunks), "--search-seconds", "0", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def check(peal, every):
    """Check all claims, and some certificates by asking again."""
    wrong, asked, claims = [], 0, 0
    questions = []
    for front in (front for collective in COLLECTIVES for front in read(collective)):
        claims += len(front["points"])
        wrong += [f"{front['collective']} {front['topology']} ports {front['ports']}: {what}"
                  for what in [*unproved(front), *beaten(peal, front)]]
        questions += [(front, point, None) for point in front["points"] if point["by"] == "-"]
        questions += [(front, none, none) for none in front["none"] if none["rounds"] > 0 and none["by"] == "-"]
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
    """Print the points of each front, and the first algorithm of the catalogue that is on them; then the algorithms."""
    fronts, made = {}, {}
    for collective in COLLECTIVES:
        for front in read(collective):
            fronts.setdefault((int(front["ports"]), nodes_of(front), front["topology"]), {})[collective] = front
            made[collective, front["topology"], front["ports"]] = catalogue(peal, front)
    print("| network | ports | " + " | ".join(COLLECTIVES) + " |")
    print("|---|---|" + "---|" * len(COLLECTIVES))
    for (ports, _, topology), row in sorted(fronts.items()):
        cells = []
        for collective in COLLECTIVES:
            points = []
            for point in row[collective]["points"] if collective in row else []:
                names = [name for steps, ratio, name in made[collective, topology, row[collective]["ports"]]
                         if (steps, ratio) == (point["steps"], ratio_of(point))]
                points.append(f"{point['steps']}, {ratio_of(point)}{MARKS[point['how']]} {names[0] if names else '–'}")
            cells.append("; ".join(points))
        print(f"| {topology} | {ports} | " + " | ".join(cells) + " |")
    print("\n| algorithm | machines | optimal on | beaten on | the first that beats it |")
    print("|---|---|---|---|---|")
    for collective in COLLECTIVES:
        own = [(row[collective], f"{topology} with {ports} port{'s' * (ports > 1)}")
               for (ports, _, topology), row in sorted(fronts.items()) if collective in row]
        names = sorted({name for front, _ in own for _, _, name in made[collective, front["topology"], front["ports"]]})
        for name in names:
            print(describe(f"{collective}/{name}", [(front, machine, steps, ratio) for front, machine in own
                                                    for steps, ratio, other in made[collective, front["topology"], front["ports"]]
                                                    if other == name]))


def describe(name, runs):
    """The row of one algorithm: of how many machines it is on a closed point, and what beats it on others."""
    optimal, losses = 0, []
    for front, machine, steps, ratio in runs:
        better = [p for p in front["points"] if p["steps"] <= steps and ratio_of(p) <= ratio and (p["steps"], ratio_of(p)) != (steps, ratio)]
        optimal += any((p["steps"], ratio_of(p)) == (steps, ratio) and p["how"] != "open" for p in front["points"])
        if better:
            losses.append(f"{machine}: {steps}, {ratio} by {better[0]['steps']}, {ratio_of(better[0])}")
    return f"| {name} | {len(runs)} | {optimal} | {len(losses)} | {losses[0] if losses else '–'} |"


def embed():
    """Print the fronts as the tables of tools/peal/show/optimal.h; none whose claims do not follow from its certificates."""
    wrong, points, rows = [], [], []
    for front in (front for collective in COLLECTIVES for front in read(collective)):
        wrong += [f"{front['collective']} {front['topology']} ports {front['ports']}: {what}" for what in unproved(front)]
        rows.append(f'    {{"{front["collective"]}", "{front["topology"]}", {front["ports"]}, {front["chunks"]}, {front["cut"].numerator}, '
                    f'{front["cut"].denominator}, {len(front["none"])}, {len(points)}, {len(front["points"])}}},')
        points += [f'    {{{point["steps"]}, {point["rounds"]}, {point["chunks"]}, OPTIMAL_{point["how"].upper()}}},'
                   for point in front["points"]]
    print('/* Made by fronts.py. */\n#include "show/optimal.h"\n\nconst struct optimal_point optimal_points[] = {')
    print(*points, "};\n\nconst struct optimal_front optimal_fronts[] = {", *rows, "    {0},\n};", sep="\n")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return not wrong


def main():
    if sys.argv[1:2] == ["--take"]:
        take([path for name in sys.argv[2:] for path in glob.glob(name)])
    elif sys.argv[1:2] == ["--catalogue"]:
        take_catalogue(sys.argv[2])
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
