# SPDX-License-Identifier: MIT
"""The tables of a run, from its document."""
from compare import scaled_figure
from figures import COLLECTIVES, best_figure, find_figures, number, own_clock, size
from layer import describe_layer
from peers import BESIDE_COLLECTIVES, rows_of_peers
from programs import describe_program, rows_of_programs
from rebuild import describe_rebuild
from sccl import describe_question
from schedules import describe_schedule
from web import describe_web
from shifts import rows_of_shifts


def table(rows, right):
    """Lines of columns; those whose index is in `right` are set to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def show_table(title, rows, right):
    """Print a table under its title; nothing when it has no rows but its head."""
    if len(rows) > 1:
        print(f"\n{title}\n", *table(rows, right), sep="\n")


def several(count, what):
    """1 thread, 2 threads."""
    return f"{count} {what}{'s' * (count > 1)}"


def span(f):
    """From the least to the greatest."""
    return f"{number(f['least'])} to {number(f['greatest'])}" if "least" in f else ""


def describe_limit(f):
    """What a figure of the limits is."""
    if f["work"] == "memcpy":
        return f"memcpy of {size(f['bytes'])}, {several(f['threads'], 'thread')}, {f['memory']}"
    if f["work"] == "futex ring":
        return f"futex ring of {f['threads']}, a hop, {several(f['cores'], 'core')}"
    return {"sched_yield": "sched_yield, a switch of 2 threads, 1 core",
            "jump": f"jump_fcontext, a jump among {f.get('stacks')} stacks",
            "stack page": "first touch of a stack page"}[f["work"]]


def describe_transfer(f):
    """A figure of the part `scale`."""
    beside = [f"in a new process {number(f['cold'])}"] if "cold" in f else []
    beside += [own_clock(f)] if f["work"] in ("ring shift", "broadcast", "further hop") else []
    what = f"fibers, P = {f['nodes']}, {f['topology']}, {number(f['hops'])} hops: {f['work']}"
    return what, f["median"], f["unit"], span(f), "; ".join(beside)


def describe(f):
    """(what, median, unit, least to greatest, beside what) of a figure that has no table of its own; else None."""
    if f["part"] == "rounds":
        return (f"{f['engine']}, P = {f['nodes']}, {several(f['carriers'], 'carrier')}: a node-round", f["machine_ns"],
                "ns", "", f"ring {number(f['ring_ns'])} ns, ratio {number(f['ratio'])} "
                f"({number(f['ratio_least'])} to {number(f['ratio_greatest'])})")
    if f["part"] == "copy":
        return (f"threads, scatter of {f['nodes']} blocks of {size(f['block_words'] * 8)}, {f['memory']}",
                f["machine_gb_s"], "GB/s", "", f"memcpy {number(f['memcpy_gb_s'])} GB/s, {number(f['percent'])} % "
                f"({number(f['percent_least'])} to {number(f['percent_greatest'])})")
    if f["part"] == "orders":
        return (f"{f['engine']}, P = {f['nodes']}, all posted at once: sends {f['sends']}, receives {f['receives']}",
                f["seconds"], "s", f"{number(f['seconds_least'])} to {number(f['seconds_greatest'])}",
                f"by the carrier's own clock {number(f['cpu_seconds'])}")
    if f["part"] == "accesses":
        return f"a program that is watched, {f['work']}: more {f['more']}", f["median"], f["unit"], span(f), ""
    if f["part"] == "scale":
        return describe_transfer(f)
    if f["part"] == "mpi":
        return describe_layer(f)
    if f["part"] == "synthesis":
        return describe_question(f)
    if f["part"] == "mpi-programs":
        return describe_program(f)
    if f["part"] == "schedules":
        return describe_schedule(f)
    if f["part"] == "web":
        return describe_web(f)
    if f["part"] == "rebuild":
        return describe_rebuild(f)
    if f["part"] == "alltoall":
        return f"P = {f['nodes']}, {size(f['bytes'])}: {f['work']}", f["median"], f["unit"], span(f), ""
    if f["part"] == "start":
        rounds = f", {f['rounds']} rounds" if f.get("rounds") else ""
        return f"{f['engine']}, P = {f['nodes']}{rounds}: {f['work']}", f["median"], f["unit"], span(f), ""
    return None


def rows_of_empty(figures):
    """An empty program, of Peal's and of its peers."""
    rows = [("P", "fibers", "threads", *BESIDE_COLLECTIVES)]
    found = [f for f in figures if f["part"] in ("start", "mpi-programs") and f["work"] == "empty program"]
    for nodes in sorted({f["nodes"] for f in found}):
        ours = [best_figure(figures, "start", "empty program", nodes=nodes, engine=e) for e in ("fibers", "threads")]
        theirs = [best_figure(figures, "mpi-programs", "empty program", nodes=nodes, peer=name) for name in BESIDE_COLLECTIVES]
        rows.append((str(nodes), *map(number, ours + theirs)))
    return rows


