/* The formulas behind the interactive figures, the same as posenc's and in the same float64, and how values are shown.
   Positions, pairs and columns count from 0; pair i holds columns 2i (sine) and 2i + 1 (cosine). */
"use strict";
globalThis.interactive = globalThis.interactive || {};
interactive.maths = (() => {
  const frequency = (pair, dim, base) => base ** (-2 * pair / dim);

  const frequencies = (dim, base) => Float64Array.from({ length: dim / 2 }, (_, pair) => frequency(pair, dim, base));

  /* Rows are positions: length x 2 * omegas.length values, row after row. */
  function sinusoidalTable(length, omegas) {
    const dim = 2 * omegas.length;
    const table = new Float64Array(length * dim);
    for (let position = 0; position < length; position++) {
      for (let pair = 0; pair < omegas.length; pair++) {
        const phase = position * omegas[pair];
        table[position * dim + 2 * pair] = Math.sin(phase);
        table[position * dim + 2 * pair + 1] = Math.cos(phase);
      }
    }
    return table;
  }

  /* The dot product of rows a and b of a table. */
  function rowProduct(table, dim, a, b) {
    let sum = 0;
    for (let column = 0; column < dim; column++) sum += table[a * dim + column] * table[b * dim + column];
    return sum;
  }

  /* The closed form of that product: a sum of cosines of the offset alone. */
  function similarity(offset, omegas) {
    let sum = 0;
    for (const omega of omegas) sum += Math.cos(omega * offset);
    return sum;
  }

  /* A point (x, y) turned by an angle, counterclockwise. */
  const rotate = ([x, y], angle) =>
    [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

  const dot = (u, v) => u[0] * v[0] + u[1] * v[1];

  /* Slopes of a power of two of heads: 2^(-8/n), its square, its cube, ... */
  const alibiSlopes = (heads) => Array.from({ length: heads }, (_, head) => 2 ** (-8 * (head + 1) / heads));

  /* Has training on positions 0 .. trained - 1 met the phase omega * position, give or take whole turns?
     A pair that made a full turn has met (nearly) every phase; a slower one only the arc it swept. */
  function angleIsNew(angle, omega, trained) {
    const swept = omega * (trained - 1);
    return swept < 2 * Math.PI && angle % (2 * Math.PI) > swept;
  }
  const phaseIsNew = (position, omega, trained) => angleIsNew(omega * position, omega, trained);

  /* Context extension: frequencies in, frequencies out, for a text `factor` times as long as the training. */
  const interpolated = (omegas, factor) => omegas.map((omega) => omega / factor);

  const ntkAware = (omegas, factor) => omegas.map((omega, pair) => omega * factor ** (-pair / (omegas.length - 1)));

  /* YaRN's published ramp over pairs, between those of 32 turns and of 1 turn in the trained length, ends rounded. */
  function yarn(omegas, factor, trained) {
    const step = Math.log(omegas[0] / omegas.at(-1)) / (omegas.length - 1);
    const pairOf = (turns) => Math.log(omegas[0] * trained / (2 * Math.PI * turns)) / step;
    const last = 2 * omegas.length - 1;
    let [low, high] = [Math.floor(pairOf(32)), Math.ceil(pairOf(1))];
    const all = high < 0 ? 0 : low > last ? 1 : null;  // every pair turns too little, or often
    [low, high] = [Math.max(low, 0), Math.min(high, last)];
    if (low === high) high += 0.001;
    return omegas.map((omega, pair) => {
      const keep = all ?? 1 - Math.max(0, Math.min(1, (pair - low) / (high - low)));
      return omega / factor * (1 - keep) + omega * keep;
    });
  }
  const yarnScoreFactor = (factor) => (factor > 1 ? (0.1 * Math.log(factor) + 1) ** 2 : 1);

  const sign = (text) => (Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212"));
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");

  /* Four decimals, a true minus sign, and no minus before a zero. */
  const fixed = (value, decimals = 4) => sign(value.toFixed(decimals));

  /* Four significant digits, whole numbers from 1,000 up; no value here is small enough for an exponent. */
  const significant = (value) => (value >= 999.95 ? grouped(value.toFixed(0)) : value.toPrecision(4));

  /* All the digits of a whole number or a short binary fraction. */
  const exact = (value) => {
    const [whole, ...rest] = sign(String(value)).split(".");
    return [grouped(whole), ...rest].join(".");
  };

  return {
    frequency, frequencies, sinusoidalTable, rowProduct, similarity, rotate, dot, alibiSlopes, angleIsNew, phaseIsNew,
    interpolated, ntkAware, yarn, yarnScoreFactor,
    fixed, significant, exact,
  };
})();
