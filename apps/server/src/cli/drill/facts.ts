import type { Config } from "../../config.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { describeStop, type Stop } from "../../domain/payouts/stop.ts";
import type { Deps } from "../../flows/deps.ts";
import { readOrder } from "../../flows/orders/read.ts";
import type { NetworkChoices } from "../../start/rails/chain-choices.ts";
import { readLiveRails } from "../../start/rails/open-chains.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { listEarliestDelivered } from "../../storage/payouts/first-payouts.ts";
import { findOperatorPayout, type OperatorPayout } from "../../storage/payouts/operator-payouts.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { type CommandContext, UsageError } from "../command.ts";
import { examineService } from "../commands/installation.ts";
import type { Finding } from "../finding.ts";
import { amountWords } from "../order-words.ts";
import { type ChosenOrder, chooseOrder, type StopWindow, windowsOf } from "./choose-order.ts";

/** Everything that the steps look at, read at one moment. Nothing is stored: each run reads it again. */
export interface DrillFacts {
  readonly deps: Deps;
  readonly config: Config;
  readonly code: string;
  readonly choices: NetworkChoices;
  readonly findings: readonly Finding[];
  /** The stop of this network's payouts. */
  readonly stop: Stop | undefined;
  readonly otherStops: readonly Stop[];
  readonly windows: readonly StopWindow[];
  readonly chosen: ChosenOrder | undefined;
  /** A payout that was released without the drill's stop. */
  readonly unfit: ChosenOrder | undefined;
  /** The order of the drill with its rows, and its payout with the reason why it waits. */
  readonly view: OrderView | undefined;
  readonly payout: OperatorPayout | undefined;
}

const ORDERS = 100;
const CHANGES = 1_000;

export const railOf = (code: string): string => `chain:${code}`;

export async function readFacts(
  context: CommandContext,
  deps: Deps,
  code: string,
): Promise<DrillFacts> {
  const config = context.config();
  const choices = requireLive(config, deps, code);
  const findings = await examineService(context);
  const stops = await listStops(deps.database);
  const isOurs = ({ kind, subject }: Stop) => kind === "rail" && subject === railOf(code);
  const subject = describeStop({ kind: "rail", subject: railOf(code) });
  const changes = await listControlChanges(deps.database, { subject, limit: CHANGES });
  const windows = windowsOf(changes);
  const orders = await listEarliestDelivered(deps.database, code, ORDERS);
  const { chosen, unfit } = chooseOrder(orders, windows);
  const view = chosen && (await readOrder(deps, chosen.order));
  const payoutId = chosen?.order.payoutId;
  const payout = payoutId ? await findOperatorPayout(deps.database, payoutId) : undefined;
  return {
    deps,
    config,
    code,
    choices,
    findings,
    stop: stops.find(isOurs),
    otherStops: stops.filter((stop) => !isOurs(stop)),
    windows,
    chosen,
    unfit,
    view,
    payout,
  };
}

/** Refuses a network that the drill cannot pay on. */
function requireLive(config: Config, deps: Deps, code: string): NetworkChoices {
  const networks = deps.catalogue().networks.map((network) => network.code);
  if (!networks.includes(code)) {
    throw new UsageError(
      `"${code}" is not a network of the catalogue. Use one of: ${networks.join(", ")}.`,
    );
  }
  const { chains = {}, signer } = readLiveRails(config, deps);
  const choices = chains[code];
  const page = "docs/operating/chains.md shows the member.";
  if (choices === undefined) {
    const whose = config.environment === "prod" ? "has no rail" : "is the sandbox's";
    throw new UsageError(
      `${code} ${whose}: it is not in chains of the rails file (EXCHANGE_RAILS_FILE). Add it. ${page}`,
    );
  }
  if (choices.hot === undefined || signer === undefined) {
    throw new UsageError(
      `${code} makes no payouts: chains.${code}.hot and signer must be in the rails file. Add them. ${page}`,
    );
  }
  return choices;
}

export const wordsFor = ({ deps }: Pick<DrillFacts, "deps">, assetId: number, units: bigint) =>
  amountWords(exactAmount(deps.catalogue(), assetId, units));
