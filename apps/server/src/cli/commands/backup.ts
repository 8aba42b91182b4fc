import { existsSync, readdirSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { declareRestoredBy } from "../../flows/history/declare-restored.ts";
import { randomIds } from "../../secrets/random-ids.ts";
import { findKeyProblems } from "../../start/check-secret-keys.ts";
import { openHistoryFile } from "../../start/history-file.ts";
import { migrateDatabase } from "../../start/migrate-database.ts";
import { requireEnvironment } from "../../start/open-storage.ts";
import { readSecretKeys } from "../../start/secret-keys.ts";
import { StartError } from "../../start/start-error.ts";
import {
  backUp,
  noteBackup,
  removeOldBackups,
  restoreBackup,
} from "../../storage/embedded/backup.ts";
import { startEmbeddedPostgres } from "../../storage/embedded/embedded-postgres.ts";
import { readHistory } from "../../storage/history.ts";
import { readEnvironment } from "../../storage/installation.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { type Database, openDatabase } from "../../storage/postgres/database.ts";
import { type Command, type CommandResult, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { requireInstallation, withInstallation, withServer } from "../with-database.ts";

const FROM = {
  value: "DIR",
  required: true,
  description: "The folder of one backup, such as /backups/2027-01-31T12-00-00-000Z.",
} as const;

export const backupCommand: Command = {
  name: "backup",
  summary: "Copy the embedded database while the service runs.",
  options: {
    to: {
      value: "DIR",
      required: true,
      description: "The folder of the backups, on another disk. Each backup is a folder in it.",
    },
    keep: {
      value: "NUMBER",
      description: "Remove the oldest backups beyond this number. Default: remove none.",
    },
  },
  example: "backup --to /backups --keep 14",
  run: (context, input) => {
    const config = requireEmbedded(context.config());
    const to = resolve(input.required("to"));
    const keep = keepOf(input.one("keep"));
    return withServer(config, context, async (_database, { connection }) => {
      const dataDir = realpathSync(join(config.dataDir, "postgres"));
      const backup = await backUp({ dataDir, connection }, to, () => new Date());
      await noteBackup(config.dataDir, backup);
      const { folder, files } = backup;
      const removed = keep === undefined ? [] : await removeOldBackups(to, keep);
      const count = Object.keys(files).length;
      const more = removed.length === 0 ? "" : ` Removed ${removed.join(", ")}.`;
      const text =
        `Copied ${count} files to ${folder}.${more}\nThe secret keys file is not in it: keep a copy of ` +
        `${config.secretKeysFile} elsewhere. Try the backup with: exchange backup verify --from ${folder}`;
      return { json: { folder, files: count, removed }, text };
    });
  },
};

function requireEmbedded(config: Config): Config {
  if (config.databaseUrl === undefined) return config;
  throw new StartError(
    "exchange backup copies the embedded database, and DATABASE_URL names another server. Back that up with its own " +
      "tools: a base backup and its write-ahead log, such as by pgBackRest. docs/operating/back-up.md#pgbackrest has the commands.",
  );
}

function keepOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`--keep must be a whole number from 1 to 9999, not "${text}".`);
}

