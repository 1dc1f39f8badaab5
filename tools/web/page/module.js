// SPDX-License-Identifier: MIT
// The module in its worker: commands are run one after another; one that does not end is ended with the worker.

// The compiler in its own worker, which is started with the first program; `start` is null where the page has none.
function makeCompiler(start) {
  const compiled = new Map(); // by source
  let worker = null, count = 0;

  function compile(name, source) {
    worker ??= start();
    const id = ++count;
    return new Promise(done => {
      worker.addEventListener('message', function hear({data}) {
        if (data.id !== id) return;
        worker.removeEventListener('message', hear);
        done(data);
      });
      worker.onerror = event => done({bytes: null, messages: 'peal: the compiler cannot be loaded: ' + (event.message || '') + '\n'});
      worker.postMessage({id, name, source});
    });
  }

  return {
    exists: start !== null,
    async run(name, source) {
      if (!compiled.has(source)) {
        const {bytes, messages} = await compile(name, source);
        compiled.set(source, {module: bytes ? await WebAssembly.compile(bytes) : null, messages});
      }
      return compiled.get(source);
    },
  };
}

function makeModule(startWorker, loadBytes) {
  let worker = null, waiting = null, files = {}, programs = {}, count = 0, broken = '';
  const queue = [], bytes = loadBytes();

  function start() {
    worker = startWorker();
    worker.onmessage = ({data}) => {
      if (data.broken) broken = data.broken;
      if (data.id === undefined || !waiting || data.id !== waiting.id) return;
      const {done} = waiting;
      waiting = null;
      files = data.files;
      done(data);
      next();
    };
    worker.onerror = event => finish({code: 134, out: '', errors: 'peal: the module has ended: ' + event.message + '\n', seconds: 0});
    bytes.then(wasm => worker.postMessage({wasm}), error => finish({code: 134, out: '', errors: 'peal: ' + error.message + '\n', seconds: 0}));
  }

  function finish(result) {
    if (!waiting) return;
    const {done} = waiting;
    waiting = null;
    done(result);
    next();
  }

  async function next() {
    if (waiting || queue.length === 0) return;
    waiting = queue.shift();
    waiting.id = ++count;
    const {id, words} = waiting;
    await bytes.catch(() => null);
    if (waiting && waiting.id === id) worker.postMessage({id, words, files, programs});
  }

  start();
  return {
    // Run a command after those that wait; `own`: one of the page's, which stop() leaves alone.
    run: (words, own = false) => new Promise(done => { queue.push({words, done, own}); next(); }),
    stop() {
      const stopped = {code: 130, out: '', errors: 'peal: ended\n', seconds: 0};
      for (const {done} of queue.splice(0, Infinity, ...queue.filter(entry => entry.own)).filter(entry => !entry.own)) done(stopped);
      if (!waiting || waiting.own) return;
      worker.terminate();
      start();
      finish(stopped);
    },
    // From now on commands find this program: its source as a file, and what it was compiled to.
    setProgram(name, source, compiled) {
      files[name] = new TextEncoder().encode(source);
      programs = {...programs, [name]: compiled};
    },
    takeFile(name) {
      const taken = files[name];
      delete files[name];
      return taken;
    },
    broken: () => broken,
  };
}
