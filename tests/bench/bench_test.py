#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/bench promises, at sizes that mean nothing.

  tests/bench/bench_test.py RUN BUILD

RUN is bench/run.py.  Everything is run once with the programs of BUILD; what is judged, scaled, skipped and refused is
shown by programs written here, whose figures are known.
"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

RUN, BUILD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PARTS = ["limits", "rounds", "copy", "collectives", "alltoall", "orders", "accesses", "scale", "start", "peers", "mpi",
         "mpi-programs", "shifts", "synthesis", "schedules", "web", "rebuild"]
PEERS = ["Open MPI", "MPICH", "SMPI", "AMPI"]
MESSAGES = {"ping-pong", "sendrecv", "halo", "any-source"}
COLLECTIVES = {"barrier", "scatter", "broadcast", "allreduce", "alltoall"}


def bench(*words, build=BUILD, path=None):
    """The ended process of one call."""
    environment = {**os.environ, "PATH": path} if path is not None else None
    return subprocess.run([sys.executable, RUN, build, *words], capture_output=True, text=True, check=False,
                          env=environment, timeout=250)


class MadeUp:
    """A build whose programs print the given text."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        os.mkdir(os.path.join(self.path, "bench"))

    def program(self, name, text, status=0):
        """Add bench-NAME: prints the text, on standard error where it fails, and exits with status."""
        file = os.path.join(self.path, "bench", "bench-" + name)
        with open(file, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\ncat <<'END' {'>&2' if status else ''}\n{text}\nEND\nexit {status}\n")
        os.chmod(file, stat.S_IRWXU)


def figure(work, median, **members):
    """A line like those of the programs."""
    return json.dumps({"work": work, "unit": "us", "median": median, "least": median, "greatest": median,
                       "repetitions": 1, **members})


class Everything(unittest.TestCase):
    """One run of all parts."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bench.json")
            cls.done = bench("--smoke", f"--json={file}")
            with open(file, encoding="utf-8") as text:
                cls.document = json.load(text)

    def test_ends_well_and_nothing_failed(self):
        self.assertEqual((self.done.returncode, self.document["failures"]), (0, []), self.done.stderr)

    def test_document_says_what_it_is(self):
        self.assertEqual(self.document["schema"], "peal/bench/1")
        self.assertEqual((self.document["mode"], self.document["parts"]), ("smoke", PARTS))
        self.assertGreater(self.document["host"]["cores"], 0)

    def test_every_part_has_figures_or_is_left_out_by_name(self):
        named = {figure["part"] for figure in self.document["figures"]}
        named |= {item["what"] for item in self.document["skipped"]}
        if all(peer["state"] == "skipped" for peer in self.document["peers"]):
            named.add("peers")
        self.assertEqual(set(PARTS) - named, set())

    def test_every_figure_is_positive(self):
        for f in self.document["figures"]:
            values = [f[key] for key in ("median", "machine_ns", "machine_gb_s", "transfer_ns") if key in f]
            self.assertTrue(f["work"] == "further hop" or values and values[0] > 0, f)
            if "least" in f:
                self.assertTrue(f["least"] <= f["median"] <= f["greatest"], f)

    def test_limits_of_every_kind_are_measured(self):
        works = {f["work"] for f in self.document["figures"] if f["part"] == "limits"}
        self.assertLessEqual({"memcpy", "futex ring", "sched_yield", "stack page"}, works)
        self.assertEqual({f["memory"] for f in self.document["figures"] if f.get("work") == "memcpy"},
                         {"touched", "first touch"})

    def test_every_collective_is_measured_at_every_size(self):
        for nodes in (7, 8):
            works = {f["work"] for f in self.document["figures"] if f["part"] == "collectives" and f["nodes"] == nodes
                     and f["engine"] == "fibers"}
            self.assertLessEqual(COLLECTIVES, works)

    def test_each_peer_is_measured_or_skipped_by_name(self):
        self.assertEqual([peer["name"] for peer in self.document["peers"]], PEERS)
        for peer in self.document["peers"]:
            found = [f for f in self.document["figures"] if f["part"] == "peers" and f["peer"] == peer["name"]]
            works = {f["work"] for f in found}
            if peer["state"] == "skipped":
                self.assertTrue(peer["why"], peer)
                self.assertIn(f"{peer['name']}: skipped: {peer['why']}", self.done.stdout)
            else:
                self.assertLessEqual(COLLECTIVES | MESSAGES, works)
                for f in found:
                    self.assertTrue(f["wall"] > 0 and f["peal_us"] > 0 and f["peer_us"] > 0, f)

    def test_mpi_programs_are_measured_beside_peals_own_calls(self):
        found = [f for f in self.document["figures"] if f["part"] == "mpi-programs"]
        loops = {f["loop"] for f in found if f["work"] == "layer"}
        self.assertLessEqual({"ping-pong", "posted ring shift", "broadcast", "allreduce", "alltoall"}, loops)
        works = {f["work"] for f in found if f.get("peer") == "Peal"}
        self.assertLessEqual({"barrier", "alltoall", "empty program"}, works)

    def test_ten_collectives_are_measured_in_ring_shifts_played_and_not(self):
        found = [f for f in self.document["figures"] if f["part"] == "shifts"]
        for by in ("played", "run"):
            self.assertEqual(len({f["work"] for f in found if f["by"] == by}), 10)
        for by in ("tried", "untried"):
            self.assertEqual({f["work"] for f in found if f["by"] == by}, {"refused", "first"})
        self.assertTrue(all(f["shifts"] > 0 and f["processor_us"] > 0 for f in found))

    def test_aims_are_judged_by_their_limits(self):
        self.assertTrue(self.document["aims"])
        for aim in self.document["aims"]:
            if aim["reached"] is None:
                self.assertTrue(aim["limit"] is None or aim["measured"] is None, aim)
            else:
                at_least = aim["aim"].startswith(">")
                self.assertEqual(aim["reached"], (aim["measured"] >= aim["limit"]) if at_least
                                 else aim["measured"] <= aim["limit"], aim)

    def test_every_aim_has_its_line_in_the_table(self):
        lines = self.done.stdout.splitlines()
        for aim in self.document["aims"]:
            word = {True: "yes", False: "NO", None: "-"}[aim["reached"]]
            self.assertTrue(any(line.startswith(aim["work"]) and f"  {word}" in line for line in lines), aim)

    def test_scaled_figures_are_the_recorded_ones_times_the_scale(self):
        self.assertTrue(self.document["scaled"])
        for entry in self.document["scaled"]:
            self.assertAlmostEqual(entry["scaled_us"], entry["recorded_us"] * entry["scale"])


