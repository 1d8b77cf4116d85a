/* What an interactive figure is made of beside its subject: a state of named whole numbers, the native controls of those
   names, an address that holds the state, a drawing in SVG and sentences that say what it shows.

   interactive.figure(name, parameters, view) starts the figure whose element has the id `name`, if the page has one.
   parameters: {key: {min, max, step, start, log}}, where a bound may be a function of the state so far;
   view(root, figure): {render(state), sentences(state)}, the second giving {data-sentence name: text}. */
"use strict";
interactive.figure = (() => {
  const bound = (limit, state) => (typeof limit === "function" ? limit(state) : limit);
  const allows = ({ min, max, step = 1 }, value, state) =>
    Number.isInteger(value) && value >= bound(min, state) && value <= bound(max, state) && (value - bound(min, state)) % step === 0;

  const startOf = (parameters) =>
    Object.fromEntries(Object.entries(parameters).map(([key, { start }]) => [key, start]));

  /* The nearest state that the bounds allow: after T shrinks, a position past its end moves to the end. */
  function settle(parameters, state) {
    for (const [key, { min, max }] of Object.entries(parameters)) {
      state[key] = Math.max(bound(min, state), Math.min(bound(max, state), state[key]));
    }
    return state;
  }

  /* "#lab:k=5,delta=3" as a state, and what of it had to be refused; null for any other address. */
  function readAddress(name, parameters, hash) {
    if (!hash.startsWith(`#${name}:`)) return null;
    const wanted = new Map();
    const refused = [];
    for (const part of hash.slice(name.length + 2).split(",").filter(Boolean)) {
      const match = /^([A-Za-z]+)=(-?\d{1,9})$/.exec(part);
      if (match && Object.hasOwn(parameters, match[1])) wanted.set(match[1], Number(match[2]));
      else refused.push(part);
    }
    const state = startOf(parameters);
    for (const [key, parameter] of Object.entries(parameters)) {
      if (!wanted.has(key)) continue;
      if (allows(parameter, wanted.get(key), state)) state[key] = wanted.get(key);
      else refused.push(`${key}=${wanted.get(key)}`);
    }
    return { state: settle(parameters, state), refused };
  }

  const writeAddress = (name, state) =>
    `#${name}:${Object.entries(state).map(([key, value]) => `${key}=${value}`).join(",")}`;

  /* A log slider moves over powers of ten; its values are rounded to three digits so that an address can hold them. */
  const toSlider = (parameter, value) => (parameter.log ? Math.log10(value) : value);
  const fromSlider = (parameter, value) => (parameter.log ? Number((10 ** value).toPrecision(3)) : value);

  function showControl(input, parameter, state) {
    const value = state[input.name];
    const slider = input.type === "range";
    const shape = slider ? (limit) => toSlider(parameter, limit) : (limit) => limit;
    input.min = shape(bound(parameter.min, state));
    input.max = shape(bound(parameter.max, state));
    input.step = slider && parameter.log ? 0.05 : parameter.step || 1;
    if (slider) {
      input.value = shape(value);
      input.setAttribute("aria-valuetext", interactive.maths.exact(value));
    } else if (input !== document.activeElement || Number(input.value) !== value) input.value = value;
  }

  const noteOf = (refused) =>
    refused.length ? `The address asks for ${refused.join(", ").slice(0, 60)}, which this figure does not have; it shows its starting value there. ` : "";

  return function figure(name, parameters, view) {
    const root = document.getElementById(name);
    if (!root || root.dataset.interactive !== name) return;
    const inputs = [...root.querySelectorAll("input[name]")];
    let state = startOf(parameters);
    let note = "";
    let frame = 0;
    let quiet = 0;

    function render() {
      frame = 0;
      for (const input of inputs) showControl(input, parameters[input.name], state);
      drawn.render(state);
    }
    function say() {
      for (const [key, text] of Object.entries(drawn.sentences(state))) {
        const line = root.querySelector(`[data-sentence="${key}"]`);
        if (line.textContent !== note + text) line.textContent = note + text;
      }
    }
    /* Every change is drawn at the next frame; words and address follow when the hand rests, so that a screen reader
       is not flooded and the browser's limit on address changes is not met. */
    function refresh(keepAddress) {
      frame = frame || requestAnimationFrame(render);
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        say();
        if (!keepAddress) history.replaceState(history.state, "", writeAddress(name, state));
      }, 300);
    }
    function set(changes) {
      note = "";
      state = settle(parameters, { ...state, ...changes });
      refresh(false);
    }
    function open() {
      const address = readAddress(name, parameters, decoded(location.hash));
      if (!address) return false;
      state = address.state;
      note = noteOf(address.refused);
      refresh(true);
      return true;
    }

    root.querySelector(".interactive-live").hidden = false;
    const still = root.querySelector(".interactive-still");
    still.open = false;
    matchMedia("print").addEventListener("change", (event) => { still.open = event.matches; });

    const drawn = view(root, { get state() { return state; }, set, redraw: () => refresh(true) });
    for (const input of inputs) {
      const parameter = parameters[input.name];
      input.addEventListener("input", () => {
        const value = input.type === "range" ? fromSlider(parameter, Number(input.value)) : Number(input.value);
        if (input.value !== "" && allows(parameter, value, state)) set({ [input.name]: value });
      });
      input.addEventListener("change", () => refresh(true));
    }
    /* Moving one thing can change several sentences; only those of the view in hand are announced. */
    for (const group of root.querySelectorAll("[role=group]")) {
      group.addEventListener("focusin", () => {
        for (const line of root.querySelectorAll("[data-sentence]")) {
          line.setAttribute("aria-live", group.contains(line) ? "polite" : "off");
        }
      });
    }
    root.querySelector("[data-reset]").addEventListener("click", () => set(startOf(parameters)));
    addEventListener("hashchange", () => { if (open()) root.scrollIntoView(); });
    new ResizeObserver(() => refresh(true)).observe(root);
    interactive.onTheme(() => { drawn.recolour?.(); refresh(true); });

    const opened = open();
    render();
    say();
    if (opened) root.scrollIntoView();
  };

  function decoded(hash) {
    try { return decodeURIComponent(hash); } catch { return hash; }
  }
})();

