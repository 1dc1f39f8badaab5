// SPDX-License-Identifier: MIT
// A browser, and a server for the folder that tools/web/build writes.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {createRequire} from 'node:module';

const require = createRequire(new URL('../report/', import.meta.url));
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.txt': 'text/plain', '.json': 'application/json'};

// End with 77, which means skipped.
export function skip(why) {
  console.log('skipped: Peal in a browser: ' + why);
  process.exit(77);
}

// Start both; skip where there is no browser.  Gives the browser, the page's address, what was asked of the server, axe's source, and close().
export async function openBrowser(web, inFirefox) {
  let playwright, axeSource;
  try {
    playwright = require('playwright-core');
    axeSource = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  } catch {
    skip('playwright-core and axe-core are missing: npm ci in tests/report, which tools/test does');
  }
  const places = inFirefox ? [process.env.PEAL_FIREFOX, '/usr/bin/firefox-esr'] : [process.env.PEAL_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
  const executablePath = places.find(place => place && fs.existsSync(place));
  if (!executablePath) skip(inFirefox ? 'there is no firefox-esr' : 'there is no chromium (package chromium)');
  if (!fs.existsSync(path.join(web, 'peal.wasm'))) skip('there is no ' + web + ': tools/web/build');

  const asked = [];
  const server = http.createServer((request, answer) => {
    const name = path.join(web, path.normalize(new URL(request.url, 'http://x').pathname));
    asked.push(request.url);
    if (!fs.existsSync(name)) return answer.writeHead(404).end();
    answer.writeHead(200, {'content-type': types[path.extname(name)] || 'application/octet-stream'}).end(fs.readFileSync(name));
  }).listen(0, '127.0.0.1');
  await new Promise(done => server.once('listening', done));
  const browser = inFirefox ? await playwright._bidiFirefox.launch({executablePath}) // WebDriver BiDi, which Firefox as it is has
    : await playwright.chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic']});
  return {
    browser, asked, axeSource, address: `http://127.0.0.1:${server.address().port}/index.html`,
    async close() {
      await browser.close();
      server.close();
    },
  };
}
