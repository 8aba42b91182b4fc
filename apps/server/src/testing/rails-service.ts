import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { type RunningService, startService } from "../main.ts";
import { found } from "./catalogue.ts";
import type { CommandLine } from "./command-line.ts";

/** Writes the rails file of a service and of the commands beside it, which then use any free port and log nothing. */
export function writeRails(line: CommandLine, content: object): void {
  const rails = join(found(line.variables["EXCHANGE_DATA_DIR"]), "rails.json");
  writeFileSync(rails, JSON.stringify(content));
  Object.assign(line.variables, {
    EXCHANGE_RAILS_FILE: rails,
    EXCHANGE_LOG_LEVEL: process.env["LOG_LEVEL"] ?? "silent",
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_CONSOLE_PORT: "0",
  });
}

/** Starts the whole service on the test's database, with a rails file of this content. */
export function startWithRails(line: CommandLine, content: object): Promise<RunningService> {
  writeRails(line, content);
  return startService(readConfig(line.variables), { progress: () => {} });
}
