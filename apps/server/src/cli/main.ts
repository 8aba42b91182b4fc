import { ConfigError, readConfig } from "../config.ts";
import { Refusal } from "../flows/refusal.ts";
import { StartError } from "../start/start-error.ts";
import { MigrationError } from "../storage/postgres/migrate.ts";
import { parseArguments, UsageError } from "./arguments.ts";
import type { Command, CommandContext } from "./command.ts";
import { deliveriesReplay, deliveriesTail } from "./commands/deliveries.ts";
import { doctor } from "./commands/doctor.ts";
import { ordersExplain } from "./commands/explain.ts";
import { keyCreate, keyRevoke } from "./commands/key.ts";
import { ledgerBreaks, ledgerCheck } from "./commands/ledger.ts";
import { liquiditySet, liquidityShow } from "./commands/liquidity.ts";
import { listen } from "./commands/listen.ts";
import { merchantCreate, merchantList, merchantShow } from "./commands/merchant.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { ordersCancel, ordersHold, ordersRefund, ordersRelease } from "./commands/order-actions.ts";
import { ordersList, ordersShow } from "./commands/orders.ts";
import { payoutsLimits } from "./commands/payout-limits.ts";
import { payoutsApprove, payoutsList, payoutsLog, payoutsShow } from "./commands/payouts.ts";
import { reportsBalances, reportsFees, reportsPayouts } from "./commands/reports.ts";
import { rulesExplain } from "./commands/rules.ts";
import { payoutsResume, payoutsStop, payoutsStops } from "./commands/stops.ts";
import { trigger } from "./commands/trigger.ts";
import { verify } from "./commands/verify.ts";
import {
  webhookAdd,
  webhookDisable,
  webhookEnable,
  webhookHistory,
  webhookList,
  webhookRemove,
} from "./commands/webhook.ts";
import { commandHelp, listHelp } from "./help.ts";
import { ApiError } from "./merchant-api.ts";

export const COMMANDS: readonly Command[] = [
  ...[merchantCreate, merchantList, merchantShow],
  ...[keyCreate, keyRevoke],
  ...[webhookAdd, webhookList, webhookRemove],
  ...[webhookEnable, webhookDisable, webhookHistory],
  ...[listen, trigger, deliveriesTail, deliveriesReplay, verify],
  ...[ordersList, ordersShow, ordersHold, ordersRelease, ordersRefund, ordersCancel],
  ...[payoutsList, payoutsShow, payoutsApprove, payoutsStop, payoutsResume, payoutsStops],
  ...[payoutsLimits, payoutsLog, liquidityShow, liquiditySet, rulesExplain],
  ...[ordersExplain, reportsBalances, reportsFees, reportsPayouts],
  ...[ledgerCheck, ledgerBreaks, migrateCommand, doctor],
];

/** Where a command's words go and come from; a test brings its own. */
export interface Terminal {
  readonly variables: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Writes without a line end and waits until it is taken; absent, it is printed. */
  readonly write?: (text: string) => Promise<void>;
}

/** Runs one command. Gives the exit status: 0 done, 1 refused or failed, 2 wrongly called. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const isHelp = words.length === 0 || ["--help", "-h", "help"].includes(words[0] ?? "");
  const command = COMMANDS.find(({ name }) => words.join(" ").concat(" ").startsWith(`${name} `));
  if (command === undefined) return explain(words, { terminal, isHelp });
  const rest = words.slice(command.name.split(" ").length);
  const json = rest.includes("--json");
  try {
    return await runParsed(command, { rest, terminal });
  } catch (error) {
    return fail(error, { command, terminal, json });
  }
}

function explain(
  words: readonly string[],
  how: { readonly terminal: Terminal; readonly isHelp: boolean },
): number {
  const group = COMMANDS.filter(({ name }) => name.split(" ")[0] === words[0]);
  const help = listHelp(group.length > 0 ? group : COMMANDS);
  const asked = how.isHelp || words.includes("--help") || words.includes("-h");
  if (asked) {
    how.terminal.print(help);
    return 0;
  }
  how.terminal.printError(`There is no command "${words.join(" ")}".\n\n${help}`);
  return 2;
}

async function runParsed(
  command: Command,
  call: { readonly rest: readonly string[]; readonly terminal: Terminal },
): Promise<number> {
  const { terminal } = call;
  const parsed = parseArguments(command, call.rest);
  if (parsed.help) {
    terminal.print(commandHelp(command));
    return 0;
  }
  const context: CommandContext = {
    variables: terminal.variables,
    config: () => readConfig(terminal.variables),
    progress: terminal.printError,
    json: parsed.json,
    write: terminal.write ?? (async (text) => terminal.print(text.trimEnd())),
  };
  const result = await command.run(context, parsed.input);
  if (result.written !== true) {
    terminal.print(parsed.json ? JSON.stringify(result.json, null, 2) : result.text);
  }
  return result.ok === false ? 1 : 0;
}

function fail(
  error: unknown,
  call: { readonly command: Command; readonly terminal: Terminal; readonly json: boolean },
): number {
  const { command, terminal, json } = call;
  const isExpected =
    error instanceof Refusal ||
    error instanceof StartError ||
    error instanceof ConfigError ||
    error instanceof MigrationError ||
    error instanceof ApiError;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Refusal ? error.code : "FAILED";
  if (json) terminal.print(JSON.stringify({ error: { code, message } }, null, 2));
  if (error instanceof UsageError) {
    terminal.printError(`${message}\n\n${commandHelp(command)}`);
    return 2;
  }
  terminal.printError(isExpected || !(error instanceof Error) ? message : (error.stack ?? message));
  return 1;
}
