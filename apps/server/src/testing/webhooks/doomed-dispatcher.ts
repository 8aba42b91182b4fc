// Runs as a process of its own: a dispatcher that kills itself at a failpoint, as `kill -9` would.

import { pino } from "pino";
import { armFailpoint } from "../../failpoints.ts";
import { makeMetrics } from "../../metrics/metrics.ts";
import { parseKeyRing } from "../../secrets/key-ring.ts";
import { randomIds } from "../../secrets/random-ids.ts";
import { createSecretBox } from "../../secrets/secret-box.ts";
import { type DatabaseOptions, openDatabase } from "../../storage/postgres/database.ts";
import { startDispatcher } from "../../webhooks/dispatcher.ts";

/** The one argument, in JSON. */
export interface DoomedSettings {
  readonly connection: DatabaseOptions;
  readonly keyLine: string;
  /** When absent, it runs until it is killed from outside. */
  readonly failpoint?: string;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as DoomedSettings;
armFailpoint(settings.failpoint);
startDispatcher({
  webhookTargets: { allowSandboxTargets: true },
  database: openDatabase({ ...settings.connection, poolSize: 4 }),
  secrets: createSecretBox(parseKeyRing(settings.keyLine), "dev"),
  ids: randomIds,
  metrics: makeMetrics().metrics,
  log: pino({ level: "silent" }),
});
