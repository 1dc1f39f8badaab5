// SPDX-License-Identifier: MIT
// Node programs: modules that the page has compiled, position-independent, and whose calls can be unwound (Asyncify).  Every node
// has an instance of its own, whose data and stack lie in the machine's memory.  When a node parks, the calls of its instance are
// unwound together with the machine's, into the same place.
//
// The page gives Module.pealUnits, what it has compiled, by what was asked for; Module.pealWanted gets what is asked for and missing.

(function () {
  const STACK = 65536, LINKED_STACK = 262144, WRAPPED = {printf: 'program_printf', puts: 'program_puts', putchar: 'program_putchar', fprintf: 'program_fprintf', fputs: 'program_fputs', exit: 'program_exit'};
  const STREAMS = {stdin: 0, stdout: 1, stderr: 2}, FUEL = 65536; // turns of loops between two looks at the clock
  const LINE = 20; // a line and, above these bits, its file
  const instanceOf = new Map(); // of the calls that are unwound there
  let current = null;

  // ---------------------------------------------------------------- what lib/browser/machine/fcontext_browser.c calls

  const STACK_AT = 8, ENTERED_AT = 12; // in its struct browser_context
  const State = Asyncify.State;
  let next = 0;

  Module['pealSwitch'] = (from, to) => {
    const machine = Module['pealExports'];
    if (Asyncify.state === State.Rewinding) { // it goes on
      Asyncify.state = State.Normal;
      machine.asyncify_stop_rewind();
      if (current) current.exports.asyncify_stop_rewind();
      return;
    }
    Asyncify.state = State.Unwinding;
    HEAPU32[from + STACK_AT >> 2] = machine.stackSave();
    machine.asyncify_start_unwind(from);
    if (current) current.exports.asyncify_start_unwind(from);
    instanceOf.set(from, current);
    next = to;
  };

  Module['pealEnter'] = (to, caller) => {
    const machine = Module['pealExports'], stack = machine.stackSave();
    for (next = to; next !== caller;) {
      const context = next;
      machine.stackRestore(HEAPU32[context + STACK_AT >> 2]);
      if (HEAPU32[context + ENTERED_AT >> 2]++) {
        Asyncify.state = State.Rewinding;
        current = instanceOf.get(context);
        machine.asyncify_start_rewind(context);
        if (current) current.exports.asyncify_start_rewind(context);
      }
      machine.context_begin(context);
      Asyncify.state = State.Normal;
      machine.asyncify_stop_unwind();
      if (current) current.exports.asyncify_stop_unwind();
      current = null;
    }
    machine.stackRestore(stack);
  };

  // ---------------------------------------------------------------- what is wrong with a node

  // A node cannot go on, at a place in its file.
  function Crash(text, file, line) {
    this.text = text;
    this.file = file;
    this.line = line;
  }

  // What clang's checks of undefined behaviour call: the place first, then what depends on the check.
  const typeName = at => UTF8ToString(at + 4);
  const ACCESSES = ['a load of', 'a store to', 'a reference to', 'an access to a member of', 'a call of a member of'];
  const CHECKS = {
    type_mismatch_v1: (data, at) => { // the kind is number 17
      const what = (ACCESSES[HEAPU8[data + 17]] || 'an access to') + ' ' + typeName(HEAPU32[data + 12 >> 2]);
      return at === 0 ? 'it followed NULL (' + what + ')' : what + ' goes beyond the end of its object';
    },
    out_of_bounds: (data, index) => 'index ' + index + ' is outside ' + typeName(HEAPU32[data + 12 >> 2]),
    pointer_overflow: (data, base, result) => base ? 'a pointer went beyond all memory' : result ? 'it counted from NULL' : 'a pointer came to NULL',
    divrem_overflow: (data, left, right) => right ? 'the quotient is too large for its type' : 'it divided by 0',
    builtin_unreachable: () => 'it came to where it says it never comes',
    missing_return: () => 'a function ended without the value that it returns',
    vla_bound_not_positive: () => 'an array has a length below 1',
  };

  function checkOf(name) {
    const found = /^__ubsan_handle_(.*)_abort$/.exec(name) || /^__ubsan_handle_(builtin_unreachable|missing_return)$/.exec(name);
    const say = found && CHECKS[found[1]];
    return say && ((data, a, b) => { throw new Crash(say(data, a, b), UTF8ToString(HEAPU32[data >> 2]), HEAPU32[data + 4 >> 2]); });
  }

  // The C library's calls that read (r) or write (w) memory by these arguments.  WebAssembly has memory at NULL, and the machine's own after
  // it, which no node writes.
  const TOUCHES = {memcpy: 'wr', memmove: 'wr', memset: 'w', memcmp: 'rr', memchr: 'r', strlen: 'r', strcmp: 'rr', strncmp: 'rr', strcpy: 'wr', strncpy: 'wr', strcat: 'wr', strncat: 'wr',
    strchr: 'r', strrchr: 'r', strstr: 'rr', strdup: 'r', sprintf: 'w', snprintf: 'w', vsnprintf: 'w', qsort: 'w', atoi: 'r', atol: 'r', atof: 'r', strtol: 'r', strtod: 'r'};
  const SIZE_AT = {snprintf: 1, vsnprintf: 1, qsort: 1, memcpy: 2, memmove: 2, memset: 2, memcmp: 2, memchr: 2, strncmp: 2, strncpy: 2, strncat: 2}; // 0 bytes touch nothing
  const NULL_PAGE = 1024, MEMORY_MIB = 1024; // tools/web/meson.build
  const ALLOCATES = {malloc: size => size, calloc: (count, size) => count * size, realloc: (old, size) => size};

  // The call as a node makes it: forbidden or missing memory ends the node.
  function guarded(name, call) {
    const touches = TOUCHES[name], bytes = ALLOCATES[name];
    if (bytes) return (...args) => {
      const at = call(...args), asked = bytes(...args.map(arg => arg >>> 0));
      if (!at && asked) throw new Crash(name + ' has no ' + asked + ' more bytes: the whole machine has ' + MEMORY_MIB + ' MiB', '', 0);
      return at;
    };
    return touches ? (...args) => {
      for (let i = 0; i < touches.length && args[SIZE_AT[name]] !== 0; i++) {
        const at = args[i] >>> 0;
        if (at < NULL_PAGE) throw new Crash('it gave NULL to ' + name, '', 0);
        if (touches[i] === 'w' && at < _program_memory_begin()) throw new Crash('it let ' + name + ' write to memory that is not its own', '', 0);
      }
      return call(...args);
    } : call;
  }

  // Each browser has its own words; Firefox has an InternalError.
  const isTooDeep = error => error instanceof RangeError || /^(Maximum call stack|too much recursion)/.test(error.message);

  function why(error, node) {
    if (isTooDeep(error)) return 'its calls are nested too deeply';
    if (/^unreachable/.test(error.message)) return 'its stack of ' + (node.data - node.low) / 1024 + ' KiB overflowed';
    return /out of bounds/.test(error.message) ? 'it went beyond all memory' : error.message;
  }

  // Let the node's instance run; an error in it ends the node, at its line.
  function enter(node, call) {
    if (Asyncify.state === Asyncify.State.Normal) current = node;
    try {
      call();
    } catch (error) {
      const late = error === node;
      if (!late && !(error instanceof Crash || error instanceof WebAssembly.RuntimeError || isTooDeep(error))) throw error;
      const place = node.line.value, told = error instanceof Crash && error.line && error.file.indexOf('include/') !== 0; // of the program's own
      current = null;
      stringToUTF8(told ? error.file : node.files[place >> LINE] || '', _program_trap_file(), 256);
      stringToUTF8(late ? '' : error instanceof Crash ? error.text : why(error, node), _program_trap_text(), 400);
      _program_trapped(told ? error.line : place & (1 << LINE) - 1); // leaves by a jump
    }
    if (Asyncify.state === Asyncify.State.Normal) current = null;
  }

  // ---------------------------------------------------------------- instances

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
  const hookOf = (unit, name) => unit.watched && Module['pealExports']['peal_wrap_' + name]; // lib/memory
  const callOf = (unit, name) => {
    const hook = hookOf(unit, name); // it checks itself what the node touches
    return hook && !ALLOCATES[name] ? hook : guarded(name, hook || exported(name));
  };
  const symbolOf = name => WRAPPED[name] || (name.indexOf('MPI_') === 0 ? 'P' + name : name); // MPI_x is PMPI_x, unless the program has its own
  const exported = name => Module['asm'][symbolOf(name)]; // wrapped by Emscripten; as they are, for the table, they are Module.pealExports
  const addressOf = name => Module['_' + name]; // of data
  const OWN = {program_tick: true, abort: true, __assert_fail: true, fflush: true, setvbuf: true, time: true}; // of instantiate

  // The names that the module imports from the machine but that do not exist.
  function missingOf(unit) {
    const module = unit.module;
    return WebAssembly.Module.imports(module)
      .filter(taken => (taken.module === 'env' && taken.kind === 'function') ||
        (taken.module === 'GOT.mem' && !(taken.name in STREAMS) && !isOwn(module, taken.name)))
      .map(taken => taken.name).filter(name => !hookOf(unit, name) && !exported(name) && !addressOf(name) && !OWN[name] && !checkOf(name));
  }

  function isOwn(module, name) {
    return WebAssembly.Module.exports(module).some(found => found.name === name);
  }

  function instantiate(unit, needs) {
    const module = unit.module, stack = MAINS.some(name => isOwn(module, name)) ? LINKED_STACK : STACK, begin = _malloc(needs.memory + stack + 80);
    if (!begin) return null;
    const low = (begin + 15) & ~15, data = low + stack, table = needs.table ? wasmTable.grow(needs.table) : 0;
    HEAPU8.fill(0, data, data + needs.memory);
    const at = (data + needs.memory + 15) & ~15, words = {stdin: at, stdout: at + 4, stderr: at + 8}; // what stdout and the others point to: their numbers
    Object.keys(words).forEach(name => { HEAP32[words[name] >> 2] = STREAMS[name]; });
    const node = {memory: begin, low: low, data: data, end: at, stack: variable(data), line: variable(0), fuel: variable(FUEL), files: unit.files, exports: null};
    const env = {memory: wasmMemory, __indirect_function_table: wasmTable, __memory_base: constant(data), __table_base: constant(table), __stack_pointer: node.stack,
      peal_line: node.line, peal_fuel: node.fuel};
    const places = {}, functions = {}, later = [], own = {
      program_tick: () => {
        node.fuel.value = FUEL;
        if (_program_late()) throw node;
      },
      abort: () => { throw new Crash('it called abort', '', 0); },
      __assert_fail: (text, file, line) => { throw new Crash('its assertion ' + UTF8ToString(text) + ' failed', UTF8ToString(file), line); },
      fflush: () => 0,
      setvbuf: () => 0,
      time: at => { // the day on which runs begin
        if (at) {
          HEAP32[at >> 2] = 1767225600;
          HEAP32[at + 4 >> 2] = 0;
        }
        return BigInt(1767225600);
      },
    };
    WebAssembly.Module.imports(module).forEach(taken => { // no patterns: emcc's minifier breaks them
      const from = taken.module, name = taken.name;
      if (from === 'env' && taken.kind === 'function') env[name] = own[name] || checkOf(name) || callOf(unit, name);
      if (from !== 'GOT.mem' && from !== 'GOT.func') return;
      const place = variable(name in STREAMS ? words[name] : 0);
      (from === 'GOT.mem' ? places : functions)[name] = place;
      if (!(name in STREAMS)) later.push([from, name, place]);
    });
    const instance = new WebAssembly.Instance(module, {env: env, 'GOT.mem': places, 'GOT.func': functions}), exports = instance.exports;
    later.forEach(entry => {
      const from = entry[0], name = entry[1], place = entry[2], own = exports[name];
      if (from === 'GOT.mem') place.value = own ? own.value + data : addressOf(name);
      else place.value = addFunctionOf(own || hookOf(unit, name) || Module['pealExports'][symbolOf(name)]);
    });
    if (exports.__wasm_apply_data_relocs) exports.__wasm_apply_data_relocs();
    if (exports.__wasm_call_ctors) exports.__wasm_call_ctors();
    if (exports.__set_stack_limits) exports.__set_stack_limits(data, low);
    node.exports = exports;
    return node;
  }

  function addFunctionOf(func) {
    const at = wasmTable.grow(1);
    wasmTable.set(at, func);
    return at;
  }

  // ---------------------------------------------------------------- what lib/browser/program/program_browser.c calls

  const found = [], loads = [], MAINS = ['__main_argc_argv', '__main_void', 'main']; // what clang calls main
  const mainOf = exports => exports[MAINS.find(name => exports[name])];
  let running = null; // the argument of the last pealBegin

  // A string of our own for the caller to free.
  function giveText(text, place) {
    const bytes = lengthBytesUTF8(text) + 1, at = _malloc(bytes);
    stringToUTF8(text, at, bytes);
    HEAPU32[place >> 2] = at;
  }

  Module['pealFind'] = (places, messages, calls) => {
    if (!Module['pealUnits']) return -2;
    const key = JSON.stringify(places.map(at => UTF8ToString(at))), unit = Module['pealUnits'][key];
    if (!unit) {
      Module['pealWanted'].push(key);
      return -1;
    }
    if (unit.messages) giveText(unit.messages, messages);
    if (!unit.module) return -3;
    const judges = UTF8ToString(places[3]) ? /^peal_check_call(_mpi)?$/ : /^$/; // what the judge calls, which is compiled with the file
    giveText(WebAssembly.Module.imports(unit.module).filter(taken => taken.module === 'env' && taken.kind === 'function' && !OWN[taken.name] && !checkOf(taken.name) && !judges.test(taken.name)).map(taken => taken.name)
      .concat(WebAssembly.Module.exports(unit.module).filter(given => given.kind === 'function' && !/^(__|asyncify_)/.test(given.name)).map(given => '=' + given.name))
      .concat(WebAssembly.Module.exports(unit.module).some(given => MAINS.indexOf(given.name) >= 0) ? ['=main'] : []).join('\n') + '\n', calls);
    return found.push(unit) - 1;
  };

  Module['pealLoad'] = (number, count, entry, text, bytes) => {
    const unit = found[number], missing = missingOf(unit), needs = needsOf(unit.module), nodes = [];
    if (missing.length) {
      stringToUTF8(missing.join(', '), text, bytes);
      return -1;
    }
    const load = {unit: unit, nodes: nodes, needs: needs, kept: null, entries: []};
    for (let rank = 0; rank < count; rank++) {
      const node = instantiate(unit, needs);
      if (!node) {
        nodes.forEach(made => { _free(made.memory); });
        return -1;
      }
      nodes.push(node);
      if (entry) load.entries.push(addFunctionOf(node.exports[entry]));
    }
    return loads.push(load) - 1;
  };

  Module['pealBegin'] = (number, keep) => {
    const load = running = loads[number], bytes = load.needs.memory;
    if (keep) load.kept = load.nodes.map(node => HEAPU8.slice(node.data, node.data + bytes));
    load.nodes.forEach((node, rank) => {
      node.stack.value = node.data;
      node.line.value = 0;
      if (load.kept) HEAPU8.set(load.kept[rank], node.data);
    });
  };

  // What lies in the word there of each instance's data: 0 nothing, 1 variables, 2 constants alone; and the name of what has that byte.
  Module['pealData'] = (number, offset, name, bytes) => {
    const data = loads[number].unit.data, word = offset & ~7, named = data.find(part => part.name && offset >= part.at && offset < part.at + part.bytes);
    const parts = data.filter(part => !part.name && part.at < word + 8 && part.at + part.bytes > word);
    stringToUTF8(named ? named.name : '', name, bytes);
    return parts.length === 0 ? 0 : parts.every(part => part.constant) ? 2 : 1;
  };
  Module['pealPlaces'] = (number, at) => {
    const places = loads[number].unit.places || [];
    if (at) places.forEach((value, i) => { HEAP32[(at >> 2) + i] = value; });
    return places.length / 2;
  };
  Module['pealMemory'] = (number, rank, at) => {
    const node = loads[number].nodes[rank];
    [node.low, node.data, node.end].forEach((address, i) => { HEAPU32[(at >> 2) + i] = address; });
  };

  Module['pealUnload'] = number => {
    loads[number].nodes.forEach(node => { _free(node.memory); });
    loads[number] = null;
  };

  Module['pealFunction'] = (number, rank) => loads[number].entries[rank];
  Module['pealMain'] = (number, me, rank, argc, argv) => {
    const node = loads[number].nodes[rank], main = mainOf(node.exports);
    let code = 0;
    enter(node, () => { code = main && !node.exports.peal_main ? main(argc, argv) : node.exports.peal_main(me, argc, argv); });
    return code;
  };
  Module['pealLine'] = rank => running.nodes[rank].line.value;
  Module['pealPlace'] = (place, file, bytes) => {
    stringToUTF8(running && running.nodes[0].files[place >> LINE] || '', file, bytes);
    return place & (1 << LINE) - 1;
  };
  Module['pealCall'] = (number, me, rank, program, arg) => {
    enter(loads[number].nodes[rank], () => { wasmTable.get(program)(me, arg); });
  };
})();
