import { render } from "preact";
import { App } from "./app.tsx";
import { loadTexts } from "./say.ts";

const root = document.getElementById("console");
if (root) {
  await loadTexts();
  render(<App />, root);
}
