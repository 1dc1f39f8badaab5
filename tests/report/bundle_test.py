#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page's text as bundle.py makes it: without D3 it says which package to install; text that would end its elements is refused;
its policy names the hashes of its contents.

  tests/report/bundle_test.py BUNDLE D3"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile

bundle, d3 = sys.argv[1:3]


def make(folder, modules, script="let a = 1;"):
    """What bundle.py ends with, says, and writes."""
    for name, text in (("page.html", "<style>{{STYLE}}</style>{{POLICY}}|{{DOCUMENT}}|<script>{{SCRIPT}}</script>"),
                       ("page.css", "p { color: red; }"), ("one.js", script)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    output = os.path.join(folder, "page.c")
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([sys.executable, bundle, output, modules] + [os.path.join(folder, name) for name in ("page.html", "page.css", "one.js")],
                          capture_output=True, text=True, check=False)
    written = open(output, encoding="utf-8").read() if os.path.exists(output) else ""
    return done.returncode, done.stderr, written


def text_of(written, name):
    """The text of one of the arrays."""
    literals = re.search(rf"report_page_{name}\[\] =\n(.*?);\n", written, re.S).group(1)
    escaped = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
    plain = re.sub(r"\\(\d{3}|.)", lambda m: chr(int(m[1], 8)) if m[1].isdigit() else {"n": "\n"}.get(m[1], m[1]), escaped)
    return plain.encode("latin-1").decode()


with tempfile.TemporaryDirectory() as work:
    code, said, page = make(work, "-")
    assert code == 0 and "install the package node-d3" in page and "sizeof report_page_head - 1" in page, page
    code, said, page = make(work, work)
    assert code == 1 and "package node-d3" in said and page == "", (code, said)
    code, said, page = make(work, d3, 'let a = "</script>";')
    assert code == 1 and "the script would end its element" in said and page == "", (code, said)
    code, said, page = make(work, d3, 'let a = "é?\\\\";')
    assert code == 0, said
    head, tail = text_of(page, "head"), text_of(page, "tail")
    script, style = re.search("<script>(.*)</script>", tail, re.S).group(1), re.search("<style>(.*)</style>", head, re.S).group(1)
    assert 'let a = "é?\\\\";' in script, script[-200:]
    for part in (script, style):
        assert "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'" in head