export const backupVerify: Command = {
  name: "backup verify",
  summary:
    "Restore a backup into a temporary folder, and check its files, its keys and its ledger.",
  options: { from: FROM },
  example: "backup verify --from /backups/2027-01-31T12-00-00-000Z",
  run: async (context, input) => {
    const config = context.config();
    const folder = await mkdtemp(join(tmpdir(), "exchange-verify-"));
    try {
      const dataDir = join(folder, "postgres");
      const { finishedAt } = await restoreBackup(resolve(input.required("from")), dataDir);
      return await checkCopy(config, dataDir, finishedAt);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Starts PostgreSQL on the copy. No service runs there, so nothing is paid and nothing is sent. */
async function checkCopy(
  config: Config,
  dataDir: string,
  finishedAt: string,
): Promise<CommandResult> {
  const server = await startEmbeddedPostgres({ dataDir });
  const database = openDatabase({ ...server.connection, poolSize: 1, waitMs: 600_000 });
  try {
    // The backup may be of an earlier version, and of another environment than that of the machine that checks it.
    const found = await readEnvironment(database);
    await migrateDatabase(database, { environment: found ?? config.environment });
    const ring = readSecretKeys(config);
    const problems = await findKeyProblems(database, ring, config.secretKeysFile);
    const report = await checkLedger(database, () => {});
    problems.push(...report.problems.map(({ check, problem }) => `${check}: ${problem}`));
    const { orders, entries } = report;
    const ok = problems.length === 0;
    const head = `${orders} orders, ${entries} entries, finished at ${finishedAt}`;
    const text = ok
      ? `The backup is good: ${head}. Its ledger is right, and the secret keys are its own.`
      : [`The backup is not good (${head}):`, ...problems.map((one) => `  ${one}`)].join("\n");
    return { json: { ok, orders, entries, finishedAt, problems }, text, ok };
  } finally {
    await database.close();
    await server.stop();
  }
}

function dataFolderOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return dataDir;
  throw new StartError(
    "exchange restore puts back an embedded database, and DATABASE_URL names another server. Restore that with its own tools, or " +
      "name a data folder with --to.",
  );
}

export const restoreCommand: Command = {
  name: "restore",
  summary: "Put a backup of the embedded database into an empty data folder.",
  options: {
    from: FROM,
    to: {
      value: "DATADIR",
      description:
        "The data folder, which has no database yet. Default: that of the service (EXCHANGE_DATA_DIR).",
    },
  },
  example: "restore --from /backups/2027-01-31T12-00-00-000Z",
  run: async (context, input) => {
    const named = input.one("to");
    const to = named === undefined ? dataFolderOf(context.config()) : resolve(named);
    const dataDir = join(to, "postgres");
    if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
      throw new StartError(
        `${dataDir} is not empty. A restore replaces no database: stop the service, move the folder away, and try again.`,
      );
    }
    const { finishedAt, files } = await restoreBackup(resolve(input.required("from")), dataDir);
    const text =
      `Restored ${Object.keys(files).length} files of ${finishedAt} to ${dataDir}. The next start stops all payouts and ` +
      "holds webhooks until the rails are compared: exchange payouts reconcile (docs/operating/back-up.md).";
    return { json: { dataDir, finishedAt }, text };
  },
};

const DECLARE_FIRST =
  "Start no process before the restore is declared. First run: exchange migrate, and then this command again.";

/**
 * It needs no more rights than the API's role has: on Kubernetes only the API's pods run after a restore. It applies no
 * migration, because a restore may be the way back to an earlier version.
 */
export const databaseRestored: Command = {
  name: "database restored",
  summary:
    "Declare that the database was restored, where no start can notice it. Payouts are stopped and webhooks are held.",
  options: { as: AS },
  example: "database restored --as anna",
  run: (context, input) => {
    const config = context.config();
    const { environment, dataDir } = config;
    requireInstallation(config);
    const declare = async (database: Database): Promise<CommandResult> => {
      await requireEnvironment(database, { config, ids: randomIds });
      const { installation } = await readHistory(database);
      const lastMark = openHistoryFile(dataDir).read(installation) ?? 0n;
      const by = operatorOf(context, input);
      const { why, isNews } = await declareRestoredBy({ database, environment }, { by, lastMark });
      const text = isNews
        ? "Declared. All payouts are stopped and webhooks are held. Start the workers, and then run: exchange payouts reconcile"
        : `Nothing was changed, because the database is declared restored already: ${why}. Run: exchange payouts reconcile`;
      return { json: { restored: why, isNews }, text };
    };
    return withInstallation(context, declare, DECLARE_FIRST);
  },
};
