// The page for lecturers shows everything without this script; with it, one chapter can be chosen and citations copied.
(() => {
  "use strict";
  const place = document.querySelector(".lecture-filter");
  const sections = [...document.querySelectorAll("section.lecture")];
  if (!place) return;

  const label = document.createElement("label");
  label.textContent = "Chapter ";
  const select = document.createElement("select");
  select.autocomplete = "off";
  select.add(new Option("all chapters", ""));
  for (const section of sections) {
    select.add(new Option(section.querySelector("h2").firstChild.textContent, section.id));
  }
  label.append(select);
  const count = document.createElement("output");
  place.append(label, count);

  const numbered = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const filter = () => {
    for (const section of sections) section.hidden = Boolean(select.value) && section.id !== select.value;
    const shown = (selector) => document.querySelectorAll(`section.lecture:not([hidden]) ${selector}`).length;
    count.textContent = `${numbered(shown(".lecture-figure"), "figure")}, ${numbered(shown(".lecture-tables li"), "table")}`;
  };
  select.addEventListener("change", filter);
  filter();
  addEventListener("hashchange", () => { // a link to what is hidden shows it
    if (document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("section[hidden]")) {
      select.value = "";
      filter();
      location.replace(location.hash);
    }
  });

  for (const source of document.querySelectorAll(".lecture-cite")) {
    addCopyButton(source, "Copy citation", `of ${source.closest("details").querySelector(".visually-hidden").textContent}`);
  }
})();
