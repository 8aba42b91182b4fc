// Loaded into the service by `--import` while it soaks: told by SIGUSR2, it collects what nobody holds any
// more and writes what is left to the file that BENCH_HEAP_FILE names. What is kept for ever shows in
// that, and not in memory that V8 has yet to give back.
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const file = process.env.BENCH_HEAP_FILE;

if (process.argv[1]?.endsWith("start.mjs")) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    collect();
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
}
