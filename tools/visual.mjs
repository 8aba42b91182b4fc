// `npm run visual` compares the checkout's screens with their pictures in tests/visual/references.
// `npm run visual -- --update` replaces the pictures: look at each one that changed before you commit it.
// `npm run visual -- --open SCENE` serves a scene for your own browser; without a name it lists the scenes.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runnerImport } from "vite";
import { build } from "./build.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: "boolean", default: false },
    open: { type: "boolean", default: false },
  },
});
if (values.open) await open(positionals[0] ?? "");
else compare();

function compare() {
  const { status } = spawnSync(process.execPath, ["tools/test.mjs", "--project", "visual"], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, EXCHANGE_VISUAL_UPDATE: String(values.update) },
  });
  process.exitCode = status ?? 1;
}

async function open(name) {
  build({ log: (line) => console.log(line) });
  const { module } = await runnerImport(`${ROOT}tests/visual/open.ts`, { configFile: false });
  const opened = await module.openScene(name);
  if (opened === undefined) {
    const fault = name === "" ? "Name a scene." : `There is no scene "${name}".`;
    console.error(`${fault} The scenes are:\n${module.SCENE_NAMES.join("\n")}`);
    process.exitCode = 1;
    return;
  }
  console.log(`${name}: ${opened.address}`);
  console.log("Choose the language at the foot of the page. Press Ctrl-C to stop.");
}
