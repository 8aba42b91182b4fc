import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generate, ROOT } from "./generate.ts";

// `npm run generate -w @exchange/node`
for (const [file, text] of Object.entries(generate())) {
  mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
  writeFileSync(path.join(ROOT, file), text);
  console.log(`wrote ${file}`);
}
