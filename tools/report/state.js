// SPDX-License-Identifier: MIT
// What the page shows: the view, the round (0 is before the first), the transfer that is chosen, and how.  It is in the address after the #, so that a link or a reload shows the same.

const STATE_KEYS = ['run', 'view', 'round', 'transfer', 'width', 'prices', 'critical', 'size', 'by', 'per', 'span', 'table', 'answer', 'full', 'blocks'];

function makeState(defaults, check) {
  const state = Object.assign({}, defaults);
  const listeners = [];

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    const next = Object.assign({}, defaults);
    for (const key of STATE_KEYS) if (given.has(key)) next[key] = given.get(key);
    Object.assign(state, check(next));
  }

  function write() {
    const given = new URLSearchParams();
    for (const key of STATE_KEYS) {
      if (state[key] !== null && state[key] !== undefined && state[key] !== '') given.set(key, state[key]);
    }
    history.replaceState(null, '', '#' + given.toString());
  }

  read();
  window.addEventListener('hashchange', () => {
    read();
    for (const listener of listeners) listener(state, {});
  });
  return {
    get: () => state,
    // Change some of it; the listeners get the state and what was asked for.
    set(change) {
      Object.assign(state, check(Object.assign({}, state, change)));
      write();
      for (const listener of listeners) listener(state, change);
    },
    listen: listener => listeners.push(listener),
  };
}
