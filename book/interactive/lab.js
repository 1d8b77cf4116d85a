/* The position lab: one pair k of an encoding of width 64, its wave over 50 tokens, and two positions as phasors, whose
   angle, and with it their dot product, depends on the offset between them alone; and the mean over all pairs. */
"use strict";
interactive.figure("lab", {
  k: { min: 0, max: 31, start: 4 },
  delta: { min: -49, max: 49, start: 5 },
  p: { min: 0, max: 49, start: 10 },
}, (root, figure) => {
  const { maths, draw, scale, put, apart } = interactive;
  const { line, text, circle, box, curve } = interactive.shapes;
  const [DIM, BASE, TOKENS] = [64, 10000, 50];
  const OMEGAS = maths.frequencies(DIM, BASE);
  const GAP = 25;  // between the middles of two handles
  const PACE = 2 * Math.PI / TOKENS;  // a hand that is slower lags behind the pointer: one round of it is 50 tokens
  const [LEFT, RIGHT] = [30, 14];
  const find = (selector) => root.querySelector(selector);
  const [wave, phasors, identity] = [".wave", ".phasors", ".identity"].map(find);
  const handle = (name) => find(`[data-handle=${name}]`);
  const outputs = [...root.querySelectorAll("[data-out]")];
  const mean = (offset) => maths.similarity(offset, OMEGAS) / OMEGAS.length;

  function derive({ k, delta, p }) {
    const omega = OMEGAS[k];
    const phasor = (position) => [Math.cos(omega * position), Math.sin(omega * position)];
    const [first, second] = [phasor(p), phasor(p + delta)];
    return { k, delta, p, omega, first, second, angle: omega * delta, product: maths.dot(first, second), mean: mean(delta) };
  }

  /* Four decimals, and more where they would hide the number: near 0 four digits, near 1 two digits of what is missing. */
  function sharp(value, least = 4) {
    const [size, missing] = [Math.abs(value), 1 - Math.abs(value)];
    if (missing > 1e-13 && missing < 5e-5) return maths.fixed(value, Math.ceil(-Math.log10(missing)) + 1);
    if (size > 1e-13 && size < 0.1) return maths.fixed(value, 3 - Math.floor(Math.log10(size)));
    return maths.fixed(value, least);
  }

  function shown({ omega, first, second, angle, product, mean: all }) {
    return {
      omega: maths.significant(omega), period: maths.significant(2 * Math.PI / omega),
      turns: sharp(TOKENS * omega / (2 * Math.PI)),
      cosp: sharp(first[0]), sinp: sharp(first[1]), cosq: sharp(second[0]), sinq: sharp(second[1]),
      angle: sharp(angle), degrees: sharp(angle * 180 / Math.PI, 2),
      product: sharp(product), cosine: sharp(Math.cos(angle)), mean: sharp(all),
    };
  }

  /* Axes at -1, 0 and 1 with marks along the bottom; `x` and `y` are scales. */
  function axes(x, y, marks) {
    const ends = [x(marks[0]), x(marks.at(-1))];
    return [-1, 0, 1].flatMap((value) => [
      line("grid", ends[0], y(value), ends[1], y(value)),
      text("tick end", ends[0] - 5, y(value) + 4, maths.exact(value)),
    ]).concat(marks.map((mark) => text("tick middle", x(mark), y(-1) + 17, maths.exact(mark))));
  }

  const sampled = (name, f, from, to, step, x, y) => {
    const places = Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
    return curve(name, places.map((at) => [x(at), y(f(at))]));
  };

  const across = (from, to) => ({ width }) => scale(from, to, LEFT, width - RIGHT);
  const [overTokens, overOffsets] = [across(0, TOKENS - 1), across(1 - TOKENS, TOKENS - 1)];
  const upward = ({ height }) => scale(-1, 1, height - 24, 32);  // the strip above is the handles'
  const numbered = (min, value, words) =>
    ({ "aria-valuemin": min, "aria-valuemax": TOKENS - 1, "aria-valuenow": value, "aria-valuetext": words });

  function putBoth(view, [first, second], { p, delta }) {
    put(handle(`${view}-p`), first, numbered(0, p, p));
    put(handle(`${view}-q`), second, numbered(1 - TOKENS, delta, delta));
  }

  function drawWave(state) {
    const { omega, p, delta } = state;
    const size = figure.sizeOf(wave);
    const [x, y] = [overTokens(size), upward(size)];
    const shapes = axes(x, y, size.width < 250 ? [0, 25, TOKENS - 1] : [0, 10, 20, 30, 40, TOKENS - 1]);
    for (const [at, name] of [[p + delta, "b"], [p, "a"]]) {
      if (at >= 0 && at < TOKENS) shapes.push(line(`mark ${name}`, x(at), 20, x(at), y(-1)));
    }
    for (const [name, f] of [["sine", Math.sin], ["cosine", Math.cos]]) {
      shapes.push(sampled(`curve ${name}`, (at) => f(omega * at), 0, TOKENS - 1, 0.125, x, y));
      for (let token = 0; token < TOKENS; token++) {
        const chosen = token === p ? " a" : token === p + delta ? " b" : "";
        shapes.push(circle(`dot ${name}${chosen}`, x(token), y(f(omega * token)), chosen ? 4.5 : 2));
      }
    }
    draw(find(".wave svg"), size.width, size.height, shapes);
    const places = apart([x(p), 12], [x(Math.max(0, Math.min(TOKENS - 1, p + delta))), 12], GAP);
    const xs = places.map(([at]) => at);
    const shift = Math.max(0, 12 - Math.min(...xs)) - Math.max(0, Math.max(...xs) - size.width + 12);
    for (const place of places) place[0] += shift;
    putBoth("wave", places, state);
  }

  /* The arc from one phasor to the other; whole turns widen. */
  function arc(start, angle, radius, [cx, cy]) {
    const steps = Math.max(2, Math.ceil(Math.abs(angle) * 12));
    return curve("arc", Array.from({ length: steps + 1 }, (_, step) => {
      const turned = angle * step / steps;
      const r = radius * (0.34 + 0.03 * Math.abs(turned) / Math.PI);
      return [cx + r * Math.cos(start + turned), cy - r * Math.sin(start + turned)];
    }));
  }

  const centre = ({ width, height }) => ({ cx: width / 2, cy: height / 2, radius: Math.min(width, height) / 2 - 15 });

  function drawPhasors(state) {
    const { omega, p, angle, first, second } = state;
    const size = figure.sizeOf(phasors);
    const { cx, cy, radius } = centre(size);
    const tip = ([cos, sin]) => [cx + radius * cos, cy - radius * sin];
    const [[ax, ay], [bx, by]] = [tip(first), tip(second)];
    draw(find(".phasors svg"), size.width, size.height, [
      circle("ring", cx, cy, radius),
      line("grid", cx - radius, cy, cx + radius, cy), line("grid", cx, cy - radius, cx, cy + radius),
      arc(omega * p, angle, radius, [cx, cy]),
      line("hand a", cx, cy, ax, ay), line("hand b", cx, cy, bx, by),
    ]);
    const places = apart([ax, ay], [bx, by], 1.42 * GAP, [-first[1], -first[0]]);  // where they are one, along the circle
    putBoth("turn", places, state);
  }

  function drawIdentity({ omega, delta, angle, mean: all }) {
    const size = figure.sizeOf(identity);
    const [x, y] = [overOffsets(size), upward(size)];
    draw(find(".identity svg"), size.width, size.height, [
      ...axes(x, y, [-49, 0, 49]),
      sampled("curve same pair", (at) => Math.cos(omega * at), 1 - TOKENS, TOKENS - 1, 0.25, x, y),
      sampled("curve mean", mean, 1 - TOKENS, TOKENS - 1, 0.5, x, y),
      line("mark both", x(delta), 20, x(delta), y(-1)),
      circle("tip both", x(delta), y(Math.cos(angle)), 4.5),
      box("tip both", x(delta) - 4, y(all) - 4, 8, 8),
    ]);
    put(handle("offset"), [x(delta), 12], numbered(1 - TOKENS, delta, delta));
  }

  /* Handles on an axis follow the pointer; a press elsewhere on the wave moves p, and on the curve the offset. */
  const at = (x, { width }, from) => Math.round(scale(LEFT, width - RIGHT, from, TOKENS - 1)(x));
  const moveP = (x, y, size) => figure.set({ p: at(x, size, 0) });
  const moveQ = (x, y, size) => figure.set({ delta: at(x, size, 0) - figure.state.p });
  const moveOffset = (x, y, size) => figure.set({ delta: at(x, size, 1 - TOKENS) });
  const by = (key) => (right, up) => figure.set({ [key]: figure.state[key] + right + up });
  interactive.handle(handle("wave-p"), wave, moveP, by("p"));
  interactive.handle(handle("wave-q"), wave, moveQ, by("delta"));
  interactive.handle(handle("offset"), identity, moveOffset, by("delta"));
  interactive.onDrag(identity, moveOffset);
  interactive.onDrag(wave, moveP);

  /* A phasor follows the pointer round the circle, over as many turns as it makes. */
  function turning(name, key) {
    let last = null;
    handle(name).addEventListener("pointerdown", () => { last = null; });
    interactive.handle(handle(name), phasors, (x, y, size) => {
      const { cx, cy } = centre(size);
      const angle = Math.atan2(cy - y, x - cx);
      if (!last) last = { angle, at: figure.state[key] };
      const turned = angle - last.angle;
      last.angle = angle;
      last.at += Math.atan2(Math.sin(turned), Math.cos(turned)) / Math.max(OMEGAS[figure.state.k], PACE);
      figure.set({ [key]: Math.round(last.at) });
    }, by(key));
  }
  turning("turn-p", "p");
  turning("turn-q", "delta");

  return {
    walk: ({ p }) => ({ p: (p + 1) % TOKENS }),
    render(state) {
      const derived = derive(state);
      interactive.write(outputs, shown(derived));
      drawWave(derived);
      drawPhasors(derived);
      drawIdentity(derived);
    },
    sentences(state) {
      const { k, delta, p, omega, angle, mean: all } = derive(state);
      return {
        lab: `Pair ${k} needs ${maths.significant(2 * Math.PI / omega)} tokens per turn. `
          + `Positions ${p} and ${maths.exact(p + delta)} are ${sharp(Math.abs(angle) * 180 / Math.PI, 2)} degrees apart, `
          + `so their dot product is ${sharp(Math.cos(angle))}, as for any two positions with this offset. `
          + `The mean over all pairs is ${sharp(all)}.`,
      };
    },
  };
});
