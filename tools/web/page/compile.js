// SPDX-License-Identifier: MIT
// A worker of its own: C into a position-independent module of WebAssembly whose calls can be unwound, and that knows its lines.  clang
// and wasm-ld are @yowasp/clang's, Asyncify is binaryen's; both are loaded when the first program is compiled.  Tests in Node
// import makeCompiler.

// What C leaves undefined and would go on in silence here: NULL followed, an index beyond an array's end, ... calls tools/web/program.js.
const CLANG = ['clang', '--target=wasm32-wasip1', '-O1', '-g1', '-fPIC', '-D_GNU_SOURCE', '-D__NO_INLINE__', '-std=gnu17', '-Wall', '-Iinclude', '-fno-math-errno',
  '-fmacro-backtrace-limit=1', '-fmacro-prefix-map=./=', '-fsanitize=null,bounds,object-size,pointer-overflow,integer-divide-by-zero,vla-bound,unreachable', '-fno-sanitize-recover=all'];
const LINK = ['-shared', '--experimental-pic', '--no-entry', '--import-memory', '--export-dynamic', '--strip-debug', '--unresolved-symbols=import-dynamic'];
const MAINS = ['__main_argc_argv', '__main_void', 'main'].map(name => '--export-if-defined=' + name); // what clang calls main
const NAMES = '\t.globaltype\tpeal_line, i32\n\t.import_module\tpeal_line, env\n\t.import_name\tpeal_line, peal_line\n' +
  '\t.globaltype\tpeal_fuel, i32\n\t.import_module\tpeal_fuel, env\n\t.import_name\tpeal_fuel, peal_fuel\n' +
  '\t.functype\tprogram_tick () -> ()\n\t.import_module\tprogram_tick, env\n\t.import_name\tprogram_tick, program_tick\n';
const TURN = '\tglobal.get\tpeal_fuel\n\ti32.const\t1\n\ti32.sub\n\tglobal.set\tpeal_fuel\n\tglobal.get\tpeal_fuel\n\ti32.eqz\n\tif\n\tcall\tprogram_tick\n\tend_if\n';
const LINE_BITS = 20;

// In the assembler's text: before the code of each line set peal_line to it, and in each loop count down peal_fuel, at
// whose end program_tick looks at the clock.  Gives the text and the names of its files, by number.
function noteLines(text) {
  const files = [], out = [];
  let place = 0, noted = -1, inside = false;
  for (const line of text.split('\n')) {
    const file = /^\t\.file\t(\d+) (?:"[^"]*" )?"([^"]*)"/.exec(line), loc = /^\t\.loc\t(\d+) (\d+)/.exec(line);
    if (file) files[Number(file[1])] = file[2].replace(/^\.\//, '');
    else if (loc && Number(loc[2]) > 0 && !/^(include|\/)/.test(files[Number(loc[1])] || '/')) place = Number(loc[1]) << LINE_BITS | Number(loc[2]);
    else if (/^\t\.functype/.test(line)) {
      inside = true;
      noted = -1;
    } else if (/^\tend_function/.test(line)) inside = false;
    else if (inside && /^\t[a-z]/.test(line)) {
      if (place && place !== noted) out.push('\ti32.const\t' + place, '\tglobal.set\tpeal_line');
      noted = /^\t(block|loop|end|else|br|if|try|catch)/.test(line) ? -1 : place;
    }
    out.push(line);
    if (inside && /^\tloop/.test(line)) out.push(TURN);
  }
  return {text: NAMES + out.join('\n'), files};
}

// headers: the tree of include/, a folder an object, a file its text.
export function makeCompiler({runClang, commands}, binaryen, headers) {
  // Compile what the module asks for, [file, code before it, after it, code of a unit beside it, its entry, flags], among these files;
  // gives {bytes, messages, files}, without bytes where there are errors.
  return async function compile([name, before, after, judge, entry, flags], sources) {
    const messages = [], decoder = new TextDecoder(), around = before || after;
    const options = {decodeASCII: false, stdout: () => null, stderr: bytes => bytes && messages.push(decoder.decode(bytes, {stream: true}))};
    const text = () => messages.join('').replace(/^(?:clang|wasm-ld): (?:warning: .*experimental.*|note: .*)\n/gm, '').replace(/^In file included from check\.c:\d+:\n/gm, '').replace(/^\.\/(?=[^\s:]+:\d+:)/gm, '').replace(/^\d+ (warning|error)s?.* generated\.\n/gm, '');
    const tree = {...sources, include: headers};
    const words = [...CLANG, ...(entry === 'main' ? ['-Iinclude/peal/mpi'] : []), ...flags.split(/\s+/).filter(Boolean)];
    // One file to an object, by way of the assembler's text where its lines are noted.
    const build = async (source, object, tree, noted) => {
      if (!noted) return {object: (await runClang([...words, '-c', source, '-o', object], tree, options))[object], files: []};
      const made = noteLines(decoder.decode((await runClang([...words, '-S', source, '-o', 'program.s'], tree, options))['program.s']));
      return {object: (await runClang(['clang', '--target=wasm32-wasip1', '-c', 'program.s', '-o', object], {'program.s': made.text}, options))[object], files: made.files};
    };
    try {
      if (around) tree['check.c'] = before + `\n#include "${name}"\n` + after;
      const program = await build(around ? 'check.c' : name, 'program.o', tree, true), objects = {'program.o': program.object};
      if (judge) objects['judge.o'] = (await build('judge.c', 'judge.o', {...tree, 'judge.c': judge}, false)).object;
      const linked = await commands['wasm-ld']([...LINK, ...(entry === 'main' ? MAINS : ['--export=' + (entry || 'peal_main')]), ...Object.keys(objects), '-o', 'program.wasm'], objects, options);
      const module = binaryen.readBinary(linked['program.wasm']);
      binaryen.setPassArgument('asyncify-imports', 'env.peal_*,env.MPI_*,env.PMPI_*,env.program_exit');
      const {imports} = WebAssembly.Module; // without a stack pointer the check would take another variable for it
      const stacked = imports(await WebAssembly.compile(linked['program.wasm'])).some(taken => taken.name === '__stack_pointer');
      module.runPasses(stacked ? ['stack-check', 'asyncify'] : ['asyncify']);
      const bytes = module.emitBinary();
      module.dispose();
      return {bytes, messages: text(), files: program.files};
    } catch (error) {
      if (!messages.length) messages.push(String(error) + '\n');
      return {bytes: null, messages: text(), files: []};
    }
  };
}

if (typeof WorkerGlobalScope !== 'undefined') {
  let compiler = null;
  self.onmessage = async ({data: {id, unit, sources}}) => {
    compiler ??= Promise.all([import('./compiler/clang/bundle.js'), import('./compiler/binaryen.js'), fetch('headers.json').then(answer => answer.json())])
      .then(([clang, binaryen, headers]) => makeCompiler(clang, binaryen.default, headers));
    try {
      self.postMessage({id, ...await (await compiler)(unit, sources)});
    } catch (error) {
      compiler = null;
      self.postMessage({id, bytes: null, messages: 'peal: the compiler cannot be loaded: ' + error.message + '\n', files: []});
    }
  };
}
