import { accessSync, constants, existsSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { listWebhookEndpoints } from "../../flows/webhooks/list-endpoints.ts";
import { readKeyRing } from "../../secrets/key-ring.ts";
import { readPidFile } from "../../start/pid-file.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { type Database, statement } from "../../storage/postgres/database.ts";
import { readRoleRights } from "../../storage/postgres/grants.ts";
import type { Migrated } from "../../storage/postgres/migrate.ts";
import type { Command, CommandContext } from "../command.ts";
import { bad, type Finding, good } from "../finding.ts";
import { withMigratedDatabase, withServer } from "../with-database.ts";
import { examineLiveNetworks } from "./live-networks.ts";
import { examinePrices } from "./rates.ts";
import { examineHistory } from "./reconcile.ts";
import { examineTreasury } from "./treasury.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Apply pending database migrations. The service does so at start too.",
  options: {},
  example: "migrate",
  run: (context) =>
    withMigratedDatabase(context, async ({ migrated }) => ({
      json: migrated,
      text: describeMigrated(migrated),
    })),
};

function describeMigrated({ applied, checksumsRecorded }: Migrated): string {
  const done = applied.length === 0 ? "Nothing to apply." : `Applied ${applied.join(", ")}.`;
  if (checksumsRecorded.length === 0) return done;
  return `${done} Recorded the checksums of ${checksumsRecorded.length} files that were applied before.`;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Check everything that the service needs, and show how to fix problems.",
  options: {},
  example: "doctor",
  run: async (context) => {
    const findings = await examineService(context);
    const ok = findings.every((finding) => finding.ok);
    const lines = findings.map(({ ok: isGood, check, found, fix }) =>
      [`${isGood ? "ok  " : "BAD "} ${check}: ${found}`, ...(fix ? [`       ${fix}`] : [])].join(
        "\n",
      ),
    );
    return { json: { ok, findings }, text: lines.join("\n"), ok };
  },
};

const NODE_MIN = [20, 19] as const;
/** Runs every check, also after a failed one. Changes nothing. */
export async function examineService(context: CommandContext): Promise<Finding[]> {
  const settings = examineSettings(context);
  if (settings.config === undefined) return [examineNode(), ...settings.findings];
  const { config } = settings;
  return [
    examineNode(),
    ...settings.findings,
    examineDataFolder(config),
    examineSecretKeys(config),
    examinePrices(config),
    await examinePort(config),
    ...(await examineDatabase(config, context)),
  ];
}

function examineNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return good("Node.js", process.version);
  return bad("Node.js", process.version, "Install Node.js 20.19 or later; 24 is recommended.");
}

function examineSettings(context: CommandContext): { config?: Config; findings: Finding[] } {
  try {
    const config = context.config();
    return { config, findings: [good("settings", `environment ${config.environment}`)] };
  } catch (error) {
    return { findings: [bad("settings", (error as Error).message, "Correct these variables.")] };
  }
}

function examineDataFolder({ dataDir }: Config): Finding {
  if (!existsSync(dataDir))
    return good("data folder", `${dataDir} will be created at the first start`);
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return good("data folder", dataDir);
  } catch {
    const fix = "Run as the user that owns it, or choose another EXCHANGE_DATA_DIR.";
    return bad("data folder", `${dataDir} cannot be written by this user`, fix);
  }
}

function examineSecretKeys({ environment, secretKeysFile }: Config): Finding {
  const check = "secret keys";
  if (!existsSync(secretKeysFile)) {
    if (environment === "dev") return good(check, "will be created at the first start");
    return bad(
      check,
      `${secretKeysFile} does not exist`,
      "Start the service: its error shows the command that creates the file.",
    );
  }
  try {
    const ring = readKeyRing(secretKeysFile);
    return good(check, `${ring.keys.size} in ${secretKeysFile}, current ${ring.current.id}`);
  } catch (error) {
    return bad(
      check,
      (error as Error).message,
      "Restore the file from its backup: sealed data cannot be opened without these keys.",
    );
  }
}

async function examinePort({ dataDir, port }: Config): Promise<Finding> {
  const check = `port ${port}`;
  const service = readPidFile(dataDir);
  if (service !== undefined) {
    return good("service", `${service.state} as process ${service.pid} at ${service.address}`);
  }
  if (port === 0 || !(await answers(port))) return good(check, "free");
  // With a database of the operator's there is no file that names the process.
  if (await isExchange(port)) return good("service", `running at port ${port}`);
  return bad(check, "taken by another program", "Stop that program, or set PORT.");
}

const HEALTH_MS = 2_000;

async function isExchange(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEALTH_MS);
    const response = await fetch(`http://localhost:${port}/readyz`, { signal, redirect: "error" });
    const answer = (await response.json()) as { readonly checks?: object } | null;
    return Object.hasOwn(answer?.checks ?? {}, "catalogue");
  } catch {
    return false;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "localhost" });
    const end = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

