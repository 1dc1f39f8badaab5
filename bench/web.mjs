// SPDX-License-Identifier: MIT
// The module for the browser: web.mjs PEAL BUILD PAGE REPETITIONS measures its size as a host sends it, the page's first picture on this
// machine, a scatter, checks beside the native command, in turns, and the page of a long run; prints its figures, one on each line.  PEAL is the native
// command, BUILD and PAGE are what tools/web/build has made.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import {createRequire} from 'node:module';
import {spawnSync} from 'node:child_process';
import {loadModule} from '../tests/web/module.mjs';

const [peal, build, page, repetitions] = process.argv.slice(2);
const run = loadModule(build), CHECKS = [['scatter/binomial', '8'], ['allreduce/ring', '5'], ['reduce/binomial', '6']];

function print(work, unit, values, members = {}) {
  const sorted = values.toSorted((a, b) => a - b);
  console.log(JSON.stringify({work, unit, median: sorted[sorted.length >> 1], least: sorted[0], greatest: sorted.at(-1), repetitions: sorted.length, ...members}));
}

async function times(count, measure) {
  const found = [];
  for (let i = 0; i < count; i++) found.push(await measure());
  return found;
}

async function inModule(words) {
  const {code, seconds, errors} = await run(words);
  if (code) throw new Error(`peal ${words.join(' ')} ended with ${code}: ${errors}`);
  return seconds;
}

// The processor time of the command in a fresh instance, and of what compiles the module meanwhile: others on the machine do not count.
async function busyInModule(words) {
  const before = process.cpuUsage();
  await inModule(words);
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1e6;
}

// The processor time of the command and its processes.
function native(words) {
  const {status, stderr} = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', '-', peal, ...words], {encoding: 'utf8'});
  if (status) throw new Error(`peal ${words.join(' ')}: ${stderr}`);
  return stderr.trim().split('\n').at(-1).split(' ').reduce((sum, word) => sum + Number(word), 0);
}

const module = fs.readFileSync(path.join(page, 'peal.wasm'));
print('module, compressed by brotli', 'bytes', [zlib.brotliCompressSync(module).length], {bytes: module.length});
print('scatter, P = 64', 'ms', (await times(5 * repetitions, () => inModule(['run', 'scatter', '-p', '64']))).map(seconds => seconds * 1000));
for (const [what, nodes] of CHECKS) {
  const words = ['check', what, '-p', nodes], pairs = await times(repetitions, async () => [await busyInModule(words), native(words)]);
  const beside = pairs.map(pair => pair[1]).toSorted((a, b) => a - b)[repetitions >> 1];
  print('check ' + what + ', P = ' + nodes, 's', pairs.map(pair => pair[0]), {native_s: beside, ratio: pairs.map(([a, b]) => a / b).toSorted((a, b) => a - b)[repetitions >> 1]});
}

// ---------------------------------------------------------------- the page

const executablePath = [process.env.PEAL_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(place => place && fs.existsSync(place));
const {chromium} = createRequire(new URL('../tests/report/', import.meta.url))('playwright-core');
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.txt': 'text/plain'};
const server = http.createServer((request, answer) => {
  const name = path.join(page, path.normalize(new URL(request.url, 'http://x').pathname));
  if (!fs.existsSync(name)) return answer.writeHead(404).end();
  answer.writeHead(200, {'content-type': types[path.extname(name)] || 'application/octet-stream'}).end(fs.readFileSync(name));
}).listen(0, '127.0.0.1');
await new Promise(done => server.once('listening', done));
const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic']});
print('first picture of the page', 's', await times(repetitions, async () => {
  const context = await browser.newContext(), fresh = await context.newPage(), began = performance.now(); // with an empty cache
  await fresh.goto(`http://127.0.0.1:${server.address().port}/index.html`, {waitUntil: 'commit'});
  await fresh.locator('#picture circle').first().waitFor();
  const seconds = (performance.now() - began) / 1000;
  await context.close();
  return seconds;
}));

// The page of a run of 64 nodes and more than 100,000 rounds: from asking for it until it is drawn.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peal-bench-')), tool = name => path.join(path.dirname(peal), name);
fs.writeFileSync(path.join(folder, 'ring.c'), `#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size;
    double x[16] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100001; i++) {
        PEAL_COMPUTE(100 + (rank * 7 + i) % 50);
        MPI_Sendrecv(x, 8, MPI_DOUBLE, (rank + 1) % size, 0, x + 8, 8, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
`);
for (const words of [['pealcc', 'ring.c', '-o', 'ring'], ['pealrun', '-q', '-n', '64', '--tau', '1', '--report', 'ring.html', './ring']]) {
  const {status, stderr} = spawnSync(tool(words[0]), words.slice(1), {cwd: folder, encoding: 'utf8'});
  if (status) throw new Error(words.join(' ') + ': ' + stderr);
}
const file = path.join(folder, 'ring.html');
print('page of 64 nodes, 100,001 rounds', 's', await times(repetitions, async () => {
  const fresh = await browser.newPage();
  await fresh.goto('file://' + file);
  const ready = await fresh.locator('html[data-ready]').getAttribute('data-ready');
  await fresh.close();
  return Number(ready) / 1000;
}), {bytes: fs.statSync(file).size});
fs.rmSync(folder, {recursive: true});
await browser.close();
server.close();
