/* Six schemes of position, fitted to look a few tokens back in short texts, and where the last token of a longer text
   looks. The build fits the heads and stores their attention with the page; nothing is fitted here. The state k is a
   step of a quarter of an octave: the text has 2 ** (k / 4) tokens. */
"use strict";
interactive.figure("emblem", { k: { min: 8, max: 48, start: 32 } }, (root, figure) => {
  const { maths, draw, scale } = interactive;
  const { line, text, box } = interactive.shapes;
  const stored = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const { back, edges, schemes, tokens, trained } = stored;
  const svg = root.querySelector("svg.emblem");
  const slider = root.querySelector("input[name=k]");
  const outputs = [...root.querySelectorAll("[data-out]")];
  const place = (distance) => edges.findIndex((edge, bar) => edge <= distance && !(edges[bar + 1] <= distance));
  const [ROW, TOP, BOTTOM] = [44, 6, 34];
  const FIRST = 8;

  const lengthOf = (k) => tokens[k - FIRST];
  const rowOf = (scheme, k) => scheme.shares[k - FIRST];
  const weightOf = (row) => (row ? maths.fixed(row[place(back)], 3) : "no vector");

  function render({ k }) {
    const { width } = figure.sizeOf(svg);
    const height = TOP + ROW * schemes.length + BOTTOM;
    const x = scale(0, edges.length, 2, width - 2);
    const bar = x(1) - x(0);
    const unseen = x(place(trained));
    const shapes = [box("unseen-ground", unseen, TOP, Math.max(0, x(edges.length) - unseen), ROW * schemes.length)];
    schemes.forEach((scheme, index) => {
      const ground = TOP + ROW * (index + 1);
      const row = rowOf(scheme, k);
      shapes.push(line("grid", x(0), ground, x(edges.length), ground));
      for (const [at, share] of (row || []).entries()) {
        const tall = (ROW - 6) * Math.sqrt(share);
        shapes.push(box(`bar ${scheme.name}`, x(at) + bar * 0.08, ground - tall, bar * 0.84, tall));
      }
      shapes.push(text("tag end", x(edges.length) - 4, ground - ROW + 18, `${scheme.label}: ${weightOf(row)}`));
    });
    const floor = TOP + ROW * schemes.length;
    const ticks = [0, back, ...edges.filter((edge) => edge >= 16 && Number.isInteger(Math.log2(edge) / 2))];
    for (const tick of ticks) shapes.push(text("tick middle", x(place(tick) + 0.5), floor + 15, maths.exact(tick)));
    shapes.push(text("tick middle", x(edges.length / 2), floor + 31, "tokens back"));
    draw(svg, width, height, shapes);
    interactive.write(outputs, { tokens: maths.exact(lengthOf(k)), trained: maths.exact(trained) });
    slider.setAttribute("aria-valuetext", `${maths.exact(lengthOf(k))} tokens`);
  }

  function sentences({ k }) {
    const length = lengthOf(k);
    const where = length > trained
      ? `${maths.exact(length)} tokens are ${+(length / trained).toFixed(2)} times the trained length.`
      : `${maths.exact(length)} tokens are within the trained length.`;
    const weights = schemes.map((scheme) => `${scheme.label} ${weightOf(rowOf(scheme, k))}`);
    return { emblem: `${where} Weight on the token ${back} back: ${weights.join(", ")}.` };
  }

  return { render, sentences, walk: ({ k }) => ({ k: k < 48 ? k + 1 : 8 }) };
});
