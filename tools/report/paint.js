// SPDX-License-Identifier: MIT
// Pens: a picture is drawn once, and comes out as an SVG on the page, an SVG for a file, or on a canvas.
//
// A style is an object: fill, stroke (names of colours in page.css), width, dash ("4 3"), opacity; of text also size, weight,
// anchor ("start"), halo (the colour around it); title (shown when pointed at), pick (what a click chooses); means (which
// entry of the legend explains it: a pen knows what it has drawn, and the legend lists nothing else).

const MAX_MARKS = 4000; // of an SVG on the page; more are drawn on a canvas
const BOUND = {stroke: 'ink', width: 2, dash: '6 3', means: 'bound'}; // a lower bound, in every view and in the plots
const FONT = 'system-ui, "DejaVu Sans", "Segoe UI", sans-serif';

// Give what turns the name of a colour into what an attribute takes: a reference on the page, the colour in a file, where
// LIGHT is the style sheet's first rule (see bundle.py).
function inkOnPage(name) {
  return name === 'none' ? 'none' : 'var(--' + name + ')';
}

function inkInFile(name) {
  return name === 'none' ? 'none' : LIGHT[name];
}

function escapeText(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

// Draws into `marks`, a list of the texts of an SVG's elements.  No text is smaller than `least`.
function svgPen(ink, least = 0) {
  const used = new Set(), marks = [];
  function mark(tag, style, attributes, text) {
    const all = Object.assign({}, attributes);
    if (style.means) used.add(style.means);
    all.fill = ink(style.fill || 'none');
    if (style.stroke) Object.assign(all, {'stroke': ink(style.stroke), 'stroke-width': style.width || 1});
    if (style.dash) all['stroke-dasharray'] = style.dash;
    if (style.cap) all['stroke-linecap'] = style.cap;
    if (style.opacity !== undefined && style.opacity < 1) all.opacity = style.opacity;
    if (style.pick !== undefined && style.pick !== null) all['data-pick'] = style.pick;
    if (style.data) for (const key of Object.keys(style.data)) all['data-' + key] = style.data[key];
    if (style.around) Object.assign(all, {'stroke': ink(style.around), 'stroke-width': 4, 'stroke-linejoin': 'round', 'paint-order': 'stroke'});
    const inside = (text === undefined ? '' : escapeText(text)) + (style.title ? '<title>' + escapeText(style.title) + '</title>' : '');
    marks.push('<' + tag + Object.keys(all).map(key => ' ' + key + '="' + escapeText(all[key]) + '"').join('') + (inside ? '>' + inside + '</' + tag + '>' : '/>'));
  }
  const round = x => Math.round(x * 100) / 100;
  return {
    canvas: false, used, marks,
    line: (x1, y1, x2, y2, style) => mark('line', style, {x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2)}),
    rect: (x, y, width, height, style) => mark('rect', style, {x: round(x), y: round(y), width: round(Math.max(width, 0)),
                                                               height: round(Math.max(height, 0)), rx: style.radius || 0}),
    circle: (x, y, radius, style) => mark('circle', style, {cx: round(x), cy: round(y), r: radius}),
    path: (d, style) => mark('path', style, {d}),
    text(x, y, text, style) {
      const about = {'x': round(x), 'y': round(y), 'font-size': Math.max(style.size || 13, least), 'text-anchor': style.anchor || 'start'};
      if (style.weight) about['font-weight'] = style.weight;
      mark('text', Object.assign({fill: 'ink'}, style, {stroke: null, around: style.halo}), about, text);
    },
  };
}

function canvasPen(context, least) {
  const colours = getComputedStyle(document.documentElement);
  const ink = name => colours.getPropertyValue('--' + name).trim(), used = new Set();
  function paint(style, fill, stroke) {
    if (style.means) used.add(style.means);
    context.globalAlpha = style.opacity === undefined ? 1 : style.opacity;
    if (style.fill && style.fill !== 'none') {
      context.fillStyle = ink(style.fill);
      fill();
    }
    if (style.stroke) {
      context.strokeStyle = ink(style.stroke);
      context.lineWidth = style.width || 1;
      context.setLineDash(style.dash ? style.dash.split(' ').map(Number) : []);
      context.lineCap = style.cap || 'butt';
      stroke();
    }
    context.globalAlpha = 1;
  }
  return {
    canvas: true, used,
    line(x1, y1, x2, y2, style) {
      paint({stroke: style.stroke, width: style.width, dash: style.dash, opacity: style.opacity, cap: style.cap, means: style.means}, null, () => {
        context.beginPath();
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
        context.stroke();
      });
    },
    rect(x, y, width, height, style) {
      paint(style, () => context.fillRect(x, y, width, height), () => context.strokeRect(x, y, width, height));
    },
    circle(x, y, radius, style) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      paint(style, () => context.fill(), () => context.stroke());
    },
    path(d, style) {
      const path = new Path2D(d);
      paint(style, () => context.fill(path), () => context.stroke(path));
    },
    text(x, y, text, style) {
      context.font = (style.weight ? style.weight + ' ' : '') + Math.max(style.size || 13, least) + 'px ' + FONT;
      context.textAlign = {start: 'left', middle: 'center', end: 'right'}[style.anchor || 'start'];
      context.textBaseline = 'alphabetic';
      if (style.halo) {
        context.strokeStyle = ink(style.halo);
        context.lineWidth = 4;
        context.lineJoin = 'round';
        context.setLineDash([]);
        context.strokeText(text, x, y);
      }
      paint({fill: style.fill || 'ink', opacity: style.opacity}, () => context.fillText(text, x, y));
    },
  };
}

