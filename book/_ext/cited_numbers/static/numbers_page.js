// The Numbers page without this script shows everything; with it, it can be filtered, an address opens the list that holds
// it, and citations come as BibTeX, too, and can be copied.
(() => {
  const place = document.querySelector(".numbers-filter");
  const items = [...document.querySelectorAll(".numbers ul > li")];
  if (!place) return;

  const label = document.createElement("label");
  label.textContent = "Filter ";
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "similarity, L13, differs, …";
  label.append(input);
  const count = document.createElement("output");
  place.append(label, count);

  const texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const item of items) {
      item.hidden = !words.every((word) => texts.get(item).includes(word));
      left += !item.hidden;
    }
    for (const section of document.querySelectorAll(".numbers")) {
      section.hidden = !section.querySelector("li:not([hidden])");
    }
    for (const list of document.querySelectorAll(".numbers .numbers-list")) list.open = words.length > 0;
    count.textContent = words.length ? `${left} of ${items.length} numbers` : "";
  };
  // The number that the address asks for is shown, whether it is in a closed list or filtered away.
  const reveal = () => {
    const asked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!asked?.matches(".numbers li")) return;
    if (asked.hidden) {
      input.value = "";
      filter();
    }
    const list = asked.closest(".numbers-list");
    if (list) list.open = true;
    asked.scrollIntoView();
  };
  input.addEventListener("input", filter);
  addEventListener("hashchange", reveal);
  reveal();

  // The same as Edition.bibtex makes, from its pattern for the page.
  const tex = (text) => text.replaceAll("\\", "\\textbackslash ").replace(/([#$%&_{}])/g, "\\$1")
    .replaceAll("\u2212", "$-$").replaceAll("\u00d7", "$\\times$");
  const pattern = place.dataset.bibtex;
  const bibtex = (name, part) => {
    const path = `book/numbers.html#${name}`;
    const parts = { KEY: `posenc-${name}`, PART: tex(part), PATH: pattern.includes("url = {") ? path : tex(path) };
    return pattern.replace(/KEY|PART|PATH/g, (word) => parts[word]);
  };

  for (const details of document.querySelectorAll(".numbers .cite")) {
    details.addEventListener("toggle", () => {
      const name = details.closest("li").id;
      const text = details.querySelector("p");
      const source = document.createElement("samp");
      source.textContent = bibtex(name, text.querySelector("span").textContent);
      addCopyButton(text, "Copy text", `for ${name}`).after(source);
      addCopyButton(source, "Copy BibTeX", `for ${name}`);
    }, { once: true });
  }
})();
