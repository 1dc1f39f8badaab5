#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemble the page: bundle.py BUILD FOLDER LICENCES NPM.

FOLDER gets index.html with its style, its script and its worker, peal.wasm and the licences: to be put on any static host.
FOLDER/peal.html is all of it in one file, which a browser opens from disk.  LICENCES is the text of the bundled licences, NPM a folder
node_modules with the C compiler, which only FOLDER gets.
"""
import base64
import configparser
import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ['words.js', 'state.js', 'picture.js', 'findings.js', 'doors.js', 'module.js', 'assignment.js', 'main.js']
TOP = os.path.join(HERE, '..', '..')
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, 'tools', 'man'))
import calls as calls_of  # noqa: E402  # pylint: disable=wrong-import-position



def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as text:
        return text.read()


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as out:
        out.write(text)


def colours():
    """The colours of the report's page, so that both look alike: up to its first rule of its own."""
    css = read(HERE, '..', 'report', 'page.css')
    return re.sub(r'@media print \{.*?\n\}\n', '', css[:css.index('* { box-sizing')], flags=re.DOTALL)


def tree(folder):
    """A folder of headers: of each folder an object, of each file its text."""
    found = {}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir():
            found[entry.name] = tree(entry.path)
        elif entry.name.endswith(('.h', '.def')):
            found[entry.name] = read(entry.path)
    return found


# ---------------------------------------------------------------- what the editor knows

def known_calls():
    """The calls of node programs, for completion: prototype and first sentence of the manual."""
    headers = [os.path.join(TOP, 'include', 'peal', name) for name in ('node.h', 'calls.h')]
    found, functions = calls_of.read(headers)
    known = {}
    for (group, lines, _), _ in found:
        for call in group:
            if not call.name.endswith('_at') and lines:
                known.setdefault(call.name, {'label': call.name, 'detail': call.prototype(functions, lines), 'info': calls_of.summary(lines)})
    return list(known.values())


def parameters():
    """The parameters of a function that carries a collective out, by the collective's name."""
    union = re.search(r'union peal_check_function \{(.*?)\n\};', read(TOP, 'include', 'peal', 'form.h'), re.DOTALL).group(1)
    return {name.replace('_', '-'): re.sub(r'\s+', ' ', rest) for name, rest in re.findall(r'void \(\*(\w+)\)\(([^;]*)\);', union)}


# ---------------------------------------------------------------- assignments

def ranks(text):
    """A list like 3, 5:7."""
    found = []
    for part in text.split(','):
        first, _, last = part.partition(':')
        found += range(int(first), int(last or first) + 1)
    return found


def value(expression, nodes):
    """A size in P, rounded down, of an assignment of our own."""
    names = {'P': nodes, 'sqrt': math.sqrt, 'log2': math.log2, 'ceil': math.ceil, 'floor': math.floor, 'q': math.ceil(math.log2(nodes))}
    return int(eval(expression.replace('^', '**'), {'__builtins__': {}}, names))  # pylint: disable=eval-used


def commands(keys):
    """The checks that a test of a collective consists of: one for each root and size."""
    if 'collective' not in keys or 'program' in keys:
        return []
    letter = '-n' if re.sub('v$', '', keys['collective']) in ('broadcast', 'reduce', 'allreduce', 'scan', 'exscan', 'shift', 'multicast') else '-m'
    options = [word for key, option in (('topology', '-t'), ('ports', '--ports'), ('delivery', '--delivery'), ('op', '--op'), ('max_rounds', '--max-rounds'),
                                        ('max_words', '--max-words'), ('max_hops', '--max-hops'), ('max_messages', '--max-messages'), ('seed', '--seed')) if key in keys for word in (option, keys[key])]
    made = []
    for root in keys['roots'].split(',') if 'roots' in keys else [None]:
        for size in keys.get('sizes', '').split(','):
            nodes = {}
            for count in ranks(keys['nodes']):
                if root is None or int(root) < count:
                    nodes.setdefault(value(size, count) if size.strip() else None, []).append(str(count))
            for words, counts in nodes.items():
                made.append(['check', keys['collective'], '--file', 'mine.c', '--symbol', keys['symbol'], '-p', ','.join(counts)] +
                            ([] if words is None else [letter, str(words)]) + ([] if root is None else ['-r', root.strip()]) +
                            options + ['--buffers', 'both' if 'in_place' in keys else 'separate', '--timeout', keys.get('timeout', '2')])
    return sorted(made, key=lambda words: min(ranks(words[7])))


