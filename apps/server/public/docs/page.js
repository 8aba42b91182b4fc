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
