import { ExchangeError } from "@exchange/node";
import { CommanderError } from "commander";
import { SignerRefused, SignerUnavailable } from "../adapters/chains/signer-client.ts";
import { ConfigError, readConfig } from "../config.ts";
import { Refusal } from "../flows/refusal.ts";
import { SignerError } from "../signer/signer-error.ts";
import { describeMachineFault } from "../start/machine-faults.ts";
import { StartError } from "../start/start-error.ts";
import { readVersion } from "../start/version.ts";
import { BackupError } from "../storage/embedded/backup.ts";
import { LockHeldError } from "../storage/postgres/exclusive.ts";
import { GrantsError } from "../storage/postgres/grants.ts";
import { MigrationError } from "../storage/postgres/migrate.ts";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";
import { AdminCallError } from "./admin-api.ts";
import type { Command, CommandContext } from "./command.ts";
import { apiCommand } from "./commands/api.ts";
import {
  backupCommand,
  backupVerify,
  databaseRestored,
  restoreCommand,
} from "./commands/backup.ts";
import { chainsStatement } from "./commands/chain-statement.ts";
import { chainsAccept, chainsShow } from "./commands/chains.ts";
import { clockAdvance } from "./commands/clock.ts";
import { makeCompletion } from "./commands/completion.ts";
import { payoutsLog } from "./commands/control-log.ts";
import { customersErase, customersExport } from "./commands/customers.ts";
import { databaseGrants } from "./commands/database-grants.ts";
import { deliveriesReplay, deliveriesTail } from "./commands/deliveries.ts";
import { demoSeed } from "./commands/demo.ts";
import { drillFirstPayout } from "./commands/drill.ts";
import { drillPlaceOrder } from "./commands/drill-order.ts";
import { ordersExplain } from "./commands/explain.ts";
import { doctor } from "./commands/installation.ts";
import { keyCreate, keyRevoke, keyRoll } from "./commands/key.ts";
import { ledgerBreaks, ledgerCheck, ledgerFloat } from "./commands/ledger.ts";
import { liquiditySet, liquidityShow } from "./commands/liquidity.ts";
import { listen } from "./commands/listen.ts";
import { merchantCreate, merchantList, merchantShow } from "./commands/merchant.ts";
import { merchantDisable, merchantEnable, merchantUpdate } from "./commands/merchant-changes.ts";
import { migrateCommand, migratePlan, migrateStatus } from "./commands/migrate.ts";
import { moveCommand } from "./commands/move.ts";
import {
  ordersApproveAddress,
  ordersCancel,
  ordersHold,
  ordersNote,
  ordersRefund,
  ordersRelease,
  ordersRevokeLink,
} from "./commands/order-actions.ts";
import { ordersFind, ordersList, ordersShow } from "./commands/orders.ts";
import { payoutsLimits } from "./commands/payout-limits.ts";
import {
  payoutsApprove,
  payoutsList,
  payoutsReleaseText,
  payoutsResolve,
  payoutsShow,
} from "./commands/payouts.ts";
import { peopleDisable, peopleInvite, peopleList } from "./commands/people.ts";
import {
  pricesApprove,
  pricesList,
  pricesPreview,
  pricesPropose,
  pricesReject,
  pricesUndo,
} from "./commands/prices.ts";
import { ratesCommand } from "./commands/rates.ts";
import { payoutsReconcile } from "./commands/reconcile.ts";
import {
  reportsBalances,
  reportsDays,
  reportsFees,
  reportsPayouts,
  reportsStatement,
} from "./commands/reports.ts";
import { rulesExplain } from "./commands/rules.ts";
import { secretsForget, secretsRewrap } from "./commands/secret-keys.ts";
import { health, serve } from "./commands/service.ts";
import {
  serviceAccountsCreate,
  serviceAccountsList,
  serviceAccountsRevoke,
} from "./commands/service-accounts.ts";
import { sessionRevoke } from "./commands/session.ts";
import { signerAddresses, signerRun, signerStatus, signerVerifyLog } from "./commands/signer.ts";
import { signerApprove, signerInit, signerNewKey } from "./commands/signer-keys.ts";
import { status } from "./commands/status.ts";
import { payoutsResume, payoutsStop, payoutsStops } from "./commands/stops.ts";
import { treasurySet, treasuryShow } from "./commands/treasury.ts";
import { trigger } from "./commands/trigger.ts";
import { verify } from "./commands/verify.ts";
import { walletsDescriptors, walletsList } from "./commands/wallets.ts";
import {
  webhookAdd,
  webhookDisable,
  webhookEnable,
  webhookHistory,
  webhookList,
  webhookRemove,
} from "./commands/webhook.ts";
import { makeProgram } from "./program.ts";
import { withColours } from "./table.ts";