def assignments():
    """The assignments that submit functions of collectives: the student's files, and the tests."""
    found = {}
    for name in sorted(os.listdir(os.path.join(TOP, 'assignments'))):
        path = os.path.join(TOP, 'assignments', name, name + '.ini')
        if not os.path.exists(path):
            continue
        ini = configparser.ConfigParser(interpolation=None)
        ini.read(path, encoding='utf-8')
        shared = dict(ini['assignment'])
        tests = []
        for section in ini.sections()[1:]:
            keys = {**shared, **dict(ini[section])}
            tests.append({'name': section.removeprefix('test '), 'points': keys['points'], 'commands': commands(keys),
                          'forbid': re.split(r'[,\s]+', keys.get('forbid', '')), 'allow': re.split(r'[,\s]+', keys.get('allow', ''))})
        if any(test['commands'] for test in tests):
            found[name] = {'title': shared.get('title', name), 'handout': read(TOP, 'assignments', name, 'README.md'),
                           'starter': read(TOP, 'assignments', name, 'starter.c'), 'tests': tests}
    return found


def packed(text):
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode('ascii')


# How the two pages get the worker and the module; both call main().
FOLDER_START = '''
const load = async name => {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(name + ' cannot be loaded: ' + answer.status);
  return answer;
};
main(() => new Worker('worker.js'), async () => (await load('peal.wasm')).arrayBuffer(),
  makeCompiler(() => new Worker('compile.js', {type: 'module'})), async () => ({...await import('./editor.js'), ...await (await load('editor.json')).json()}),
  load('LICENCES.txt').then(answer => answer.text()));
'''
SINGLE_START = '''
const unpackText = async id => throughStream(Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0)), new DecompressionStream('gzip'));
unpackText('packed-worker').then(source => {
  const address = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  main(() => new Worker(address), async () => (await unpackText('packed-wasm')).buffer, makeCompiler(null), null,
    unpackText('packed-licences').then(bytes => new TextDecoder().decode(bytes)));
});
'''
# Nothing but the page's own files is loaded, and nothing is sent.  Scripts may be inline: the views are a page of their own, which
# inherits this.
POLICY = ("default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
          "worker-src 'self' blob:; connect-src {connect}; frame-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'")


def main():
    build, folder, licences, npm = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    page, style = read(HERE, 'page', 'index.html'), colours() + read(HERE, 'page', 'page.css')
    script = '\n'.join([read(HERE, '..', 'report', 'layout.js')] + [read(HERE, 'page', name) for name in SCRIPTS])
    worker = read(build, 'tools', 'peal.js') + '\n' + read(HERE, 'page', 'worker.js')
    with open(os.path.join(build, 'tools', 'peal.wasm'), 'rb') as module:
        wasm = module.read()

    write(style, folder, 'page.css')
    write(script + FOLDER_START, folder, 'page.js')
    write(worker, folder, 'worker.js')
    write(read(licences), folder, 'LICENCES.txt')
    with open(os.path.join(folder, 'peal.wasm'), 'wb') as out:
        out.write(wasm)
    write(page.replace('{{POLICY}}', POLICY.format(connect="'self'"))
          .replace('{{STYLE}}', '<link rel="stylesheet" href="page.css">')
          .replace('{{SCRIPT}}', '<script src="page.js"></script>'), folder, 'index.html')

    write(read(HERE, 'page', 'compile.js'), folder, 'compile.js')
    write(json.dumps(tree(os.path.join(TOP, 'include'))), folder, 'headers.json')
    write(json.dumps({'calls': known_calls(), 'parameters': parameters(), 'assignments': assignments()}), folder, 'editor.json')
    subprocess.run([os.path.join(npm, '.bin', 'esbuild'), os.path.join(HERE, 'page', 'editor.js'), '--bundle', '--minify', '--format=esm', '--log-level=warning',
                    '--outfile=' + os.path.join(folder, 'editor.js')], check=True, env={**os.environ, 'NODE_PATH': npm})
    compiler = os.path.join(folder, 'compiler')
    shutil.rmtree(compiler, ignore_errors=True)
    shutil.copytree(os.path.join(npm, '@yowasp', 'clang', 'gen'), os.path.join(compiler, 'clang'))
    shutil.copy(os.path.join(npm, 'binaryen', 'index.js'), os.path.join(compiler, 'binaryen.js'))

    data = {'packed-worker': worker.encode(), 'packed-wasm': wasm, 'packed-licences': read(licences).encode()}
    blocks = ''.join(f'<script type="text/plain" id="{name}">{packed(bytes_)}</script>\n' for name, bytes_ in data.items())
    write(page.replace('{{POLICY}}', POLICY.format(connect="'none'"))
          .replace('{{STYLE}}', '<style>\n' + style + '</style>')
          .replace('{{SCRIPT}}', blocks + '<script>\n' + (script + SINGLE_START).replace('</script', '<\\/script') + '</script>'), folder, 'peal.html')


main()