def rows_of_collectives(figures, scaled):
    """A collective's figures side by side."""
    found = [f for f in figures if f["part"] == "collectives" and "bytes" in f]
    rows = [("block", "P", "call", "fibers", "own clock", "by", "threads", *BESIDE_COLLECTIVES, "AMPI*", "thread_mpi*")]
    for count, nodes in sorted({(f["bytes"], f["nodes"]) for f in found}):
        for work in COLLECTIVES + ["scatter back to back"]:
            ours = find_figures(figures, "collectives", work, nodes=nodes, bytes=count, engine="fibers")
            best = min(ours, key=lambda f: f["median"], default={})
            threads = best_figure(figures, "collectives", work, nodes=nodes, bytes=count, engine="threads")
            theirs = [best_figure(figures, "mpi-programs", work, peer=name, nodes=nodes, bytes=count) for name in BESIDE_COLLECTIVES]
            theirs += [scaled_figure(scaled, peer, work, nodes, count) for peer in ("AMPI", "thread_mpi")]
            if best or any(us is not None for us in [threads, *theirs]):
                rows.append((size(count), str(nodes), work, number(best.get("median")), number(best.get("cpu_us")),
                             best.get("algorithm", "-"), *map(number, [threads, *theirs])))
    return rows


def verdict(aim):
    """In a word, and why not."""
    if aim["measured"] is None:
        word = "not measured"
    elif aim["reached"] is None:
        word = "-"
    else:
        word = "yes" if aim["reached"] else "NO"
    return f"{word} ({aim['note']})" if aim["note"] else word


def show_collectives(document):
    """The collectives beside their peers', and what is scaled in it."""
    rows = rows_of_collectives(document["figures"], document["scaled"])
    show_table("One call and a barrier, us, medians ('barrier': two; 'back to back': without the barrier;\n"
               "'own clock': the fibers' carrier's, which stands still while another process has the core)", rows,
               {1, 3, 4, 6, 7, 8, 9, 10, 11})
    if len(rows) > 1 and document["scales"]:
        print("* not measured in this run:", document["recorded"]["source"] + ";\n  scaled by this run's limits:",
              ", ".join(f"{name} x {factor:.2f}" for name, factor in document["scales"].items()))
    elif len(rows) > 1:
        print("* not in this run: the limits that scale them were not measured")


def show_end(document):
    """What came of the peers, what was left out, what failed."""
    about = document["host"]
    print(f"\n{document['seconds']:.0f} s; other processes took {about['others_percent']:.0f} % of the cores meanwhile"
          + (": take ratios, not figures" if about["others_percent"] > 5 else ""))
    print("of them", ", ".join(f"{part} {seconds:.0f}" for part, seconds in document["part_seconds"].items()))
    for peer in document["peers"]:
        print(f"{peer['name']}:", peer["version"] if peer["state"] == "measured" else f"skipped: {peer['why']}")
    for item in document["skipped"]:
        print(f"left out: {item['what']}: {item['why']}")
    for item in document["failures"]:
        print(f"failed: {item['program']}: {item['message']}")


def show(document):
    """Print everything."""
    about, figures, aims = document["host"], document["figures"], document["aims"]
    print(f"Peal's measurements ({document['mode']}), {about['cpu']}, {about['cores']} cores, "
          f"{size(about['memory_bytes'])}, load {about['load']} at first")
    if document["mode"] == "smoke":
        print("smoke: these sizes only show that everything works; the figures mean nothing")
    limits = [f for f in figures if f["part"] == "limits"]
    show_table("Limits of this machine, in this run", [("limit", "median", "", "least to greatest")]
               + [(describe_limit(f), number(f["median"]), f["unit"], span(f)) for f in limits], {1})
    show_table("Other figures", [("figure", "median", "", "least to greatest", "beside")]
               + [(what, number(median), *rest) for what, median, *rest in filter(None, map(describe, figures))], {1})
    show_table("An empty program from start to end, ms", rows_of_empty(figures), set(range(6)))
    show_collectives(document)
    show_table("MPI programs from one source: one call and a barrier, us, medians of turns ('barrier': two)",
               rows_of_programs(figures), {1, 3, 4, 5, 6})
    show_table("One call of an MPI program, medians; in units of a ring shift in the same run, by the processor's time",
               rows_of_shifts(figures), {1, *range(3, 9)})
    show_table("One program's calls, us of the processors under Peal; Peal / peer, of the processors' time and (of wall time),\n"
               "medians of turns; below 1: Peal is ahead", rows_of_peers(figures), {1, *range(3, 8)})
    others = about["others_percent"]
    busy = f" (other processes took {others:.0f} % of the cores)" if others > 5 else ""
    show_table("Aims" + busy, [("work", "measured", "", "aim", "reached")]
               + [(a["work"], number(a["measured"]), a["unit"], a["aim"], verdict(a)) for a in aims], {1})
    if aims:
        judged = [a["reached"] for a in aims if a["reached"] is not None]
        print(f"\n{sum(judged)} of {len(judged)} aims reached, {len(aims) - len(judged)} not judged")
    show_end(document)
