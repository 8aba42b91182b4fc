import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { RuleDraft } from "../../domain/prices/check-rule.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { statement } from "../../storage/postgres/database.ts";
import { testRates } from "../../testing/exchanges.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import type { Deps } from "../deps.ts";
import { readOverview } from "../operators/read-overview.ts";
import { createQuote, priceQuote } from "../quotes/create.ts";
import { explainRules } from "../quotes/explain-rules.ts";
import { findExchange } from "../quotes/name-exchange.ts";
import { approvePrice, rejectPrice } from "./decide.ts";
import { previewPrice } from "./preview.ts";
import { proposePrice, undoPrice } from "./propose.ts";
import { listPrices, readPricesInForce } from "./read-prices.ts";

const DAY_MS = 86_400_000;
const [ada, ben] = [operatorNamed("ada"), operatorNamed("ben")];
const REASON = "the acquirer became cheaper";
const CARD_BUY: RuleDraft = {
  reference: "card-buy",
  merchantId: null,
  operation: "buy",
  paymentMethod: "card",
  currency: null,
  spreadBasisPoints: 60,
  feeBasisPoints: 150,
  fixedFeeEuro: "0.1",
  minEuro: "10",
  maxEuro: "5000",
  enabled: true,
};

let world: World;
let deps: Deps;
let catalogue: Catalogue;
/** The process's clock, ahead of the database's by as much as a test wants. */
let aheadMs = 0;
const marketAt = new Date();

const refresh = async (): Promise<void> => {
  catalogue = await readCatalogue(world.database);
};
beforeAll(async () => {
  world = await makeWorld();
  deps = {
    ...world.deps,
    catalogue: () => catalogue,
    clock: { now: () => new Date(Date.now() + aheadMs) },
    // The market keeps still, so that two quotes differ by their rules alone.
    rates: { ...testRates, prices: () => testRates.prices(marketAt) },
  };
});
beforeEach(async () => {
  aheadMs = 0;
  await refresh();
});
afterAll(() => world.close());

const inDays = (days: number): Date =>
  new Date(Math.floor((Date.now() + days * DAY_MS) / 1_000) * 1_000);

const propose = (
  changes: Partial<RuleDraft> = {},
  effectiveFrom: Date | null = inDays(1),
  by = ada,
) => proposePrice(deps, { draft: { ...CARD_BUY, ...changes }, effectiveFrom, reason: REASON, by });

/** Approves a proposal and lets the process read it. */
async function agree(changeId: number) {
  const change = await approvePrice(deps, { changeId, by: ben });
  await refresh();
  return change;
}

const wish = () =>
  findExchange(catalogue, {
    merchantId: MERCHANT_ID,
    operation: "buy",
    spend: "eur",
    receive: "btc",
    method: "card",
    amount: "250",
    side: "spend",
  });
const command = () => {
  const { size, ...exchange } = wish();
  return { ...exchange, spendAmount: size.amount };
};
const ruleNow = () => readPricesInForce(deps).find(({ reference }) => reference === "card-buy");

test("a preview agrees to the unit with a quote made then, and quotes of before do not change", async () => {
  const before = priceQuote(deps, command());
  const session = await world.openSession();
  const stored = await createQuote(deps, { ...command(), sessionId: session.sessionId });
  const { id } = await propose();
  const preview = await previewPrice(deps, { previewed: { changeId: id }, wish: wish() });
  const draft = { draft: CARD_BUY, effectiveFrom: inDays(1) };
  const ofDraft = await previewPrice(deps, { previewed: draft, wish: wish() });
  await agree(id);
  expect(ruleNow()).toMatchObject({ feeBasisPoints: 290 });
  expect(money(priceQuote(deps, command()))).toEqual(money(before));

  aheadMs = DAY_MS + 1_000;
  const after = priceQuote(deps, command());
  expect(after.evidence?.rule).toEqual({ reference: "card-buy", changeId: id });
  expect(after.receive.units).toBeGreaterThan(before.receive.units);
  for (const { before: without, after: withIt } of [preview, ofDraft]) {
    expect(without.ok && money(without.value)).toEqual(money(before));
    expect(withIt.ok && money(withIt.value)).toEqual(money(after));
  }
  const [row] = await world.database.query<{ units: string; rule: unknown }>(
    statement(
      "test_quote",
      "select receive_units::text as units, evidence->'rule' as rule from quotes where id = $1",
    ),
    [stored.id],
  );
  expect(row).toEqual({
    units: String(stored.receive.units),
    rule: { reference: "card-buy", changeId: null },
  });
  const { looks } = explainRules(deps, wish());
  const applied = looks.find(
    ({ rule, verdict }) => rule === "pricing rule" && verdict === "applies",
  );
  expect(applied?.figures).toContain(`fee 150 basis points, 10 to 5000 EUR, by price change ${id}`);
});

