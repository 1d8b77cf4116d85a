// The Numbers page without this script shows everything; with it, it can be filtered and citations copied.
(() => {
  const place = document.querySelector(".numbers-filter");
  const items = [...document.querySelectorAll(".numbers > ul > li")];
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
    count.textContent = words.length ? `${left} of ${items.length} numbers` : "";
  };
  input.addEventListener("input", filter);
  addEventListener("hashchange", () => {
    if (document.getElementById(decodeURIComponent(location.hash.slice(1)))?.hidden) {
      input.value = "";
      filter();
      location.replace(location.hash);
    }
  });

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no clipboard outside https and localhost
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const details of document.querySelectorAll(".numbers details")) {
    const name = details.closest("li").id;
    for (const [element, what] of [["p", "text"], ["samp", "BibTeX"]]) {
      const source = details.querySelector(element);
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Copy ${what}`;
      button.setAttribute("aria-label", `Copy ${what} for ${name}`);
      button.addEventListener("click", async () => {
        await copy(source.textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = `Copy ${what}`; button.focus(); }, 1500);
      });
      source.after(button);
    }
  }
})();
