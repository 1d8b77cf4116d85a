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
  const find = (selector) => root.querySelector(selector);
  const outputs = [...root.querySelectorAll("[data-out]")];
  const HEADS = 8;
  const SLOPES = maths.alibiSlopes(HEADS);
  const [QUERY, KEY] = [[1, 2], [2, 1]];
  const FADED = 60;  // opacity out of 255 of a cell whose phase training has not met
  const PALETTE = palette(["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"]);
  let hovered = null;
  let sheet = { key: "" };

  /* 256 colours from -1 to 1, between the given ones. */
  function palette(stops) {
    const colours = stops.map((stop) => [0, 2, 4].map((at) => parseInt(stop.slice(at, at + 2), 16)));
    return Array.from({ length: 256 }, (_, index) => {
      const at = index / 255 * (colours.length - 1);
      const low = Math.min(Math.floor(at), colours.length - 2);
      return colours[low].map((part, channel) => part + (at - low) * (colours[low + 1][channel] - part));
    });
  }

  /* Colours cells; `opacity(row, column)` is out of 255. */
  function paint(canvas, rows, columns, value, opacity = () => 255) {
    canvas.width = columns;
    canvas.height = rows;
    const image = new ImageData(columns, rows);
    for (let cell = 0; cell < rows * columns; cell++) {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const colour = PALETTE[Math.max(0, Math.min(255, Math.round((value(row, column) + 1) * 127.5)))];
      image.data.set(colour, 4 * cell);
      image.data[4 * cell + 3] = opacity(row, column);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  /* A number in -1 .. 1 that looks random and is the same at every visit. */
  function standIn(row, column) {
    let bits = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
    bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 31 - 1;
  }

  /* What depends on T, d, base and the trained length alone is computed and painted once for them. */
  function prepare({ T, d, base, trained }) {
    const key = [T, d, base, trained].join();
    if (sheet.key === key) return;
    const omegas = maths.frequencies(d, base);
    const table = maths.sinusoidalTable(T, omegas);
    const value = (row, column) => table[row * d + column];
    const closed = Array.from({ length: T }, (_, offset) => maths.similarity(offset, omegas));
    sheet = { key, omegas, table, closed, lowest: Math.min(0, ...closed) };
    paint(find(".matrix canvas"), T, d, value);
    paint(find(".computed canvas"), T, d, value,
      (row, column) => (row >= trained && maths.phaseIsNew(row, omegas[column >> 1], trained) ? FADED : 255));
    paint(find(".learned canvas"), T, d, standIn, (row) => (row < trained ? 255 : 0));
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
      product: maths.rowProduct(table, d, A, B), similarity: maths.similarity(offset, omegas), score: maths.dot(query, key),
      newAtA: newPhases(A, trained), newAtB: newPhases(B, trained), newBetween: newPhases(Math.abs(offset), trained),
    };
  }

  /* Two marked rows and the trained length over a painted table that fills the box from (left, 6) to the right margin. */
  const LEFT = 34, RIGHT = 22, TOP = 6, BOTTOM = 36;
  function tableShapes(svg, { T, d, A, B, trained }, showTrained) {
    const [width, height] = [svg.clientWidth, svg.parentElement.clientHeight];
    const y = scale(0, T, TOP, height - BOTTOM);
    const x = scale(0, d, LEFT, width - RIGHT);
    const shapes = [];
    const line = (name, at) => ["halo", name].map((style) =>
      ["line", { class: `row ${style}`, x1: LEFT, x2: width - RIGHT, y1: at, y2: at }]);
    if (showTrained && trained < T) shapes.push(...line("trained", y(trained)), ["text", { class: "tick end", x: LEFT - 4, y: y(trained) + 4 }, trained]);
    const close = Math.abs(y(A) - y(B)) < 13 && A !== B ? Math.sign(A - B) * (13 - Math.abs(y(A) - y(B))) / 2 : 0;
    for (const [name, at, nudge] of [["b", B, -close], ["a", A, close]]) {
      shapes.push(...line(name, y(at + 0.5)));
      shapes.push(["text", { class: `tag ${name}`, x: width - RIGHT + (A === B && name === "b" ? 13 : 4), y: y(at + 0.5) + 4 + nudge }, name.toUpperCase()]);
    }
    const free = (at) => !showTrained || trained >= T || Math.abs(y(at) - y(trained)) > 14;
    if (free(0)) shapes.push(["text", { class: "tick end", x: LEFT - 4, y: y(0) + 10 }, 0]);
    if (free(T)) shapes.push(["text", { class: "tick end", x: LEFT - 4, y: y(T) }, T - 1]);
    shapes.push(["text", { class: "tick", x: LEFT, y: height - BOTTOM + 14 }, "column 0"]);
    shapes.push(["text", { class: "tick end", x: width - RIGHT, y: height - BOTTOM + 14 }, d - 1]);
    return { shapes, x, y, width, height };
  }

  function drawMatrix(state) {
    const svg = find(".matrix svg");
    const { shapes, x, y, width, height } = tableShapes(svg, state, false);
    const cell = hovered || { A: state.A, column: state.column };
    const first = cell.column - cell.column % 2;
    shapes.push(["text", { class: "tick", x: LEFT, y: height - 8 }, "pair 0: fast"]);
    shapes.push(["text", { class: "tick end", x: width - RIGHT, y: height - 8 }, `slow: pair ${state.d / 2 - 1}`]);
    for (const style of ["halo", "light"]) {
      shapes.push(["rect", { class: `row ${style}`, x: x(first), width: x(2) - x(0), y: TOP, height: y(state.T) - TOP }]);
      shapes.push(["circle", { class: `row ${style}`, cx: x(cell.column + 0.5), cy: y(cell.A + 0.5), r: 6 }]);
    }
    draw(svg, width, height, shapes);
  }

  function drawStrips({ d, A, B }) {
    const value = (row) => (_, column) => sheet.table[row * d + column];
    paint(find("[data-strip=a]"), 1, d, value(A));
    paint(find("[data-strip=b]"), 1, d, value(B));
    paint(find("[data-strip=product]"), 1, d, (_, column) => value(A)(0, column) * value(B)(0, column));
  }

  /* Clock faces in rows of equal length; `place(pair)` is the middle of one. */
  function clockGrid(svg, pairs) {
    const rows = Math.ceil(pairs / Math.max(1, Math.floor(svg.clientWidth / 38)));
    const across = Math.ceil(pairs / rows);
    const size = Math.min(64, svg.clientWidth / across);
    const place = (pair) => [(pair % across + 0.5) * size, Math.floor(pair / across) * (size + 12) + size / 2];
    return { size, across, place, height: rows * (size + 12) };
  }

  function drawClocks({ d, A, B, pair: chosen }) {
    const svg = find(".clocks");
    const { size, place, height } = clockGrid(svg, d / 2);
    const radius = size / 2 - 4;
    const shapes = [];
    sheet.omegas.forEach((omega, pair) => {
      const [x, y] = place(pair);
      const hand = (name, position, reach) => {
        const [sine, cosine] = [Math.sin(omega * position), Math.cos(omega * position)];
        return ["line", { class: `hand ${name}`, x1: x, y1: y, x2: (x + reach * sine).toFixed(1), y2: (y - reach * cosine).toFixed(1) }];
      };
      shapes.push(["circle", { class: pair === chosen ? "ring chosen" : "ring", cx: x, cy: y, r: radius }]);
      shapes.push(hand("a", A, radius), hand("b", B, radius));
      shapes.push(["text", { class: "tick middle", x, y: y + size / 2 + 8 }, String(pair)]);
    });
    draw(svg, svg.clientWidth, height, shapes);
  }

  function drawSimilarity({ T, d, A, offset, product }) {
    const svg = find(".similarity");
    const [width, height] = [svg.clientWidth, 210];
    const x = scale(1 - T, T - 1, LEFT, width - 12);
    const y = scale(sheet.lowest, d / 2, height - 26, 22);
    const reach = Array.from({ length: 2 * T - 1 }, (_, index) => index - T + 1);
    const rows = Array.from({ length: T }, (_, row) => [x(row - A), y(maths.rowProduct(sheet.table, d, A, row))]);
    const ticks = [0, d / 2].map((value) => ["text", { class: "tick end", x: LEFT - 6, y: y(value) + 4 }, String(value)]);
    const marks = [1 - T, 0, T - 1].map((mark) =>
      ["text", { class: `tick ${mark ? (mark < 0 ? "" : "end") : "middle"}`, x: x(mark), y: height - 6 }, maths.exact(mark)]);
    const edge = ([at, level], text) => [
      ["line", { class: "mark same", x1: at, x2: at, y1: level - 8, y2: level + 8 }],
      ["text", { class: "tick middle", x: Math.max(LEFT + 20, Math.min(width - 32, at)), y: level - 14 }, text],
    ];
    draw(svg, width, height, [
      ["line", { class: "grid", x1: LEFT, x2: width - 12, y1: y(0), y2: y(0) }],
      ["line", { class: "grid", x1: x(0), x2: x(0), y1: 22, y2: height - 22 }],
      ...ticks,
      ...marks,
      ["path", { class: "closed", d: path(reach.map((at) => [x(at), y(sheet.closed[Math.abs(at)])])) }],
      ["path", { class: "curve same", d: path(rows) }],
      ...edge(rows[0], "row 0"),
      ...edge(rows[T - 1], `row ${T - 1}`),
      ["line", { class: "mark b", x1: x(offset), x2: x(offset), y1: height - 22, y2: y(product) }],
      ["circle", { class: "tip a", cx: x(0), cy: y(d / 2), r: 5 }],
      ["text", { class: "tag a middle", x: x(0), y: 12 }, "A"],
      ["rect", { class: "tip b", x: x(offset) - 5, y: y(product) - 5, width: 10, height: 10 }],
      ["text", { class: "tag b", x: x(offset) + 8, y: y(product) - 6 }, offset ? "B" : ""],
    ]);
  }

  function drawTables(state) {
    for (const name of [".learned svg", ".computed svg"]) {
      const svg = find(name);
      const { shapes, width, height } = tableShapes(svg, state, true);
      draw(svg, width, height, shapes);
    }
  }

  function drawRope({ query, key }) {
    const svg = find(".rope");
    const [width, height] = [svg.clientWidth, 190];
    const unit = (height / 2 - 10) / Math.hypot(...QUERY);
    const arrow = ([x, y], style, name) => {
      const end = [width / 2 + unit * x, height / 2 - unit * y];
      return [
        ["line", { class: `hand ${style}`, x1: width / 2, y1: height / 2, x2: end[0], y2: end[1] }],
        ["circle", { class: `tip ${style}`, cx: end[0], cy: end[1], r: name ? 5 : 3 }],
        ["text", { class: `tag ${style}`, x: end[0] + (x < 0 ? -14 : 8), y: end[1] + 4 }, name],
      ];
    };
    draw(svg, width, height, [
      ["circle", { class: "ring", cx: width / 2, cy: height / 2, r: unit * Math.hypot(...QUERY) }],
      ["line", { class: "grid", x1: width / 2 - 90, x2: width / 2 + 90, y1: height / 2, y2: height / 2 }],
      ["line", { class: "grid", x1: width / 2, x2: width / 2, y1: 4, y2: height - 4 }],
      ...arrow(QUERY, "a faint", ""), ...arrow(KEY, "b faint", ""), ...arrow(query, "a", "q"), ...arrow(key, "b", "k"),
    ]);
  }

  function drawAlibi({ T, distance, trained }) {
    const svg = find(".alibi");
    const [width, height] = [svg.clientWidth, 190];
    const x = scale(0, T - 1, LEFT, width - 12);
    const y = scale(0, (1 - T) * SLOPES[0], 20, height - 26);
    const seen = Math.min(trained, T - 1);
    draw(svg, width, height, [
      ["rect", { class: "unseen", x: x(seen), width: width - 12 - x(seen), y: 20, height: height - 46 }],
      ["text", { class: "tick end", x: width - 16, y: height - 34 }, width - x(seen) > 130 ? "never met" : ""],
      ["line", { class: "grid", x1: LEFT, x2: width - 12, y1: 20, y2: 20 }],
      ["text", { class: "tick end", x: LEFT - 4, y: 24 }, "0"],
      ["text", { class: "tick end", x: LEFT - 4, y: height - 24 }, maths.exact((1 - T) * SLOPES[0])],
      ["text", { class: "tick", x: LEFT, y: height - 6 }, "distance 0"],
      ["text", { class: "tick end", x: width - 12, y: height - 6 }, String(T - 1)],
      ...SLOPES.map((slope) => ["path", { class: "curve same", d: path([[x(0), y(0)], [x(T - 1), y((1 - T) * slope)]]) }]),
      ["line", { class: "mark both", x1: x(distance), x2: x(distance), y1: 14, y2: height - 24 }],
      ...SLOPES.map((slope) => ["circle", { class: "tip both", cx: x(distance), cy: y(-slope * distance), r: 3.5 }]),
      ["text", { class: "tag middle", x: Math.max(LEFT + 36, Math.min(width - 50, x(distance))), y: 11 }, `|A \u2212 B| = ${distance}`],
    ]);
  }

  const listed = (texts) => (texts[0] === texts[1] ? texts.slice(1) : texts).join(" ");
  const pairs = (count, d) => `${count} of ${d / 2} pairs`;

  function shown(all) {
    const { d, A, B, offset, pair, omega, trained, distance } = all;
    const cell = hovered || { A, column: all.column };
    const cellPair = cell.column >> 1;
    const row = (name, at) => (at < trained ? `${name}: row ${at} is added.` : `${name}: there is no row ${at}; the lookup fails.`);
    const phases = (name, at, count) =>
      at < trained ? `${name}: met in training.` : `${name}: defined, with ${pairs(count, d)} at a phase never met.`;
    return {
      position: cell.A, column: `${cell.column}, a ${cell.column % 2 ? "cosine" : "sine"}`, pair: cellPair,
      omega: maths.significant(sheet.omegas[cellPair]), period: maths.significant(2 * Math.PI / sheet.omegas[cellPair]),
      value: maths.fixed(sheet.table[cell.A * d + cell.column]),
      offset: maths.exact(offset), product: maths.fixed(all.product), similarity: maths.fixed(all.similarity), largest: d / 2,
      turned: pair,
      learned: listed([row("A", A), row("B", B)]),
      sinusoidal: listed([phases("A", A, all.newAtA), phases("B", B, all.newAtB)]),
      rope: `Turned by ${maths.fixed(omega * A)} and ${maths.fixed(omega * B)} rad; they differ by ${maths.fixed(omega * offset)} rad `
        + `and score ${maths.fixed(all.score)}. ${distance < trained ? "Training has met this offset."
          : `Training has not met this offset: ${pairs(all.newBetween, d)} differ by a new angle.`}`,
      alibi: `${maths.exact(-SLOPES[0] * distance)} in the steepest of ${HEADS} heads, ${maths.exact(-SLOPES[HEADS - 1] * distance)} in the gentlest. `
        + (distance < trained ? "Training has met this distance." : "Training has not met this distance; the line goes on."),
    };
  }

  function matrixSentence({ A, column, pair, omega, d }) {
    const turns = omega * A / (2 * Math.PI);
    return `Position ${A}, column ${column}: the ${column % 2 ? "cosine" : "sine"} of pair ${pair}, a clock that takes `
      + `${maths.significant(2 * Math.PI / omega)} positions for a turn and has made ${maths.fixed(turns, 2)} turns by position ${A}. `
      + `The cell holds ${maths.fixed(sheet.table[A * d + column])}.`;
  }

  function rowsSentence({ A, B, d, offset, product }) {
    if (offset === 0) return `A and B are the same position, ${A}: the hands cover each other and the dot product is the largest there is, ${d / 2}.`;
    return `B = ${B} stands ${Math.abs(offset)} ${offset < 0 ? "before" : "after"} A = ${A}: their dot product is ${maths.fixed(product)} of at most ${d / 2}. `
      + `Any two positions ${Math.abs(offset)} apart have the same, so the grey curve keeps its shape wherever A goes.`;
  }

  function schemesSentence({ A, B, d, trained, distance, offset, newAtA, newAtB, newBetween }) {
    const past = [["A", A, newAtA], ["B", B, newAtB]].filter(([, at]) => at >= trained);
    const opening = `Trained on positions 0 to ${trained - 1}. `;
    if (past.length === 0) return `${opening}A and B lie within: all four schemes are on ground that training has met.`;
    const names = past.map(([name]) => name).join(" and ");
    const phases = past.map(([name, , count]) => `${pairs(count, d)} at ${name}`).join(" and ");
    return `${opening}${names} ${past.length > 1 ? "lie" : "lies"} past them: the learned table has no row there; the sinusoidal row `
      + `exists, with a phase never met in ${phases}. RoPE and ALiBi see only the offset, ${maths.exact(offset)}: `
      + (distance < trained ? "training has met it."
        : `training has not met it; RoPE shows a new angle in ${pairs(newBetween, d)}, ALiBi goes on down its line.`);
  }

  /* The cell at a place in the matrix's box; figure.set keeps to the bounds. */
  function cellAt(x, y, { width, height }) {
    const { T, d } = figure.state;
    const within = (value, count) => Math.max(0, Math.min(count - 1, Math.floor(value)));
    return {
      A: within(scale(TOP, height - BOTTOM, 0, T)(y), T),
      column: within(scale(LEFT, width - RIGHT, 0, d)(x), d),
    };
  }

  function hover(cell) {
    hovered = cell;
    figure.redraw();
  }

  const STEPS = {
    ArrowUp: ["A", -1], ArrowDown: ["A", 1], ArrowLeft: ["column", -1], ArrowRight: ["column", 1],
    PageUp: ["A", -10], PageDown: ["A", 10], Home: ["column", -Infinity], End: ["column", Infinity],
  };

  function listenMatrix(matrix) {
    interactive.onDrag(matrix, (x, y, box) => { hovered = null; figure.set(cellAt(x, y, box)); });
    matrix.addEventListener("pointermove", (event) => {
      const box = matrix.getBoundingClientRect();
      if (!event.buttons) hover(cellAt(event.clientX - box.left, event.clientY - box.top, box));
    });
    matrix.addEventListener("pointerleave", () => hover(null));
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
    render(state) {
      const all = derive(state);
      const texts = shown(all);
      for (const output of outputs) output.textContent = texts[output.dataset.out];
      drawMatrix(state);
      drawStrips(state);
      drawClocks(all);
      drawSimilarity(all);
      drawTables(state);
      drawRope(all);
      drawAlibi(all);
    },
    sentences(state) {
      const all = derive(state);
      return { matrix: matrixSentence(all), rows: rowsSentence(all), schemes: schemesSentence(all) };
    },
  };
});
