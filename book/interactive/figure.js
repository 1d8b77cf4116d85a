/* What an interactive figure is made of beside its subject: a state of named whole numbers, native controls of those
   names, an address that holds the state, a drawing in SVG and sentences that say what it shows.

   interactive.figure(name, parameters, view) starts the figure whose element has the id `name`, if the page has one.
   parameters: {key: {min, max, step, start, log}}, where a bound may be a function of the state so far.
   view(root, figure) returns {render(state), sentences(state), walk(state)}: sentences gives {data-sentence name: text},
   walk what one step of the button data-walk changes. figure.before is the state in which the last move began, which
   the drawing shows as a ghost; it is null until something moves. */
"use strict";
interactive.figure = (() => {
  const bound = (limit, state) => (typeof limit === "function" ? limit(state) : limit);
  const allows = ({ min, max, step = 1 }, value, state) =>
    value >= bound(min, state) && value <= bound(max, state) && (value - bound(min, state)) % step === 0;

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
    if (input.options) return void (input.value = value);  // a select
    const slider = input.type === "range";
    const shape = slider ? (limit) => toSlider(parameter, limit) : (limit) => limit;
    const wanted = { min: shape(bound(parameter.min, state)), max: shape(bound(parameter.max, state)),
      step: slider && parameter.log ? 0.05 : parameter.step || 1 };
    if (slider) wanted["aria-valuetext"] = interactive.maths.exact(value);
    interactive.assign(input, wanted);
    const typing = !slider && input === document.activeElement;
    if (!typing && input.value !== String(shape(value))) input.value = shape(value);
  }

  const noteOf = (refused) => (refused.length
    ? `The address asks for ${refused.join(", ").slice(0, 60)}, which this figure does not have; it starts as usual there. `
    : "");

  return function figure(name, parameters, view) {
    const root = document.getElementById(name);
    if (!root || root.dataset.interactive !== name) return;
    const inputs = [...root.querySelectorAll("input[name], select[name]")];
    let state = startOf(parameters);
    let before = null;
    let note = "";
    let frame = 0;
    let quiet = 0;
    let moved = false;
    let pressed = 0;  // 1 from a press to its first change, 2 until it is let go: a ghost is where a drag began

    /* Asking the browser for a size in the midst of drawing makes it lay out the page anew: ask once a resize. */
    const measured = new Map();
    function sizeOf(element) {
      if (!measured.has(element)) measured.set(element, { width: element.clientWidth, height: element.clientHeight });
      return measured.get(element);
    }
    /* A view that is scrolled away is drawn when it comes back, so that a drag draws what is seen and no more. */
    const away = new Set();
    const onScreen = (element) => !away.has(element.closest(".view"));
    const watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) away[isIntersecting ? "delete" : "add"](target);
      refresh();
    }, { rootMargin: "200px" });

    function render() {
      frame = 0;
      if (!sizeOf(live).width) return;  // in print, and wherever else the figure is not shown
      for (const input of inputs) showControl(input, parameters[input.name], state);
      drawn.render(state);
    }
    function say() {
      Object.entries(drawn.sentences(state)).forEach(([key, sentence], index) => {
        const line = root.querySelector(`[data-sentence="${key}"]`);
        const text = index ? sentence : note + sentence;
        if (line.textContent !== text) line.textContent = text;
      });
    }
    /* Every change is drawn at the next frame; words (pale until then) and address follow when the hand rests, so that
       a screen reader is not flooded and the browser's limit on address changes is not met. */
    function refresh() {
      frame = frame || requestAnimationFrame(render);
      clearTimeout(quiet);
      quiet = setTimeout(rest, 300);
    }
    function rest() {
      say();
      if (moved) history.replaceState(history.state, "", writeAddress(name, state));
      moved = false;
      root.classList.remove("moving");
    }
    function set(changes) {
      note = "";
      if (pressed === 1 || (!moved && !pressed)) before = state;
      if (pressed) pressed = 2;
      moved = true;
      root.classList.add("moving");
      state = settle(parameters, { ...state, ...changes });
      refresh();
    }
    function open() {
      const address = readAddress(name, parameters, decoded(location.hash));
      if (!address) return false;
      state = address.state;
      before = null;
      moved = false;
      note = noteOf(address.refused);
      refresh();
      return true;
    }

    root.addEventListener("pointerdown", () => { pressed = 1; }, true);
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { pressed = 0; }, true);

    const live = root.querySelector(".interactive-live");
    live.hidden = false;
    const still = root.querySelector(".interactive-still");
    takeCaption(root, live, still);
    still.open = false;
    matchMedia("print").addEventListener("change", (event) => { still.open = event.matches; });

    const drawn = view(root, { get state() { return state; }, get before() { return before; }, set, redraw: refresh, sizeOf, onScreen,
      measure: () => measured.clear() });
    for (const input of inputs) {
      const parameter = parameters[input.name];
      const slider = input.type === "range";
      /* A typed number counts when it is finished: on the way to T = 200, T = 20 would move A and B. */
      input.addEventListener(slider ? "input" : "change", () => {
        const value = slider ? fromSlider(parameter, Number(input.value)) : Number(input.value);
        if (input.value !== "" && allows(parameter, value, state)) set({ [input.name]: value });
        if (!slider) input.value = state[input.name];
      });
    }
    /* Moving one thing can change several sentences; only those of the view in hand are announced. */
    for (const group of root.querySelectorAll(".view")) {
      watcher.observe(group);
      group.addEventListener("focusin", () => {
        for (const line of root.querySelectorAll("[data-sentence]")) {
          line.setAttribute("aria-live", group.contains(line) ? "polite" : "off");
        }
      });
    }
    interactive.walks(root.querySelector("[data-walk]"), () => set(drawn.walk(state)));
    root.querySelector("[data-reset]").addEventListener("click", () => set(startOf(parameters)));
    addEventListener("hashchange", () => { if (open()) root.scrollIntoView(); });
    new ResizeObserver(() => { measured.clear(); refresh(); }).observe(root);

    const opened = open();
    render();
    say();
    if (opened) root.scrollIntoView();
  };

  /* The live figure carries the number, the caption and the address of the static one, which is folded away. */
  function takeCaption(root, live, still) {
    const caption = still.querySelector("figcaption");
    if (!caption) return;
    const figure = caption.closest("figure");
    live.id = figure.id;
    figure.removeAttribute("id");
    const shown = document.createElement("figcaption");  // which the theme sets as it sets the others
    shown.className = "interactive-caption";
    shown.id = `${root.id}-caption`;
    shown.append(...caption.childNodes);
    caption.remove();
    root.append(shown);
    interactive.assign(root, { role: "figure", "aria-labelledby": shown.id });
  }

  function decoded(hash) {
    try { return decodeURIComponent(hash); } catch { return hash; }
  }
})();

