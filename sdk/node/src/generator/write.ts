import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GENERATED_FOLDER, generate } from "./generate.ts";

// `npm run generate -w @exchange/node`
mkdirSync(GENERATED_FOLDER, { recursive: true });
for (const [name, text] of Object.entries(generate())) {
  writeFileSync(path.join(GENERATED_FOLDER, name), text);
  console.log(`wrote ${name}`);
}
