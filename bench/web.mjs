// SPDX-License-Identifier: MIT
// The module for the browser: web.mjs PEAL BUILD PAGE REPETITIONS measures its size as a host sends it, the page's first picture on this
// machine, a scatter, and checks beside the native command, in turns; prints its figures, one on each line.  PEAL is the native
// command, BUILD and PAGE are what tools/web/build has made.
import fs from 'node:fs';
import http from 'node:http';
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
  const words = ['check', what, '-p', nodes], pairs = await times(repetitions, async () => [await inModule(words), native(words)]);
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
await browser.close();
server.close();
