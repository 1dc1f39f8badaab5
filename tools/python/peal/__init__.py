# SPDX-License-Identifier: MIT
"""Runs, comparisons, sweeps and checks of Peal's message-passing machine, for notebooks.

Every function runs the command ``peal`` once, with --json, and returns what it printed as an object:

    import peal
    run = peal.run("scatter/binomial", nodes=8, block=4)
    run.cost                    # 3α + 28β = 3028
    peal.compare("allreduce", nodes=8, words=64).table

The command is the one on PATH, or the file that the environment variable PEAL names.  A keyword is an option of the
command: half_duplex=True is --half-duplex, topology="ring" is --topology ring, a list is joined by commas.  Numbers are
the command's: costs are integers of α, β, t_d and τ, times are in the unit of the prices.

In Jupyter a run, comparison, sweep or check shows the page of peal-report(1); a table shows itself.
"""
from .command import Error, command
from .documents import Check, Comparison, Cost, Document, Round, Run, Sweep, Table, Transfer

__all__ = ["Check", "Comparison", "Cost", "Document", "Error", "Round", "Run", "Sweep", "Table", "Transfer", "check",
           "command", "compare", "explain", "price", "run", "sweep"]
__version__ = "0.4.0"


def run(target, *arguments, **options):
    """Run a collective ("scatter/binomial"), or a program ("ring.c", "heat.py") with its arguments: peal-run(1).

    A program in Python is run by this interpreter, whose mpi4py it imports.

    Returns a Run, also of a run that failed: then its `failure` says why.  Raises Error for a wrong request.
    """
    return Run(*command("run", target, program_arguments=arguments, **options))


def explain(target, **options):
    """Run a collective as in peal-explain(1).  Returns a Run, with its blocks.  Raises Error."""
    return Run(*command("explain", target, **options))


def price(file, **options):
    """Charge the recorded run in a file (see Document.save) on another network: peal-price(1).  Returns a Run."""
    return Run(*command("price", file, **options))


def compare(collective, **options):
    """Run every algorithm of a collective on one machine: peal-compare(1).  Returns a Comparison.  Raises Error."""
    return Comparison(*command("compare", collective, **options))


def sweep(collective, *others, **options):
    """Find the best algorithm at each size, nodes="2:64", words="1:1M": peal-sweep(1).  Returns a Sweep.  Raises Error."""
    return Sweep(*command("sweep", collective, *others, **options))


def check(target=None, **options):
    """Prove algorithms, or a function (file="f.c", symbol="f"), or show the smallest wrong run: peal-check(1).

    Returns a Check; that something is wrong is not an Error.
    """
    return Check(*command("check", *([] if target is None else [target]), **options))
