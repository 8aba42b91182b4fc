import type { Config } from "../../config.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { findStandbyFault } from "../../flows/reports/source.ts";
import { describeLostDatabase, lacksDatabase, openStandby } from "../../start/database-server.ts";
import { findMachineFault } from "../../start/machine-faults.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { readLastBackup } from "../../storage/embedded/backup.ts";
import { readHistory } from "../../storage/history.ts";
import { readInstallation } from "../../storage/installation.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { readRoleRights } from "../../storage/postgres/grants.ts";
import type { CommandContext } from "../command.ts";
import { bad, type Finding, good, unread } from "../finding.ts";
import { withServer } from "../with-database.ts";
import { examineClock, examineKeyChecks } from "./examine-keys.ts";
import { examineLiveNetworks } from "./live-networks.ts";
import { examineCallbacks, examineWebhooks } from "./messages.ts";
import { examineHistory } from "./reconcile.ts";
import { examineWaiting } from "./status.ts";
import { resumeCommandOf } from "./stops.ts";
import { examineTreasury } from "./treasury.ts";

const EMBEDDED_FIX = "Read postgres/server.log in the data folder.";
const EXTERNAL_FIX =
  "Correct DATABASE_URL, or the server that it names. The log of that server says more.";

/** Examines the database and everything that is read in it. Changes nothing. */
export async function examineDatabase(config: Config, context: CommandContext): Promise<Finding[]> {
  try {
    const lost = describeLostDatabase(config);
    if (lost !== undefined) return [bad("database", lost.found, lost.fix)];
    if (lacksDatabase(config)) return [good("database", "will be created at the first start")];
    return await withServer(config, context, async (database) => [
      await examineInstallation(database, config),
      ...(await examineStandby(database, config)),
      await examineKeyChecks(database, config),
      await examineClock(database),
      ...(await examineBackup(config)),
      await examineRole(database, config),
      await examineCatalogue(database),
      await examineWebhooks(database),
      ...(await examineCallbacks(database)),
      await examinePayouts(database),
      // The API's role of the database may not read the breaks.
      ...(config.role === "api" ? [] : [await examineWaiting(database)]),
      await examineTreasury(database),
      await examineHistory(database, config),
      ...(await examineLiveNetworks(database, config)),
    ]);
  } catch (error) {
    const { found, fix } = findMachineFault(error) ?? {
      found: (error as Error).message,
      fix: config.databaseUrl === undefined ? EMBEDDED_FIX : EXTERNAL_FIX,
    };
    return [bad("database", found, fix)];
  }
}

async function examineInstallation(database: Database, config: Config): Promise<Finding> {
  try {
    const { version, migrations, environment } = await readInstallation(database);
    const found = `PostgreSQL ${version}, ${migrations} migrations, safe settings`;
    if (!environment || environment === config.environment) return good("database", found);
    const fix = "Correct EXCHANGE_ENV, or use the database of that environment.";
    return bad("database", `belongs to environment ${environment}`, fix);
  } catch (error) {
    return unread("database", error);
  }
}

async function examineStandby(database: Database, config: Config): Promise<Finding[]> {
  const check = "standby for reports";
  const standby = openStandby(config);
  if (standby === undefined) return [];
  const fix =
    "Correct EXCHANGE_DATABASE_STANDBY_URL, or look at pg_stat_replication of the primary.";
  try {
    const fault = await findStandbyFault(database, standby);
    return [fault === undefined ? good(check, "follows the database") : bad(check, fault, fix)];
  } catch (error) {
    return [bad(check, (error as Error).message, fix)];
  } finally {
    await standby.close();
  }
}

/** A nightly backup that ran late is not reported. */
const BACKUP_HOURS_MAX = 26;

/** A server of the operator's is backed up by its own tools. A developer's data needs no backup. */
async function examineBackup(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== undefined || config.environment === "dev") return [];
  const fix = "Run: exchange backup --to DIR, every night.";
  const last = await readLastBackup(config.dataDir);
  if (last === undefined) return [bad("backup", "none was made", fix)];
  const hours = (Date.now() - last.getTime()) / 3_600_000;
  const found = `the last one is ${hours.toFixed(1)} hours old`;
  return [hours > BACKUP_HOURS_MAX ? bad("backup", found, fix) : good("backup", found)];
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
    return unread(check, error);
  }
}

const CATALOGUE_FIX = "Start the service, or a worker: it loads the catalogue.";

async function examineCatalogue(database: Database): Promise<Finding> {
  try {
    const catalogue = await readCatalogue(database);
    const found = `${catalogue.currencies.length} currencies, ${catalogue.paymentMethods.length} payment methods`;
    if (catalogue.currencies.length > 0) return good("catalogue", found);
    return bad("catalogue", "empty", CATALOGUE_FIX);
  } catch (error) {
    return unread("catalogue", error);
  }
}

async function examinePayouts(database: Database): Promise<Finding> {
  try {
    const stops = await listStops(database);
    if (stops.length === 0) return good("payouts", "nothing is stopped");
    const words = stops.map(
      (stop) => `${describeStop(stop)} stopped by ${stop.setBy}: ${stop.reason}`,
    );
    const resume = stops.map(resumeCommandOf).join("; ");
    const { restoredWhy } = await readHistory(database);
    const fix =
      restoredWhy === null
        ? `Find the cause. Then run: ${resume}`
        : `Run first: exchange payouts reconcile. Then run: ${resume}`;
    return bad("payouts", words.join("; "), fix);
  } catch (error) {
    return unread("payouts", error);
  }
}
