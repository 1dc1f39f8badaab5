// SPDX-License-Identifier: MIT
// A separate worker: compiles C into a position-independent module of WebAssembly whose calls can be unwound, and that knows its
// lines.  clang and wasm-ld are @yowasp/clang's, Asyncify is binaryen's; both are loaded when the first program is compiled.
// Tests in Node import makeCompiler.

// Undefined behaviour that would go unnoticed (NULL followed, an index beyond an array's end, ...) calls tools/web/program.js.
const CLANG = ['clang', '--target=wasm32-wasip1', '-O1', '-g1', '-fPIC', '-D_GNU_SOURCE', '-D__NO_INLINE__', '-std=gnu17', '-Wall', '-Iinclude', '-Iinclude/peal/mpi', '-fno-math-errno',
  ...['memset', 'memcpy', 'memmove', 'strcpy'].map(name => '-fno-builtin-' + name), // builtins would follow NULL unseen
  '-fmacro-backtrace-limit=1', '-fmacro-prefix-map=./=', '-fsanitize=null,bounds,object-size,pointer-overflow,integer-divide-by-zero,vla-bound,unreachable', '-fno-sanitize-recover=all'];
const LINK = ['-shared', '--experimental-pic', '--no-entry', '--import-memory', '--export-dynamic', '--strip-debug', '--unresolved-symbols=import-dynamic'];
const MAINS = ['__main_argc_argv', '__main_void', 'main'].map(name => '--export-if-defined=' + name); // what clang calls main
const NAMES = '\t.globaltype\tpeal_line, i32\n\t.import_module\tpeal_line, env\n\t.import_name\tpeal_line, peal_line\n' +
  '\t.globaltype\tpeal_fuel, i32\n\t.import_module\tpeal_fuel, env\n\t.import_name\tpeal_fuel, peal_fuel\n' +
  '\t.functype\tprogram_tick () -> ()\n\t.import_module\tprogram_tick, env\n\t.import_name\tprogram_tick, program_tick\n';
const TURN = '\tglobal.get\tpeal_fuel\n\ti32.const\t1\n\ti32.sub\n\tglobal.set\tpeal_fuel\n\tglobal.get\tpeal_fuel\n\ti32.eqz\n\tif\n\tcall\tprogram_tick\n\tend_if\n';
const LINE_BITS = 20, COMPARISON = 1 << 26; // places; above them comparisons of one line are counted

// Where memory is watched each access is a call before it, as for ThreadSanitizer, and each comparison one with its place.
const WATCHED = ['-Xclang', '-fsanitize=thread', '-fno-sanitize=null,pointer-overflow', '-fno-builtin', '-finline-hint-functions', '-fno-optimize-sibling-calls',
  ...['tsan-instrument-func-entry-exit=0', 'tsan-instrument-atomics=0', 'capture-tracking-max-uses-to-explore=0'].flatMap(option => ['-mllvm', '-' + option]),
  ...['trace-pc', 'trace-cmp', 'type=3', 'no-prune'].flatMap(option => ['-Xclang', '-fsanitize-coverage-' + option])];
const FRAME = '\t.functype\t__tsan_frame (i32, i32) -> ()\n\t.import_module\t__tsan_frame, env\n\t.import_name\t__tsan_frame, __tsan_frame\n';

