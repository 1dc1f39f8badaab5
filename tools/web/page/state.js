// SPDX-License-Identifier: MIT
// All that the page shows, as one object; a link holds it after the #, compressed.

const DEFAULTS = {
  door: 'algorithm', doing: 'explain', view: 'text',
  collective: 'scatter', algorithm: '', p: '8', m: '4', n: '', root: '', topology: 'hypercube', size: '3', routing: '', ports: '', half: false,
  noncombining: false, switching: '', alpha: '', beta: '', hop: '', tau: '', lesson: 'S3', answered: false,
  line: '', start: 'program', source: '', assignment: 'tree-reduce', work: '',
};

// Bytes through a stream that compresses or expands them.
async function throughStream(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packState(state) {
  const changed = Object.fromEntries(Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]));
  const bytes = await throughStream(new TextEncoder().encode(JSON.stringify(changed)), new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// The state of a link, without unknown members and those of another type.
async function unpackState(packed) {
  const state = {...DEFAULTS};
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
    const given = JSON.parse(new TextDecoder().decode(await throughStream(bytes, new DecompressionStream('deflate-raw'))));
    for (const key of Object.keys(DEFAULTS)) if (typeof given[key] === typeof DEFAULTS[key]) state[key] = given[key];
  } catch {
    // a truncated link: the page begins as without one
  }
  return state;
}