export const COMMANDS: readonly Command[] = [
  ...[serve, health],
  ...[merchantCreate, merchantUpdate, merchantDisable, merchantEnable],
  ...[merchantList, merchantShow, keyCreate, keyRoll, keyRevoke, sessionRevoke],
  ...[customersExport, customersErase],
  ...[webhookAdd, webhookList, webhookRemove],
  ...[webhookEnable, webhookDisable, webhookHistory],
  ...[listen, trigger, deliveriesTail, deliveriesReplay, verify],
  ...[peopleInvite, peopleList, peopleDisable],
  ...[serviceAccountsCreate, serviceAccountsList, serviceAccountsRevoke, apiCommand],
  ...[status, ordersFind, ordersList, ordersShow, ordersHold, ordersRelease, ordersRefund],
  ...[ordersApproveAddress, ordersCancel, ordersRevokeLink, ordersNote],
  ...[
    payoutsList,
    payoutsShow,
    payoutsReleaseText,
    payoutsApprove,
    payoutsResolve,
    payoutsStop,
    payoutsResume,
    payoutsStops,
  ],
  ...[payoutsReconcile],
  ...[chainsShow, chainsStatement, chainsAccept],
  ...[walletsList, walletsDescriptors, treasuryShow, treasurySet],
  ...[payoutsLimits, payoutsLog, liquidityShow, liquiditySet, ratesCommand, rulesExplain],
  ...[pricesList, pricesPropose, pricesPreview, pricesApprove, pricesReject, pricesUndo],
  ...[ordersExplain, reportsDays, reportsFees, reportsPayouts],
  ...[reportsBalances, reportsStatement],
  ...[signerInit, signerNewKey, signerRun, signerStatus],
  ...[signerAddresses, signerApprove, signerVerifyLog],
  ...[drillFirstPayout, drillPlaceOrder],
  ...[ledgerCheck, ledgerBreaks, ledgerFloat, demoSeed, clockAdvance, databaseGrants],
  ...[backupCommand, backupVerify, restoreCommand, databaseRestored, moveCommand],
  ...[migrateCommand, migrateStatus, migratePlan, secretsForget, secretsRewrap, doctor],
  makeCompletion(() => COMMANDS),
];

/** Where a command reads its variables and writes its output. A test passes its own. */
export interface Terminal {
  readonly variables: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Writes without a line end. Resolves when the stream accepted the text. Absent: `print` is used. */
  readonly write?: (text: string) => Promise<void>;
}

/**
 * Runs one command. Returns the exit status: 0 for success, 1 when the command was refused or failed,
 * 2 for wrong usage.
 */
export async function runCommand(words: readonly string[], outer: Terminal): Promise<number> {
  const terminal = withVisibleControls(outer);
  let status = 0;
  let usageError = "";
  const program = makeProgram(COMMANDS, {
    run: async (command, { input, json }) => {
      const result = await command.run(makeContext(terminal, { json }), input);
      if (result.written !== true) {
        terminal.print(json ? JSON.stringify(result.json, null, 2) : result.text);
      }
      status = result.exitStatus ?? (result.ok === false ? 1 : 0);
    },
    version: readVersion(),
    writeOut: (text) => terminal.print(text.trimEnd()),
    writeError: (text) => {
      usageError += text;
    },
  });
  try {
    await program.parseAsync(words.length === 0 ? ["--help"] : words, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (words.includes("--json")) terminal.print(JSON.stringify(toEnvelope(error), null, 2));
    terminal.printError(error instanceof CommanderError ? usageError.trimEnd() : describe(error));
    return error instanceof CommanderError ? 2 : 1;
  }
}

/** Control characters except tabs and ends of lines, and marks that change the direction of text. */
const CONTROLS = /\r(?!\n)|(?![\t\r\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** Prints control characters as JSON writes them. A name that a customer typed must not control the terminal. */
function withVisibleControls({ variables, print, printError, write }: Terminal): Terminal {
  const visible = (text: string): string =>
    text.replaceAll(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return {
    variables,
    print: (text) => print(withColours(visible(text))),
    printError: (text) => printError(visible(text)),
    ...(write && { write: (text: string) => write(visible(text)) }),
  };
}

const makeContext = (
  terminal: Terminal,
  { json }: Pick<CommandContext, "json">,
): CommandContext => ({
  variables: terminal.variables,
  config: () => readConfig(terminal.variables),
  progress: terminal.printError,
  json,
  write: terminal.write ?? (async (text) => terminal.print(text.trimEnd())),
});

function toEnvelope(error: unknown) {
  const isCoded = error instanceof Refusal || error instanceof AdminCallError;
  const code = isCoded ? error.code : "FAILED";
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code, message: message.replace(/^error: /, "") } };
}

/** Expected errors are one sentence. Any other error shows its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof Refusal ||
    error instanceof AdminCallError ||
    error instanceof StartError ||
    error instanceof ConfigError ||
    error instanceof DatabaseUnavailable ||
    error instanceof LockHeldError ||
    error instanceof MigrationError ||
    error instanceof BackupError ||
    error instanceof GrantsError ||
    error instanceof SignerError ||
    error instanceof SignerRefused ||
    error instanceof SignerUnavailable ||
    error instanceof ExchangeError;
  if (error instanceof ExchangeError && error.code === "CONNECTION_FAILED") {
    return `${error.message}. Start the service, or name its address in EXCHANGE_URL or --url.`;
  }
  if (isExpected) return error.message;
  return describeMachineFault(error) ?? error.stack ?? error.message;
}
