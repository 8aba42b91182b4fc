const SAID_MS = 2_000;

/** Gives each piece of code its button. The words are those of the code as it is shown. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll("figure.code")) {
    const button = figure.querySelector<HTMLButtonElement>("button.copy");
    const said = figure.querySelector("[role=status]");
    const code = figure.querySelector("pre code")?.textContent ?? "";
    button?.addEventListener("click", async () => {
      const copied = await navigator.clipboard.writeText(code).then(
        () => "Copied",
        () => "Select the text and copy it",
      );
      said?.replaceChildren(copied);
      setTimeout(() => said?.replaceChildren(), SAID_MS);
    });
  }
}
