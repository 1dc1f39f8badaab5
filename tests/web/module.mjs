// SPDX-License-Identifier: MIT
// The module in Node: commands, each in a fresh instance, as the page's worker runs them.  node module.mjs BUILD WORD... runs one.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

export function loadModule(build) {
  const createPeal = createRequire(import.meta.url)(path.resolve(build, 'tools/peal.js'));
  const compiled = new WebAssembly.Module(fs.readFileSync(path.resolve(build, 'tools/peal.wasm')));

  // Run one command, with these files in its folder; gives its exit code, what it prints, and the files afterwards.  What it asks for is
  // compiled by compile([file, ...], sources), and it is run again.
  return async function run(words, files = {}, compile = null, units = {}) {
    const out = [], errors = [], take = list => byte => byte !== null && list.push(byte);
    const wanted = [];
    let code = null;
    const listen = process.on; // the module's own handlers print its source
    process.on = function (event, ...rest) { return /^un(caughtException|handledRejection)$/.test(event) ? this : listen.call(this, event, ...rest); };
    const peal = await createPeal({
      thisProgram: 'peal', pealUnits: compile && units, pealWanted: wanted, stdin: () => null, stdout: take(out), stderr: take(errors),
      instantiateWasm(imports, done) {
        const instance = new WebAssembly.Instance(compiled, imports);
        this.pealExports = instance.exports;
        done(instance, compiled);
        return {};
      },
      preRun(module) {
        module.FS.mkdir('/files');
        for (const [name, bytes] of Object.entries(files)) module.FS.writeFile('/files/' + name, bytes);
        module.FS.chdir('/files');
      },
      quit(status, error) {
        code = status;
        throw error;
      },
    });
    process.on = listen;
    const began = performance.now();
    try {
      const returned = peal.callMain(words);
      code ??= returned;
    } catch (error) {
      if (code === null || error.name !== 'ExitStatus') {
        code = 134;
        errors.push(...Buffer.from(`peal: the module has ended: ${String(error.stack || error).slice(0, 2000)}\n`));
      }
    }
    if (wanted.length) {
      for (const key of wanted) {
        const {bytes, ...unit} = await compile(JSON.parse(key), files);
        units[key] = {...unit, module: bytes && new WebAssembly.Module(bytes)};
      }
      return run(words, files, compile, units);
    }
    const seconds = (performance.now() - began) / 1000, left = {};
    peal.FS.ignorePermissions = true;
    for (const name of peal.FS.readdir('/files').filter(name => name[0] !== '.')) left[name] = Buffer.from(peal.FS.readFile('/files/' + name));
    return {code, out: Buffer.from(out).toString(), errors: Buffer.from(errors).toString(), files: left, seconds};
  };
}

// The page's compiler; null where it is not installed.
export async function loadCompiler() {
  const modules = path.resolve(import.meta.dirname, '../../tools/web/npm/node_modules'), include = path.resolve(import.meta.dirname, '../../include');
  if (!fs.existsSync(path.join(modules, '@yowasp/clang'))) return null;
  const tree = folder => Object.fromEntries(fs.readdirSync(folder, {withFileTypes: true}).map(entry =>
    [entry.name, entry.isDirectory() ? tree(path.join(folder, entry.name)) : fs.readFileSync(path.join(folder, entry.name), 'utf8')]));
  const load = name => import(pathToFileURL(name).href);
  const {makeCompiler} = await load(path.resolve(import.meta.dirname, '../../tools/web/page/compile.js'));
  return makeCompiler(await load(path.join(modules, '@yowasp/clang/gen/bundle.js')), (await load(path.join(modules, 'binaryen/index.js'))).default, tree(include));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const result = await loadModule(process.argv[2])(process.argv.slice(3));
  process.stdout.write(result.out);
  process.stderr.write(result.errors);
  process.exitCode = result.code;
}
