#!/usr/bin/env node
// The `exchange` command. Plain JavaScript, so that it can say what to do before anything is built.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) {
  const { runCommand } = await import(main.href);
  process.exitCode = await runCommand(process.argv.slice(2), {
    variables: process.env,
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
    write: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  });
} else {
  console.error("The exchange command is not built yet. Run: npm run build");
  process.exitCode = 1;
}
