/* The encoding explorer: the matrix as a heatmap, two of its rows compared, and four schemes on the same two positions.
   The three views share one state: the matrix (T, d, base), positions A and B, a column, and the trained length. */
"use strict";
interactive.figure("explorer", {
  T: { min: 8, max: 256, start: 128 },
  d: { min: 8, max: 128, step: 2, start: 32 },
  base: { min: 100, max: 1000000, start: 10000, log: true },
  A: { min: 0, max: ({ T }) => T - 1, start: 80 },
  B: { min: 0, max: ({ T }) => T - 1, start: 73 },
  column: { min: 0, max: ({ d }) => d - 1, start: 12 },
  trained: { min: 2, max: 256, start: 64 },
}, (root, figure) => {
  const { maths, draw, scale, path } = interactive;
  const { line, text, circle, box, curve } = interactive.shapes;
  const { fixed, significant, exact } = maths;
  const find = (selector) => root.querySelector(selector);
  const outputs = [...root.querySelectorAll("[data-out]")];
  const HEADS = 8;
  const SLOPES = maths.alibiSlopes(HEADS);
  const [QUERY, KEY] = [[1, 2], [2, 1]];
  const FADED = 60;  // opacity out of 255 of a cell whose phase training has not met
  const PALETTE = palette(["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"]);
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
      sheet = { omegas, table: maths.sinusoidalTable(T, omegas), closed, lowest: Math.min(0, ...closed) };
    });
  }

  const newPhases = (position, trained) =>
    position < trained ? 0 : sheet.omegas.filter((omega) => maths.phaseIsNew(position, omega, trained)).length;

  function derive(state) {
    prepare(state);
    const { d, A, B, column, trained } = state;
    const { omegas, table } = sheet;
    const offset = B - A;
    const omega = omegas[column >> 1];
    const [query, key] = [maths.rotate(QUERY, A * omega), maths.rotate(KEY, B * omega)];
    return {
      ...state, offset, omega, query, key, pair: column >> 1, distance: Math.abs(offset),
      product: maths.rowProduct(table, d, A, B), similarity: maths.similarity(offset, omegas),
      score: maths.dot(query, key),
      newAtA: newPhases(A, trained), newAtB: newPhases(B, trained), newBetween: newPhases(Math.abs(offset), trained),
    };
  }

  /* Positions A and B, and the trained length if `limit` is one, over a table painted within these margins. */
  const LEFT = 34, RIGHT = 22, TOP = 6, BOTTOM = 36;
  function tableShapes(svg, { T, d, A, B }, limit = T) {
    const { width, height } = figure.sizeOf(svg.parentElement);
    const y = scale(0, T, TOP, height - BOTTOM);
    const x = scale(0, d, LEFT, width - RIGHT);
    const rule = (name, at) => ["halo", name].map((style) => line(`row ${style}`, LEFT, at, width - RIGHT, at));
    const apart = Math.abs(y(A) - y(B));
    const nudge = A !== B && apart < 13 ? Math.sign(A - B) * (13 - apart) / 2 : 0;
    const number = (at, level) =>
      (limit < T && Math.abs(y(at) - y(limit)) < 14 ? [] : [text("tick end", LEFT - 4, level, Math.min(at, T - 1))]);
    const shapes = [
      ...rule("b", y(B + 0.5)), ...rule("a", y(A + 0.5)),
      text("tag b", width - RIGHT + (A === B ? 13 : 4), y(B + 0.5) + 4 - nudge, "B"),
      text("tag a", width - RIGHT + 4, y(A + 0.5) + 4 + nudge, "A"),
      ...number(0, TOP + 10), ...number(T, height - BOTTOM),
      text("tick", LEFT, height - BOTTOM + 14, "column 0"),
      text("tick end", width - RIGHT, height - BOTTOM + 14, d - 1),
    ];
    if (limit < T) shapes.push(...rule("trained", y(limit)), text("tick end", LEFT - 4, y(limit) + 4, limit));
    return { shapes, x, y, width, height };
  }

  function drawMatrix(state, cell) {
    const { T, d, base } = state;
    once("matrix", [T, d, base], () =>
      paint(find(".matrix canvas"), T, d, (row, column) => sheet.table[row * d + column]));
    const svg = find(".matrix svg");
    const { shapes, x, y, width, height } = tableShapes(svg, state);
    const first = cell.column - cell.column % 2;
    draw(svg, width, height, [
      ...shapes,
      text("tick", LEFT, height - 8, "pair 0: fast"),
      text("tick end", width - RIGHT, height - 8, `slow: pair ${d / 2 - 1}`),
      ...["halo", "light"].flatMap((style) => [
        box(`row ${style}`, x(first), TOP, x(2) - x(0), y(T) - TOP),
        circle(`row ${style}`, x(cell.column + 0.5), y(cell.A + 0.5), 6),
      ]),
    ]);
  }

  function drawTables(state) {
    const { T, d, base, trained } = state;
    once("learned", [T, d, trained], () =>
      paint(find(".learned canvas"), T, d, (row, column) => STAND_INS[row * 128 + column],
        (row) => (row < trained ? 255 : 0)));
    once("computed", [T, d, base, trained], () => paint(find(".computed canvas"), T, d,
      (row, column) => sheet.table[row * d + column],
      (row, column) => (row >= trained && maths.phaseIsNew(row, sheet.omegas[column >> 1], trained) ? FADED : 255)));
    for (const name of [".learned svg", ".computed svg"]) {
      const { shapes, width, height } = tableShapes(find(name), state, trained);
      draw(find(name), width, height, shapes);
    }
  }

  function drawStrips({ d, A, B }) {
    const strip = (name, value) => paint(find(`[data-strip=${name}]`), 1, d, (_, column) => value(column));
    const entry = (row) => (column) => sheet.table[row * d + column];
    strip("a", entry(A));
    strip("b", entry(B));
    strip("product", (column) => entry(A)(column) * entry(B)(column));
  }

  /* Clock faces in rows of equal length; `place(pair)` is the middle of one. */
  function clockGrid(svg, pairs) {
    const { width } = figure.sizeOf(svg);
    const rows = Math.ceil(pairs / Math.max(1, Math.floor(width / 38)));
    const across = Math.ceil(pairs / rows);
    const size = Math.min(64, width / across);
    const place = (pair) => [(pair % across + 0.5) * size, Math.floor(pair / across) * (size + 12) + size / 2];
    return { size, across, place, width, height: rows * (size + 12) };
  }

  /* All rings are one path and so are all hands of a position: few elements move, whatever the width. */
  function drawClocks({ d, A, B, pair: chosen }) {
    const svg = find(".clocks");
    const { size, place, width, height } = clockGrid(svg, d / 2);
    const r = size / 2 - 4;
    const places = Array.from(sheet.omegas, (_, pair) => place(pair));
    const onEvery = (name, shape) => ["path", { class: name, d: places.map(shape).join("") }];
    const hands = (name, position) => onEvery(`hand ${name}`, ([x, y], pair) => {
      const phase = sheet.omegas[pair] * position;
      return path([[x, y], [x + r * Math.sin(phase), y - r * Math.cos(phase)]]);
    });
    draw(svg, width, height, [
      onEvery("ring", ([x, y]) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`),
      circle("ring chosen", ...places[chosen], r),
      hands("a", A),
      hands("b", B),
      ...places.map(([x, y], pair) => text("tick middle", x, y + size / 2 + 8, pair)),
    ]);
  }

  function drawSimilarity({ T, d, A, offset, product }) {
    const svg = find(".similarity");
    const [{ width }, height] = [figure.sizeOf(svg), 210];
    const x = scale(1 - T, T - 1, LEFT, width - 12);
    const y = scale(sheet.lowest, d / 2, height - 26, 22);
    const offsets = Array.from({ length: 2 * T - 1 }, (_, index) => index - T + 1);
    const rows = Array.from({ length: T }, (_, row) => [x(row - A), y(maths.rowProduct(sheet.table, d, A, row))]);
    const end = (row) => [
      line("mark same", rows[row][0], rows[row][1] - 8, rows[row][0], rows[row][1] + 8),
      text("tick middle", Math.max(LEFT + 20, Math.min(width - 32, rows[row][0])), rows[row][1] - 14, `row ${row}`),
    ];
    draw(svg, width, height, [
      line("grid", LEFT, y(0), width - 12, y(0)),
      line("grid", x(0), 22, x(0), height - 22),
      text("tick end", LEFT - 6, y(0) + 4, 0),
      text("tick end", LEFT - 6, y(d / 2) + 4, d / 2),
      text("tick", x(1 - T), height - 6, exact(1 - T)),
      text("tick middle", x(0), height - 6, 0),
      text("tick end", x(T - 1), height - 6, T - 1),
      curve("closed", offsets.map((at) => [x(at), y(sheet.closed[Math.abs(at)])])),
      curve("curve same", rows),
      ...end(0), ...end(T - 1),
      line("mark b", x(offset), height - 22, x(offset), y(product)),
      circle("tip a", x(0), y(d / 2), 5),
      text("tag a middle", x(0), 12, "A"),
      box("tip b", x(offset) - 5, y(product) - 5, 10, 10),
      text("tag b", x(offset) + 8, y(product) - 6, offset ? "B" : ""),
    ]);
  }

  function drawRope({ query, key }) {
    const svg = find(".rope");
    const [{ width }, height] = [figure.sizeOf(svg), 190];
    const [cx, cy] = [width / 2, height / 2];
    const reach = cy - 10;
    const unit = reach / Math.hypot(...QUERY);
    const arrow = ([x, y], style, name, r = 5) => [
      line(`hand ${style}`, cx, cy, cx + unit * x, cy - unit * y),
      circle(`tip ${style}`, cx + unit * x, cy - unit * y, r),
      text(`tag ${style} ${x < 0 ? "end" : ""}`, cx + unit * x + (x < 0 ? -8 : 8), cy - unit * y + 4, name),
    ];
    draw(svg, width, height, [
      circle("ring", cx, cy, reach),
      line("grid", cx - reach, cy, cx + reach, cy),
      line("grid", cx, cy - reach, cx, cy + reach),
      ...arrow(QUERY, "a faint", "", 3), ...arrow(KEY, "b faint", "", 3),
      ...arrow(query, "a", "query"), ...arrow(key, "b", "key"),
    ]);
  }

  function drawAlibi({ T, distance, trained }) {
    const svg = find(".alibi");
    const [{ width }, height] = [figure.sizeOf(svg), 190];
    const x = scale(0, T - 1, LEFT, width - 12);
    const y = scale(0, (1 - T) * SLOPES[0], 20, height - 26);
    const seen = x(Math.min(trained, T - 1));
    draw(svg, width, height, [
      box("unseen", seen, 20, width - 12 - seen, height - 46),
      text("tick", seen + 6, height - 34, width - seen > 110 ? "never met" : ""),
      line("grid", LEFT, 20, width - 12, 20),
      text("tick end", LEFT - 4, 24, 0),
      text("tick end", LEFT - 4, height - 24, exact((1 - T) * SLOPES[0])),
      text("tick", LEFT, height - 6, "distance 0"),
      text("tick end", width - 12, height - 6, T - 1),
      ...SLOPES.map((slope) => curve("curve same", [[x(0), y(0)], [x(T - 1), y((1 - T) * slope)]])),
      line("mark both", x(distance), 14, x(distance), height - 24),
      ...SLOPES.map((slope) => circle("tip both", x(distance), y(-slope * distance), 3.5)),
      text("tag middle", Math.max(LEFT + 36, Math.min(width - 50, x(distance))), 11, `|A \u2212 B| = ${distance}`),
    ]);
  }

  const pairs = (count, d) => `${count} of ${d / 2} pairs`;
  const wave = (column) => (column % 2 ? "cosine" : "sine");

  function shown(all, cell) {
    const { d, A, B, offset, pair, omega, trained, distance } = all;
    const cellOmega = sheet.omegas[cell.column >> 1];
    const both = (say) => [...new Set([say("A", A, all.newAtA), say("B", B, all.newAtB)])].join(" ");
    const met = distance < trained;
    return {
      position: cell.A, column: `${cell.column}, a ${wave(cell.column)}`, pair: cell.column >> 1,
      omega: significant(cellOmega), period: significant(2 * Math.PI / cellOmega),
      value: fixed(sheet.table[cell.A * d + cell.column]),
      offset: exact(offset), product: fixed(all.product), similarity: fixed(all.similarity), largest: d / 2,
      turned: pair,
      learned: both((name, at) =>
        `${name}: ${at < trained ? `row ${at} is added.` : `no row ${at}; the lookup fails.`}`),
      sinusoidal: both((name, at, count) =>
        `${name}: row ${at} is added, `
        + (at < trained ? "met in training." : `${pairs(count, d)} at a phase never met.`)),
      rope: `Turned by ${fixed(omega * A)} and ${fixed(omega * B)} rad, ${fixed(omega * offset)} rad apart; `
        + `score ${fixed(all.score)}. `
        + (met ? "Training has met this offset." : `Offset never met: ${pairs(all.newBetween, d)} at a new angle.`),
      alibi: `${exact(-SLOPES[0] * distance)} in the steepest of ${HEADS} heads, `
        + `${exact(-SLOPES[HEADS - 1] * distance)} in the gentlest. `
        + (met ? "Training has met this distance." : "Distance never met: the lines go on."),
    };
  }

  function matrixSentence({ A, column, pair, omega, d }) {
    return `Position ${A}, column ${column}: the ${wave(column)} of pair ${pair}, a clock that takes `
      + `${significant(2 * Math.PI / omega)} positions for a turn and has made `
      + `${fixed(omega * A / (2 * Math.PI), 2)} turns by position ${A}. The cell holds ${fixed(sheet.table[A * d + column])}.`;
  }

  function rowsSentence({ A, B, d, offset, distance, product }) {
    if (offset === 0) return `A and B are both position ${A}: the hands coincide, and the dot product is the largest, ${d / 2}.`;
    return `B = ${B} stands ${distance} ${offset < 0 ? "before" : "after"} A = ${A}: their dot product is `
      + `${fixed(product)} of at most ${d / 2}. Any two positions ${distance} apart have the same, so the grey curve keeps `
      + "its shape wherever A goes.";
  }

  function schemesSentence({ A, B, d, trained, distance, offset, newAtA, newAtB, newBetween }) {
    const past = [["A", A, newAtA], ["B", B, newAtB]].filter(([, at]) => at >= trained);
    const opening = `Trained on positions 0 to ${trained - 1}. `;
    if (!past.length) return `${opening}A and B lie within: all four schemes are on ground that training has met.`;
    const phases = past.map(([name, , count]) => `${pairs(count, d)} at ${name}`).join(" and ");
    return `${opening}${past.map(([name]) => name).join(" and ")} ${past.length > 1 ? "lie" : "lies"} past them: the `
      + `learned table has no row there; the sinusoidal row exists, with a phase never met in ${phases}. `
      + `RoPE and ALiBi see only the offset, ${exact(offset)}: `
      + (distance < trained ? "training has met it."
        : `training has not met it; RoPE shows a new angle in ${pairs(newBetween, d)}, ALiBi goes on down its line.`);
  }

  /* The cell at a place in the matrix's box. */
  function cellAt(x, y, { width, height }) {
    const { T, d } = figure.state;
    const within = (value, count) => Math.max(0, Math.min(count - 1, Math.floor(value)));
    return {
      A: within(scale(TOP, height - BOTTOM, 0, T)(y), T),
      column: within(scale(LEFT, width - RIGHT, 0, d)(x), d),
    };
  }

  const STEPS = {
    ArrowUp: ["A", -1], ArrowDown: ["A", 1], ArrowLeft: ["column", -1], ArrowRight: ["column", 1],
    PageUp: ["A", -10], PageDown: ["A", 10], Home: ["column", -Infinity], End: ["column", Infinity],
  };

  /* Hovering shows a cell's numbers and changes nothing; pressing and keys choose. */
  function listenMatrix(matrix) {
    interactive.onDrag(matrix, (...place) => { hovered = null; figure.set(cellAt(...place)); }, (...place) => {
      hovered = place.length ? place : null;
      figure.redraw();
    });
    matrix.addEventListener("keydown", (event) => {
      if (!(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      hovered = null;
      const [key, step] = STEPS[event.key];
      figure.set({ [key]: figure.state[key] + step });
    });
  }

  listenMatrix(find(".matrix"));
  interactive.onDrag(find(".similarity"), (x, y, { width }) => {
    const { T, A } = figure.state;
    figure.set({ B: A + Math.round(scale(LEFT, width - 12, 1 - T, T - 1)(x)) });
  });
  interactive.onDrag(find(".clocks"), (x, y) => {
    const { d, column } = figure.state;
    const { size, across } = clockGrid(find(".clocks"), d / 2);
    const pair = Math.floor(y / (size + 12)) * across + Math.min(across - 1, Math.max(0, Math.floor(x / size)));
    if (pair >= 0 && pair < d / 2) figure.set({ column: 2 * pair + column % 2 });
  });

  return {
    /* A and B keep their offset; past the last row they start again at the first. */
    walk({ T, A, B }) {
      const shift = Math.max(A, B) < T - 1 ? 1 : -Math.min(A, B);
      return { A: A + shift, B: B + shift };
    },
    render(state) {
      const all = derive(state);
      const cell = hovered ? cellAt(...hovered) : state;
      interactive.write(outputs, shown(all, cell));
      if (figure.onScreen(find(".matrix"))) drawMatrix(state, cell);
      if (figure.onScreen(find(".clocks"))) [drawStrips, drawClocks, drawSimilarity].forEach((part) => part(all));
      if (figure.onScreen(find(".rope"))) [drawTables, drawRope, drawAlibi].forEach((part) => part(all));
    },
    sentences(state) {
      const all = derive(state);
      return { matrix: matrixSentence(all), rows: rowsSentence(all), schemes: schemesSentence(all) };
    },
  };
});