/* A press on the button starts a walk of eight steps a second; the next press, or turning to another page, ends it.
   Readers who ask for less motion get one step a press. */
interactive.walks = (button, step) => {
  let timer = 0;
  const show = (id) => { timer = id; button.setAttribute("aria-pressed", String(id > 0)); };
  const stop = () => { clearInterval(timer); show(0); };
  button.addEventListener("click", () => {
    if (timer) return stop();
    step();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    show(setInterval(() => (document.hidden ? stop() : step()), 125));
  });
};

/* Makes an SVG element hold exactly these shapes, [tag, attributes, text], touching only what changed since last time.
   One unit is one CSS pixel, so that letters keep their size on a narrow screen. */
interactive.draw = (svg, width, height, shapes) => {
  interactive.assign(svg, { viewBox: `0 0 ${width} ${height}`, height });
  const before = interactive.drawn.get(svg) || [];
  shapes.forEach(([tag, attributes, text = ""], index) => {
    const [oldTag, oldAttributes, oldText = ""] = before[index] || [];
    let node = svg.children[index];
    if (tag !== oldTag) {
      const fresh = document.createElementNS("http://www.w3.org/2000/svg", tag);
      if (node) node.replaceWith(fresh);
      else svg.append(fresh);
      node = fresh;
      interactive.assign(node, attributes);
    } else {
      interactive.assign(node, attributes, oldAttributes);
    }
    if (text !== (tag === oldTag ? oldText : "")) node.textContent = text;
  });
  while (svg.children.length > shapes.length) svg.lastElementChild.remove();
  interactive.drawn.set(svg, shapes);
};
interactive.drawn = new WeakMap();

