/* The position lab: one pair k of a code of width 64, its wave over 50 tokens, and two positions as phasors, whose
   angle, and with it their dot product, depends on the offset between them alone. */
"use strict";
interactive.figure("lab", {
  k: { min: 0, max: 31, start: 4 },
  delta: { min: -49, max: 49, start: 5 },
  p: { min: 0, max: 49, start: 10 },
}, (root, figure) => {
  const { maths, draw, scale } = interactive;
  const { line, text, circle, box, curve } = interactive.shapes;
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
  function axes(x, y, marks) {
    const ends = [x(marks[0]), x(marks.at(-1))];
    return [-1, 0, 1].flatMap((value) => [
      line("grid", ends[0], y(value), ends[1], y(value)),
      text("tick end", ends[0] - 6, y(value) + 4, maths.exact(value)),
    ]).concat(marks.map((mark) => text("tick middle", x(mark), y(-1) + 20, maths.exact(mark))));
  }

  const sampled = (name, f, from, to, step, x, y) => {
    const places = Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
    return curve(name, places.map((at) => [x(at), y(f(at))]));
  };

  function drawWave({ omega, p, delta }) {
    const [{ width }, height] = [figure.sizeOf(wave), 170];
    const x = scale(0, TOKENS - 1, 34, width - 12);
    const y = scale(-1, 1, height - 34, 24);
    const shapes = axes(x, y, [0, 10, 20, 30, 40, TOKENS - 1]);
    for (const [at, name, letter] of [[p + delta, "b", "p + \u0394"], [p, "a", "p"]]) {
      if (at < 0 || at >= TOKENS || (at === p && name === "b")) continue;
      shapes.push(line(`mark ${name}`, x(at), 18, x(at), y(-1) + 6), text(`tag ${name} middle`, x(at), 13, letter));
    }
    for (const [name, f] of [["sine", Math.sin], ["cosine", Math.cos]]) {
      shapes.push(sampled(`curve ${name}`, (at) => f(omega * at), 0, TOKENS - 1, 0.125, x, y));
      for (let token = 0; token < TOKENS; token++) {
        const chosen = token === p ? " a" : token === p + delta ? " b" : "";
        shapes.push(circle(`dot ${name}${chosen}`, x(token), y(f(omega * token)), chosen ? 4.5 : 2.2));
      }
    }
    draw(wave, width, height, shapes);
  }

  /* The arc from one phasor to the other; whole turns of the angle are drawn as widening rounds. */
  function arc(start, angle, radius, [cx, cy]) {
    const steps = Math.max(2, Math.ceil(Math.abs(angle) * 12));
    return curve("arc", Array.from({ length: steps + 1 }, (_, step) => {
      const turned = angle * step / steps;
      const r = radius * (0.34 + 0.03 * Math.abs(turned) / Math.PI);
      return [cx + r * Math.cos(start + turned), cy - r * Math.sin(start + turned)];
    }));
  }

  function drawPhasors({ omega, p, angle, first, second }) {
    const [{ width }, height] = [figure.sizeOf(phasors), 250];
    const radius = Math.min(width / 2 - 30, 98);
    const [cx, cy] = [width / 2, height / 2];
    const tip = ([cos, sin]) => [cx + radius * cos, cy - radius * sin];
    const [[ax, ay], [bx, by]] = [tip(first), tip(second)];
    draw(phasors, width, height, [
      circle("ring", cx, cy, radius),
      line("grid", cx - radius - 10, cy, cx + radius + 10, cy),
      line("grid", cx, cy - radius - 10, cx, cy + radius + 10),
      text("tick end", cx + radius + 28, cy - 6, "cos"),
      text("tick", cx + 5, cy - radius - 8, "sin"),
      arc(omega * p, angle, radius, [cx, cy]),
      line("hand a", cx, cy, ax, ay),
      circle("tip a", ax, ay, 6),
      line("hand b", cx, cy, bx, by),
      box("tip b", bx - 5, by - 5, 10, 10),
    ]);
  }

  function drawIdentity({ omega, delta, angle }) {
    const [{ width }, height] = [figure.sizeOf(identity), 250];
    const x = scale(-49, 49, 34, width - 12);
    const y = scale(-1, 1, height - 40, 20);
    const level = y(Math.cos(angle));
    draw(identity, width, height, [
      ...axes(x, y, [-49, -25, 0, 25, 49]),
      sampled("curve same", (at) => Math.cos(omega * at), -49, 49, 0.25, x, y),
      line("mark both", x(delta), y(-1) + 6, x(delta), level),
      line("mark both", x(-49), level, x(delta), level),
      circle("tip both", x(delta), level, 6),
    ]);
  }

  /* Pointing at the curve chooses the offset; pointing at the wave, the base position. */
  function point(svg, key, from, to) {
    interactive.onDrag(svg, (x, y, { width }) => figure.set({ [key]: Math.round(scale(34, width - 12, from, to)(x)) }));
  }
  point(identity, "delta", -49, 49);
  point(wave, "p", 0, 49);

  function pace(omega) {
    const period = 2 * Math.PI / omega;
    const turns = TOKENS / period;
    if (turns >= 1) return `turns ${maths.fixed(turns, 1)} times in the window`;
    if (turns > 0.05) return `makes ${maths.fixed(turns, 2)} of a turn in the window`;
    return "hardly moves in the window: its curves are nearly flat";
  }

  function place(position) {
    if (position < 0) return `${maths.exact(position)} (before the first token)`;
    return position < TOKENS ? String(position) : `${position} (past the window)`;
  }

  function kinship(cosine) {
    if (cosine > 0.9) return "the two point nearly the same way";
    if (cosine < -0.9) return "the two point nearly opposite ways";
    if (Math.abs(cosine) < 0.1) return "the two stand nearly at right angles";
    return `the two lean ${cosine > 0 ? "the same way" : "opposite ways"}`;
  }

  return {
    walk: ({ p }) => ({ p: (p + 1) % TOKENS }),
    render(state) {
      const derived = derive(state);
      const texts = shown(derived);
      interactive.write(outputs, texts);
      drawWave(derived);
      drawPhasors(derived);
      drawIdentity(derived);
    },
    sentences(state) {
      const { k, delta, p, omega, angle } = derive(state);
      const cosine = Math.cos(angle);
      return {
        lab: `Pair ${k} goes once round in ${maths.significant(2 * Math.PI / omega)} tokens and ${pace(omega)}. `
          + `Positions ${p} and ${place(p + delta)} are ${maths.fixed(Math.abs(angle) * 180 / Math.PI, 1)} degrees apart: `
          + `${kinship(cosine)}, and their dot product is ${maths.fixed(cosine)}. `
          + `Any other two positions with the offset ${maths.exact(delta)} give the same number.`,
      };
    },
  };
});