const DATABASE_FIX = "Start the service once. It creates and migrates its database.";

async function examineDatabase(config: Config, context: CommandContext): Promise<Finding[]> {
  const isMissing =
    config.databaseUrl === undefined && !existsSync(join(config.dataDir, "postgres", "PG_VERSION"));
  if (isMissing) return [good("database", "will be created at the first start")];
  try {
    return await withServer(config, context, async (database) => [
      await examineInstallation(database, config),
      await examineRole(database, config),
      await examineCatalogue(database),
      await examineWebhooks(database),
      await examinePayouts(database),
      await examineTreasury(database),
      await examineHistory(database),
      ...(await examineLiveNetworks(database, config)),
    ]);
  } catch (error) {
    const fix = "Read postgres/server.log in the data folder, or correct DATABASE_URL.";
    return [bad("database", (error as Error).message, fix)];
  }
}

const READ_INSTALLATION = statement(
  "doctor_installation",
  `select current_setting('server_version') as version,
     (select environment from installation) as environment,
     (select count(*)::int from migrations) as migrations`,
);

async function examineInstallation(database: Database, config: Config): Promise<Finding> {
  try {
    const [row] = await database.query<{
      version: string;
      environment: string | null;
      migrations: number;
    }>(READ_INSTALLATION);
    const found = `PostgreSQL ${row?.version}, ${row?.migrations} migrations, safe settings`;
    if (!row?.environment || row.environment === config.environment) return good("database", found);
    const fix = "Correct EXCHANGE_ENV, or use the database of that environment.";
    return bad("database", `belongs to environment ${row.environment}`, fix);
  } catch (error) {
    return bad("database", (error as Error).message, DATABASE_FIX);
  }
}

const ROLES_PAGE =
  "docs/operating/install.md#separate-the-owner-of-the-tables-from-the-service shows the commands.";

/** The grants bind nobody who owns the tables. The API needs a role that cannot write payouts. */
async function examineRole(database: Database, config: Config): Promise<Finding> {
  const check = "database role";
  try {
    const { role, mayPay, mayAlter, mayPlaceOrders } = await readRoleRights(database);
    if (config.environment === "dev" || config.databaseUrl === undefined) {
      return good(check, `${role}, the only one of this installation`);
    }
    if (mayAlter) {
      return bad(check, `${role} owns the tables, so nothing is refused to it`, ROLES_PAGE);
    }
    if (config.role === "api" && mayPay) {
      return bad(check, `${role} may write payouts, and the API needs no such right`, ROLES_PAGE);
    }
    if (config.role !== "api" && !mayPay) {
      return bad(check, `${role} may not write payouts, and a worker must`, ROLES_PAGE);
    }
    const isShared = mayPay && mayPlaceOrders;
    return good(
      check,
      isShared
        ? `${role}, shared by API and workers`
        : `${role}, of the ${mayPay ? "workers" : "API"} alone`,
    );
  } catch (error) {
    return bad(check, (error as Error).message, DATABASE_FIX);
  }
}

async function examineCatalogue(database: Database): Promise<Finding> {
  try {
    const catalogue = await readCatalogue(database);
    const found = `${catalogue.currencies.length} currencies, ${catalogue.paymentMethods.length} payment methods`;
    if (catalogue.currencies.length > 0) return good("catalogue", found);
    return bad("catalogue", "empty", DATABASE_FIX);
  } catch (error) {
    return bad("catalogue", (error as Error).message, DATABASE_FIX);
  }
}

async function examineWebhooks(database: Database): Promise<Finding> {
  try {
    const merchants = await listMerchants(database);
    const lists = await Promise.all(
      merchants.map(({ id }) => listWebhookEndpoints({ database }, { merchantId: id })),
    );
    const endpoints = lists.flat();
    const failing = endpoints.filter((one) => one.state === "disabled" || one.firstFailureAt);
    if (failing.length === 0)
      return good("webhooks", `${endpoints.length} endpoints, none failing`);
    const words = failing
      .map((one) => `${one.url} (${one.disabledReason ?? "failing"})`)
      .join(", ");
    const fix =
      "Ask their merchants to fix them. Then enable a disabled one: npx exchange webhook enable.";
    return bad("webhooks", words, fix);
  } catch (error) {
    return bad("webhooks", (error as Error).message, DATABASE_FIX);
  }
}

async function examinePayouts(database: Database): Promise<Finding> {
  try {
    const stops = await listStops(database);
    if (stops.length === 0) return good("payouts", "nothing is stopped");
    const words = stops.map(
      (stop) => `${describeStop(stop)} stopped by ${stop.setBy}: ${stop.reason}`,
    );
    return bad(
      "payouts",
      words.join("; "),
      "Find the cause. Then run: npx exchange payouts resume.",
    );
  } catch (error) {
    return bad("payouts", (error as Error).message, DATABASE_FIX);
  }
}
