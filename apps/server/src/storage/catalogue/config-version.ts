import { type Database, type Queryable, statement } from "../postgres/database.ts";

/** A revocation must take effect within a second: half of it for the poll, half for the read. */
const POLL_INTERVAL_MS = 500;
/** The database notifies this channel of changes. A notification is only a hint. */
export const CONFIG_CHANGED_CHANNEL = "config_changed";

const READ = statement(
  "config_version_read",
  `select version, extract(epoch from business_now()) * 1000 as business_now_ms,
     extract(epoch from clock_timestamp()) * 1000 as now_ms
   from config_version`,
);

interface ConfigRow {
  readonly version: string;
  readonly business_now_ms: string;
  readonly now_ms: string;
}

export interface ConfigState {
  /** Grows with every change of catalogue, merchants, keys and webhook endpoints. */
  readonly version: bigint;
  readonly businessNow: Date;
  /**
   * By how much this process's clock is at least ahead of the database's, in milliseconds. Negative when it is
   * behind, and 0 when the difference may be the time that the answer took.
   */
  readonly clockAheadMs: number;
}

export async function readConfigState(queryable: Queryable): Promise<ConfigState> {
  const askedAtMs = Date.now();
  const [row] = await queryable.query<ConfigRow>(READ);
  const answeredAtMs = Date.now();
  if (row === undefined)
    throw new Error("The table config_version has no row. Run the migrations.");
  const databaseAtMs = Number(row.now_ms);
  return {
    version: BigInt(row.version),
    businessNow: new Date(Number(row.business_now_ms)),
    // The database read its clock between the question and the answer.
    clockAheadMs: Math.max(0, askedAtMs - databaseAtMs) + Math.min(0, answeredAtMs - databaseAtMs),
  };
}

export interface ConfigWatch {
  /** Polls now. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface ConfigWatcher {
  /** Called after each poll, even if the configuration did not change. */
  seen(state: ConfigState): void;
  /** Called when the version changed. If it throws, the next poll calls it again. */
  changed(): Promise<void>;
  failed(error: Error): void;
}

/**
 * Calls `changed` once before it returns, and then whenever the configuration changes. The watcher polls; a
 * notification of the database only makes it faster.
 */
export async function watchConfig(
  database: Database,
  watcher: ConfigWatcher,
): Promise<ConfigWatch> {
  let version = -1n;
  let polling: Promise<void> | undefined;
  const poll = async (): Promise<void> => {
    const state = await readConfigState(database);
    watcher.seen(state);
    if (state.version === version) return;
    await watcher.changed();
    version = state.version;
  };
  const refresh = async (): Promise<void> => {
    // A poll in progress may have read too early for this caller.
    while (polling !== undefined) await polling.catch(() => {});
    polling = poll().finally(() => {
      polling = undefined;
    });
    return polling;
  };
  const refreshQuietly = (): void => void refresh().catch((error: Error) => watcher.failed(error));
  await refresh();
  const unlisten = await database.listen(CONFIG_CHANGED_CHANNEL, refreshQuietly);
  const timer = setInterval(() => polling ?? refreshQuietly(), POLL_INTERVAL_MS);
  return {
    refresh,
    stop: async () => {
      clearInterval(timer);
      await unlisten();
      await polling?.catch(() => {});
    },
  };
}
