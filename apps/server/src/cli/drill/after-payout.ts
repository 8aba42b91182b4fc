import { readPayment } from "../../adapters/chains/evm/read-payment.ts";
import type { MinedPayment } from "../../adapters/chains/mined-payment.ts";
import { readSolanaPayment } from "../../adapters/chains/solana/read-payment.ts";
import { readTronPayment } from "../../adapters/chains/tron/read-payment.ts";
import { readXrpPayment } from "../../adapters/chains/xrp/read-payment.ts";
import type { Stop } from "../../domain/payouts/stop.ts";
import { writePaymentText } from "../../flows/payouts/payment-text.ts";
import type { NetworkChoices } from "../../start/rails/chain-choices.ts";
import type { CoinChoices } from "../../start/rails/coin-choices.ts";
import { networkOf } from "../../start/rails/open-chains.ts";
import { payingWalletOf } from "../../start/rails/open-gateway.ts";
import { solanaEndpointsOf, solanaTokenOf } from "../../start/rails/open-solana.ts";
import { xrpEndpointsOf } from "../../start/rails/open-xrp.ts";
import { readBooks } from "../../storage/chains/books.ts";
import { listFinalMovements } from "../../storage/chains/statement.ts";
import { listDeliveryViews } from "../../storage/webhooks/delivery-views.ts";
import { type DrillFacts, railOf, wordsFor } from "./facts.ts";
import { blocked, done, later, next, type Outcome, skipped, waiting } from "./step.ts";

export function checkRelease(facts: DrillFacts): Outcome {
  const { code, stop, chosen, view, payout } = facts;
  if (view === undefined || payout === undefined) return later;
  if (chosen?.release.how === "held") {
    const { stoppedBy, resumedBy } = chosen.release.window;
    return done(`it waited; ${stoppedBy} stopped it and ${resumedBy} resumed it`);
  }
  const { order } = view;
  if (order.status === "in_review") {
    return blocked(
      `the order waits in review: ${payout.waitsFor ?? order.statusReason}`,
      `exchange orders explain ${order.id}`,
      "Correct the limit of the service or of the signer's policy, or approve the payout. Then:",
      `exchange orders release ${order.id} --as anna`,
    );
  }
  if (stop === undefined || payout.waitsFor === null) {
    return waiting("the payout reaches the stop within seconds");
  }
  return next(
    `the payout waits: ${payout.waitsFor}`,
    `Let a person other than ${stop.setBy} read it, and compare the address with the wallet:`,
    `exchange payouts show ${payout.intent.id}`,
    ...releaseTextOf(facts).map((line) => `    ${line}`),
    `Then ${stop.peopleToResume - stop.agreed.length} of ${stop.peopleToResume} people resume, each from their own account:`,
    ...missingPeople(stop).map(
      (person) => `exchange payouts resume --rail ${railOf(code)} --as ${person}`,
    ),
  );
}

/** Returns names for those who have not agreed to resume: the person who stopped payouts, and others. */
function missingPeople({ setBy, agreed, peopleToResume }: Stop): readonly string[] {
  const people = [setBy, "ben", "anna", "carla", "dora"].filter(
    (person, at, all) =>
      !["auditor", "system", ...agreed].includes(person) && all.indexOf(person) === at,
  );
  return people.slice(0, peopleToResume - agreed.length);
}

/** The text that the worker will sign with the release key. */
function releaseTextOf({ config, deps, code, payout }: DrillFacts): readonly string[] {
  const names = payingWalletOf(config, deps, code);
  const intent = payout?.intent;
  if (!names || !intent?.address) return [];
  const { reference: assetReference } = deps.catalogue().requireCurrency(intent.assetId);
  const payment = { ...intent, networkCode: code, address: intent.address, assetReference };
  const text = writePaymentText({ ...payment, ...names, intentId: intent.id });
  return text.trimEnd().split("\n");
}

/** The hash of the transaction that paid, or that is under way. */
const hashOf = ({ payout }: DrillFacts): string | null =>
  payout?.intent.settledHash ?? payout?.intent.transactionHash ?? null;

export async function checkSent(facts: DrillFacts): Promise<Outcome> {
  const { deps, code, choices, payout } = facts;
  if (payout === undefined || payout.intent.releasedAt === null) return later;
  const { intent, waitsFor } = payout;
  const hash = hashOf(facts);
  if (hash === null) {
    return waitsFor === null
      ? waiting("the signer is asked for a signature")
      : blocked(`the payout waits: ${waitsFor}`, "exchange payouts list --waiting");
  }
  const words = wordsFor(facts, intent.assetId, intent.units);
  const page = deps.catalogue().network(code)?.explorerTransactionUrl?.replace("{hash}", hash);
  const look = page === undefined ? [] : [`See it in an explorer of somebody else: ${page}`];
  if (choices.kind === "utxo" || choices.hot === undefined) {
    if (intent.state === "confirmed") return done(`${words} in ${hash}, by blocks of the nodes`);
    return waiting(`${hash} is sent, ${intent.confirmations} blocks`, ...look);
  }
  const mined = await readMined(facts, { ...choices, hot: choices.hot }, hash);
  if (mined === null) return waiting(`${hash} is sent, and no block has it yet`, ...look);
  if (!mined.isSuccess || mined.units !== intent.units) {
    const moved = wordsFor(facts, intent.assetId, mined.isSuccess ? mined.units : 0n);
    return blocked(`${hash} moved ${moved}, and ${words} are owed`, ...look);
  }
  return done(
    `${words} to ${intent.address} in block ${mined.height}, ${hash}, as the nodes report`,
  );
}

