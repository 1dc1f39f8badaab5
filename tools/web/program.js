// SPDX-License-Identifier: MIT
// Node programs: modules that the page has compiled, position-independent, and whose calls can be unwound (Asyncify).  Every node
// has an instance of its own, whose data and stack lie in the machine's memory.  When a node parks, the calls of its instance are
// unwound together with the machine's, into the same place; so the machine's four functions that begin and end that take the
// instance's along.

(function () {
  const STACK = 65536, WRAPPED = {printf: 'program_printf', puts: 'program_puts', putchar: 'program_putchar', fprintf: 'program_fprintf'};
  const STREAMS = {stdin: 0, stdout: 1, stderr: 2};
  const instanceOf = new Map(); // of the calls that are unwound there
  let current = null, nodes = [];
  const machine = name => (...args) => Module['asm'][name](...args);
  const unwind = machine('asyncify_start_unwind'), unwound = machine('asyncify_stop_unwind');
  const rewind = machine('asyncify_start_rewind'), rewound = machine('asyncify_stop_rewind');

  _asyncify_start_unwind = Module['_asyncify_start_unwind'] = data => {
    unwind(data);
    instanceOf.set(data, current);
    if (current) current.exports.asyncify_start_unwind(data);
  };
  _asyncify_stop_unwind = Module['_asyncify_stop_unwind'] = () => {
    unwound();
    if (current) current.exports.asyncify_stop_unwind();
  };
  _asyncify_start_rewind = Module['_asyncify_start_rewind'] = data => {
    current = instanceOf.get(data) || null;
    rewind(data);
    if (current) current.exports.asyncify_start_rewind(data);
  };
  _asyncify_stop_rewind = Module['_asyncify_stop_rewind'] = () => {
    rewound();
    if (current) current.exports.asyncify_stop_rewind();
  };

  // The bytes of data and the places in the table that the module needs, from its section "dylink.0".
  function needsOf(module) {
    const bytes = new Uint8Array(WebAssembly.Module.customSections(module, 'dylink.0')[0] || []), needs = {memory: 0, table: 0};
    let i = 0;
    const number = () => {
      let value = 0, shift = 0, byte;
      do {
        byte = bytes[i++];
        value |= (byte & 127) << shift;
        shift += 7;
      } while (byte & 128);
      return value;
    };
    while (i < bytes.length) {
      const kind = bytes[i++], size = number(), end = i + size;
      if (kind === 1) {
        needs.memory = number();
        number();
        needs.table = number();
      }
      i = end;
    }
    return needs;
  }

  const constant = value => new WebAssembly.Global({value: 'i32', mutable: false}, value);
  const variable = value => new WebAssembly.Global({value: 'i32', mutable: true}, value);
  const exported = name => Module['asm'][WRAPPED[name] || name];
  const addressOf = name => Module['_' + name]; // of data

  // The names that the module takes from the machine and that are not there.
  function missingOf(module) {
    return WebAssembly.Module.imports(module)
      .filter(taken => (taken.module === 'env' && taken.kind === 'function') ||
        (taken.module === 'GOT.mem' && !(taken.name in STREAMS) && !isOwn(module, taken.name)))
      .map(taken => taken.name).filter(name => !exported(name) && !addressOf(name));
  }

  function isOwn(module, name) {
    return WebAssembly.Module.exports(module).some(found => found.name === name);
  }

  function instantiate(module, needs) {
    const begin = (_malloc(needs.memory + STACK + 64) + 15) & ~15, data = begin + STACK, table = needs.table ? wasmTable.grow(needs.table) : 0;
    HEAPU8.fill(0, data, data + needs.memory);
    const at = (data + needs.memory + 15) & ~15, words = {stdin: at, stdout: at + 4, stderr: at + 8}; // what stdout and the others point to: their numbers
    Object.keys(words).forEach(name => { HEAP32[words[name] >> 2] = STREAMS[name]; });
    const env = {memory: wasmMemory, __indirect_function_table: wasmTable, __memory_base: constant(data), __table_base: constant(table), __stack_pointer: variable(data)};
    const places = {}, functions = {}, later = [];
    WebAssembly.Module.imports(module).forEach(taken => { // no patterns: emcc's minifier spoils them
      const from = taken.module, name = taken.name;
      if (from === 'env' && taken.kind === 'function') env[name] = exported(name);
      if (from !== 'GOT.mem' && from !== 'GOT.func') return;
      const place = variable(name in STREAMS ? words[name] : 0);
      (from === 'GOT.mem' ? places : functions)[name] = place;
      if (!(name in STREAMS)) later.push([from, name, place]);
    });
    const instance = new WebAssembly.Instance(module, {env: env, 'GOT.mem': places, 'GOT.func': functions}), exports = instance.exports;
    later.forEach(entry => {
      const from = entry[0], name = entry[1], place = entry[2], own = exports[name];
      if (from === 'GOT.mem') place.value = own ? own.value + data : addressOf(name);
      else place.value = addFunctionOf(own || exported(name));
    });
    if (exports.__wasm_apply_data_relocs) exports.__wasm_apply_data_relocs();
    if (exports.__wasm_call_ctors) exports.__wasm_call_ctors();
    if (exports.__set_stack_limits) exports.__set_stack_limits(data, begin);
    return {exports: exports};
  }

  function addFunctionOf(func) {
    const at = wasmTable.grow(1);
    wasmTable.set(at, func);
    return at;
  }

  Module['pealLoad'] = (path, count, text, bytes) => {
    const module = (Module['pealPrograms'] || {})[path];
    if (!module) return 1;
    const missing = missingOf(module);
    if (missing.length) {
      stringToUTF8(missing.join(', '), text, bytes);
      return 2;
    }
    const needs = needsOf(module);
    nodes = [];
    for (let rank = 0; rank < count; rank++) nodes.push(instantiate(module, needs));
    return 0;
  };

  function trapped(text) {
    current = null;
    stringToUTF8(text, _program_trap_text(), 160);
    _program_trapped(); // leaves by a jump
  }

  Module['pealMain'] = (me, rank, argc, argv) => {
    const node = nodes[rank];
    if (Asyncify.state === Asyncify.State.Normal) current = node;
    try {
      node.exports.peal_main(me, argc, argv);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      trapped(error instanceof RangeError ? 'its calls are nested too deeply' : error.message === 'unreachable' ? 'it followed NULL, went beyond an array or its stack of 64 KiB, or called abort' : error.message);
    }
    if (Asyncify.state === Asyncify.State.Normal) current = null;
  };
})();
