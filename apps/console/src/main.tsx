import { render } from "preact";
import { Suspense } from "preact/compat";
import { App } from "./app.tsx";
import { loadTexts } from "./say.ts";

const root = document.getElementById("console");
if (root) {
  await loadTexts();
  render(
    <Suspense fallback={null}>
      <App />
    </Suspense>,
    root,
  );
}
