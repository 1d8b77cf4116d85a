// A button after an element copies its text; for pages whose citations can be copied.
function addCopyButton(source, words, about) {
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
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words;
  button.setAttribute("aria-label", `${words} ${about}`);
  button.addEventListener("click", async () => {
    await copy(source.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = words; button.focus(); }, 1500);
  });
  source.after(button);
  return button;
}
