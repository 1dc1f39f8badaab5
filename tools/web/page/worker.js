// SPDX-License-Identifier: MIT
// The worker: one command a message, each in a fresh instance of the module, which is compiled once.  What commands write
// stays for the next ones, in the folder /files.

let compiled = null;

function instantiate(imports, done) {
  compiled.then(module => WebAssembly.instantiate(module, imports).then(instance => { this.pealExports = instance.exports; done(instance, module); }));
  return {};
}

function readFiles(FS) {
  const files = {};
  FS.ignorePermissions = true;
  for (const name of FS.readdir('/files')) {
    if (FS.isFile(FS.stat('/files/' + name).mode)) files[name] = FS.readFile('/files/' + name);
  }
  return files;
}

onmessage = async event => {
  if (event.data.wasm) {
    compiled = WebAssembly.compile(event.data.wasm);
    compiled.then(() => postMessage({ready: true}), error => postMessage({broken: String(error)}));
    return;
  }
  const {id, words, files, units} = event.data, out = [], errors = [], wanted = [];
  let code = null;
  const take = list => byte => byte !== null && list.push(byte);
  const peal = await createPeal({
    thisProgram: 'peal', pealUnits: units, pealWanted: wanted, stdin: () => null, stdout: take(out), stderr: take(errors), instantiateWasm: instantiate,
    preRun: module => {
      module.FS.mkdir('/files');
      for (const [name, bytes] of Object.entries(files)) module.FS.writeFile('/files/' + name, bytes);
      module.FS.chdir('/files');
    },
    quit: (status, error) => { code = status; throw error; },
  });
  const began = performance.now();
  try {
    const returned = peal.callMain(words);
    code ??= returned;
  } catch (error) {
    if (code === null || error.name !== 'ExitStatus') {
      code = 134;
      errors.push(...new TextEncoder().encode('peal: the module has ended: ' + error + '\n'));
    }
  }
  const seconds = (performance.now() - began) / 1000;
  const text = bytes => new TextDecoder().decode(new Uint8Array(bytes));
  postMessage({id, code, out: text(out), errors: text(errors), files: wanted.length ? files : readFiles(peal.FS), wanted, seconds});
};
