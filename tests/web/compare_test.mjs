// SPDX-License-Identifier: MIT
// The module beside the command: compare_test.mjs PEAL MODULE [--quick | PART...] runs the same command lines in both, and compares
// standard output, standard error and exit codes byte for byte, but for what is of the host: seconds, memory, carriers,
// the engine's name.  MODULE is a build of it, which runs in Node, or the folder of the page, which runs in Chromium.  Prints each
// difference; exits 1 if there is any.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawn} from 'node:child_process';
import {openBrowser} from './browser.mjs';
import {loadCompiler, loadModule} from './module.mjs';

const inBrowser = fs.existsSync(path.join(process.argv[3], 'index.html')), {run, close} = inBrowser ? await openPage(process.argv[3]) : {run: loadModule(process.argv[3])};
const peal = path.resolve(process.argv[2]), compile = await loadCompiler();
const parts = process.argv.slice(4).filter(word => word !== '--quick'), quick = process.argv.includes('--quick');
const top = path.resolve(import.meta.dirname, '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peal-web-'));

// The page's own module and compiler, in a page that runs nothing else; run() is that of module.mjs.
async function openPage(web) {
  const {browser, address, close} = await openBrowser(web, false), page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(address);
  await page.evaluate(() => {
    globalThis.peal = makeModule(() => new Worker('worker.js'), async () => (await fetch('peal.wasm')).arrayBuffer(), makeCompiler(() => new Worker('compile.js', {type: 'module'})));
  });
  const run = (words, files) => page.evaluate(async ({words, files}) => {
    const peal = globalThis.peal;
    for (const [name, text] of Object.entries(files)) peal.setFile(name, text);
    const {code, out, errors, seconds, files: left} = await peal.run(words);
    for (const name of Object.keys(left)) peal.takeFile(name);
    return {code, out, errors, seconds, files: Object.fromEntries(Object.entries(left).filter(([name]) => name[0] !== '.').map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]))};
  }, {words: [...words], files});
  return {run, close};
}

// Run the command itself.
function native(words) {
  return new Promise((done, fail) => {
    const child = spawn(peal, words, {cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: {...process.env, COLUMNS: '80', TERM: 'dumb', ...words.env}});
    const out = [], errors = [];
    child.stdout.on('data', bytes => out.push(bytes));
    child.stderr.on('data', bytes => errors.push(bytes));
    child.on('error', fail);
    child.on('close', code => done({code, out: Buffer.concat(out).toString(), errors: Buffer.concat(errors).toString()}));
  });
}

// Leave out what is of the host.
function mask(text) {
  return text
    .replace(/"host": ?\{[^}]*\}/g, '"host": {}')
    .replace(/"(seconds|host_seconds|peak_bytes|copied_words)": ?[-+0-9.e]+/g, '"$1": 0')
    .replace(/"engine": ?"(threads|fibers)"/g, '"engine": "-"')
    .replace(/^(engine +)(threads|fibers)$/gm, '$1-')
    .replace(/ +host$/gm, ' host')
    .replace(/"file": "(\.\.\/)+/g, '"file": "../') // from the folder of each build
    .replaceAll(folder + '/', '')
    .replace(/ time="[0-9.]+"/g, ' time="0"')
    .replaceAll(' (not in this build)', '')
    .replace(/ +[0-9.]+ (ns|µs|ms|s)$/gm, ' -');
}

// ---------------------------------------------------------------- the cases

const algorithms = JSON.parse((await native(['list', '--json'])).out).algorithms.map(a => `${a.collective}/${a.algorithm}`);
const lessons = (await native(['lesson'])).out.split('\n').map(line => /^([A-Z]+[0-9]*) /.exec(line)?.[1]).filter(Boolean);

