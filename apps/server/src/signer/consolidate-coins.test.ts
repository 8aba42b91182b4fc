import { hex } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import { expect, test } from "vitest";
import {
  COIN,
  CUSTOMER_BTC,
  makeCoinRelease,
  makePlan,
  openTestSigner,
  signRelease,
} from "../testing/signer.ts";

type Signer = ReturnType<typeof openTestSigner>;

const COINS = [COIN, { ...COIN, output: 1, index: 4 }, { ...COIN, output: 2, branch: 1 as const }];
/** Their number makes the transaction so large that its cap of the fee rate allows more than its cap of the fee. */
const MANY = Array.from({ length: 12 }, (_, output) => ({ ...COIN, output }));
/** The coins hold 3,000,000 units. */
const consolidate = (changes: object = {}) => ({
  op: "consolidate_coins",
  wallet: "btc-hot",
  inputs: COINS,
  change: { units: "2997000", index: 7 },
  ...changes,
});
const changeOf = (units: string, index = 7) => ({ change: { units, index } });
const payment = (coin: typeof COIN) => ({
  op: "pay_coins",
  releases: [signRelease(makeCoinRelease([coin]))],
  plan: makePlan([coin], { pays: 100_000n, fee: 2_000n }),
});
function refusalOf(signer: Signer, request: object) {
  const answer = signer.ask(request);
  if (!("error" in answer)) throw new Error("it was signed");
  return answer.error;
}

test("coins of a wallet become one coin of its change, and the same question has the same answer", () => {
  const signer = openTestSigner();
  const answer = signer.sign(consolidate());
  const decoded = Transaction.fromRaw(hex.decode(answer.bytes));
  const { script } = signer.parts.wallets.coins("btc-hot").at(1, 7);
  expect([decoded.inputsLength, decoded.outputsLength]).toEqual([3, 1]);
  expect(decoded.getOutput(0)).toMatchObject({ amount: 2_997_000n, script });
  expect(signer.reopen().sign(consolidate())).toEqual(answer);
});

test.each([
  ["to an address", { change: { units: "2997000", index: 7, address: CUSTOMER_BTC } }],
  ["to a receiving address", { change: { units: "2997000", index: 7, branch: 0 } }],
  ["of everything to the fee", { change: null }],
  ["of one coin", { inputs: [COIN] }],
])("a consolidation %s cannot be written", (_, changes) => {
  const error = refusalOf(openTestSigner(), consolidate(changes));
  expect(error).toMatchObject({ code: "BAD_REQUEST" });
});

test.each([
  ["with a fee above the cap", { inputs: MANY, ...changeOf("11799999") }, "fee"],
  ["with a fee above the cap for its size", changeOf("2900000"), "fee"],
  ["of more than its coins hold", changeOf("3000001"), "coins"],
  ["of one coin twice", { inputs: [COIN, COIN], ...changeOf("1990000") }, "coins"],
  ["of a wallet without coins", { wallet: "eth-hot" }, "network"],
])("a consolidation %s is refused", (_, changes, reason) => {
  expect(refusalOf(openTestSigner(), consolidate(changes))).toMatchObject({ reason });
});

test("a coin of a payment is not consolidated, and a coin of a consolidation pays nobody", () => {
  const paid = openTestSigner();
  paid.sign(payment(COIN));
  expect(refusalOf(paid, consolidate())).toMatchObject({ reason: "place_taken" });
  const moved = openTestSigner();
  moved.sign(consolidate());
  expect(refusalOf(moved.reopen(), payment(COIN))).toMatchObject({ reason: "place_taken" });
});

test.each([
  ["a lower fee", changeOf("2998000")],
  ["change at another address", changeOf("2990000", 8)],
  ["fewer coins", { inputs: COINS.slice(0, 2), ...changeOf("1990000") }],
  ["more coins", { inputs: [...COINS, { ...COIN, output: 3 }], ...changeOf("3990000") }],
])("another version with %s is refused", (_, changes) => {
  const signer = openTestSigner();
  signer.sign(consolidate());
  expect(refusalOf(signer, consolidate(changes))).toMatchObject({ reason: "replacement" });
});

test("another version with less of its change is signed, and a raise spends the change", () => {
  const signer = openTestSigner();
  signer.sign(consolidate());
  const { hash } = signer.sign(consolidate(changeOf("2990000")));
  signer.sign({
    op: "raise_coins",
    wallet: "btc-hot",
    coin: { transaction: hash, output: 0, units: "2990000", index: 7 },
    ...changeOf("2985000", 1),
  });
});

test("the fees of consolidations count against the day", () => {
  const signer = openTestSigner();
  const at = (round: number) => {
    const transaction = String(round).padStart(64, "0");
    const inputs = COINS.map((coin) => ({ ...coin, transaction }));
    return consolidate({ inputs, ...changeOf("2940000") });
  };
  let round = 0;
  let answer = signer.ask(at(round));
  while (!("error" in answer) && round < 1_000) {
    round += 1;
    answer = signer.ask(at(round));
  }
  expect(answer).toMatchObject({
    error: { reason: "fee", message: expect.stringContaining("of a day on bitcoin") },
  });
});
