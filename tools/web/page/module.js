// SPDX-License-Identifier: MIT
// The module in its worker: commands are run one after another; an endless one is ended together with the worker.

// The compiler in its own worker, which is started with the first program; `start` is null where the page has none.
function makeCompiler(start) {
  const compiled = new Map(); // by what was asked for, and the files
  let worker = null, count = 0;

  function compile(unit, sources) {
    worker ??= start();
    const id = ++count;
    return new Promise(done => {
      worker.addEventListener('message', function hear({data}) {
        if (data.id !== id) return;
        worker.removeEventListener('message', hear);
        done(data);
      });
      worker.onerror = event => {
        worker = null;
        done({bytes: null, absent: true, messages: 'peal: the compiler cannot be loaded' + (event.message ? ': ' + event.message : '') + '\n', files: []});
      };
      worker.postMessage({id, unit, sources});
    });
  }

  return {
    exists: start !== null,
    // key: what the module asked for (tools/web/program.js); sources: the files of C in its folder.
    async run(key, sources) {
      const all = key + JSON.stringify(sources);
      if (!compiled.has(all)) {
        const {bytes, absent, ...unit} = await compile(JSON.parse(key), sources), made = {...unit, module: bytes ? await WebAssembly.compile(bytes) : null};
        if (absent) return made; // it is loaded anew with the next command
        compiled.set(all, made);
      }
      return compiled.get(all);
    },
  };
}

function makeModule(startWorker, loadBytes, compiler) {
  let worker = null, waiting = null, files = {}, count = 0, broken = '';
  let onStage = () => null;
  const queue = [], bytes = loadBytes();

  function start() {
    worker = startWorker();
    worker.onmessage = ({data}) => {
      if (data.broken) broken = data.broken;
      if (data.id === undefined || !waiting || data.id !== waiting.id) return;
      if (data.wanted.length) {
        compileAll(waiting, data.wanted);
        return;
      }
      const {done, units} = waiting;
      waiting = null;
      files = data.files;
      done({...data, calls: callsOf(units)});
      next();
    };
    worker.onerror = event => finish({code: 134, out: '', errors: 'peal: the module has ended: ' + event.message + '\n', seconds: 0});
    bytes.then(wasm => worker.postMessage({wasm}), error => finish({code: 134, out: '', errors: 'peal: ' + error.message + '\n', seconds: 0}));
  }

  // The command has asked for this: compile it, and run the command again.
  async function compileAll(turn, wanted) {
    const sources = {};
    for (const name of Object.keys(files)) if (/\.(c|h|def)$/.test(name)) sources[name] = new TextDecoder().decode(files[name]);
    onStage('compiling …');
    for (const key of wanted) turn.units[key] = await compiler.run(key, sources);
    if (waiting !== turn) return;
    onStage('running …');
    worker.postMessage({id: turn.id, words: turn.words, files, units: turn.units});
  }

  // The names that the command's programs import.
  function callsOf(units) {
    return [...new Set(Object.values(units || {}).flatMap(({module}) => module ? WebAssembly.Module.imports(module).map(taken => taken.name).filter(name => !/^__(tsan|sanitizer)_/.test(name)) : []))];
  }

  function finish(result) {
    if (!waiting) return;
    const {done} = waiting;
    waiting = null;
    done({calls: [], ...result});
    next();
  }

  async function next() {
    if (waiting || queue.length === 0) return;
    waiting = queue.shift();
    waiting.id = ++count;
    const {id, words, units} = waiting;
    await bytes.catch(() => null);
    if (waiting && waiting.id === id) worker.postMessage({id, words, files, units});
  }

  start();
  return {
    // Run a command after those that wait; `own`: it is the page's own, which stop() does not end.
    run: (words, own = false) => new Promise(done => { queue.push({words, done, own, units: compiler.exists ? {} : null}); next(); }),
    stop() {
      const stopped = {code: 130, out: '', errors: 'peal: ended\n', seconds: 0, calls: []};
      for (const {done} of queue.splice(0, Infinity, ...queue.filter(entry => entry.own)).filter(entry => !entry.own)) done(stopped);
      if (!waiting || waiting.own) return;
      worker.terminate();
      start();
      finish(stopped);
    },
    // From now on commands find this file.
    setFile(name, text) { files[name] = new TextEncoder().encode(text); },
    takeFile(name) {
      const taken = files[name];
      delete files[name];
      return taken;
    },
    broken: () => broken,
    // Called with what happens to a command.
    set onStage(call) { onStage = call; },
  };
}
