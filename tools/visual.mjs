// `npm run visual`: compares the checkout's screens with their pictures in tests/visual/references.
// `npm run visual -- --update` takes the pictures anew: look at each that changed before you commit it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const test = fileURLToPath(new URL("test.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [test, "--project", "visual"], {
  stdio: "inherit",
  env: { ...process.env, EXCHANGE_VISUAL_UPDATE: String(values.update) },
});
process.exitCode = status ?? 1;