/** Asks the nodes for the payout's transaction. */
function readMined(
  { deps, code, payout }: DrillFacts,
  choices: Exclude<NetworkChoices, CoinChoices> & { readonly hot: { readonly address: string } },
  hash: string,
): Promise<MinedPayment | null> {
  if (payout === undefined) return Promise.resolve(null);
  const { address, memo, assetId } = payout.intent;
  const [from, to] = [choices.hot.address, address ?? ""];
  const suspect = (): void => {};
  if (choices.kind === "xrp") {
    return readXrpPayment(xrpEndpointsOf(code, { choices, suspect }), hash, { from, to, memo });
  }
  if (choices.kind === "solana") {
    const endpoints = solanaEndpointsOf(deps.catalogue(), code, { choices, suspect });
    const { reference } = deps.catalogue().requireCurrency(assetId);
    const token = solanaTokenOf(deps.catalogue(), reference);
    return readSolanaPayment(endpoints, hash, { to, token });
  }
  const endpoints = networkOf(deps.catalogue(), code, { choices, suspect });
  const { contractAddress: contract } = deps.catalogue().requireCurrency(assetId);
  const read = choices.kind === "tron" ? readTronPayment : readPayment;
  return read(endpoints, hash, { from, to, contract });
}

export function checkCompleted({ view, payout }: DrillFacts): Outcome {
  if (view === undefined || !payout?.intent.releasedAt) return later;
  const { order } = view;
  if (order.status === "completed") return done(`order ${order.id} is completed`);
  if (order.status === "in_review") {
    const explain = `exchange orders explain ${order.id}`;
    return blocked(`the order waits in review: ${order.statusReason}`, explain);
  }
  return waiting(`the order is ${order.status}: ${payout.intent.confirmations} blocks so far`);
}

export async function checkWebhook({ deps, view }: DrillFacts): Promise<Outcome> {
  if (view?.order.status !== "completed") return later;
  const { id: orderId, merchantId } = view.order;
  const filter = { merchantId, orderId, eventType: "OrderFulfillment" } as const;
  const deliveries = await listDeliveryViews(deps.database, filter, 10);
  if (deliveries.length === 0) {
    return skipped(`${merchantId} has no webhook endpoint; a real merchant needs one`);
  }
  const open = deliveries.filter(({ status }) => status !== "delivered");
  if (open.length === 0) return done(`OrderFulfillment was delivered ${deliveries.length} time(s)`);
  const last = open[0]?.attempts.at(-1);
  const why = last?.fault ?? (last?.status ? `status ${last.status}` : "not tried yet");
  const history = `exchange webhook history --client ${merchantId}`;
  return open.some(({ status }) => status !== "pending")
    ? blocked(`OrderFulfillment could not be delivered: ${why}`, history)
    : waiting(`OrderFulfillment is under way: ${why}`, history);
}

/** Both of the last checks begin at the payout's own block. */
export async function checkBooks(facts: DrillFacts): Promise<Outcome> {
  const { deps, code, view, payout } = facts;
  if (view?.order.status !== "completed") return later;
  if (payout?.intent.awaitsFinality) {
    return waiting("the payout awaits its final block, and its fee is booked then");
  }
  const lines = await linesOf(facts);
  const books = await readBooks(deps.database, code);
  const height = lines[0]?.height;
  const compared = books[0]?.comparedHeight ?? 0n;
  if (height === undefined || compared < height) {
    return waiting(`the books were compared at block ${compared}, before the payout was final`);
  }
  const statement = `exchange chains statement --network ${code}`;
  const wrong = books.filter(({ difference }) => difference !== 0n);
  if (wrong.length > 0) {
    const words = wrong.map((one) => `${one.assetReference} by ${one.difference}`);
    return blocked(`books and chain differ: ${words.join("; ")}`, statement);
  }
  const early = books.filter(({ unbookedUnits }) => unbookedUnits !== 0n);
  if (early.length > 0) {
    const words = early.map((one) => `${one.unbookedUnits} of ${one.assetReference}`);
    return waiting(`final movements are not booked yet: ${words.join("; ")}`, statement);
  }
  return done(`${books.length} coins equal the chain to the unit at block ${compared}`);
}

export async function checkStatement(facts: DrillFacts): Promise<Outcome> {
  const { deps, code, view, payout } = facts;
  if (view?.order.status !== "completed" || payout === undefined) return later;
  const lines = await linesOf(facts);
  const statement = `exchange chains statement --network ${code}`;
  const kinds = lines.map(({ kind }) => kind);
  if (!kinds.includes("payout") || !kinds.includes("fee")) {
    return waiting("the statement has the payout once its block is final", statement);
  }
  const foreign = (await finalMovements(facts)).filter(({ kind }) => kind === "foreign");
  if (foreign.length > 0) {
    return blocked("the statement has movements that we did not sign", statement);
  }
  const words = lines.map(({ kind, assetReference, units }) => {
    const { id } = deps.catalogue().currencyByCodeOrReference(assetReference) ?? {};
    return id === undefined ? kind : `${kind} ${wordsFor(facts, id, units)}`;
  });
  return done(words.join(", "));
}

const ALL_BLOCKS = { from: -1n, to: 2n ** 62n };

const finalMovements = ({ deps, code }: DrillFacts) =>
  listFinalMovements(deps.database, { networkCode: code, ...ALL_BLOCKS });

/** The final movements of the payout's transaction. */
const linesOf = async (facts: DrillFacts) =>
  (await finalMovements(facts)).filter(({ transactionHash }) => transactionHash === hashOf(facts));
