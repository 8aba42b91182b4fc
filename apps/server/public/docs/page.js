// Every page of the documents: its menu, the keys of its search, and a button that copies each block of code.
const input = document.querySelector("#search");

/** Puts a button on each block of code. */
function addCopyButtons() {
  for (const block of document.querySelectorAll("main pre")) {
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      className: "copy",
      textContent: "Copy",
    });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    const frame = Object.assign(document.createElement("div"), { className: "code" });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

document.documentElement.classList.remove("no-script");
// On a phone the text comes first.
if (matchMedia("(max-width: 48rem)").matches) document.querySelector(".menu").open = false;
addCopyButtons();
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape" && event.target === input) {
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }
});

/** A language that is opened in one place is opened everywhere. */
function chooseLanguage(event) {
  const { open, dataset } = event.target;
  if (!open || dataset.language === undefined) return;
  const top = event.target.getBoundingClientRect().top;
  for (const group of document.querySelectorAll(".samples")) {
    const samples = [...group.children];
    const isChosen = (sample) => sample.dataset.language === dataset.language;
    // A group without the language stays as it is.
    if (!samples.some(isChosen)) continue;
    for (const sample of samples) sample.open = isChosen(sample);
  }
  // The samples above changed their height; the one that was opened stays where it was.
  window.scrollBy(0, event.target.getBoundingClientRect().top - top);
}

document.addEventListener("toggle", chooseLanguage, true);