// In the assembler's text: before the code of each line set peal_line to it, and in each loop count down peal_fuel, at
// whose end program_tick looks at the clock; where memory is watched report each frame, and the places of comparisons.  Gives the text and
// the names of its files, by number, and the places of the code of the file `name`: pairs of what it is, and a number (lib/memory/watched_image.h).
const FUNCTION = 0, BLOCK = 1, LINE = 2, CALL = 3;
function noteLines(text, watched, name) {
  const files = [], out = [], compared = new Map(), places = [], functions = new Map();
  let place = 0, noted = -1, inside = false, frame = null, constant = null;
  let block = null; // the last block that has begun, if a call notes it
  const note = (what, value) => places.push([what, value]);
  for (const line of text.split('\n')) {
    const begun = /^([A-Za-z_][\w.]*):/.exec(line), called = /^\tcall\t(\S+)/.exec(line);
    if (begun) {
      functions.set(begun[1], places.length);
      note(FUNCTION, 0);
    } else if (/^(# %bb\.|\.LBB)\d/.test(line)) block = note(LINE, 0);
    else if (called?.[1] === '__sanitizer_cov_trace_pc') {
      places[block - 1][0] = BLOCK;
      out.push('\ti32.const\t' + block);
    } else if (called) note(CALL, called[1]);
    const file = /^\t\.file\t(\d+) (?:"[^"]*" )?"([^"]*)"/.exec(line), loc = /^\t\.loc\t(\d+) (\d+)/.exec(line);
    if (file) files[Number(file[1])] = file[2].replace(/^\.\//, '');
    else if (loc && Number(loc[2]) > 0 && !/^(include|\/)/.test(files[Number(loc[1])] || '/')) {
      place = Number(loc[1]) << LINE_BITS | Number(loc[2]);
      if (files[Number(loc[1])] === name) note(LINE, Number(loc[2]));
    } else if (/^\t\.functype/.test(line)) {
      inside = true;
      noted = -1;
      frame = null;
    } else if (/^\tend_function/.test(line)) inside = false;
    else if (inside && /^\t[a-z]/.test(line)) {
      if (place && place !== noted) out.push('\ti32.const\t' + place, '\tglobal.set\tpeal_line');
      noted = /^\t(block|loop|end|else|br|if|try|catch)/.test(line) ? -1 : place;
    }
    if (/^\tcall\t__sanitizer_cov_trace_(const_)?cmp/.test(line)) {
      const count = compared.get(place) || 0;
      compared.set(place, count + 1);
      out.push('\ti32.const\t' + (place + COMPARISON * (count & 31)));
    }
    const hook = /^(\t\.functype\t__sanitizer_cov_trace_(?:pc|(?:const_)?cmp\d) \()([^)]*)(.*)/.exec(line);
    out.push(hook ? hook[1] + (hook[2] ? hook[2] + ', i32' : 'i32') + hook[3] : line);
    if (watched && inside && frame === null) { // the first change of the stack pointer makes the frame
      constant = /^\ti32\.const\t(\d+)$/.exec(line)?.[1] ?? constant;
      if (/^\tglobal\.set\t__stack_pointer/.test(line)) {
        frame = constant;
        out.push('\tglobal.get\t__stack_pointer', '\ti32.const\t' + frame, '\tcall\t__tsan_frame');
      }
    }
    if (inside && /^\tloop/.test(line)) out.push(TURN);
  }
  return {text: NAMES + (watched ? FRAME : '') + out.join('\n'), files, places: places.flatMap(([what, value]) => what !== CALL ? [what, value] : functions.has(value) ? [CALL, functions.get(value)] : [LINE, 0])};
}

// What lies in the data, by the linker's map: parts, and in them named objects.  The map lists none where all of them begin with 0.
function dataOf(map) {
  const found = map.split('\n').map(line => /^ *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) {9,}(\S+)$/.exec(line)).filter(Boolean).map(([, at, bytes, what]) => ({at: parseInt(at, 16), bytes: parseInt(bytes, 16),
    constant: /:\(\.(rodata|data\.rel\.ro)/.test(what), name: what.includes(':(') ? '' : what.replace(/^.*\.(?=[A-Za-z_])/, '')}));
  return found.length ? found : [{at: 0, bytes: 2 ** 31, constant: false, name: ''}];
}

// headers: the tree of include/, a folder an object, a file its text.
export function makeCompiler({runClang, commands}, binaryen, headers) {
  // Compile what the module asks for, [file, code before it, after it, code of a unit beside it, its entry, flags, "watched"], among these
  // files; gives {bytes, messages, files, watched}, without bytes where there are errors.
  return async function compile([name, before, after, judge, entry, flags, watched], sources) {
    const messages = [], decoder = new TextDecoder(), around = before || after;
    const options = {decodeASCII: false, stdout: () => null, stderr: bytes => bytes && messages.push(decoder.decode(bytes, {stream: true}))};
    const text = () => messages.join('').replace(/^(?:clang|wasm-ld): (?:warning: .*experimental.*|note: .*)\n/gm, '').replace(/^In file included from check\.c:\d+:\n/gm, '').replace(/^\.\/(?=[^\s:]+:\d+:)/gm, '').replace(/^\d+ (warning|error)s?.* generated\.\n/gm, '');
    const tree = {...sources, include: headers};
    const words = [...CLANG, ...flags.split(/\s+/).filter(Boolean)];
    // One file to an object, by way of the assembler's text where its lines are noted.
    const build = async (source, object, tree, noted) => {
      if (!noted) return {object: (await runClang([...words, '-c', source, '-o', object], tree, options))[object], files: []};
      const made = noteLines(decoder.decode((await runClang([...words, ...(watched ? WATCHED : []), '-S', source, '-o', 'program.s'], tree, options))['program.s']), watched, name);
      return {object: (await runClang(['clang', '--target=wasm32-wasip1', '-c', 'program.s', '-o', object], {'program.s': made.text}, options))[object], ...made};
    };
    try {
      if (around) tree['check.c'] = before + `\n#include "${name}"\n` + after;
      const program = await build(around ? 'check.c' : name, 'program.o', tree, true), objects = {'program.o': program.object};
      if (judge) objects['judge.o'] = (await build('judge.c', 'judge.o', {...tree, 'judge.c': judge}, false)).object;
      const linked = await commands['wasm-ld']([...LINK, ...(entry === 'main' ? MAINS : ['--export=' + (entry || 'peal_main')]), ...Object.keys(objects), '--Map=program.map', '-o', 'program.wasm'], objects, options);
      const module = binaryen.readBinary(linked['program.wasm']);
      binaryen.setPassArgument('asyncify-imports', 'env.peal_*,env.MPI_*,env.PMPI_*,env.program_exit');
      const {imports} = WebAssembly.Module; // without a stack pointer the check would take another variable for it
      const stacked = imports(await WebAssembly.compile(linked['program.wasm'])).some(taken => taken.name === '__stack_pointer');
      module.runPasses(stacked ? ['stack-check', 'asyncify'] : ['asyncify']);
      const bytes = module.emitBinary();
      module.dispose();
      return {bytes, messages: text(), files: program.files, places: program.places, watched: !!watched, data: watched ? dataOf(decoder.decode(linked['program.map'])) : []};
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
      self.postMessage({id, bytes: null, absent: true, messages: 'peal: the compiler cannot be loaded: ' + error.message + '\n', files: []});
    }
  };
}
