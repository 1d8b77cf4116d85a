// What is wider than the page scrolls within itself; let the keyboard reach it, and tell a screen reader what it is.
(() => {
  "use strict";
  const kinds = [
    [".formula, .math.wide", "Formula"],
    [".pst-scrollable-table-container, .table-scroll", "Table"],
    ["pre", "Code or output"],
    [".cell_output .output", "Output"],
  ];
  // A browser breaks no line within a formula: one in running text that is wider than its block gets lines of its own.
  const blocks = "p, li, dd, td, th, figcaption, h1, h2, h3, h4";
  const widen = () => {
    const formulas = [...document.querySelectorAll(".bd-article span.math")];
    const wide = formulas.filter((formula) => {
      const block = formula.closest(blocks);
      return block && formula.firstElementChild.getBoundingClientRect().width > block.clientWidth;
    });
    formulas.forEach((formula) => formula.classList.toggle("wide", wide.includes(formula)));
  };
  const update = () => {
    widen();
    for (const [selector, kind] of kinds) {
      document.querySelectorAll(`.bd-article :is(${selector})`).forEach((element, index) => {
        if (element.scrollWidth > element.clientWidth + 1) {
          element.tabIndex = 0;
          element.setAttribute("role", "region");
          element.setAttribute("aria-label", `${kind} ${index + 1} of this page, scrolls sideways`);
        } else if (element.getAttribute("role") === "region") {
          ["tabindex", "role", "aria-label"].forEach((name) => element.removeAttribute(name));
        }
      });
    }
  };
  let waiting = 0;
  const later = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(update);
  };
  addEventListener("load", later);
  document.addEventListener("toggle", later, true);
  // After a change of the window the columns take their widths in steps: the last one counts, and no event tells of it.
  const article = document.querySelector(".bd-article");
  if (article) new ResizeObserver(later).observe(article);
})();

// A link into a closed box, to a solution or to an erratum inside one, opens it.
(() => {
  "use strict";
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target?.closest(".toggle-hidden");
    if (closed) {
      closed.querySelector(".toggle-button")?.click();
      target.scrollIntoView();
    }
  };
  addEventListener("load", open);
  addEventListener("hashchange", open);
})();
