// Escape puts away the tip of a quoted number until the pointer or the focus leaves it. The tip itself needs no script.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const number of document.querySelectorAll(".num:is(:hover, :focus-within)")) {
    number.classList.add("quiet");
    for (const leaving of ["pointerleave", "focusout"]) {
      number.addEventListener(leaving, () => number.classList.remove("quiet"), { once: true });
    }
  }
});
