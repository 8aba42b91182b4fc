import fs, { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hex } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Release } from "../domain/payouts/release-text.ts";
import {
  BOTH,
  COIN,
  COLD,
  CUSTOMER,
  CUSTOMER_BTC,
  GAS,
  makeCoinRelease,
  makePlan,
  makeRelease,
  NOW,
  openTestSigner,
  signRelease,
  TEST_POLICY,
  type TestKey,
  USDT,
} from "../testing/signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { CoinPlan } from "./protocol.ts";
import { makeService } from "./service.ts";
import { readSignLog } from "./sign-log.ts";

const DEAD = "0x000000000000000000000000000000000000dEaD";
const pay = (changes: Partial<Release> = {}, gas: object = GAS) => ({
  op: "pay",
  release: signRelease(makeRelease(changes)),
  gas,
});
const at = (nonce: number) => ({ place: { kind: "nonce", nonce: BigInt(nonce) } }) as const;
const refusalOf = (signer: ReturnType<typeof openTestSigner>, request: object) => {
  const answer = signer.ask(request);
  if (!("error" in answer)) throw new Error("it was signed");
  return answer.error;
};

/** An attack is refused with its reason, and the log has no line of it. */
function expectRefused(request: object, reason: string, message: string | RegExp = ""): void {
  const signer = openTestSigner();
  const refusal = refusalOf(signer, request);
  expect(refusal).toMatchObject({ code: "REFUSED", reason });
  expect(refusal.message).toMatch(message);
  expect(readSignLog(signer.logFile).signatures).toEqual([]);
}

