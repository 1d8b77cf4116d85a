/* The encoding explorer: the matrix as a heatmap, two of its rows compared, and four schemes on the same two positions.
   The three views share one state: the matrix (T, d, base), positions A and B, a column, the trained length, and for RoPE
   the query and the key of every pair, in tenths, and a way to extend the context. */
"use strict";
interactive.figure("explorer", {
  view: { min: 0, max: 2, start: 0 },
  T: { min: 8, max: 256, start: 128 },
  d: { min: 8, max: 128, step: 2, start: 32 },
  base: { min: 100, max: 1000000, start: 10000, log: true },
  A: { min: 0, max: ({ T }) => T - 1, start: 80 },
  B: { min: 0, max: ({ T }) => T - 1, start: 73 },
  column: { min: 0, max: ({ d }) => d - 1, start: 12 },
  trained: { min: 2, max: 256, start: 64 },
  qx: { min: -20, max: 20, start: 10 },
  qy: { min: -20, max: 20, start: 20 },
  kx: { min: -20, max: 20, start: 20 },
  ky: { min: -20, max: 20, start: 10 },
  ext: { min: 0, max: 3, start: 0 },
}, (root, figure) => {
  const { maths, draw, scale, path, put, apart } = interactive;
  const { line, text, circle, box, curve } = interactive.shapes;
  const { fixed, significant, exact } = maths;
  const find = (selector) => root.querySelector(selector);
  const outputs = [...root.querySelectorAll("[data-out]")];
  const SLOPES = maths.alibiSlopes(8);
  const FADED = 60;  // opacity out of 255 of a cell whose phase training has not met
  const GAP = 25;  // between the middles of two handles
  const [LEFT, RIGHT, TOP, BOTTOM] = [34, 36, 6, 36];
  const PALETTE = palette(["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"]);
  const limit = (value, low, high) => Math.max(low, Math.min(high, value));
  const handle = (view, name) => find(`#explorer-view-${view} [data-handle=${name}]`);
  let hovered = null;
  let sheet = {};

  /* 256 colours from -1 to 1, between the given ones, as the 32-bit words of an image. */
  function palette(stops) {
    const colours = stops.map((stop) => [0, 2, 4].map((at) => parseInt(stop.slice(at, at + 2), 16)));
    const bytes = Uint8ClampedArray.from({ length: 4 * 256 }, (_, index) => {
      const [shade, channel] = [index >> 2, index & 3];
      const at = shade / 255 * (colours.length - 1);
      const low = Math.min(Math.floor(at), colours.length - 2);
      if (channel === 3) return 255;
      return colours[low][channel] + (at - low) * (colours[low + 1][channel] - colours[low][channel]);
    });
    return new Uint32Array(bytes.buffer);
  }

  /* Colours cells. `opacity(row, column)` is out of 255. */
  function paint(canvas, rows, columns, value, opacity) {
    if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
    const image = new ImageData(columns, rows);
    const words = new Uint32Array(image.data.buffer);
    for (let row = 0, cell = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, cell++) {
        words[cell] = PALETTE[Math.round((value(row, column) + 1) * 127.5)];
        if (opacity) image.data[4 * cell + 3] = opacity(row, column);
      }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  /* Numbers in -1 .. 1 that look random and are the same at every visit. */
  const STAND_INS = Float64Array.from({ length: 256 * 128 }, (_, index) => {
    let bits = Math.imul(index + 1, 0x9e3779b1);
    bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
    bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 31 - 1;
  });

  /* Runs `make` when one of its ingredients has changed since the last time. */
  const made = {};
  function once(name, ingredients, make) {
    const key = ingredients.join();
    if (made[name] !== key) make();
    made[name] = key;
  }

  function prepare({ T, d, base }) {
    once("table", [T, d, base], () => {
      const omegas = maths.frequencies(d, base);
      const closed = Array.from({ length: T }, (_, offset) => maths.similarity(offset, omegas));
      sheet = { omegas, table: maths.sinusoidalTable(T, omegas), lowest: Math.min(0, ...closed) };
    });
  }

  /* RoPE's frequencies and the factor on its scores, for T positions after a training on `trained` of them. */
  function extended({ T, trained, ext }) {
    const factor = Math.max(1, T / trained);
    const omegas = [() => sheet.omegas, maths.interpolated, maths.ntkAware, maths.yarn][ext](sheet.omegas, factor, trained);
    return { omegas, boost: ext === 3 ? maths.yarnScoreFactor(factor) : 1 };
  }

  /* The score at an offset of a query and a key that are the same in every pair: |q| |k| sum cos(omega offset + angle). */
  function score(offset, { query, key, rope, d }) {
    const [even, odd] = [maths.dot(query, key), query[1] * key[0] - query[0] * key[1]];
    let sum = 0;
    for (const omega of rope.omegas) sum += even * Math.cos(omega * offset) + odd * Math.sin(omega * offset);
    return rope.boost * sum / Math.sqrt(d);
  }

  const newPhases = (position, trained) =>
    position < trained ? 0 : sheet.omegas.filter((omega) => maths.phaseIsNew(position, omega, trained)).length;

  function derive(state) {
    prepare(state);
    const { d, A, B, column, trained } = state;
    const [offset, distance] = [B - A, Math.abs(B - A)];
    const rope = extended(state);
    const all = {
      ...state, offset, distance, rope, pair: column >> 1, omega: sheet.omegas[column >> 1],
      query: [state.qx / 10, state.qy / 10], key: [state.kx / 10, state.ky / 10],
      product: maths.rowProduct(sheet.table, d, A, B), similarity: maths.similarity(offset, sheet.omegas),
      newAtA: newPhases(A, trained), newAtB: newPhases(B, trained),
      newBetween: sheet.omegas.filter((omega, pair) =>
        maths.angleIsNew(rope.omegas[pair] * distance, omega, trained)).length,
    };
    return { ...all, score: score(offset, all) };
  }

  const numbered = (value, max, words) =>
    ({ "aria-valuemin": 0, "aria-valuemax": max, "aria-valuenow": value, "aria-valuetext": words || value });

  /* Puts A and B on their places, side by side where they would cover each other, and within the axis. */
  function putBoth(view, { T, A, B }, a, b, way, [low, high] = [-Infinity, Infinity]) {
    const places = apart(a, b, GAP, way);
    const xs = places.map(([x]) => x);
    const shift = Math.max(0, low - Math.min(...xs)) - Math.max(0, Math.max(...xs) - high);
    for (const place of places) place[0] += shift;
    put(handle(view, "A"), places[0], numbered(A, T - 1));
    put(handle(view, "B"), places[1], numbered(B, T - 1));
  }

  function drawMatrix(state, cell) {
    const { T, d, base, A, B } = state;
    once("matrix", [T, d, base], () =>
      paint(find(".matrix canvas"), T, d, (row, column) => sheet.table[row * d + column]));
    const { width, height } = figure.sizeOf(find(".matrix"));
    const y = scale(0, T, TOP, height - BOTTOM);
    const x = scale(0, d, LEFT, width - RIGHT);
    const first = cell.column - cell.column % 2;
    const rule = (name, at) => ["halo", name].map((style) => line(`row ${style}`, LEFT, at, width - RIGHT, at));
    draw(find(".matrix svg"), width, height, [
      ...rule("b", y(B + 0.5)), ...rule("a", y(A + 0.5)),
      text("tick end", LEFT - 4, TOP + 10, 0),
      text("tick end", LEFT - 4, height - BOTTOM - 2, T - 1),
      text("tick", LEFT, height - BOTTOM + 14, "column 0"),
      text("tick end", width - RIGHT, height - BOTTOM + 14, d - 1),
      text("tick", LEFT, height - 6, "pair 0: fast"),
      text("tick end", width - RIGHT, height - 6, `slow: pair ${d / 2 - 1}`),
      ...["halo", "light"].flatMap((style) => [
        box(`row ${style}`, x(first), TOP, x(2) - x(0), y(T) - TOP),
        circle(`row ${style}`, x(cell.column + 0.5), y(cell.A + 0.5), 6),
      ]),
    ]);
    const edge = width - RIGHT + 15;
    putBoth(0, state, [edge, y(A + 0.5)], [edge, y(B + 0.5)], [0, -1]);
  }

  function drawStrips({ d, A, B }) {
    const strip = (name, value) => paint(find(`[data-strip=${name}]`), 1, d, (_, column) => value(column));
    const entry = (row) => (column) => sheet.table[row * d + column];
    strip("a", entry(A));
    strip("b", entry(B));
    strip("product", (column) => entry(A)(column) * entry(B)(column));
  }

  /* Clock faces in as many rows as their box holds them largest; `place(pair)` is the middle of one. Small ones have no
     number. */
  function clockGrid(pairs) {
    const { width, height } = figure.sizeOf(find(".clocks"));
    const fits = Array.from({ length: 6 }, (_, index) => {
      const across = Math.ceil(pairs / (index + 1));
      const room = height / (index + 1);
      const size = Math.min(56, width / across, Math.max(room - 12, Math.min(room, 22)));
      return { across, size, step: room };
    });
    const { across, size, step } = fits.reduce((best, fit) => (fit.size > best.size ? fit : best));
    const place = (pair) => [(pair % across + 0.5) * size, Math.floor(pair / across) * step + size / 2];
    return { size, across, place, step, width, height, numbers: step >= size + 12 && size >= 20 };
  }

  /* All rings are one path and so are all hands of a position: few elements move, whatever the width. */
  function drawClocks({ d, A, B, pair: chosen }) {
    const { size, place, width, height, numbers } = clockGrid(d / 2);
    const r = size / 2 - 2;
    const places = Array.from(sheet.omegas, (_, pair) => place(pair));
    const onEvery = (name, shape) => ["path", { class: name, d: places.map(shape).join("") }];
    const hands = (name, position) => onEvery(`hand ${name}`, ([x, y], pair) => {
      const phase = sheet.omegas[pair] * position;
      return path([[x, y], [x + r * Math.sin(phase), y - r * Math.cos(phase)]]);
    });
    draw(find(".clocks"), width, height, [
      onEvery("ring", ([x, y]) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`),
      circle("ring chosen", ...places[chosen], r),
      hands("a", A),
      hands("b", B),
      ...(numbers ? places.map(([x, y], pair) => text("tick middle", x, y + size / 2 + 9, pair)) : []),
    ]);
  }

  const positionScale = (T, width) => scale(0, T - 1, LEFT, width - RIGHT);

  /* The state before the move, where that has the same axes, as the place of its A. */
  const ghostOf = ({ T, d, base, A }, before = figure.before) =>
    (before && before.T === T && before.d === d && before.base === base && before.A !== A ? before.A : null);

  function drawSimilarity(all) {
    const { T, d, A, B, product } = all;
    const svg = find(".similarity");
    const { width, height } = figure.sizeOf(svg);
    const x = positionScale(T, width);
    const y = scale(sheet.lowest, d / 2, height - 40, 10);
    const rows = (at) => Array.from({ length: T }, (_, row) => [x(row), y(maths.rowProduct(sheet.table, d, at, row))]);
    const ghost = ghostOf(all);
    const axis = height - 31;
    draw(svg, width, height, [
      line("grid", LEFT, y(0), width - RIGHT, y(0)),
      line("ring", LEFT, axis, width - RIGHT, axis),
      text("tick end", LEFT - 15, y(0) + 4, 0),
      text("tick end", LEFT - 15, y(d / 2) + 6, d / 2),
      text("tick", LEFT - 4, height - 1, 0),
      text("tick end", width - RIGHT + 4, height - 1, T - 1),
      text("tick middle", (LEFT + width - RIGHT) / 2, height - 1, "position"),
      curve("curve ghost", ghost === null ? [] : rows(ghost)),
      curve("curve same", rows(A)),
      line("mark a", x(A), axis, x(A), y(d / 2)),
      line("mark b", x(B), axis, x(B), y(product)),
      circle("tip a", x(A), y(d / 2), 5),
      box("tip b", x(B) - 5, y(product) - 5, 10, 10),
    ]);
    putBoth(1, all, [x(A), axis], [x(B), axis], [1, 0], [LEFT, width - RIGHT]);
  }

  /* The rows of view (c), from top to bottom, in shares of what its height leaves beside rulers and titles. */
  function schemeRows(height) {
    const shares = { learned: 0.2, computed: 0.2, rope: 0.32, alibi: 0.28 };
    const free = height - 28 - 26 - 4 * 17 - 15;
    let top = 28;
    return Object.fromEntries(Object.entries(shares).map(([name, share]) => {
      const row = { title: top + 12, top: top + 17, bottom: top + 17 + share * free };
      top = row.bottom + (name === "rope" ? 15 : 0);
      return [name, row];
    }));
  }

  function paintTables({ T, d, base, trained }, rows, width) {
    const value = (row, column) => sheet.table[row * d + column];
    once("learned", [T, d, trained], () => paint(find(".learned"), d, T, (column, row) => STAND_INS[row * 128 + column],
      (_, row) => (row < trained ? 255 : 0)));
    once("computed", [T, d, base, trained], () => paint(find(".computed"), d, T, (column, row) => value(row, column),
      (column, row) => (row >= trained && maths.phaseIsNew(row, sheet.omegas[column >> 1], trained) ? FADED : 255)));
    const cell = (width - LEFT - RIGHT) / (T - 1);  // a position's cell is centred on its place on the axis
    for (const name of ["learned", "computed"]) {
      const { top, bottom } = rows[name];
      Object.assign(find(`.${name}`).style, {
        left: `${LEFT - cell / 2}px`, width: `${T * cell}px`, top: `${top}px`, height: `${bottom - top}px`,
      });
    }
  }

  function drawSchemes(all) {
    const { T, A, B, trained, d, rope, query, key } = all;
    const { width, height } = figure.sizeOf(find(".schemes"));
    const rows = schemeRows(height);
    paintTables(all, rows, width);
    const x = positionScale(T, width);
    const end = width - RIGHT;
    const most = Math.hypot(...query) * Math.hypot(...key) * Math.sqrt(d) / 2 * rope.boost || 1;
    const scoreY = scale(-most, most, rows.rope.bottom, rows.rope.top);
    const weightY = scale(0, 1, rows.alibi.bottom, rows.alibi.top);
    const scores = (at) => Array.from({ length: T }, (_, place) => [x(place), scoreY(score(place - at, all))]);
    const weights = (at, slope) =>
      Array.from({ length: at + 1 }, (_, place) => [x(place), weightY(Math.exp(-slope * (at - place)))]);
    const ghost = ghostOf(all);
    const title = (name, words) => text("tick", LEFT, rows[name].title, words);
    const through = (name, at) =>
      Object.values(rows).flatMap(({ top, bottom }) => ["halo", name].map((style) => line(`mark ${style}`, at, top, at, bottom)));
    const far = Math.min(trained, T);  // offsets from here on were not met
    const unseen = (from, to, { top, bottom }) =>
      (from < to ? [box("unseen", x(from), top, x(to) - x(from), bottom - top)] : []);
    const step = [16, 32, 64].find((size) => x(size) - x(0) > 40) || 128;
    const offsets = Array.from({ length: Math.floor((T - 1) / step) * 2 + 1 }, (_, index) =>
      (index - Math.floor((T - 1) / step)) * step).filter((at) => A + at >= 0 && A + at < T);
    draw(find(".schemes svg"), width, height, [
      title("learned", "Learned: adds a trained row"),
      title("computed", "Sinusoidal: adds a computed row"),
      title("rope", "RoPE: score against the offset from A"),
      title("alibi", "ALiBi: weights, one curve per head"),
      ...unseen(0, A - far, rows.rope), ...unseen(A + far, T - 1, rows.rope), ...unseen(0, A - far, rows.alibi),
      line("grid", LEFT, scoreY(0), end, scoreY(0)),
      line("grid", LEFT, rows.alibi.bottom, end, rows.alibi.bottom),
      text("tick end", LEFT - 4, scoreY(0) + 4, 0),
      ...offsets.map((at) => text("tick middle", x(A + at), rows.rope.bottom + 12, exact(at))),
      curve("curve ghost", ghost === null ? [] : scores(ghost)),
      ...SLOPES.map((slope) => curve("curve ghost", ghost === null ? [] : weights(ghost, slope))),
      curve("curve same", scores(A)),
      ...SLOPES.map((slope) => curve("curve same thin", weights(A, slope))),
      ...through("b", x(B)), ...through("a", x(A)), ...(trained < T ? through("trained", x(trained - 0.5)) : []),
      box("tip b", x(B) - 4, scoreY(all.score) - 4, 8, 8),
      text("tick end", LEFT - 16, 18, 0), text("tick", end + 14, 18, T - 1),
      text("tick", LEFT, height - 4, trained > T * 0.5 ? "trained length" : ""),
      text("tick end", end, height - 4, trained > T * 0.5 ? "" : "trained length"),
    ]);
    putBoth(2, all, [x(A), 13], [x(B), 13], [1, 0], [LEFT, end]);
    put(handle(2, "trained"), [x(Math.min(trained, T) - 0.5), height - 12], { ...numbered(trained, 256), "aria-valuemin": 2 });
  }

  function drawPlane({ query, key, omega, A, B, rope, pair }) {
    const svg = find(".rope");
    const { width, height } = figure.sizeOf(svg);
    const [cx, cy] = [width / 2, height / 2];
    const unit = (cy - 12) / 2;
    const at = ([x, y]) => [cx + unit * x, cy - unit * y];
    const hand = (style, vector) => line(`hand ${style}`, cx, cy, ...at(vector));
    draw(svg, width, height, [
      line("grid", cx - 2 * unit, cy, cx + 2 * unit, cy),
      line("grid", cx, cy - 2 * unit, cx, cy + 2 * unit),
      hand("a faint", maths.rotate(query, A * rope.omegas[pair])), hand("b faint", maths.rotate(key, B * rope.omegas[pair])),
      hand("a", query), hand("b", key),
    ]);
    const places = apart(at(query), at(key), 1.5 * GAP, [-Math.SQRT1_2, -Math.SQRT1_2]);
    [["q", "Query", query], ["k", "Key", key]].forEach(([name, words, [x, y]], index) =>
      put(handle(2, name), places[index], { "aria-label": `${words} (${x}, ${y}), arrow keys move it` }));
  }

  const pairs = (count, d) => `${count} of ${d / 2} pairs`;
  const wave = (column) => (column % 2 ? "cosine" : "sine");
  const LATER = "the key comes later than the query, so a causal reader does not see it";

  function shown(all, cell) {
    const { d, A, B, offset, trained, distance, ext, rope } = all;
    const omega = sheet.omegas[cell.column >> 1];
    const both = (say) => [...new Set([say("A", A, all.newAtA), say("B", B, all.newAtB)])].join(" ");
    const met = distance < trained;
    return {
      position: cell.A, column: `${cell.column}, a ${wave(cell.column)}`, pair: cell.column >> 1,
      omega: significant(omega), period: significant(2 * Math.PI / omega),
      value: fixed(sheet.table[cell.A * d + cell.column]),
      offset: exact(offset), product: fixed(all.product), similarity: fixed(all.similarity), largest: d / 2,
      turned: all.pair,
      learned: both((name, at) =>
        `${name}: ${at < trained ? `row ${at} is added.` : `no row ${at}; the lookup fails.`}`),
      sinusoidal: both((name, at, count) =>
        `${name}: row ${at} is added, `
        + (at < trained ? "met in training." : `${pairs(count, d)} at a phase never met.`)),
      rope: `Score ${fixed(all.score, 2)} at offset ${exact(offset)}`
        + (rope.boost > 1 ? `, with YaRN's factor ${fixed(rope.boost, 2)}. ` : ". ")
        + (met ? "Training has met this offset." : `Offset never met: ${pairs(all.newBetween, d)} at a new angle.`)
        + (ext && met ? " The frequencies have changed since." : ""),
      alibi: offset > 0 ? `Bias −∞: ${LATER}.`
        : `Distance ${distance}: weight times ${weight(SLOPES[0], distance)} in the steepest of 8 heads, `
          + `${weight(SLOPES[7], distance)} in the gentlest. ` + (met ? "Met in training." : "Never met: the curves go on."),
    };
  }

  const weight = (slope, distance) => {
    const value = Math.exp(-slope * distance);
    return value < 0.00005 ? "less than 0.0001" : fixed(value);
  };

  function matrixSentence({ A, column, pair, omega, d }) {
    return `Position ${A}, column ${column}: the ${wave(column)} of pair ${pair}, a clock that takes `
      + `${significant(2 * Math.PI / omega)} positions per turn and has made `
      + `${fixed(omega * A / (2 * Math.PI), 2)} turns by position ${A}. The cell holds ${fixed(sheet.table[A * d + column])}.`;
  }

  function rowsSentence({ A, B, d, offset, distance, product }) {
    if (offset === 0) return `A and B are both position ${A}: the hands coincide, and the dot product is the largest, ${d / 2}.`;
    return `B = ${B} stands ${distance} ${offset < 0 ? "before" : "after"} A = ${A}, and their dot product is `
      + `${fixed(product)} of at most ${d / 2}. Any two positions ${distance} apart have the same, so the curve keeps its `
      + "shape wherever A goes.";
  }

  function schemesSentence({ A, B, d, trained, distance, offset, newAtA, newAtB, newBetween }) {
    const opening = `Trained on positions 0 to ${trained - 1}. `;
    const close = offset > 0 ? ` Here ${LATER}.` : "";
    const past = [["A", A, newAtA], ["B", B, newAtB]].filter(([, at]) => at >= trained);
    if (!past.length) return `${opening}A and B lie within: all four schemes are on ground that training has met.${close}`;
    const phases = past.map(([name, , count]) => `${pairs(count, d)} at ${name}`).join(" and ");
    return `${opening}${past.map(([name]) => name).join(" and ")} ${past.length > 1 ? "lie" : "lies"} past them: the `
      + `learned table has no row there; the sinusoidal row exists, with a phase never met in ${phases}. `
      + `RoPE and ALiBi see only the offset, ${exact(offset)}: `
      + (distance < trained ? "training has met it."
        : `training has not met it; RoPE shows a new angle in ${pairs(newBetween, d)}, ALiBi goes on along its curves.`)
      + close;
  }

  /* The cell at a place in the matrix's box. */
  function cellAt(x, y, { width, height }) {
    const { T, d } = figure.state;
    return {
      A: limit(Math.floor(scale(TOP, height - BOTTOM, 0, T)(y)), 0, T - 1),
      column: limit(Math.floor(scale(LEFT, width - RIGHT, 0, d)(x)), 0, d - 1),
    };
  }

  const move = (key, step) => figure.set({ [key]: figure.state[key] + step });
  const positionAt = (x, width) => {
    const { T } = figure.state;
    return limit(Math.round(scale(LEFT, width - RIGHT, 0, T - 1)(x)), 0, T - 1);
  };

  /* Hovering shows a cell's numbers and changes nothing; pressing and keys choose. */
  function listenMatrix(matrix) {
    interactive.onDrag(matrix, (...place) => { hovered = null; figure.set(cellAt(...place)); }, (...place) => {
      hovered = place.length ? place : null;
      figure.redraw();
    });
    interactive.onKeys(matrix, (right, up) => {
      hovered = null;
      if (right) move("column", right); else move("A", -up);
    });
    for (const key of ["A", "B"]) {
      interactive.handle(handle(0, key), matrix, (x, y, size) => figure.set({ [key]: cellAt(x, y, size).A }),
        (right, up) => move(key, right - up));
    }
  }

  /* On an axis of positions A and B are handles, and a press takes the nearer one there. */
  function listenAxis(view, area, keys = ["A", "B"]) {
    const change = (key, x, { width }) => figure.set({ [key]: positionAt(x, width) + (key === "trained") });
    for (const key of keys) {
      interactive.handle(handle(view, key), area, (x, y, size) => change(key, x, size), (right, up) => move(key, right + up));
    }
    let held = null;
    area.addEventListener("pointerup", () => { held = null; });
    interactive.onDrag(area, (x, y, size) => {
      const far = (key) => Math.abs(figure.state[key] - positionAt(x, size.width));
      held = held || (far("B") < far("A") ? "B" : "A");
      change(held, x, size);
    });
  }

  /* A press on a clock chooses its pair and takes the nearer hand; turning the hand moves the position. */
  function listenClocks(clocks) {
    let held = null;
    const angleAt = (x, y, [cx, cy]) => Math.atan2(x - cx, cy - y);
    const turn = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
    const grab = (x, y) => {
      const { d, column, A, B } = figure.state;
      const { size, across, step, place } = clockGrid(d / 2);
      const pair = Math.floor(y / step) * across + limit(Math.floor(x / size), 0, across - 1);
      if (!(pair >= 0 && pair < d / 2)) return;
      const angle = angleAt(x, y, place(pair));
      const omega = sheet.omegas[pair];
      const away = (position) => Math.abs(turn(angle - omega * position));
      const key = away(B) < away(A) ? "B" : "A";
      held = { key, omega, centre: place(pair), angle, position: figure.state[key] };
      figure.set({ column: 2 * pair + column % 2 });
    };
    clocks.addEventListener("pointerup", () => { held = null; });
    interactive.onDrag(clocks, (x, y) => {
      if (!held) return grab(x, y);
      const angle = angleAt(x, y, held.centre);
      held.position = limit(held.position + turn(angle - held.angle) / held.omega, 0, figure.state.T - 1);
      held.angle = angle;
      figure.set({ [held.key]: Math.round(held.position) });
    });
    interactive.onKeys(clocks, (right, up) => (right ? move("column", 2 * right) : move("A", up)));
  }

  function listenPlane(area) {
    for (const name of ["q", "k"]) {
      const [kx, ky] = [`${name}x`, `${name}y`];
      interactive.handle(handle(2, name), area, (x, y, { width, height }) => {
        const unit = (height / 2 - 12) / 2;
        figure.set({ [kx]: Math.round((x - width / 2) / unit * 10), [ky]: Math.round((height / 2 - y) / unit * 10) });
      }, (right, up) => figure.set({ [kx]: figure.state[kx] + right, [ky]: figure.state[ky] + up }));
    }
  }

  const tabs = [...root.querySelectorAll("[data-view]")];
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => figure.set({ view: index }));
    interactive.onKeys(tab, (right) => {
      const next = limit(index + right, 0, 2);
      tabs[next].focus();
      figure.set({ view: next });
    });
  });

  listenMatrix(find(".matrix"));
  listenAxis(1, find("#explorer-view-1 .plot"));
  listenAxis(2, find(".schemes"), ["A", "B", "trained"]);
  listenClocks(find(".clocks"));
  listenPlane(find(".plane"));

  return {
    /* A and B keep their offset; past the last row they start again at the first. */
    walk({ T, A, B }) {
      const shift = Math.max(A, B) < T - 1 ? 1 : -Math.min(A, B);
      return { A: A + shift, B: B + shift };
    },
    render(state) {
      tabs.forEach((tab, index) => {
        interactive.assign(tab, { "aria-selected": state.view === index, tabindex: state.view === index ? 0 : -1 });
        find(`#explorer-view-${index}`).hidden = state.view !== index;
      });
      once("view", [state.view], figure.measure);
      const all = derive(state);
      const cell = hovered ? cellAt(...hovered) : state;
      interactive.write(outputs, shown(all, cell));
      [[() => drawMatrix(state, cell)], [drawStrips, drawClocks, drawSimilarity], [drawSchemes, drawPlane]][state.view]
        .forEach((part) => part(all));
    },
    sentences(state) {
      const all = derive(state);
      return { matrix: matrixSentence(all), rows: rowsSentence(all), schemes: schemesSentence(all) };
    },
  };
});