// The approximate width of a text: the picture must fit before there is anything to measure.
function textWidth(text, size) {
  return String(text).length * (size || 13) * 0.58;
}

// What an entry of a legend explains, in 30 x 14 pixels from there on.
function drawLegendMark(pen, kind, ink, width, x, y) {
  if (kind === 'line') pen.line(x + 1, y + 7, x + 29, y + 7, {stroke: ink, width});
  if (kind === 'dash') pen.line(x + 1, y + 7, x + 29, y + 7, {stroke: ink, width, dash: '5 3'});
  if (kind === 'box') pen.rect(x + 2, y + 2, 24, 10, {fill: 'bg', stroke: ink, width, radius: 2});
  if (kind === 'whisker') for (const [x1, y1, x2, y2] of [[15, 1, 15, 13], [11, 1, 19, 1], [11, 13, 19, 13]]) pen.line(x + x1, y + y1, x + x2, y + y2, {stroke: ink, width});
  if (kind === 'whisker') pen.rect(x + 11, y + 4, 8, 6, {fill: 'bg', stroke: ink, width, radius: 3});
  if (kind === 'fill') pen.rect(x + 2, y + 1, 24, 12, {fill: ink, stroke: 'line'});
}

// Places of labels in a picture, so that none covers another: take(...) is true, and the place taken, where it was free.
function makePlaces() {
  const taken = [];
  const box = (x, y, text, size) => {
    const half = String(text).length * size * 0.33 + 1;
    return {left: x - half, right: x + half, top: y - size * 0.85, bottom: y + size * 0.2};
  };
  return {
    // a text around x with its base line at y
    take(x, y, text, size) {
      const own = box(x, y, text, size);
      if (taken.some(other => own.left < other.right && own.right > other.left && own.top < other.bottom && own.bottom > other.top)) return false;
      taken.push(own);
      return true;
    },
    // a place that labels must avoid, taken unconditionally
    block(x, y, half) {
      taken.push({left: x - half, right: x + half, top: y - half, bottom: y + half});
    },
  };
}

// A text in lines that are at most `width` wide, broken at blanks.
function wrapText(text, width, size) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1], longer = last ? last + ' ' + word : word;
    if (last && textWidth(longer, size) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// An arrow from (x1, y1) to (x2, y2), bent to its left by `bend` of its length; the head ends at the second point.
function drawArrow(pen, x1, y1, x2, y2, style, bend) {
  const width = style.width || 1.5, head = Math.max(6, 3 + 2.6 * width);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const cx = (x1 + x2) / 2 + (bend || 0) * (y2 - y1), cy = (y1 + y2) / 2 - (bend || 0) * (x2 - x1);
  let dx = ux, dy = uy;
  if (bend) {
    const reach = Math.hypot(x2 - cx, y2 - cy) || 1;
    dx = (x2 - cx) / reach;
    dy = (y2 - cy) / reach;
  }
  const bx = x2 - dx * head * 0.8, by = y2 - dy * head * 0.8;
  const line = Object.assign({}, style, {fill: 'none', title: undefined});
  if (bend) pen.path('M' + fixed(x1) + ',' + fixed(y1) + 'Q' + fixed(cx) + ',' + fixed(cy) + ' ' + fixed(bx) + ',' + fixed(by), Object.assign(line, {title: style.title}));
  else pen.line(x1, y1, bx, by, Object.assign(line, {title: style.title}));
  const half = head * 0.42;
  pen.path('M' + fixed(x2) + ',' + fixed(y2) + 'L' + fixed(x2 - dx * head - dy * half) + ',' + fixed(y2 - dy * head + dx * half) +
           'L' + fixed(x2 - dx * head + dy * half) + ',' + fixed(y2 - dy * head - dx * half) + 'Z',
           {fill: style.stroke, opacity: style.opacity, pick: style.pick});
}

function fixed(x) {
  return Math.round(x * 100) / 100;
}

// The colour and the width of what k transfers share.
function kInk(k) {
  return k >= 3 ? 'k3' : k === 2 ? 'k2' : 'k1';
}

// The legend's entry for k.
const kMeans = kInk;

function kWidth(k) {
  return Math.min(1.8 + (k - 1) * 1.1, 8);
}
