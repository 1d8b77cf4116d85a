// What is wider than the page scrolls within itself; let the keyboard reach it, and tell a screen reader what it is.
(() => {
  "use strict";
  const kinds = [
    [".formula", "Formula"],
    [".table-scroll", "Table"],
    ["div.highlight > pre", "Code"],
    [".cell_output .output", "Output"],
  ];
  const update = () => {
    for (const [selector, name] of kinds) {
      document.querySelectorAll(`.bd-article ${selector}`).forEach((element, index) => {
        if (element.scrollWidth > element.clientWidth + 1) {
          element.tabIndex = 0;
          element.setAttribute("role", "region");
          element.setAttribute("aria-label", `${name} ${index + 1} of this page, scrolls sideways`);
        } else if (element.getAttribute("role") === "region") {
          element.removeAttribute("tabindex");
          element.removeAttribute("role");
          element.removeAttribute("aria-label");
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
  addEventListener("resize", later);
  document.addEventListener("toggle", later, true);
})();
