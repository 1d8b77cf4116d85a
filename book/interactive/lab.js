/* The position lab: one pair k of a code of width 64, its wave over 50 tokens, and two positions as phasors whose angle,
   and with it their dot product, depends on the offset between them alone. */
"use strict";
interactive.figure("lab", {
  k: { min: 0, max: 31, start: 4 },
  delta: { min: -49, max: 49, start: 5 },
  p: { min: 0, max: 49, start: 10 },
}, (root, figure) => {
  const { maths, draw, scale, path } = interactive;
  const [DIM, BASE, TOKENS] = [64, 10000, 50];
  const wave = root.querySelector(".wave");
  const phasors = root.querySelector(".phasors");
  const identity = root.querySelector(".identity");
  const outputs = [...root.querySelectorAll("[data-out]")];

  function derive({ k, delta, p }) {
    const omega = maths.frequency(k, DIM, BASE);
    const phasor = (position) => [Math.cos(omega * position), Math.sin(omega * position)];
    const [first, second] = [phasor(p), phasor(p + delta)];
    return { k, delta, p, omega, first, second, angle: omega * delta, product: maths.dot(first, second) };
  }

  function shown({ omega, first, second, angle, product }) {
    return {
      omega: maths.significant(omega),
      period: maths.significant(2 * Math.PI / omega),
      turns: maths.fixed(TOKENS * omega / (2 * Math.PI)),
      cosp: maths.fixed(first[0]), sinp: maths.fixed(first[1]),
      cosq: maths.fixed(second[0]), sinq: maths.fixed(second[1]),
      angle: maths.fixed(angle), degrees: maths.fixed(angle * 180 / Math.PI, 2),
      product: maths.fixed(product), cosine: maths.fixed(Math.cos(angle)),
    };
  }

  /* Axes at -1, 0 and 1 with marks along the bottom; `x` and `y` are scales. */
  function axes(x, y, marks, left, right) {
    const lines = [-1, 0, 1].flatMap((value) => [
      ["line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }],
      ["text", { class: "tick end", x: left - 6, y: y(value) + 4 }, maths.exact(value)],
    ]);
    return lines.concat(marks.map((mark) =>
      ["text", { class: "tick middle", x: x(mark), y: y(-1) + 20 }, maths.exact(mark)]));
  }

  function curve(from, to, step, f) {
    const points = [];
    for (let at = from; at <= to + 1e-9; at += step) points.push([at, f(at)]);
    return points;
  }
  const placed = (points, x, y) => points.map(([at, value]) => [x(at), y(value)]);

  function drawWave({ omega, p, delta }) {
    const [width, height] = [wave.clientWidth, 170];
    const x = scale(0, TOKENS - 1, 34, width - 12);
    const y = scale(-1, 1, height - 34, 24);
    const shapes = axes(x, y, [0, 10, 20, 30, 40, 49], 34, width - 12);
    for (const [at, name, letter] of [[p, "a", "p"], [p + delta, "b", "p + \u0394"]]) {
      if (at < 0 || at >= TOKENS) continue;
      shapes.push(["line", { class: `mark ${name}`, x1: x(at), x2: x(at), y1: 18, y2: y(-1) + 6 }]);
      shapes.push(["text", { class: `tag ${name} middle`, x: x(at), y: 13 }, delta === 0 && name === "b" ? "" : letter]);
    }
    for (const [name, f] of [["sine", Math.sin], ["cosine", Math.cos]]) {
      shapes.push(["path", { class: `curve ${name}`, d: path(placed(curve(0, TOKENS - 1, 0.125, (at) => f(omega * at)), x, y)) }]);
      for (let token = 0; token < TOKENS; token++) {
        const chosen = token === p ? " a" : token === p + delta ? " b" : "";
        shapes.push(["circle", { class: `dot ${name}${chosen}`, cx: x(token), cy: y(f(omega * token)), r: chosen ? 4.5 : 2.2 }]);
      }
    }
    draw(wave, width, height, shapes);
  }

  /* The arc from one phasor to the other; whole turns of the angle are drawn as widening rounds. */
  function arc(start, angle, radius, centre) {
    const steps = Math.max(2, Math.ceil(Math.abs(angle) * 12));
    return Array.from({ length: steps + 1 }, (_, step) => {
      const turned = angle * step / steps;
      const r = radius * (0.34 + 0.03 * Math.abs(turned) / Math.PI);
      return [centre[0] + r * Math.cos(start + turned), centre[1] - r * Math.sin(start + turned)];
    });
  }

  function drawPhasors({ omega, p, angle, first, second }) {
    const [width, height] = [phasors.clientWidth, 250];
    const radius = Math.min(width / 2 - 30, 98);
    const centre = [width / 2, height / 2];
    const tip = ([cos, sin], r = radius) => ({ x: centre[0] + r * cos, y: centre[1] - r * sin });
    const hand = (vector, name) => {
      const end = tip(vector);
      return [
        ["line", { class: `hand ${name}`, x1: centre[0], y1: centre[1], x2: end.x, y2: end.y }],
        [name === "a" ? "circle" : "rect", name === "a" ? { class: "tip a", cx: end.x, cy: end.y, r: 6 }
          : { class: "tip b", x: end.x - 5, y: end.y - 5, width: 10, height: 10 }],
      ];
    };
    draw(phasors, width, height, [
      ["circle", { class: "ring", cx: centre[0], cy: centre[1], r: radius }],
      ["line", { class: "grid", x1: centre[0] - radius - 10, x2: centre[0] + radius + 10, y1: centre[1], y2: centre[1] }],
      ["line", { class: "grid", x1: centre[0], x2: centre[0], y1: centre[1] - radius - 10, y2: centre[1] + radius + 10 }],
      ["text", { class: "tick end", x: centre[0] + radius + 28, y: centre[1] - 6 }, "cos"],
      ["text", { class: "tick", x: centre[0] + 5, y: centre[1] - radius - 8 }, "sin"],
      ["path", { class: "arc", d: path(arc(omega * p, angle, radius, centre)) }],
      ...hand(first, "a"),
      ...hand(second, "b"),
    ]);
  }

  function drawIdentity({ omega, delta, angle }) {
    const [width, height] = [identity.clientWidth, 250];
    const x = scale(-49, 49, 34, width - 12);
    const y = scale(-1, 1, height - 40, 20);
    const value = Math.cos(angle);
    draw(identity, width, height, [
      ...axes(x, y, [-49, -25, 0, 25, 49], 34, width - 12),
      ["path", { class: "curve same", d: path(placed(curve(-49, 49, 0.25, (at) => Math.cos(omega * at)), x, y)) }],
      ["line", { class: "mark both", x1: x(delta), x2: x(delta), y1: y(-1) + 6, y2: y(value) }],
      ["line", { class: "mark both", x1: 34, x2: x(delta), y1: y(value), y2: y(value) }],
      ["circle", { class: "tip both", cx: x(delta), cy: y(value), r: 6 }],
    ]);
  }

  /* Pointing at the curve chooses the offset; pointing at the wave, the base position. figure.set keeps to the bounds. */
  function point(svg, key, from, to) {
    interactive.onDrag(svg, (x, y, { width }) => figure.set({ [key]: Math.round(scale(34, width - 12, from, to)(x)) }));
  }
  point(identity, "delta", -49, 49);
  point(wave, "p", 0, 49);

  function pace(omega) {
    const period = 2 * Math.PI / omega;
    const turns = TOKENS / period;
    if (turns >= 1) return `turns ${maths.fixed(turns, 1)} times in the window`;
    return turns > 0.05 ? `makes ${maths.fixed(turns, 2)} of a turn in the window` : "hardly moves in the window: its curves are nearly flat";
  }

  function place(position) {
    if (position < 0) return `${maths.exact(position)} (before the first token)`;
    return position < TOKENS ? String(position) : `${position} (past the window)`;
  }

  function kinship(cosine) {
    if (cosine > 0.9) return "the two point nearly the same way";
    if (cosine < -0.9) return "the two point nearly opposite ways";
    return Math.abs(cosine) < 0.1 ? "the two stand nearly at right angles" : cosine > 0 ? "the two lean the same way" : "the two lean opposite ways";
  }

  return {
    render(state) {
      const derived = derive(state);
      const texts = shown(derived);
      for (const output of outputs) output.textContent = texts[output.dataset.out];
      drawWave(derived);
      drawPhasors(derived);
      drawIdentity(derived);
    },
    sentences(state) {
      const { k, delta, p, omega, angle } = derive(state);
      const cosine = Math.cos(angle);
      return {
        lab: `Pair ${k} goes once round in ${maths.significant(2 * Math.PI / omega)} tokens and ${pace(omega)}. `
          + `Positions ${p} and ${place(p + delta)} are ${maths.fixed(Math.abs(angle) * 180 / Math.PI, 1)} degrees apart: ${kinship(cosine)}, `
          + `and their dot product is ${maths.fixed(cosine)}. Any other two positions with the offset ${maths.exact(delta)} give the same number.`,
      };
    },
  };
});