// The commands of README that need nothing but Peal: "peal ..." at the beginning of a line of a block.
function readmeCommands() {
  const text = fs.readFileSync(path.join(top, 'README.md'), 'utf8');
  const commands = [...text.matchAll(/^\$ (?:tools\/quickstart|peal) ([^|\n]*)|`(?:peal|tools\/quickstart) ([^`\n]*)`/gm)].map(found => (found[1] ?? found[2]).replace('2>&1', '').trim());
  return commands.filter(words => !/\.(c|html|json|xml|ini|tar)\b|[$'"\u2026]|[A-Z]{4}|^(doctor|new|help|grade|fit|synthesize|report|export|import|price)/.test(words)).map(words => words.split(/\s+/));
}

// Not those whose messages or results depend on the size of a long, or that sleep.
const MPI = /^(attributes|collectives|communicators|errors|groups|handlers|neighbourhoods|nonblocking_collectives|point_to_point|probes|reductions|requests|topologies|sizes|old_names|pieces)\.c$/;
const all = {
  catalogue: algorithms.flatMap(a => [
    ...(quick ? [3, 8] : [2, 3, 8, 13, 16]).map(p => ['run', a, '-p', String(p)]),
    ['run', a, '-t', 'mesh:2x4', '--switching', 'wormhole', '--hop', '3', '--json'],
    ...(quick ? [] : [['explain', a, '-p', '8'], ['run', a, '-p', '16', '-m', '7', '--ports', 'all', '-t', 'torus:4x4', '--json']]),
  ]),
  lessons: lessons.flatMap(id => [['lesson', id], ['lesson', id, '--json']]),
  check: [...(quick ? algorithms.filter((a, i) => i % 8 === 0) : algorithms).map(a => ['check', a, '-p', quick ? '3' : '4']),
    ...(quick ? [] : [['check', 'scatter/binomial', '-p', '8'], ['check', 'allreduce/ring', '-p', '3', '--json'], ['check', 'reduce/binomial', '-p', '4', '--identical']])],
  studies: [['compare', 'scatter', '-p', '8', '-t', 'hypercube'], ['compare', 'allreduce', '-p', '16', '-n', '1K', '--json'], ['sweep', 'broadcast', '-n', '1:64K'],
    ['sweep', 'allreduce', '-p', '2:64', '-m', '100', '--json'], ['list'], ['list', '--json'], ['app'], ['explain', 'deadlock'], ['report', 'scatter', '-p', '4', '-o', 'page.html'], ['run', 'gather', '-p', '5', '--trace', 'trace.json', '--junit', 'run.xml']],
  refusals: [[], ['run'], ['scater'], ['run', 'scater'], ['run', 'scatter', '-p', '0'], ['run', 'scatter', '-t', 'mesh:0x3'], ['run', 'scatter/sbnt', '-p', '7'],
    ['--help'], ['run', '--help'], ['check', '--nothing'], ['--version'], ['run', 'scatter', '-p', '8', '--timeout', '-1'], ['help', 'odd', 'split']],
  readme: readmeCommands(),
  programs: [...programs('tools/peal/kinds', /^(bad-rank|collective-mismatch|deadlock|deadlock-if-unbuffered|order-dependent|truncation|unmatched-message|wrong-result)\.c$/, name => ['run', name, '-p', '4']),
    ...programs('assignments/tree-reduce', /^(starter|solution)\.c$/, name => ['run', 'reduce', '--file', name, '--symbol', 'my_reduce', '-p', '5', '--rounds', 'none']),
    ...programs('assignments/tree-reduce', /^starter\.c$/, name => ['check', 'reduce', '--file', name, '--symbol', 'my_reduce', '-p', '2:5', '--buffers', 'separate']),
    ...programs('assignments/tree-reduce', /^solution\.c$/, name => Object.assign(['check', 'reduce', '--file', name, '--symbol', 'my_reduce', '-p', '2:5', '-r', '0', '--buffers', 'separate', '--timeout', '2'], {stalls: true})),
    ...programs('assignments/tree-reduce/wrong', /^one_by_one\.c$/, name => ['check', 'reduce', '--file', name, '--symbol', 'my_reduce', '-p', '4', '--max-rounds', 'ceil(log2(P))'])],
  memory: memoryChecks(),
  mpi: mpiPrograms(),
  'mpi-checks': (quick ? [] : programs('tools/peal/kinds', /^(?!out-of-bounds).*-mpi\.c$/, name => ['check', '--program', name, '-p', '3']))
    .concat(programs('tests/check/collectives', /^bcast\.c$/, name => ['check', 'broadcast', '--mpi', '--file', name, '--symbol', 'vrank_for_rank', '-p', '1:3', '-n', '3'])),
};

// What functions do wrong with memory, and right ones.  Natively by clang, too: gcc reads what it adds to before it writes.  Of a function
// with an array of fixed length one size is checked, since the module tries none for the array.
function memoryChecks() {
  const wrong = {scatter: 'reuses_send_buffer reads_before_wait clears_awaited_buffer reads_other_array right_scatter', reduce: 'combines_before_wait right_reduce', shift: 'receives_into_send_buffer',
    broadcast: 'sends_unwritten_stack sends_unwritten_block sends_unwritten_result writes_literal writes_table receives_constant writes_beyond_block leaves_memory',
    barrier: 'writes_other_stack reads_other_global writes_other_block reads_before_block uses_freed_block frees_twice', gather: 'receives_beyond'};
  return Object.entries(wrong).flatMap(([collective, names]) => names.split(' ').filter((name, i) => !quick || i === 0).flatMap(name =>
    programs('tests/check/wrong', new RegExp(`^${name}\\.c$`), file => ['check', collective, '--file', file, '--symbol', 'my_' + collective, '-p', '1:3', ...(name === 'reuses_send_buffer' ? ['-m', '3'] : [])]).map(words => Object.assign(words, {env: {CC: 'clang'}}))));
}

// Programs for MPI that check themselves, each on the nodes of its first line.
function mpiPrograms() {
  const right = 'tests/mpi_calls/right', check = path.join(top, right, 'check.h');
  return programs(right, MPI, name => ['run', name]).flatMap(words => {
    const nodes = /nodes: ([\d ]+)/.exec(fs.readFileSync(words.source, 'utf8'))[1].trim().split(' ');
    return (quick ? nodes.slice(-1) : nodes).map(count => Object.assign([...words, '-p', count], {source: words.source, file: words.file, beside: {'check.h': check}}));
  });
}

// Commands on programs in C, which the module's own compiler compiles.
function programs(under, names, words) {
  if (!compile) return [];
  return fs.readdirSync(path.join(top, under)).filter(name => names.test(name)).map(name => Object.assign(words(name), {source: path.join(top, under, name), file: name}));
}

// Let the clock that the module reads jump, as when others have the processor for three seconds in the middle of a run.
async function stalled(act) {
  const clock = process.hrtime;
  let looks = 0;
  process.hrtime = () => {
    const [seconds, nanoseconds] = clock();
    return [seconds + 3 * (++looks > 40), nanoseconds];
  };
  const result = await act();
  process.hrtime = clock;
  if (looks <= 40) throw new Error('the clock has not jumped');
  return result;
}

// ---------------------------------------------------------------- the comparison

const lastLine = text => text.trim().split('\n').at(-1);

function firstDifference(a, b) {
  const one = a.split('\n'), two = b.split('\n');
  let at = 0;
  while (one[at] === two[at]) at++;
  return `line ${at + 1}\n  command: ${one[at]}\n  module:  ${two[at]}`;
}

let different = 0, same = 0;
for (const [part, cases] of Object.entries(all)) {
  if (parts.length && !parts.includes(part)) continue;
  if ((part === 'programs' || part === 'memory' || /^mpi/.test(part)) && !compile) {
    console.log(part + ': skipped: npm ci in tools/web/npm installs the compiler');
    continue;
  }
  if (cases.length === 0) throw new Error('no cases: ' + part);
  for (const {source, file, beside} of cases) {
    if (source) fs.copyFileSync(source, path.join(folder, file));
    for (const [name, place] of Object.entries(beside || {})) fs.copyFileSync(place, path.join(folder, name));
  }
  const began = performance.now();
  let inModule = 0, next = native(cases[0]);
  for (let i = 0; i < cases.length; i++) {
    const one = await next;
    if (i + 1 < cases.length) next = native(cases[i + 1]); // beside the module
    const {source, file, beside, stalls} = cases[i], read = place => fs.readFileSync(place, 'utf8');
    const act = () => run(cases[i], source ? {[file]: read(source), ...Object.fromEntries(Object.entries(beside || {}).map(([name, place]) => [name, read(place)]))} : {}, source ? compile : null);
    const two = await (stalls && !inBrowser ? stalled(act) : act());
    inModule += two.seconds;
    for (const [what, a, b] of [['exit code', String(one.code), String(two.code)], ['output', mask(one.out), mask(two.out)], ['errors', source ? lastLine(one.errors) : mask(one.errors), source ? lastLine(two.errors) : mask(two.errors)], // above it two compilers warn
      ...Object.entries(two.files).map(([name, bytes]) => [name, mask(fs.readFileSync(path.join(folder, name), 'utf8')), mask(bytes.toString())])]) {
      if (a === b) continue;
      console.log(`peal ${cases[i].join(' ')}: ${what}, ${firstDifference(a, b)}${what === 'exit code' ? '\n' + one.errors + two.errors : ''}`);
      different++;
      break;
    }
  }
  same += cases.length;
  console.log(`${part}: ${cases.length} commands, ${inModule.toFixed(1)} s in the module, ${((performance.now() - began) / 1000).toFixed(1)} s in all`);
}
console.log(`${same - different} the same, ${different} different`);
fs.rmSync(folder, {recursive: true});
if (close) await close();
process.exitCode = different ? 1 : 0;