/* Calls back when the reader or the system changes between light and dark. */
interactive.onTheme = (callback) => {
  new MutationObserver(callback).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", callback);
};

/* Makes an SVG element hold exactly these shapes, [tag, attributes, text], touching only what changed.
   One unit is one CSS pixel, so that letters keep their size on a narrow screen. */
interactive.draw = (svg, width, height, shapes) => {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  shapes.forEach(([tag, attributes, text = ""], index) => {
    let node = svg.children[index];
    if (!node || node.tagName !== tag) {
      const fresh = document.createElementNS("http://www.w3.org/2000/svg", tag);
      if (node) node.replaceWith(fresh);
      else svg.append(fresh);
      node = fresh;
    }
    interactive.assign(node, attributes);
    if (node.textContent !== text) node.textContent = text;
  });
  while (svg.children.length > shapes.length) svg.lastElementChild.remove();
};

interactive.assign = (node, attributes) => {
  for (const { name } of [...node.attributes]) if (!(name in attributes)) node.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
};

/* A linear scale, and a polyline's path through points. */
interactive.scale = (from, to, start, end) => (value) => start + (value - from) / (to - from) * (end - start);
interactive.path = (points) => points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/* Calls back with a pointer's place in an element while it is pressed there: a press, a drag, a tap. */
interactive.onDrag = (element, callback) => {
  const report = (event) => {
    const box = element.getBoundingClientRect();
    callback(event.clientX - box.left, event.clientY - box.top, box);
  };
  element.addEventListener("pointerdown", (event) => { element.setPointerCapture(event.pointerId); report(event); });
  element.addEventListener("pointermove", (event) => { if (element.hasPointerCapture(event.pointerId)) report(event); });
};
