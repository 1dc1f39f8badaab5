# SPDX-License-Identifier: MIT
"""Peal beside its peers: what is recorded of those that no distribution has, scaled by this run's limits; the aims."""
from figures import COLLECTIVES, MIB, best_figure, number, size


def scales(run, recorded):
    """How much slower this run's machine is than the recorded one, by the limit that bounds each peer; {} without."""
    then = recorded["limits"]
    jump = run.best("limits", "jump", "least", stacks=2)
    switch = run.best("limits", "sched_yield", "least")
    copies = run.find("limits", "memcpy", bytes=16 * MIB, threads=1, memory="touched")
    found = {}
    if jump:  # recorded as a range: its geometric mean
        least, greatest = then["jump, ns"]
        found["AMPI"] = jump / (least * greatest) ** 0.5
    if switch:
        found["thread_mpi"] = switch / then["sched_yield, ns"]
    if copies:
        found["64 KiB"] = then["memcpy of 16 MiB, GB/s"] / copies[0]["greatest"]
    return found


def scaled_figures(run, recorded):
    """The recorded figures, scaled by this run's limits; never measured in it."""
    factors = scales(run, recorded)
    for row in recorded["figures"]:
        factor = factors.get("64 KiB" if row["bytes"] > 8 else row["peer"])
        for work, us in row["us"].items():
            yield {"peer": row["peer"], "work": work, "nodes": row["nodes"], "bytes": row["bytes"], "recorded_us": us,
                   "scale": factor, "scaled_us": us * factor if factor else None}


def scaled_figure(scaled, peer, work, nodes, count):
    """A peer's scaled figure, None without one."""
    return next((s["scaled_us"] for s in scaled if s["peer"] == peer and s["work"] == work and s["nodes"] == nodes
                 and s["bytes"] == count), None)


class Comparison:
    """A run and what is scaled for it."""

    def __init__(self, run, scaled):
        self.run, self.scaled = run, scaled

    def recorded(self, work, nodes, count):
        """{"AMPI (scaled)": us, ...} of those that are recorded."""
        found = {peer: scaled_figure(self.scaled, peer, work, nodes, count) for peer in ("AMPI", "thread_mpi")}
        return {f"{peer} {number(us)} (scaled)": us for peer, us in found.items() if us is not None}

    def measured(self, names, work, nodes, count=8):
        """{"SMPI 12": us, ...} of those that were measured, and a note on the others."""
        found = {name: best_figure(self.run.figures, "mpi-programs", work, peer=name, nodes=nodes, bytes=count) for name in names}
        absent = [f"{name} not measured" for name, us in found.items() if us is None]
        return {f"{name} {number(us)}": us for name, us in found.items() if us is not None}, "; ".join(absent)

    def faster(self, work, ours, others, note=""):
        """The line that says whether ours is as fast as the fastest of the others."""
        if ours is not None:
            self.run.aim("collectives", work, ours, "us", min(others.values(), default=None),
                         text="< " + ", ".join(others) if others else "faster than the peers", note=note)

    def collective(self, work, nodes):
        """The best algorithm of a collective against all peers of fibers."""
        ours = self.run.best("collectives", work, nodes=nodes, bytes=8, engine="fibers")
        smpi, note = self.measured(["SMPI"], work, nodes)
        self.faster(f"fibers, P = {nodes}, {work}, the best algorithm", ours,
                    {**self.recorded(work, nodes, 8), **smpi}, note)
        if nodes >= 256 and ours is not None:
            times = min(smpi.values()) / ours if smpi else None
            self.run.aim("collectives", f"fibers, P = {nodes}, {work}: times as fast as SMPI", times, "", 50,
                         at_least=True, note=note)

    def alltoall(self, nodes):
        """The pairwise all-to-all, by the transfer."""
        ours = self.run.best("collectives", "alltoall", nodes=nodes, bytes=8, engine="fibers")
        theirs = scaled_figure(self.scaled, "thread_mpi", "alltoall", nodes, 8)
        if ours is not None:
            transfers = nodes * (nodes - 1) / 1e3
            self.run.aim("collectives", f"fibers, P = {nodes}, all-to-all of 8 B: a transfer", ours / transfers, "ns",
                         3 * theirs / transfers if theirs else None,
                         text="<= 3 x thread_mpi" + (f" {number(theirs / transfers)} (scaled)" if theirs else ""))

    def lines(self):
        """All lines, in their order."""
        sizes, large = self.run.mode["sizes"], self.run.mode["large"]
        for nodes in [n for n in sizes if n >= 8]:
            for work in COLLECTIVES:
                self.collective(work, nodes)
        for nodes in [n for n in sizes if n in (64, 256)]:
            self.alltoall(nodes)
        for work, count in [("scatter", 65536), ("alltoall", 65536), ("scatter back to back", 8)]:
            ours = self.run.best("collectives", work, nodes=large, bytes=count, engine="fibers")
            self.faster(f"fibers, P = {large}, {work} of {size(count)}", ours, self.recorded(work, large, count))
        ours = self.run.best("collectives", "scatter", algorithm="binomial", nodes=large, bytes=8, engine="threads")
        self.faster(f"threads, P = {large}, binomial scatter", ours, *self.measured(["Open MPI", "MPICH"], "scatter", large))
