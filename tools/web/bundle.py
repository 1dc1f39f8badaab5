#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Put the page together: bundle.py BUILD FOLDER LICENCES NPM.

FOLDER gets index.html with its style, its script and its worker, peal.wasm and the licences: to be put on any static host.
FOLDER/peal.html is all of it in one file, which a browser opens from disk.  LICENCES is the text of what is bundled, NPM a folder
node_modules with the C compiler, which only FOLDER gets.
"""
import base64
import gzip
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ['words.js', 'state.js', 'picture.js', 'doors.js', 'module.js', 'main.js']


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


def packed(text):
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode('ascii')


# How the two pages come to the worker and the module; both call main().
FOLDER_START = '''
main(makeModule(() => new Worker('worker.js'), async () => {
  const answer = await fetch('peal.wasm');
  if (!answer.ok) throw new Error('peal.wasm cannot be loaded: ' + answer.status);
  return answer.arrayBuffer();
}), makeCompiler(() => new Worker('compile.js', {type: 'module'})), fetch('LICENCES.txt').then(answer => answer.text()));
'''
SINGLE_START = '''
const unpackText = async id => throughStream(Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0)), new DecompressionStream('gzip'));
unpackText('packed-worker').then(source => {
  const address = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  main(makeModule(() => new Worker(address), async () => (await unpackText('packed-wasm')).buffer), makeCompiler(null),
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
    write(json.dumps(tree(os.path.join(HERE, '..', '..', 'include'))), folder, 'headers.json')
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
