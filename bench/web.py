# SPDX-License-Identifier: MIT
"""Peal in the browser: the module's size, the page's first picture, a scatter, checks beside the native
command, and how long the page of a long run takes to open."""
import os
import shutil
import subprocess

from figures import HERE, number, read_figures

CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]


def build_page(run):
    """Where the module and the page are, built by tools/web/build; None, and why, where that cannot be."""
    if run.mode["web"] is None:
        return None, "takes minutes to build"
    if not shutil.which("emcc"):
        return None, "emcc is missing (package emscripten)"
    if not any(map(os.path.exists, CHROMIUM)) or not os.path.exists(os.path.join(HERE, "..", "tests", "report", "node_modules")):
        return None, "chromium or tests/report/node_modules is missing (tools/test web installs them)"
    folder = os.path.join(os.path.abspath(run.build), "web")
    done = subprocess.run([os.path.join(HERE, "..", "tools", "web", "build"), os.path.join(folder, "page")], capture_output=True,
                          text=True, check=False, env={**os.environ, "PEAL_WEB_BUILD": folder})
    return (folder, "") if done.returncode == 0 else (None, (done.stderr.strip().splitlines() or ["no message"])[-1])


def web(run):
    """The module and its page."""
    folder, why = build_page(run)
    if not folder:
        run.skipped.append({"what": "web", "why": why})
        return
    done = subprocess.run(["node", os.path.join(HERE, "web.mjs"), os.path.join(run.build, "tools", "peal"), os.path.join(folder, "peal"),
                           os.path.join(folder, "page"), str(run.repetitions or run.mode["web"])], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        run.fail("web", "bench/web.mjs", done.stderr)
        return
    figures = read_figures(done.stdout)
    run.figures += [{"part": "web", **figure} for figure in figures]
    for figure in figures:
        if "ratio" in figure:
            run.aim("web", figure["work"] + ": beside the native command's processor time", figure["ratio"], "times", 4)
        elif figure["unit"] == "bytes":
            run.aim("web", figure["work"], figure["median"], "bytes", 1000000)
        elif figure["unit"] == "ms":
            run.aim("web", figure["work"], figure["median"], "ms", 10)
        else:
            run.aim("web", figure["work"], figure["median"], "s", 2 if "rounds" in figure["work"] else 1)


def describe_web(f):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    beside = f"native {number(f['native_s'])} s, ratio {number(f['ratio'])}" if "ratio" in f else ""
    return f["work"], f["median"], f["unit"], f"{number(f['least'])} to {number(f['greatest'])}", beside
