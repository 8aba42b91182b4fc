// Loaded into the service by `--import` during a soak. On SIGUSR2 it collects garbage and writes the memory that is
// left to the file in BENCH_HEAP_FILE. That number shows a leak, and not the memory that V8 has yet to return.
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
