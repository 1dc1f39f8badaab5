// SPDX-License-Identifier: MIT
// A worker of its own: C into a position-independent module of WebAssembly whose calls can be unwound.  clang and wasm-ld are
// @yowasp/clang's, Asyncify is binaryen's; both are loaded when the first program is compiled.  Tests in Node import makeCompiler.

// What C leaves undefined and would go on in silence here: NULL followed, an index beyond an array's end, ... is a trap.
const CLANG = ['clang', '--target=wasm32-wasip1', '-O1', '-fPIC', '-D_GNU_SOURCE', '-Wall', '-Iinclude', '-fno-math-errno',
  '-fsanitize=null,bounds,integer-divide-by-zero,unreachable', '-fsanitize-trap=all', '-c'];
const LINK = ['wasm-ld', '-shared', '--experimental-pic', '--no-entry', '--import-memory', '--export=peal_main',
  '--unresolved-symbols=import-dynamic'];

// headers: the tree of include/, a folder an object, a file its text.
export function makeCompiler({runClang, commands}, binaryen, headers) {
  // Compile; gives {bytes, messages}, without bytes where there are errors.
  return async function compile(name, source) {
    const messages = [], decoder = new TextDecoder();
    const options = {decodeASCII: false, stdout: () => null, stderr: bytes => bytes && messages.push(decoder.decode(bytes, {stream: true}))};
    const text = () => messages.join('').replace(/^(?:clang|wasm-ld): (?:warning: .*experimental.*|note: .*)\n/gm, '');
    try {
      const compiled = await runClang([...CLANG, name, '-o', 'program.o'], {[name]: source, include: headers}, options);
      const linked = await commands['wasm-ld']([...LINK.slice(1), 'program.o', '-o', 'program.wasm'], {'program.o': compiled['program.o']}, options);
      const module = binaryen.readBinary(linked['program.wasm']);
      module.runPasses(['stack-check', 'asyncify']);
      const bytes = module.emitBinary();
      module.dispose();
      return {bytes, messages: text()};
    } catch (error) {
      if (!messages.length) messages.push(String(error) + '\n');
      return {bytes: null, messages: text()};
    }
  };
}

if (typeof WorkerGlobalScope !== 'undefined') {
  let compiler = null;
  self.onmessage = async ({data: {id, name, source}}) => {
    compiler ??= Promise.all([import('./compiler/clang/bundle.js'), import('./compiler/binaryen.js'), fetch('headers.json').then(answer => answer.json())])
      .then(([clang, binaryen, headers]) => makeCompiler(clang, binaryen.default, headers));
    try {
      self.postMessage({id, ...await (await compiler)(name, source)});
    } catch (error) {
      self.postMessage({id, bytes: null, messages: 'peal: the compiler cannot be loaded: ' + error.message + '\n'});
    }
  };
}