test("a proposal is among what waits until it is decided", async () => {
  const { count } = (await readOverview(world.database)).proposals;
  const { id } = await propose();
  const waiting = (await readOverview(world.database)).proposals;
  expect([waiting.count, waiting.oldestMs >= 0]).toEqual([count + 1, true]);
  await rejectPrice(deps, { changeId: id, by: ben, reason: "not now" });
  expect((await readOverview(world.database)).proposals.count).toBe(count);
});

const money = ({
  spend,
  receive,
  transactionFee,
  deliveryFee,
  spread,
  rate,
  midRate,
}: Amounts) => ({
  ...{ spend, receive, transactionFee, deliveryFee, spread, rate, midRate },
});
type Amounts = ReturnType<typeof priceQuote>;

describe("two people", () => {
  test("nobody approves their own change, and the database refuses it too", async () => {
    const { id } = await propose({ feeBasisPoints: 140 }, inDays(2));
    await expect(approvePrice(deps, { changeId: id, by: ada })).rejects.toThrow(
      `ada proposed price change ${id}. Another person must approve it`,
    );
    const prod = { ...deps, environment: "prod" as const };
    const sameAccount = operatorNamed("ben", "ada");
    await expect(approvePrice(prod, { changeId: id, by: sameAccount })).rejects.toThrow(
      "Another person must approve it",
    );
    const alone = world.database.query(
      statement(
        "test_alone",
        `update price_changes set state = 'approved', effective_from = wanted_from, decided_by = proposed_by,
           decided_account = proposed_account, decided_at = business_now() where id = $1`,
      ),
      [id],
    );
    await expect(alone).rejects.toThrow("price_changes_two_people");
    await expect(propose({ feeBasisPoints: 130 }, inDays(3), ben)).rejects.toThrow(
      "A change of card-buy waits for a decision",
    );
    const both = await Promise.allSettled([agree(id), agree(id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(rejectPrice(deps, { changeId: id, by: ben, reason: "too late" })).rejects.toThrow(
      "was approved by ben",
    );
    const [logged] = await listControlChanges(world.database, { limit: 1 });
    expect(logged).toMatchObject({
      person: "ben",
      action: "approve_price",
      subject: "card-buy",
      details: { change: String(id), proposedBy: "ada" },
      before: { feeBasisPoints: 150 },
      after: { feeBasisPoints: 140 },
    });
  });

  test("a rejected proposal changes nothing, and its proposer may withdraw it", async () => {
    const { id } = await propose({ feeBasisPoints: 1 }, null);
    await rejectPrice(deps, { changeId: id, by: ada, reason: "a mistake" });
    await refresh();
    expect(catalogue.priceChanges.some((change) => change.id === id)).toBe(false);
    const page = { which: "past", olderThan: null, limit: 1 } as const;
    const { items } = await listPrices(deps, page);
    expect(items).toMatchObject([{ id, status: "rejected", decidedWhy: "a mistake" }]);
  });

  test("an approved row is never changed", async () => {
    const change = statement("test_edit", "update price_changes set fee_basis_points = 0");
    await expect(world.database.query(change)).rejects.toThrow("was decided");
  });
});

describe("undoing", () => {
  test("a change that is scheduled is taken back at its own time, by a new change", async () => {
    const scheduled = (await listPrices(deps, { which: "scheduled", olderThan: null, limit: 9 }))
      .items;
    const [last, first] = scheduled;
    expect(scheduled).toMatchObject([{ isLast: true }, { isLast: false }]);
    await expect(
      undoPrice(deps, { changeId: first?.id ?? 0, reason: REASON, by: ada }),
    ).rejects.toThrow("was followed by a later change of card-buy");
    const undo = await undoPrice(deps, { changeId: last?.id ?? 0, reason: REASON, by: ada });
    expect(undo).toMatchObject({ undoes: last?.id, wantedFrom: last?.effectiveFrom });
    await agree(undo.id);
    aheadMs = 3 * DAY_MS;
    expect(ruleNow()).toMatchObject({ feeBasisPoints: 150, changeId: undo.id });
  });

  test("the first change of a rule is taken back to the files", async () => {
    const swap = { ...SWAP, feeBasisPoints: 20 };
    const changed = await agree((await propose(swap, null)).id);
    const undo = await undoPrice(deps, { changeId: changed.id, reason: REASON, by: ben });
    expect(undo.rule).toBeNull();
    const gone = await approvePrice(deps, { changeId: undo.id, by: ada });
    await refresh();
    const swapAt = (time: Date | null) =>
      catalogue
        .pricingRulesFor(MERCHANT_ID, time ?? new Date(0))
        .find(({ reference }) => reference === "swap");
    expect(swapAt(changed.effectiveFrom)?.feeBasisPoints).toBe(20);
    expect(swapAt(gone.effectiveFrom)).toMatchObject({ feeBasisPoints: 25 });
    expect(swapAt(gone.effectiveFrom)?.changeId).toBeUndefined();
  });
});

const SWAP: Partial<RuleDraft> = {
  reference: "swap",
  operation: "crypto_to_crypto",
  paymentMethod: null,
  minEuro: "15",
  maxEuro: "100000",
};
const GENERAL = { reference: "standard", operation: null, paymentMethod: null };

test.each<[string, Partial<RuleDraft>, string]>([
  ["a negative price", { feeBasisPoints: -5 }, "The fee is -5 basis points. Use a whole number"],
  ["a spread over the bound", { spreadBasisPoints: 2_001 }, "from 0 to 2000"],
  ["a negative fixed fee", { fixedFeeEuro: "-1" }, 'The fixed fee is "-1". Use an amount in euro'],
  ["a fixed fee that leaves no amount", { fixedFeeEuro: "1251" }, "which is above the maximum"],
  ["a minimum above the maximum", { minEuro: "5001" }, "The minimum is above the maximum"],
  ["a maximum without end", { maxEuro: "999999999999" }, "The maximum has too many digits"],
  ["an unknown method", { reference: "x", paymentMethod: "gold" }, 'no payment method "gold"'],
  ["an unknown currency", { reference: "x", currency: "xyz" }, 'There is no currency "xyz"'],
  ["an unknown operation", { reference: "x", operation: "give" }, '"give" is not an operation'],
  ["an unknown merchant", { reference: "x", merchantId: "nobody" }, "There is no merchant nobody"],
  ["another use of a rule's name", { currency: "usdc" }, "matches other exchanges"],
  ["a second rule of the same exchanges", { reference: "x" }, "card-buy already prices the same"],
  ["a bad name", { reference: "Card Buy" }, '"Card Buy" is not a name of a rule'],
  ["no general rule", { ...GENERAL, enabled: false }, "some exchanges would have no price"],
])("%s is refused with what to do", async (_name, changes, words) => {
  await expect(propose(changes)).rejects.toThrow(words);
});

test("of two proposals for the same exchanges only one is approved", async () => {
  const own = { operation: "sell", paymentMethod: null, currency: "eur" } as const;
  const [first, second] = [
    await propose({ ...own, reference: "sell-a" }, inDays(2)),
    await propose({ ...own, reference: "sell-b" }, inDays(3)),
  ];
  const sooner = await propose({ ...own, reference: "sell-c" }, inDays(1));
  const decided = await Promise.allSettled(
    [first, sooner].map(({ id }) => approvePrice(deps, { changeId: id, by: ben })),
  );
  expect(decided.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  await expect(approvePrice(deps, { changeId: second.id, by: ben })).rejects.toThrow(
    "already prices the same exchanges",
  );
});

test("a time that has passed is refused, when it is proposed and when it is approved", async () => {
  await expect(propose({}, inDays(-1))).rejects.toThrow("The price cannot take effect at");
  const { id } = await propose({ feeBasisPoints: 120 }, inDays(4));
  await world.database.query(
    statement("test_clock", "update installation set clock_offset = interval '5 days'"),
  );
  await expect(approvePrice(deps, { changeId: id, by: ben })).rejects.toThrow("has passed");
  await rejectPrice(deps, { changeId: id, by: ben, reason: "its time has passed" });
});