/* Sets the attributes that differ from the old ones, or from the element's own, and removes old ones that are gone. */
interactive.assign = (node, attributes, old) => {
  for (const name in attributes) {
    const value = attributes[name];
    if (old ? old[name] !== value : node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
  for (const name in old) if (!(name in attributes)) node.removeAttribute(name);
};

/* A linear scale, and the shapes that figures draw: a class, a place, a size. */
interactive.scale = (from, to, start, end) => (value) => start + (value - from) / (to - from) * (end - start);
interactive.path = (points) =>
  points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
interactive.shapes = {
  line: (name, x1, y1, x2, y2) => ["line", { class: name, x1, y1, x2, y2 }],
  text: (name, x, y, words) => ["text", { class: name, x, y }, String(words)],
  circle: (name, cx, cy, r) => ["circle", { class: name, cx, cy, r }],
  box: (name, x, y, width, height) => ["rect", { class: name, x, y, width, height }],
  curve: (name, points) => ["path", { class: name, d: interactive.path(points) }],
};

/* Calls back with a pointer's place in an element: `choose` while it is pressed there (a press, a drag, a tap), `hover`
   while it only points, and with no place when it leaves. What is pressed on a handle is the handle's own. */
interactive.onDrag = (element, choose, hover = () => {}) => {
  const elsewhere = (event) => event.target.closest(".handle");
  const report = (callback, event) => {
    const box = element.getBoundingClientRect();
    callback(event.clientX - box.left, event.clientY - box.top, box);
  };
  element.addEventListener("pointerdown", (event) => {
    if (elsewhere(event)) return;
    element.setPointerCapture(event.pointerId);
    report(choose, event);
  });
  element.addEventListener("pointermove", (event) => (elsewhere(event) ? hover()
    : report(element.hasPointerCapture(event.pointerId) ? choose : hover, event)));
  element.addEventListener("pointerleave", () => hover());
};

/* What keys move a handle by: to the right, and upward. */
interactive.KEYS = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  PageUp: [0, 10], PageDown: [0, -10], Home: [-Infinity, 0], End: [Infinity, 0],
};
interactive.onKeys = (element, step) => element.addEventListener("keydown", (event) => {
  if (event.target !== element || !(event.key in interactive.KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step(...interactive.KEYS[event.key]);
});

/* Makes an element of class "handle", which stands on the drawing `area`, movable by mouse, touch and keys. drag(x, y, box)
   gets the pointer's place in the area, step(right, up) what a key asks for. */
interactive.handle = (element, area, drag, step) => {
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    const box = area.getBoundingClientRect();
    drag(event.clientX - box.left, event.clientY - box.top, box);
  });
  interactive.onKeys(element, step);
};

/* Puts the middle of a handle on a place of its area, and tells its value to a screen reader. */
interactive.put = (element, [x, y], attributes) => {
  element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  interactive.assign(element, attributes);
};

/* Two places, moved apart until `gap` lies between them; where they are one place they part along `way`. */
interactive.apart = ([ax, ay], [bx, by], gap, way = [1, 0]) => {
  const distance = Math.hypot(bx - ax, by - ay);
  const push = Math.max(0, gap - distance) / 2;
  const [ux, uy] = distance > 0.01 ? [(bx - ax) / distance, (by - ay) / distance] : way;
  return [[ax - push * ux, ay - push * uy], [bx + push * ux, by + push * uy]];
};

/* Writes texts into the elements that name them by data-out. */
interactive.write = (outputs, texts) => {
  for (const output of outputs) {
    const text = String(texts[output.dataset.out]);
    if (output.textContent !== text) output.textContent = text;
  }
};
