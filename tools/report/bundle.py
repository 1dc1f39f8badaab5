#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the page of `peal report`, without its document, as a C file.

  tools/report/bundle.py OUTPUT.c D3 PAGE.html PAGE.css SCRIPT.js...

D3 is the folder that has d3-selection, d3-scale, ..., or "-" to make a command without the page.  The scripts become one,
after the modules of D3 that they use and LIGHT, the colours of the style's first rule.  The last script is the page, and runs if
there is a document; otherwise the script sets drawFile, which the others define.  The page's policy names the hashes of the style
and the script, so nothing else in it can run, and allows no requests."""
import base64
import hashlib
import json
import os
import re
import sys

# Each comes after those that it needs; modules that D3 7 has dropped are optional.
MODULES = ['d3-path', 'd3-array', 'd3-collection?', 'd3-color', 'd3-dispatch', 'd3-format', 'd3-interpolate',
           'd3-quadtree', 'd3-selection', 'd3-shape', 'd3-time', 'd3-time-format', 'd3-timer', 'd3-scale', 'd3-force']

ABSENT = 'this build has no page for peal report: install the package node-d3 and build again'

LICENCE = """D3 (d3js.org), copyright Mike Bostock and contributors.  D3 7 is under the ISC licence:
Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.  THE SOFTWARE IS PROVIDED "AS IS"
AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS.  IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
D3 5 is under the BSD 3-clause licence:
Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met: Redistributions of source code must retain the above copyright notice, this list of conditions and the
following disclaimer.  Redistributions in binary form must reproduce the above copyright notice, this list of conditions and
the following disclaimer in the documentation and/or other materials provided with the distribution.  Neither the name of the
author nor the names of contributors may be used to endorse or promote products derived from this software without specific
prior written permission.  THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR
IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR
PURPOSE ARE DISCLAIMED.  IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS
OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF
THE POSSIBILITY OF SUCH DAMAGE."""


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def modules(folder):
    """The text of D3's modules; exits if a needed one is missing."""
    for name in MODULES:
        path = os.path.join(folder, name.rstrip('?'), 'dist', name.rstrip('?') + '.min.js')
        if os.path.exists(path):
            yield read(path)
        elif not name.endswith('?'):
            sys.exit(f'bundle.py: {path} is not there (package node-d3)')


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def light(style):
    """The names and values of the colours of the first rule that has any, as JavaScript."""
    rule = re.search(r':root\s*{(.*?)}', style, re.S)
    return 'const LIGHT = ' + json.dumps(dict(re.findall(r'--([\w-]+):\s*([^;]+);', rule.group(1) if rule else ''))) + ';\n'


def page(d3, template, style, scripts):
    """The text before and after the document."""
    own = '(() => {\n"use strict";\n' + light(style) + '\n'.join(read(script) for script in scripts[:-1]) + \
        '\nif (typeof document === "undefined") {\n  globalThis.drawFile = drawFile;\n  return;\n}\n' + read(scripts[-1]) + '\n})();\n'
    script = '/* ' + LICENCE + ' */\n' + '\n'.join(modules(d3)) + '\n' + own
    for what, text in (('script', script), ('style', style)):
        if '</' + what in text.lower() or '<!--' in text:
            sys.exit(f'bundle.py: the {what} would end its element')
    policy = f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
    for name, text in (('POLICY', policy), ('STYLE', style), ('SCRIPT', script)):
        template = template.replace('{{' + name + '}}', text)
    return template.split('{{DOCUMENT}}')


def refuse_duplicates(scripts):
    """Exit if two scripts have functions of the same name: the last would silently replace the first."""
    names = [name for script in scripts for name in re.findall(r'^function (\w+)', read(script), re.M)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        sys.exit(f'bundle.py: more than one function {", ".join(twice)}')


def literal(text):
    """A C string literal, broken into short lines."""
    out, line = [], ''
    for byte in text.encode():
        char = chr(byte)
        line += {'"': '\\"', '\\': '\\\\', '\n': '\\n', '?': '\\?'}.get(
            char, char if 32 <= byte < 127 else f'\\{byte:03o}')
        if len(line) > 200:
            out.append(f'"{line}"')
            line = ''
    return '\n    '.join(out + [f'"{line}"'])


def main():
    output, d3, template, style, *scripts = sys.argv[1:]
    refuse_duplicates(scripts)
    head, tail = ('', '') if d3 == '-' else page(d3, read(template), read(style), scripts)
    with open(output, 'w', encoding='utf-8') as file:
        file.write('/* Made by tools/report/bundle.py. */\n#include "write/report.h"\n\n')
        for name, text in (('head', head), ('tail', tail)):
            file.write(f'const char report_page_{name}[] =\n    {literal(text)};\n'
                       f'const size_t report_page_{name}_bytes = sizeof report_page_{name} - 1;\n')
        absent = 'NULL' if d3 != '-' else f'"{ABSENT}"'
        file.write(f'const char *const report_page_absent = {absent};\n')


main()
