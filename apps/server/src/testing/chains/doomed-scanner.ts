// Runs as a process of its own: a scanner that kills itself at a failpoint, as `kill -9` would.
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { type EvmReaderOptions, makeEvmReader } from "../../adapters/chains/evm/reader.ts";
import type { ScanSettings } from "../../chains/scan.ts";
import { startScanner } from "../../chains/scanner.ts";
import type { WatchedAsset } from "../../domain/ports/chain-reader.ts";
import { armFailpoint } from "../../failpoints.ts";
import { type DatabaseOptions, openDatabase } from "../../storage/postgres/database.ts";

/** The one argument, in JSON. */
export interface DoomedSettings {
  readonly connection: DatabaseOptions;
  readonly reader: Omit<EvmReaderOptions, "suspect">;
  readonly settings: ScanSettings;
  readonly assets: readonly WatchedAsset[];
  readonly failpoint: string;
}

const doomed = JSON.parse(process.argv[2] ?? "{}") as DoomedSettings;
armFailpoint(doomed.failpoint);
startScanner({
  database: openDatabase({ ...doomed.connection, poolSize: 2 }),
  log: pino({ level: "silent" }),
  networkCode: doomed.reader.networkCode,
  reader: makeEvmReader({ ...doomed.reader, suspect: () => {} }),
  settings: doomed.settings,
  assets: () => doomed.assets,
  token: randomUUID(),
});