class Judging(unittest.TestCase):
    """Programs with known figures."""

    def setUp(self):
        self.build = MadeUp()
        self.addCleanup(self.build.folder.cleanup)

    def run_json(self, *words):
        """The document of a run of these parts, which must end with `status`."""
        done = bench("--json", *words, build=self.build.path)
        return done, json.loads(done.stdout)

    def test_one_above_the_aim_is_not_reached_and_one_at_it_is(self):
        rows = [{"nodes": nodes, "carriers": 1, "machine_ns": 1, "ring_ns": 1, "ratio": ratio, "ratio_least": 1,
                 "ratio_greatest": 2} for nodes, ratio in [(8, 1.3), (64, 1.31)]]
        self.build.program("rounds", json.dumps({"schema": "peal/bench-rounds/1", "engine": "threads", "rows": rows}))
        done, document = self.run_json("rounds")
        self.assertEqual(done.returncode, 0)
        self.assertEqual({aim["work"].split(":")[0]: aim["reached"] for aim in document["aims"]},
                         {"threads, P = 8": True, "threads, P = 64": False})

    def make_collectives(self, barrier_us):
        """A machine half as fast as the recorded one, whose barrier at P = 8 takes this long."""
        self.build.program("limits", "\n".join([
            figure("jump", 2 * (4 * 12) ** 0.5, stacks=2), figure("sched_yield", 1080),
            figure("memcpy", 7, bytes=16 << 20, threads=1, memory="touched")]))
        self.build.program("collectives", "\n".join(
            [figure("barrier", us, algorithm=name, nodes=8, bytes=8, engine="fibers", calls=1, transfers=1)
             for name, us in [("slow", 3 * barrier_us), ("best", barrier_us)]]))

    def test_recorded_figures_are_scaled_by_the_limits_of_the_run(self):
        self.make_collectives(7.3)
        _, document = self.run_json("collectives")
        for name, scale in document["scales"].items():
            self.assertAlmostEqual(scale, 2, msg=name)
        aims = [aim for aim in document["aims"] if aim["work"].startswith("fibers, P = 8, barrier")]
        self.assertEqual([(aim["measured"], round(aim["limit"], 6), aim["reached"]) for aim in aims],
                         [(7.3, 7.4, True)])
        self.assertIn("SMPI not measured", aims[0]["note"])

    def test_slower_than_the_fastest_peer_is_not_reached(self):
        self.make_collectives(7.5)
        _, document = self.run_json("collectives")
        self.assertEqual([aim["reached"] for aim in document["aims"] if "P = 8, barrier" in aim["work"]], [False])

    def test_a_part_that_fails_is_named_and_the_others_go_on(self):
        self.build.program("empty", figure("empty program", 3, nodes=64, engine="fibers"))
        self.build.program("alltoall", "no memory for 64 vectors", status=1)
        done, document = self.run_json("alltoall", "start")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(item["part"], item["message"]) for item in document["failures"]],
                         [("alltoall", "no memory for 64 vectors")])
        self.assertTrue([f for f in document["figures"] if f["part"] == "start"])

    def test_a_program_that_prints_no_figures_rightly_is_named(self):
        self.build.program("alltoall", "{not json")
        done, document = self.run_json("alltoall")
        self.assertEqual((done.returncode, len(document["failures"])), (1, 1))

    def test_peers_that_are_not_installed_are_skipped_by_name(self):
        done = bench("--quick", "peers", build=self.build.path, path="/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in PEERS:
            self.assertIn(f"\n{name}: skipped: no ", "\n" + done.stdout)


class Refused(unittest.TestCase):
    """Wrong calls: status 2, one line, nothing measured."""

    def refuse(self, *words, says):
        done = bench(*words)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        self.assertIn(says, done.stderr)

    def test_a_part_that_is_not_there(self):
        self.refuse("limit", says="no measurement is called \"limit\": limits, rounds,")

    def test_an_option_that_is_not_there(self):
        self.refuse("--fast", says="unknown option --fast")

    def test_no_repetitions(self):
        self.refuse("--repetitions=0", says="--repetitions=N (1 to 999)")

    def test_nodes_that_are_not_numbers(self):
        self.refuse("--nodes=8,x", "peers", says="--nodes=8,x: expected numbers of 2 and more between commas")

    def test_bytes_that_are_not_whole_words(self):
        self.refuse("--bytes=12", "peers", says="--bytes=12: expected numbers of 8 and more between commas, multiples of 8")

    def test_a_call_that_is_not_there(self):
        self.refuse("--calls=halo,bcast", "peers", says="no call of peers is called \"bcast\": ping-pong, sendrecv,")

    def test_a_file_that_cannot_be_written(self):
        self.refuse("--smoke", "--json=/nowhere/bench.json", "start", says="/nowhere/bench.json: cannot be written")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
