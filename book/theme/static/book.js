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

// A link into a closed box (to a solution, or to an erratum inside one) opens it.
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
