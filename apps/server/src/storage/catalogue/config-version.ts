import { type Database, type Queryable, statement } from "../postgres/database.ts";

/** Revocation must take effect within a second: half of it for asking, half for reading. */
const POLL_INTERVAL_MS = 500;
/** The database tells of changes here; a hint only. */
export const CONFIG_CHANGED_CHANNEL = "config_changed";

const READ = statement(
  "config_version_read",
  `select version, extract(epoch from business_now()) * 1000 as business_now_ms
   from config_version`,
);

export interface ConfigState {
  /** Grows with every change of catalogue, merchants, keys and webhook endpoints. */
  readonly version: bigint;
  readonly businessNow: Date;
}

export async function readConfigState(queryable: Queryable): Promise<ConfigState> {
  const [row] = await queryable.query<{ version: string; business_now_ms: string }>(READ);
  if (row === undefined) throw new Error("The database has no config_version row.");
  return { version: BigInt(row.version), businessNow: new Date(Number(row.business_now_ms)) };
}

export interface ConfigWatch {
  /** Looks now instead of at the next poll. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface ConfigWatcher {
  /** Called at each look, also when nothing changed. */
  seen(state: ConfigState): void;
  /** Called when the version grew. When it throws, the next look tries again. */
  changed(): Promise<void>;
  failed(error: Error): void;
}

/**
 * Calls `changed` once before it returns and then whenever the configuration changes. Polling is
 * the truth; the database's notification only makes it quicker.
 */
export async function watchConfig(
  database: Database,
  watcher: ConfigWatcher,
): Promise<ConfigWatch> {
  let known = -1n;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const state = await readConfigState(database);
    watcher.seen(state);
    if (state.version === known) return;
    await watcher.changed();
    known = state.version;
  };
  const refresh = async (): Promise<void> => {
    // A look that is under way may have read too early for this caller.
    while (looking !== undefined) await looking.catch(() => {});
    looking = look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const refreshQuietly = (): void => void refresh().catch((error: Error) => watcher.failed(error));
  await refresh();
  const unlisten = await database.listen(CONFIG_CHANGED_CHANNEL, refreshQuietly);
  const timer = setInterval(() => looking ?? refreshQuietly(), POLL_INTERVAL_MS);
  return {
    refresh,
    stop: async () => {
      clearInterval(timer);
      await unlisten();
      await looking?.catch(() => {});
    },
  };
}
