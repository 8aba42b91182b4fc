import { FAST, openShop, SLOW } from "./lab.mjs";
import { rowOf } from "./rows.mjs";

const PROFILES = [
  { name: "at 1 times CPU", profile: FAST, limit: 100 },
  // The network does not delay the dialog: the page has loaded all that shows it.
  { name: "at 4 times CPU", profile: { cpu: SLOW.cpu }, limit: 250 },
];

/** Measures the time from the click on the shop's button to the dialog's first frame. */
export async function measureOpenings(lab, { rounds, progress }) {
  const rows = [];
  for (const { name, profile, limit } of PROFILES) {
    const figures = [];
    for (let round = 1; round <= rounds; round++) figures.push(await open(lab, profile));
    progress(`click to dialog ${name}: ${figures.map(Math.round).join(", ")} ms`);
    rows.push(rowOf({ row: `click to dialog painted, ${name}`, figures, unit: "ms", limit }));
  }
  return rows;
}

async function open(lab, profile) {
  const { context, page } = await openShop(lab, profile);
  await page.evaluate(watchDialog);
  await page.locator("#buy").click();
  const ms = await page.evaluate(() => window.painted);
  await context.close();
  return ms;
}

/** Runs on the shop's page: `window.painted` resolves with the time from the click to the dialog's frame. */
function watchDialog() {
  window.painted = new Promise((resolve) => {
    const button = document.querySelector("#buy");
    button.addEventListener("click", ({ timeStamp }) => look(timeStamp), { capture: true });
    const look = (clickedAt) => {
      const root = document.querySelector("[data-exchange]")?.shadowRoot;
      requestAnimationFrame(() => {
        if (!root?.querySelector("dialog[open]")) return look(clickedAt);
        // A frame is painted when the first task after its callbacks runs.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - clickedAt);
        port2.postMessage(undefined);
      });
    };
  });
}