describe("a release", () => {
  const release = makeRelease();
  const signed = signRelease(release);
  const changed = (from: string, to: string) => ({
    op: "pay",
    release: { ...signed, text: signed.text.replace(from, to) },
    gas: GAS,
  });

  test.each([
    ["another address", changed(CUSTOMER, DEAD)],
    ["another amount", changed("units 1000000", "units 1000001")],
    ["another asset", changed("asset usdt-ethereum", "asset eth")],
    ["another place", changed("nonce 0", "nonce 1")],
    ["another wallet", changed("wallet eth-hot", "wallet base-hot")],
    ["a later time", changed("15:00:00", "16:00:00")],
  ])("that was changed to %s after it was signed is refused", (_, request) => {
    expectRefused(request, "release_signature");
  });

  test("that a thief signed is refused", () => {
    const stolen = signRelease(release, [], "thief");
    expectRefused({ op: "pay", release: stolen, gas: GAS }, "release_signature");
  });

  test("that an approver signed in the worker's place is refused", () => {
    const stolen = signRelease(release, [], "anna");
    expectRefused({ op: "pay", release: stolen, gas: GAS }, "release_signature");
  });

  test("with a line more is refused", () => {
    const text = `${signed.text}extra 1\n`;
    expectRefused({ op: "pay", release: { ...signed, text }, gas: GAS }, "release_text");
  });

  test.each([
    ["of another installation", { installation: "shop-2" }, "release_installation"],
    ["older than a day", { releasedAt: new Date(NOW - 86_400_001) }, "release_age"],
    ["of the future", { releasedAt: new Date(NOW + 60_001) }, "release_age"],
    ["of an asset that the policy lacks", { asset: "shib" }, "unlisted"],
    ["of a member that every object has", { asset: "constructor" }, "unlisted"],
    ["of a wallet that the policy lacks", { wallet: "eth-hot-2" }, "unlisted"],
    ["of a wallet of another network", { wallet: "base-hot" }, "network"],
    ["of an asset of another network", { network: "base", wallet: "base-hot" }, "network"],
    ["from a wallet that takes deposits", { wallet: "eth-deposits" }, "unlisted"],
    ["with a memo where the network has none", { memo: "5" }, "memo"],
    ["to a token's contract", { address: USDT }, "destination"],
    ["to the zero address", { address: `0x${"0".repeat(40)}` }, "destination"],
    [
      "to our own hot wallet",
      { address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" },
      "destination",
    ],
    ["to the cold address", { address: COLD }, "destination"],
    [
      "to a denied address",
      { address: "0x00000000000000000000000000000000deadbeef" },
      "destination",
    ],
    ["to an address with a wrong checksum", { address: CUSTOMER.replace("EfF", "Eff") }, "address"],
    [
      "to an address of another chain",
      { address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" },
      "address",
    ],
    ["at a place of coins", { place: { kind: "coins", digest: "0".repeat(64) } }, "place"],
    ["of more units than a token can hold", { units: 2n ** 256n }, "release_text"],
  ] as const)("%s is refused", (_, changes, reason) => {
    expectRefused(pay(changes), reason);
  });
});

describe("fees", () => {
  test.each([
    ["a gas limit above the cap", { ...GAS, gasLimit: "200001" }, "gasLimit"],
    ["a price that makes the fee absurd", { ...GAS, maxFeePerGas: "20000000000000" }, "may reach"],
    [
      "a tip above the whole price",
      { ...GAS, maxPriorityFeePerGas: "30000000001" },
      "maxPriorityFee",
    ],
    [
      "a legacy price that makes the fee absurd",
      { type: "legacy", gasLimit: "90000", gasPrice: "20000000000000" },
      "may reach",
    ],
  ])("%s is refused", (_, gas, message) => {
    expectRefused(pay({}, gas), "fee", message);
  });

  test("the fee of one transaction is capped by itself, beside the day's fees and the fee rate", () => {
    const policy = structuredClone(TEST_POLICY);
    Object.assign(policy.networks["ethereum"] ?? {}, { feeMaxPerDay: "9".repeat(30) });
    Object.assign(policy.networks["bitcoin"] ?? {}, { feeMaxPerDay: "9".repeat(30) });
    Object.assign(policy.networks["bitcoin"] ?? {}, { feeRateMax: 100_000 });
    const signer = openTestSigner(policy);
    const dear = pay({}, { ...GAS, maxFeePerGas: "300000000000" });
    expect(refusalOf(signer, dear)).toMatchObject({ reason: "fee" });
    const release = makeCoinRelease([COIN]);
    const plan = makePlan([COIN], { pays: release.units, fee: 200_001n });
    const coins = { op: "pay_coins", releases: [signRelease(release)], plan };
    expect(refusalOf(signer, coins)).toMatchObject({ reason: "fee" });
  });

  test("a fee at the cap of the fee rate is signed, however short its signatures are", () => {
    const request = (number: number, fee: bigint) => {
      const coins = [0, 1, 2].map((output) => ({
        ...COIN,
        transaction: String(number).padStart(64, "0"),
        output,
      }));
      const release = makeCoinRelease(coins);
      const plan = makePlan(coins, { pays: release.units, fee });
      return { op: "pay_coins", releases: [signRelease(release)], plan };
    };
    const signer = openTestSigner();
    // 277 bytes with the longest signatures, and 300 satoshis for each. About half of all such payments have fewer.
    const most = 300n * 277n;
    for (let number = 1; number < 12; number += 1) signer.sign(request(number, most));
    expect(refusalOf(signer, request(12, most + 1n))).toMatchObject({ reason: "fee" });
  });

  test("the fees of a day are capped over all transactions", () => {
    const policy = structuredClone(TEST_POLICY);
    Object.assign(policy.networks["ethereum"] ?? {}, { feeMaxPerDay: "6000000000000000" });
    const signer = openTestSigner(policy);
    for (const nonce of [0, 1]) signer.sign(pay(at(nonce)));
    const cancel = { op: "cancel", from: "eth-hot", nonce: "2", gas: GAS };
    expect(refusalOf(signer, cancel)).toMatchObject({ reason: "fee" });
    signer.setTime(NOW + 86_400_001);
    signer.sign(cancel);
  });
});

describe("one payment, one place", () => {
  const release = makeRelease();
  const request = (
    changes: Partial<Release>,
    gas: object = GAS,
    approvals: typeof BOTH | [] = [],
  ) => ({
    op: "pay",
    release: signRelease({ ...release, ...changes }, approvals),
    gas,
  });
  const first = () => {
    const signer = openTestSigner();
    signer.sign(request({}));
    return signer;
  };

  test("the same question has the same bytes, even after a restart and a later release", () => {
    const signer = openTestSigner();
    const answer = signer.sign(request({}));
    expect(signer.sign(request({}))).toEqual(answer);
    const later = signer.reopen();
    expect(later.sign(request({ releasedAt: new Date(NOW + 1) }))).toEqual(answer);
    later.setTime(NOW + 30 * 86_400_000);
    expect(later.sign(request({}))).toEqual(answer);
    expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
  });

  test("another payment at the place is refused", () => {
    expect(refusalOf(first(), pay())).toMatchObject({ reason: "place_taken" });
  });

  test("the old places of a restored database are refused", () => {
    const signer = first();
    for (const nonce of [1, 2, 3]) signer.sign(pay(at(nonce)));
    const restarted = signer.reopen();
    for (const nonce of [1, 2, 3]) {
      const refusal = refusalOf(restarted, pay(at(nonce)));
      expect(refusal).toMatchObject({ reason: "place_taken" });
      expect(refusal.message).toContain("restored");
    }
  });

  test("a wallet under another name keeps its places", () => {
    const policy = structuredClone(TEST_POLICY);
    const { "eth-hot": wallet, ...others } = policy.wallets;
    const renamed = { ...policy, wallets: { ...others, "eth-hot-2": wallet } } as typeof policy;
    const signer = openTestSigner(renamed, first().logFile);
    expect(refusalOf(signer, pay({ wallet: "eth-hot-2" }))).toMatchObject({
      reason: "place_taken",
    });
  });

  test("the same place of another chain is another place", () => {
    const policy = structuredClone(TEST_POLICY);
    policy.assets["eth-base"] = { ...policy.assets["eth"], network: "base" } as never;
    const signer = openTestSigner(policy, first().logFile);
    signer.sign(pay({ network: "base", wallet: "base-hot", asset: "eth-base", units: 1n }));
  });

  test("the same intent at another place is refused, because both could be mined", () => {
    expect(refusalOf(first(), request(at(1)))).toMatchObject({ reason: "paid_elsewhere" });
  });

  test("two operators may move an intent to another place, and it counts again", () => {
    const signer = first();
    expect(
      refusalOf(signer, {
        ...request(at(1)),
        release: signRelease({ ...release, ...at(1) }, [BOTH[0]]),
      }),
    ).toMatchObject({ reason: "paid_elsewhere" });
    signer.sign(request(at(1), GAS, BOTH));
    const counted = readSignLog(signer.logFile).signatures.flatMap(({ payments }) => payments);
    expect(counted.map(({ isFirst }) => isFirst)).toEqual([true, true]);
  });

  test.each([
    ["address", { address: DEAD }],
    ["amount", { units: 2_000_000n }],
    ["order", { order: "1000000000002" }],
  ])("the same intent released again with another %s is refused", (_, changes) => {
    const raised = { ...GAS, maxFeePerGas: "60000000000", maxPriorityFeePerGas: "2000000000" };
    expect(refusalOf(first(), request(changes, raised))).toMatchObject({
      reason: "changed_payment",
    });
    const moved = request({ ...changes, ...at(1) }, GAS, BOTH);
    expect(refusalOf(first(), moved)).toMatchObject({ reason: "changed_payment" });
  });

  const priced = (maxFeePerGas: string, maxPriorityFeePerGas: string) => ({
    ...GAS,
    maxFeePerGas,
    maxPriorityFeePerGas,
  });
  test.each([
    ["5 % more", priced("31500000000", "1050000000")],
    ["only a higher price", priced("33000000000", "1000000000")],
    ["only a higher tip", priced("30000000000", "2000000000")],
    ["lower fees", priced("20000000000", "1000000000")],
    ["another gas limit", { ...GAS, gasLimit: "91000" }],
    ["a legacy price between", { type: "legacy", gasLimit: "90000", gasPrice: "32000000000" }],
  ])("a replacement with %s is refused", (_, gas) => {
    expect(refusalOf(first(), request({}, gas))).toMatchObject({ reason: "replacement" });
  });

  test("replacements raise both fees by a tenth, and end at their number", () => {
    const signer = first();
    signer.sign(request({}, priced("33000000000", "1100000000")));
    signer.sign(request({}, priced("36300000000", "1210000000")));
    signer.sign(request({}, priced("39930000000", "1331000000")));
    const fourth = request({}, priced("80000000000", "5000000000"));
    expect(refusalOf(signer, fourth).message).toContain("3 times already");
    expect(signer.sign(request({}))).toEqual(first().sign(request({})));
  });
});

describe("limits and approvals", () => {
  const euro = (amount: number) => BigInt(Math.floor((amount / 0.87) * 1e6));
  const big = makeRelease({ units: euro(12_000) });
  const approved = (approvals: readonly (readonly [string, TestKey])[], release = big) => ({
    op: "pay",
    release: signRelease(release, approvals),
    gas: GAS,
  });

  test("a payment above the limit of one is refused even with approvals", () => {
    expectRefused(approved(BOTH, makeRelease({ units: euro(20_001) })), "limit", "payment of usdt");
  });

  test.each([
    ["no approval", []],
    ["one approval", [["anna", "anna"]]],
    [
      "one person twice",
      [
        ["anna", "anna"],
        ["anna", "anna"],
      ],
    ],
    [
      "one person under two names",
      [
        ["anna", "anna"],
        ["ben", "anna"],
      ],
    ],
    [
      "a forged second approval",
      [
        ["anna", "anna"],
        ["ben", "thief"],
      ],
    ],
    [
      "the worker as second approver",
      [
        ["anna", "anna"],
        ["ben", "release"],
      ],
    ],
    [
      "an approver that the policy lacks",
      [
        ["anna", "anna"],
        ["carl", "ben"],
      ],
    ],
  ] as const)("a payment above the approval limit with %s is refused", (_, approvals) => {
    expectRefused(approved(approvals), "approvals", / of 2 approvals/);
  });

  test("approvals of another release do not count", () => {
    const other = signRelease(makeRelease({ units: euro(12_000) }), BOTH);
    const release = { ...signRelease(big), approvals: other.approvals };
    expectRefused({ op: "pay", release, gas: GAS }, "approvals", "0 of 2");
  });

  test("approvals of the payment at another place do not count", () => {
    const other = signRelease({ ...big, ...at(9) }, BOTH);
    const release = { ...signRelease(big), approvals: other.approvals };
    expectRefused({ op: "pay", release, gas: GAS }, "approvals", "0 of 2");
  });

  test("two approvals of exactly this release are enough", () => {
    const signer = openTestSigner();
    signer.sign(approved(BOTH));
    expect(readSignLog(signer.logFile).signatures[0]?.approvedBy).toEqual(["anna", "ben"]);
  });

  test("the hour of an asset, the day of a network and the total are counted from the log", () => {
    const signer = openTestSigner();
    const next = (nonce: number, asset = "usdt-ethereum") =>
      pay({ ...at(nonce), asset, units: asset === "eth" ? 3n * 10n ** 18n : euro(9_000) });
    for (const nonce of [0, 1, 2]) signer.sign(next(nonce));
    expect(refusalOf(signer, next(3)).message).toContain("usdt-ethereum of an hour");
    const restarted = signer.reopen();
    restarted.sign(next(3, "eth"));
    expect(refusalOf(restarted, next(4, "eth")).message).toContain("payments of an hour");
    restarted.setTime(NOW + 3_600_001);
    restarted.sign(next(4, "eth"));
    expect(refusalOf(restarted, next(5, "eth")).message).toContain("ethereum of a day");
  });

  test("a replacement does not count again", () => {
    const signer = openTestSigner();
    const release = makeRelease({ units: euro(9_000) });
    for (const tenths of [10, 11, 13, 15]) {
      const gas = {
        ...GAS,
        maxFeePerGas: `${3 * tenths}00000000`,
        maxPriorityFeePerGas: `${tenths}0000000`,
      };
      signer.sign({ op: "pay", release: signRelease(release), gas });
    }
    for (const nonce of [1, 2]) signer.sign(pay({ ...at(nonce), units: euro(9_000) }));
    expect(refusalOf(signer, pay({ ...at(3), units: euro(9_000) }))).toMatchObject({
      reason: "limit",
    });
  });

  test("a clock that was set back does not open the windows again", () => {
    const signer = openTestSigner();
    signer.sign(pay());
    signer.setTime(NOW - 60_001);
    const refusal = refusalOf(signer, pay({ ...at(1), releasedAt: new Date(NOW - 60_001) }));
    expect(refusal).toMatchObject({ reason: "clock" });
  });

  test("payments of less than a cent count as a cent", () => {
    const policy = structuredClone(TEST_POLICY);
    Object.assign(policy.assets["usdt-ethereum"] ?? {}, { hourCents: 2 });
    const signer = openTestSigner(policy);
    for (const nonce of [0, 1]) signer.sign(pay({ ...at(nonce), units: 1n }));
    expect(refusalOf(signer, pay({ ...at(2), units: 1n }))).toMatchObject({ reason: "limit" });
  });
});

describe("sweeps and cancels", () => {
  const sweep = (changes: object = {}) => ({
    op: "sweep",
    from: "eth-deposits/3",
    to: "eth-hot",
    asset: "usdt-ethereum",
    units: "5000000",
    nonce: "0",
    gas: GAS,
    ...changes,
  });
  const cancel = { op: "cancel", from: "eth-hot", nonce: "0", gas: GAS };

  test.each([
    ["to a wallet that the policy lacks", { to: "thief" }, "unlisted"],
    ["to a wallet of many without a number", { to: "eth-deposits" }, "unlisted"],
    ["to a number of a wallet of one", { to: "eth-hot/1" }, "unlisted"],
    ["to another network", { to: "base-hot" }, "network"],
    ["to itself", { to: "eth-deposits/3" }, "destination"],
    ["of an asset of another network", { asset: "btc" }, "network"],
    ["of tokens out of the hot wallet", { from: "eth-hot", to: "eth-deposits/3" }, "purpose"],
    ["between deposit addresses", { to: "eth-deposits/4" }, "purpose"],
    [
      "of more coins to a deposit address than a fee may cost",
      { from: "eth-hot", to: "eth-deposits/3", asset: "eth", units: "20000000000000001" },
      "purpose",
    ],
    ["from a wallet of coins", { from: "btc-hot" }, "network"],
  ])("a sweep %s is refused", (_, changes, reason) => {
    expectRefused(sweep(changes), reason);
  });

  test("a gas tank brings the network's own coin to deposit addresses, and does nothing else", () => {
    const policy = structuredClone(TEST_POLICY);
    const path = "m/44'/60'/0'/0/5";
    policy.wallets["eth-gas"] = { network: "ethereum", keystore: "hot", path, purpose: "gas" };
    const signer = openTestSigner(policy);
    const topUp = { from: "eth-gas", to: "eth-deposits/3", asset: "eth", units: "7" };
    const refused = (request: object): void =>
      expect(refusalOf(signer, request)).toMatchObject({ reason: "purpose" });
    for (const to of ["eth-hot", "cold"]) refused(sweep({ ...topUp, to }));
    refused(sweep({ ...topUp, asset: "usdt-ethereum" }));
    refused(pay({ wallet: "eth-gas", asset: "eth" }));
    refused(pay({ wallet: "eth-gas" }));
    const approved = signRelease(makeRelease({ wallet: "eth-gas" }), BOTH);
    refused({ op: "pay", release: approved, gas: GAS });
    refused({
      op: "check",
      release: signRelease(makeRelease({ wallet: "eth-gas", place: { kind: "any" } })),
    });
    expect(readSignLog(signer.logFile).signatures).toEqual([]);
    refused(sweep({ ...topUp, units: "20000000000000001" }));
    signer.sign(sweep(topUp));
    signer.sign({ ...cancel, from: "eth-gas", nonce: "1" });
    // Nothing but top-ups leaves the tank, so what is moved there is out of reach of payouts.
    for (const from of ["eth-hot", "eth-deposits/3"]) {
      for (const asset of ["eth", "usdt-ethereum"]) refused(sweep({ from, to: "eth-gas", asset }));
    }
    // A payment to the tank would leave the books.
    const address = signer.parts.wallets.publicPart("eth-gas").address ?? "";
    expect(refusalOf(signer, pay({ address }))).toMatchObject({ reason: "destination" });
  });

  test.each([
    ["of the deposit addresses", { network: "ethereum", keystore: "deposits" }],
    ["of coins", { network: "bitcoin", keystore: "hot" }],
  ] as const)("a gas tank %s is not a policy", (_, wallet) => {
    const path = "m/44'/60'/0'/9";
    const wallets = { ...TEST_POLICY.wallets, tank: { ...wallet, path, purpose: "gas" } };
    expect(() => parsePolicy(JSON.stringify({ ...TEST_POLICY, wallets }))).toThrow(
      "wallet tank: a gas tank is a wallet of the hot keystore on an EVM network",
    );
  });

  test("the hot wallet brings a deposit address as much as a fee may cost", () => {
    const topUp = { from: "eth-hot", to: "eth-deposits/3", asset: "eth" };
    openTestSigner().sign(sweep({ ...topUp, units: "20000000000000000" }));
  });

  test("a top-up that was signed is repeated and raised after the policy's feeMax was lowered, and no other one is", () => {
    const topUp = {
      from: "eth-hot",
      to: "eth-deposits/3",
      asset: "eth",
      units: "20000000000000000",
    };
    const { logFile, ...signer } = openTestSigner();
    const first = signer.sign(sweep(topUp));
    const policy = structuredClone(TEST_POLICY);
    Object.assign(policy.networks["ethereum"] ?? {}, { feeMax: "10000000000000000" });
    const lowered = openTestSigner(policy, logFile);
    expect(lowered.sign(sweep(topUp))).toEqual(first);
    const raised = { ...GAS, maxFeePerGas: "33000000000", maxPriorityFeePerGas: "1100000000" };
    lowered.sign(sweep({ ...topUp, gas: raised }));
    expect(refusalOf(lowered, sweep({ ...topUp, nonce: "1" }))).toMatchObject({
      reason: "purpose",
    });
  });

  test("a sweep to the cold address needs one in the policy", () => {
    openTestSigner().sign(sweep({ to: "cold" }));
    const policy = structuredClone(TEST_POLICY);
    const ethereum = policy.networks["ethereum"];
    if (ethereum?.kind === "evm") delete ethereum.cold;
    expect(refusalOf(openTestSigner(policy), sweep({ to: "cold" }))).toMatchObject({
      reason: "destination",
    });
  });

  test("a sweep is replaced only by one that moves no more to the same place", () => {
    const signer = openTestSigner();
    signer.sign(sweep());
    const gas = { ...GAS, maxFeePerGas: "33000000000", maxPriorityFeePerGas: "1100000000" };
    expect(refusalOf(signer, sweep({ gas, units: "5000001" }))).toMatchObject({
      reason: "place_taken",
    });
    expect(refusalOf(signer, sweep({ gas, to: "cold" }))).toMatchObject({ reason: "place_taken" });
    signer.sign(sweep({ gas, units: "4999999" }));
  });

  test("a cancel where a payment is signed is refused", () => {
    const signer = openTestSigner();
    signer.sign(pay());
    const gas = { ...GAS, maxFeePerGas: "60000000000", maxPriorityFeePerGas: "2000000000" };
    expect(refusalOf(signer, { ...cancel, gas })).toMatchObject({ reason: "place_taken" });
  });

  test("a payment where a cancel is signed is refused", () => {
    const signer = openTestSigner();
    signer.sign(cancel);
    expect(signer.sign(cancel)).toEqual(openTestSigner().sign(cancel));
    expect(refusalOf(signer.reopen(), pay())).toMatchObject({ reason: "place_taken" });
  });
});

describe("coins", () => {
  const other = { ...COIN, output: 1 };
  const payCoins = (
    inputs: CoinPlan["inputs"],
    { plan = {}, releases }: { plan?: Partial<CoinPlan>; releases?: Release[] } = {},
  ) => {
    const paid = releases ?? [makeCoinRelease(inputs)];
    const pays = paid.reduce((sum, { units }) => sum + units, 0n);
    return {
      op: "pay_coins",
      releases: paid.map((release) => signRelease(release)),
      plan: { ...makePlan(inputs, { pays, fee: 2_000n }), ...plan },
    };
  };
  const change = (units: bigint) => ({ change: { units: String(units), index: 0, position: 1 } });
  /** The caps of fees are out of the way. */
  const lenientPolicy = () => {
    const policy = structuredClone(TEST_POLICY);
    const caps = { feeMax: "9".repeat(20), feeMaxPerDay: "9".repeat(20), feeRateMax: 100_000 };
    Object.assign(policy.networks["bitcoin"] ?? {}, caps);
    return policy;
  };

  test.each([
    ["one coin twice", payCoins([COIN, COIN]), "coins"],
    ["more than its coins hold", payCoins([COIN], { plan: change(900_001n) }), "coins"],
    ["everything to the fee", payCoins([COIN], { plan: { change: null } }), "fee"],
    ["a fee of 900 for each byte", payCoins([COIN], { plan: change(770_000n) }), "fee"],
    [
      "change beyond the outputs",
      payCoins([COIN], { plan: { change: { units: "898000", index: 0, position: 2 } } }),
      "coins",
    ],
    [
      "a release for other coins",
      payCoins([COIN], { releases: [makeCoinRelease([other])] }),
      "place",
    ],
    [
      "a release for a nonce",
      payCoins([COIN], {
        releases: [makeCoinRelease([COIN], { place: { kind: "nonce", nonce: 0n } })],
      }),
      "place",
    ],
    [
      "an address of another network",
      payCoins([COIN], {
        releases: [
          makeCoinRelease([COIN], { address: "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx" }),
        ],
      }),
      "address",
    ],
    [
      "releases of two wallets",
      payCoins([COIN], { releases: [makeCoinRelease([COIN]), makeRelease()] }),
      "release_mixed",
    ],
  ])("a plan with %s is refused", (_, request, reason) => {
    expectRefused(request, reason);
  });

  test("one intent twice in a batch is refused", () => {
    const release = makeCoinRelease([COIN]);
    expectRefused(payCoins([COIN], { releases: [release, release] }), "release_mixed", "twice");
  });

  test("an output that no release names cannot be written", () => {
    const request = payCoins([COIN]);
    const plan = { ...request.plan, outputs: [{ address: CUSTOMER, units: "1" }] };
    const answer = openTestSigner().ask({ ...request, plan });
    expect(answer).toMatchObject({ error: { code: "BAD_REQUEST" } });
  });

  test("a plan cannot send the change to another branch than 1", () => {
    const request = payCoins([COIN]);
    const plan = { ...request.plan, change: { ...request.plan.change, branch: 0 } };
    expect(openTestSigner().ask({ ...request, plan })).toMatchObject({
      error: { code: "BAD_REQUEST" },
    });
  });

  test("the same intent in coins that could both be mined is refused", () => {
    const signer = openTestSigner();
    const release = makeCoinRelease([COIN]);
    signer.sign(payCoins([COIN], { releases: [release] }));
    const moved = { ...release, place: makeCoinRelease([other]).place };
    expect(refusalOf(signer, payCoins([other], { releases: [moved] }))).toMatchObject({
      reason: "paid_elsewhere",
    });
  });

  test("a replacement keeps coins and payments, and only its change is less", () => {
    const signer = openTestSigner();
    const release = makeCoinRelease([COIN]);
    const request = payCoins([COIN], { releases: [release] });
    const answer = signer.sign(request);
    expect(signer.sign(request)).toEqual(answer);
    const cheaper = payCoins([COIN], { releases: [release], plan: change(898_500n) });
    expect(refusalOf(signer, cheaper)).toMatchObject({ reason: "replacement" });
    signer.sign(payCoins([COIN], { releases: [release], plan: change(897_000n) }));
    const payments = readSignLog(signer.logFile).signatures.flatMap(({ payments: paid }) => paid);
    expect(payments.map(({ isFirst }) => isFirst)).toEqual([true, false]);
  });

  test.each<[string, Partial<CoinPlan["change"] & object> | null]>([
    ["with its change at another place", { position: 0 }],
    ["with its change to another address of ours", { index: 1 }],
    ["without change", null],
  ])("a replacement %s is refused", (_, changed) => {
    const signer = openTestSigner(lenientPolicy());
    const release = makeCoinRelease([COIN]);
    signer.sign(payCoins([COIN], { releases: [release] }));
    const lower = { units: "890000", index: 0, position: 1, ...changed };
    const raised = payCoins([COIN], {
      releases: [release],
      plan: { change: changed === null ? null : lower },
    });
    expect(refusalOf(signer, raised)).toMatchObject({ reason: "replacement" });
  });

  test("a replacement with more coins, other payments or a fee above the cap is refused", () => {
    const signer = openTestSigner();
    const releases = [makeCoinRelease([COIN]), makeCoinRelease([COIN], { units: 50_000n })];
    const [first, second] = releases as [Release, Release];
    signer.sign(payCoins([COIN], { releases }));
    const lower = change(840_000n);
    const wider = [COIN, other];
    const moved = releases.map((one) => ({ ...one, place: makeCoinRelease(wider).place }));
    for (const [request, reason] of [
      [payCoins(wider, { releases: moved, plan: change(1_840_000n) }), "replacement"],
      [payCoins([COIN], { releases: [second, first], plan: lower }), "replacement"],
      [payCoins([COIN], { releases: [first], plan: lower }), "place_taken"],
      [payCoins([COIN], { releases: [...releases, makeCoinRelease([COIN])] }), "place_taken"],
      [
        payCoins([COIN], {
          releases: [first, { ...second, address: "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el" }],
          plan: lower,
        }),
        "place_taken",
      ],
      [payCoins([COIN], { releases, plan: change(640_000n) }), "fee"],
    ] as const) {
      expect(refusalOf(signer, request)).toMatchObject({ reason });
    }
    signer.sign(payCoins([COIN], { releases, plan: lower }));
  });

  test("a transaction is signed once, even if its coins are said to hold other amounts later", () => {
    // Two signatures with an understated coin each could be joined into one that pays an absurd fee.
    const signer = openTestSigner();
    const release = makeCoinRelease([COIN, other]);
    const request = (first: string, second: string) => ({
      op: "pay_coins",
      releases: [signRelease(release)],
      plan: {
        inputs: [
          { ...COIN, units: first },
          { ...other, units: second },
        ],
        ...change(800_000n),
      },
    });
    const answer = signer.sign(request("900000", "2000"));
    expect(signer.sign(request("2000", "900000"))).toEqual(answer);
  });

  test("a coin that pays other intents already is refused", () => {
    const signer = openTestSigner();
    signer.sign(payCoins([COIN]));
    expect(refusalOf(signer.reopen(), payCoins([COIN]))).toMatchObject({ reason: "place_taken" });
    const repeated = makeCoinRelease([COIN]);
    const batch = payCoins([COIN], { releases: [repeated, makeCoinRelease([COIN])] });
    expect(refusalOf(signer, batch)).toMatchObject({ reason: "place_taken" });
  });

  test("a payment on the change of a replaced parent is planned again on the new change", () => {
    const signer = openTestSigner();
    const parent = makeCoinRelease([COIN]);
    const first = signer.sign(payCoins([COIN], { releases: [parent] }));
    const changeOf = (hash: string, units: string) =>
      ({ transaction: hash, output: 1, units, branch: 1, index: 0 }) as const;
    const child = makeCoinRelease([changeOf(first.hash, "898000")]);
    signer.sign(payCoins([changeOf(first.hash, "898000")], { releases: [child] }));
    const raised = signer.sign(payCoins([COIN], { releases: [parent], plan: change(890_000n) }));
    const coin = changeOf(raised.hash, "890000");
    const again = { ...child, place: makeCoinRelease([coin]).place };
    signer.sign(payCoins([coin], { releases: [again] }));
    const unrelated = { ...child, place: makeCoinRelease([other]).place };
    expect(refusalOf(signer, payCoins([other], { releases: [unrelated] }))).toMatchObject({
      reason: "paid_elsewhere",
    });
  });

  test("a coin that is added to a replacement is refused, even if its change is less", () => {
    const signer = openTestSigner(lenientPolicy());
    const release = makeCoinRelease([COIN]);
    signer.sign(payCoins([COIN], { releases: [release] }));
    const wider = { ...release, place: makeCoinRelease([COIN, other]).place };
    const request = payCoins([COIN, other], { releases: [wider], plan: change(890_000n) });
    expect(refusalOf(signer, request)).toMatchObject({ reason: "replacement" });
  });

  test("a coin of a payment that was raised pays no other", () => {
    const signer = openTestSigner();
    const release = makeCoinRelease([COIN]);
    signer.sign(payCoins([COIN], { releases: [release] }));
    signer.sign(payCoins([COIN], { releases: [release], plan: change(890_000n) }));
    expect(refusalOf(signer, payCoins([COIN]))).toMatchObject({ reason: "place_taken" });
  });

  test("coins that a lost payment gave up pay others, once it is planned again", () => {
    const signer = openTestSigner();
    const parent = makeCoinRelease([COIN]);
    const first = signer.sign(payCoins([COIN], { releases: [parent] }));
    const changeOf = (hash: string, units: string) =>
      ({ transaction: hash, output: 1, units, branch: 1, index: 0 }) as const;
    const lost = [changeOf(first.hash, "898000"), other];
    const child = makeCoinRelease(lost);
    signer.sign(payCoins(lost, { releases: [child] }));
    const raised = signer.sign(payCoins([COIN], { releases: [parent], plan: change(890_000n) }));
    expect(refusalOf(signer, payCoins([other]))).toMatchObject({ reason: "place_taken" });
    const coin = changeOf(raised.hash, "890000");
    const again = { ...child, place: makeCoinRelease([coin]).place };
    signer.sign(payCoins([coin], { releases: [again] }));
    signer.sign(payCoins([other]));
  });

  describe("a raise", () => {
    const raiseOf = (hash: string, changes: object = {}) => ({
      op: "raise_coins",
      wallet: "btc-hot",
      coin: { transaction: hash, output: 1, units: "898000", index: 0 },
      change: { units: "890000", index: 3 },
      ...changes,
    });
    const signed = (signer = openTestSigner()) => {
      const { hash } = signer.sign(payCoins([COIN]));
      return { signer, hash };
    };

    test("moves our change to our change, once, and the same question has the same answer", () => {
      const { signer, hash } = signed();
      const answer = signer.sign(raiseOf(hash));
      const decoded = Transaction.fromRaw(hex.decode(answer.bytes));
      const wallet = signer.parts.wallets.coins("btc-hot");
      expect([decoded.inputsLength, decoded.outputsLength]).toEqual([1, 1]);
      expect(decoded.getOutput(0)).toMatchObject({
        amount: 890_000n,
        script: wallet.at(1, 3).script,
      });
      expect(signer.reopen().sign(raiseOf(hash))).toEqual(answer);
      const again = raiseOf(hash, { change: { units: "880000", index: 3 } });
      expect(refusalOf(signer, again)).toMatchObject({ reason: "place_taken" });
    });

    test("may be raised itself, within the caps of all its transactions together", () => {
      const { signer, hash } = signed();
      const first = signer.sign(raiseOf(hash));
      const coin = { transaction: first.hash, output: 0, units: "890000", index: 3 };
      const next = (units: string) => ({ ...raiseOf(""), coin, change: { units, index: 4 } });
      // The payment cost 2,000 and its raise 8,000, so 190,000 are left of the policy's 200,000.
      expect(refusalOf(signer, next("699999"))).toMatchObject({ reason: "fee" });
      // 370 bytes may cost 300 units each.
      expect(refusalOf(signer, next("780000"))).toMatchObject({ reason: "fee" });
      signer.sign(next("800000"));
    });

    test("is refused after as many as the policy allows", () => {
      const { signer, hash } = signed();
      let at = { transaction: hash, output: 1, units: "898000", index: 0 };
      const raise = () => {
        const units = String(BigInt(at.units) - 5_000n);
        const request = { ...raiseOf(""), coin: at, change: { units, index: 0 } };
        return { units, request };
      };
      for (let turn = 0; turn < 3; turn += 1) {
        const { units, request } = raise();
        at = { transaction: signer.sign(request).hash, output: 0, units, index: 0 };
      }
      expect(refusalOf(signer, raise().request)).toMatchObject({ reason: "replacement" });
    });

    test.each([
      ["of the payment's own output", { output: 0, units: "100000" }],
      ["of an output that is not there", { output: 2 }],
      ["of change with another amount", { units: "898001" }],
      ["of change at another address", { index: 1 }],
      ["of a transaction of a stranger", { transaction: "ab".repeat(32) }],
    ])("%s is refused", (_, changed) => {
      const { signer, hash } = signed();
      const { coin } = raiseOf(hash);
      const request = raiseOf(hash, { coin: { ...coin, ...changed } });
      expect(refusalOf(signer, request)).toMatchObject({ reason: "coins" });
    });

    test.each([
      ["to an address", { change: { units: "890000", index: 3, address: CUSTOMER_BTC } }],
      ["to a receiving address", { change: { units: "890000", index: 3, branch: 0 } }],
      ["of a receiving address", { coin: { ...COIN, branch: 0 } }],
      ["of everything to the fee", { change: null }],
    ])("%s cannot be written", (_, changed) => {
      const { signer, hash } = signed();
      expect(signer.ask(raiseOf(hash, changed))).toMatchObject({ error: { code: "BAD_REQUEST" } });
    });

    test("from a wallet that did not make the change is refused", () => {
      const policy = structuredClone(TEST_POLICY);
      Object.assign(policy.wallets, {
        "btc-two": { network: "bitcoin", keystore: "hot", path: "m/84'/0'/1'" },
      });
      const { signer, hash } = signed(openTestSigner(policy));
      expect(refusalOf(signer, raiseOf(hash, { wallet: "btc-two" }))).toMatchObject({
        reason: "coins",
      });
      expect(refusalOf(signer, raiseOf(hash, { wallet: "eth-hot" }))).toMatchObject({
        reason: "network",
      });
    });

    test("of change that a payment spends is refused, and its change pays no other", () => {
      const { signer, hash } = signed();
      const coin = { transaction: hash, output: 1, units: "898000", branch: 1, index: 0 } as const;
      signer.sign(raiseOf(hash));
      expect(refusalOf(signer, payCoins([coin]))).toMatchObject({ reason: "place_taken" });
      const second = signed();
      const spent = { ...coin, transaction: second.hash };
      second.signer.sign(payCoins([spent]));
      expect(refusalOf(second.signer, raiseOf(second.hash))).toMatchObject({
        reason: "place_taken",
      });
    });
  });

  test("the limits count each payment of a batch", () => {
    const coin = { ...COIN, units: "100000000" };
    const releases = [1, 2, 3, 4].map(() => makeCoinRelease([coin], { units: 10_000_000n }));
    expectRefused(payCoins([coin], { releases }), "limit", "btc of an hour");
  });
});

test("in any order of requests, an intent has one place and a place has one intent", () => {
  const intents = Array.from({ length: 4 }, () => makeRelease().intent);
  const requests = fc.record({
    intent: fc.constantFrom(...intents),
    nonce: fc.nat(3),
    tenths: fc.integer({ min: 10, max: 20 }),
    units: fc.constantFrom(1_000_000n, 2_000_000n),
    kind: fc.constantFrom("pay", "pay", "pay", "cancel", "restart"),
  });
  fc.assert(
    fc.property(fc.array(requests, { maxLength: 25 }), (steps) => {
      let signer = openTestSigner();
      for (const { intent, nonce, tenths, units, kind } of steps) {
        const gas = {
          ...GAS,
          maxFeePerGas: `${3 * tenths}00000000`,
          maxPriorityFeePerGas: `${tenths}0000000`,
        };
        if (kind === "restart") signer = signer.reopen();
        else if (kind === "pay") signer.ask(pay({ intent, units, ...at(nonce) }, gas));
        else signer.ask({ op: "cancel", from: "eth-hot", nonce: String(nonce), gas });
      }
      const { signatures } = readSignLog(signer.logFile);
      const subject = ({ kind, payments }: (typeof signatures)[number]) =>
        payments[0] ? `${payments[0].intent} ${payments[0].digest}` : kind;
      const pairs = new Set(signatures.map((one) => `${one.places[0]} ${subject(one)}`));
      expect(pairs.size).toBe(new Set(signatures.map(({ places }) => places[0])).size);
      const paid = signatures.flatMap(({ places, payments }) =>
        payments.map(({ intent }) => ({ intent, place: places[0] })),
      );
      const placesOfIntents = new Set(paid.map(({ intent, place }) => `${intent} ${place}`));
      expect(placesOfIntents.size).toBe(new Set(paid.map(({ intent }) => intent)).size);
    }),
    { numRuns: 25 },
  );
});

describe("requests", () => {
  test.each([
    ["an operation that does not exist", { op: "export" }],
    ["a member more", { ...pay(), key: "x" }],
    ["a nonce beside the release", { ...pay(), nonce: "5" }],
    ["contract data", pay({}, { ...GAS, data: "0x" })],
    ["an access list", pay({}, { ...GAS, accessList: [] })],
    ["amounts as numbers", pay({}, { ...GAS, gasLimit: 90_000 })],
    ["an id that is not a number", { ...pay(), id: "1" }],
    ["a negative nonce", { op: "cancel", from: "eth-hot", nonce: "-1", gas: GAS }],
  ])("%s is a bad request", (_, request) => {
    expect(openTestSigner().ask(request)).toMatchObject({ error: { code: "BAD_REQUEST" } });
  });

  test.each(["consolidate_coins", "raise_coins"])(
    "%s cannot write a line of its own into the signer's output",
    (op) => {
      const { parts } = openTestSigner();
      const lines: string[] = [];
      const service = makeService(parts, {
        report: (line) => lines.push(line),
        onBroken: () => {},
      });
      const { branch: _, ...coin } = COIN;
      const change = { units: "1000", index: 0 };
      const wallet = "x\nsigner: ready on /run/signer.sock";
      const spends = op === "raise_coins" ? { coin } : { inputs: [COIN, { ...COIN, output: 1 }] };
      service.answer(JSON.stringify({ id: 1, op, wallet, change, ...spends }));
      expect(lines.join()).not.toContain("\n");
    },
  );

  test("no answer holds a private key or a seed", () => {
    const signer = openTestSigner();
    const wallet = { op: "addresses", wallet: "eth-deposits", from: 0, count: 3 };
    const answers = [signer.ask({ op: "status" }), signer.ask(wallet), signer.ask(pay())];
    const text = JSON.stringify(answers);
    expect(text).toContain("xpub");
    expect(text).not.toContain("xprv");
    expect(text).not.toContain("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
  });
});

describe("the log", () => {
  const signedLog = () => {
    const signer = openTestSigner();
    for (const nonce of [0, 1, 2]) signer.sign(pay(at(nonce)));
    return signer;
  };

  test("half a last line is cut off", () => {
    const signer = signedLog();
    const before = readFileSync(signer.logFile, "utf8");
    appendFileSync(signer.logFile, '{"at":1,"kind":"paym');
    const restarted = signer.reopen();
    expect(readFileSync(signer.logFile, "utf8")).toBe(before);
    restarted.sign(pay(at(3)));
    expect(readSignLog(signer.logFile).signatures).toHaveLength(4);
  });

  test.each([
    [
      "an amount is changed",
      (lines: string[]) => lines.with(2, (lines[2] ?? "").replace('"cents":"', '"cents":"9')),
    ],
    ["a line is removed", (lines: string[]) => lines.toSpliced(2, 1)],
    [
      "two lines are swapped",
      (lines: string[]) => lines.with(1, lines[2] ?? "").with(2, lines[1] ?? ""),
    ],
    ["a line is no longer JSON", (lines: string[]) => lines.with(2, "{")],
  ])("a log in which %s does not open", (_, change) => {
    const { logFile } = signedLog();
    writeFileSync(logFile, change(readFileSync(logFile, "utf8").split("\n")).join("\n"));
    expect(() => readSignLog(logFile)).toThrow("the log was changed");
  });

  test("a second process on the same log ends the signing of both", () => {
    const signer = signedLog();
    const second = signer.reopen();
    second.sign(pay(at(3)));
    expect(refusalOf(signer, pay(at(3)))).toMatchObject({ reason: "log" });
  });

  test("a signature stays in the signer when another process wrote to the log in the same moment", () => {
    const signer = signedLog();
    const { writeSync } = fs;
    try {
      fs.writeSync = ((...values: Parameters<typeof writeSync>) => {
        appendFileSync(signer.logFile, "{}\n");
        return writeSync(...values);
      }) as typeof writeSync;
      syncBuiltinESMExports();
      expect(refusalOf(signer, pay(at(3)))).toMatchObject({ reason: "log" });
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    expect(refusalOf(signer, pay(at(3)))).toMatchObject({ reason: "log" });
  });
});
