import { hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import type { Release } from "../domain/payouts/release-text.ts";
import { xrpAccountOf } from "../domain/wallets/xrp-address.ts";
import { readSignedXrp } from "../domain/wallets/xrp-transaction.ts";
import { found } from "../testing/catalogue.ts";
import {
  BOTH,
  makeRelease,
  NOW,
  openTestSigner,
  signRelease,
  TEST_POLICY,
} from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import { makePolicy } from "./new-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { PolicyFile } from "./policy.ts";
import { readSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";

const HOT = "rnrbiYDUYTJS4JVdSV5FtyCj4HFuRjfLKM";
const CUSTOMER = "rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3";
const DENIED = "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf";
/** An account and its tag in one text (XLS-5). */
const X_ADDRESS = "XVLhHMPHU98es4dbozjVtdWzVrDjtVoVzmGxd9UhJTsHK63";
const NETWORK_ID = 1;
const limits = { paymentCents: 2_000_000, hourCents: 3_000_000, approvalAboveCents: 1_000_000 };
const POLICY: PolicyFile = {
  ...TEST_POLICY,
  networks: {
    xrpl: {
      kind: "xrp",
      networkId: NETWORK_ID,
      feeMax: "20000",
      feeMaxPerDay: "50000",
      dayCents: 5_000_000,
    },
  },
  wallets: { "xrpl-hot": { network: "xrpl", keystore: "hot", path: "m/44'/144'/0'/0/0" } },
  assets: { xrp: { network: "xrpl", decimals: 6, centsPerCoin: 220, ...limits } },
  denied: [DENIED],
};

interface Payment {
  readonly release?: Partial<Release>;
  readonly terms?: object;
  readonly sequence?: bigint;
}
const terms = (changes: object = {}) => ({ fee: "12", lastLedger: 1_000, ...changes });
const pay = ({ release = {}, terms: changes = {}, sequence = 700n }: Payment = {}) => ({
  op: "pay_xrp",
  release: signRelease(
    makeRelease({
      network: "xrpl",
      wallet: "xrpl-hot",
      asset: "xrp",
      address: CUSTOMER,
      memo: "17",
      units: 25_000_000n,
      place: { kind: "nonce", nonce: sequence },
      ...release,
    }),
  ),
  terms: terms(changes),
});
const cancel = (changes: object = {}) => ({
  ...{ op: "cancel_xrp", from: "xrpl-hot", sequence: 700, terms: terms() },
  ...changes,
});

const expectRefused = refusalsUnder(POLICY);

const signed = (request: object, signer = openTestSigner(POLICY)) => {
  const { hash, bytes } = signer.sign(request);
  const read = readSignedXrp(hexToBytes(bytes), NETWORK_ID);
  expect(read.hash).toBe(hash);
  return read;
};

test("a payment is signed as it was released, by the key of the derivation path", () => {
  expect(signed(pay())).toMatchObject({
    account: HOT,
    signer: HOT,
    sequence: 700,
    lastLedger: 1_000,
    fee: 12n,
    payment: { to: CUSTOMER, tag: 17, units: 25_000_000n },
  });
  expect(signed(pay({ release: { memo: null } })).payment?.tag).toBeNull();
});

test("an X-address pays its account and its tag", () => {
  const signer = openTestSigner({ ...POLICY, denied: [] });
  const { payment } = signed(pay({ release: { address: X_ADDRESS, memo: null } }), signer);
  const { address: to, memo } = found(xrpAccountOf(X_ADDRESS));
  expect(payment).toMatchObject({ to, tag: Number(memo) });
});

describe("a payment on the XRP Ledger is refused", () => {
  test.each<[string, Payment, string]>([
    ["at any place", { release: { place: { kind: "any" } } }, "place"],
    ["at coins", { release: { place: { kind: "coins", digest: "ab".repeat(32) } } }, "place"],
    ["at the sequence of a ticket", { sequence: 0n }, "place"],
    ["at a sequence that no account reaches", { sequence: 2n ** 32n }, "place"],
    ["with a tag that is not a number", { release: { memo: "seven" } }, "memo"],
    ["with a tag of 33 bits", { release: { memo: "4294967296" } }, "memo"],
    [
      "with a tag beside that of an X-address",
      { release: { address: X_ADDRESS, memo: "1" } },
      "memo",
    ],
    ["to our own account", { release: { address: HOT } }, "destination"],
    ["to a denied account", { release: { address: DENIED } }, "destination"],
    [
      "to an account without a key",
      { release: { address: "rrrrrrrrrrrrrrrrrrrrrhoLvTp" } },
      "destination",
    ],
    [
      "to another account without a key",
      { release: { address: "rrrrrrrrrrrrrrrrrrrrBZbvji" } },
      "destination",
    ],
    ["to a wrong checksum", { release: { address: CUSTOMER.replace("N5v3", "N5v4") } }, "address"],
    ["to an EVM address", { release: { address: `0x${"12".repeat(20)}` } }, "address"],
    ["of more drops than there are", { release: { units: 10n ** 17n + 1n } }, "release_text"],
    ["that costs more than the cap", { terms: { fee: "20001" } }, "fee"],
    ["above the limit of one payment", { release: { units: 10n ** 11n } }, "limit"],
    ["above the approval limit", { release: { units: 5n * 10n ** 9n } }, "approvals"],
    ["of an asset that is not listed", { release: { asset: "usd" } }, "unlisted"],
    ["of another network", { release: { network: "bitcoin" } }, "network"],
  ])("%s", (_, payment, reason) => {
    expectRefused(pay(payment), reason);
  });

  test("to an X-address of a denied account", () => {
    const { address } = found(xrpAccountOf(X_ADDRESS));
    const signer = openTestSigner({ ...POLICY, denied: [address] });
    const hidden = pay({ release: { address: X_ADDRESS, memo: null } });
    expectRefused(hidden, "destination", signer);
  });

  test("as a payment of an EVM network, of Tron, or as a cancel of one", () => {
    const signer = openTestSigner(POLICY);
    const { release } = pay();
    const gas = { type: "legacy", gasLimit: "90000", gasPrice: "1" };
    expectRefused({ op: "pay", release, gas }, "network", signer);
    expectRefused({ op: "cancel", from: "xrpl-hot", nonce: "0", gas }, "network", signer);
    expectRefused(cancel({ from: "nobody" }), "unlisted", signer);
  });

  test("after its release became old", () => {
    const signer = openTestSigner(POLICY);
    signer.setTime(NOW + 25 * 3_600_000);
    expectRefused(pay(), "release_age", signer);
  });
});

describe("a sequence has one payment", () => {
  const intent = "0193b5a0-0000-7000-8000-000000000001";
  const other = "0193b5a0-0000-7000-8000-000000000002";
  const first = pay({ release: { intent } });

  test("the same question has the same bytes, even after a restart", () => {
    const signer = openTestSigner(POLICY);
    const answer = signer.sign(first);
    expect(signer.reopen().sign(first)).toEqual(answer);
    expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
  });

  test("one that may wait longer is signed there, however often, and counts once", () => {
    const signer = openTestSigner({ ...POLICY, hourCents: 6_000, replacementsMax: 0 });
    signer.sign(first);
    const hashes = Array.from({ length: 20 }, (_, round) => {
      const later = { lastLedger: 1_020 + round * 20 };
      return signer.sign(pay({ release: { intent }, terms: later })).hash;
    });
    expect(new Set(hashes).size).toBe(20);
    // The hour has room for one payment of 5,500 cents.
    expectRefused(pay({ release: { intent: other }, sequence: 701n }), "limit", signer);
  });

  test("one that waits no longer than the one before is refused", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(first);
    for (const change of [{ fee: "13" }, { fee: "13", lastLedger: 999 }]) {
      expectRefused(pay({ release: { intent }, terms: change }), "replacement", signer);
    }
  });

  test("another payment, a cancel there, and a payment after a cancel are refused", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(first);
    const later = { lastLedger: 2_000 };
    expectRefused(pay({ release: { intent: other }, terms: later }), "place_taken", signer);
    expectRefused(cancel({ terms: terms(later) }), "place_taken", signer);
    signer.sign(cancel({ sequence: 701 }));
    expectRefused(
      pay({ release: { intent: other }, sequence: 701n, terms: later }),
      "place_taken",
      signer,
    );
  });

  test("the same intent at another sequence, or for another amount or tag, is refused", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(first);
    expectRefused(pay({ release: { intent }, sequence: 701n }), "paid_elsewhere", signer);
    for (const change of [{ units: 26_000_000n }, { memo: "18" }, { memo: null }]) {
      const changed = pay({ release: { intent, ...change }, terms: { lastLedger: 2_000 } });
      expectRefused(changed, "changed_payment", signer);
    }
  });

  test("the fees of a day are capped, and a replacement counts what it adds", () => {
    const signer = openTestSigner(POLICY);
    const dear = (sequence: bigint, lastLedger: number, fee = "20000") =>
      pay({
        release: { intent: other.replace("2", String(sequence % 7n)) },
        sequence,
        terms: { fee, lastLedger },
      });
    signer.sign(dear(701n, 1_000));
    signer.sign(dear(701n, 1_020));
    signer.sign(dear(702n, 1_000));
    expectRefused(dear(703n, 1_000), "fee", signer);
    signer.sign(dear(703n, 1_000, "10000"));
  });

  test("a cancel uses the sequence and moves nothing", () => {
    const signer = openTestSigner(POLICY);
    expect(signed(cancel(), signer)).toMatchObject({ sequence: 700, payment: null, signer: HOT });
    expect(signer.sign(cancel())).toEqual(signer.sign(cancel()));
    expectRefused(cancel({ terms: terms({ fee: "13" }) }), "replacement", signer);
    signer.sign(cancel({ terms: terms({ lastLedger: 1_001 }) }));
  });

  test("two approvals of the payment hold at each sequence", () => {
    const large = {
      ...{ network: "xrpl", wallet: "xrpl-hot", asset: "xrp", address: CUSTOMER, memo: "17" },
      ...{ intent, units: 5n * 10n ** 9n, releasedAt: new Date(NOW) },
    } as const;
    const { approvals } = signRelease(makeRelease({ ...large, place: { kind: "any" } }), BOTH);
    const place = { kind: "nonce", nonce: 700n } as const;
    const release = { ...signRelease(makeRelease({ ...large, place })), approvals };
    openTestSigner(POLICY).sign({ op: "pay_xrp", release, terms: terms() });
  });
});

test("a payment is checked before it has a sequence", () => {
  const signer = openTestSigner(POLICY);
  const checked = (changes: Partial<Release> = {}) => {
    const { release } = pay({ release: { place: { kind: "any" }, ...changes } });
    return { op: "check", release };
  };
  expect(signer.ask(checked())).toMatchObject({ ok: { isAllowed: true } });
  expectRefused(checked({ address: "not-an-address" }), "address", signer);
  expectRefused(checked({ memo: "x" }), "memo", signer);
  expectRefused(checked({ address: DENIED }), "destination", signer);
});

test.each([
  ["a token", { assets: { xrp: { ...POLICY.assets["xrp"], contract: `0x${"12".repeat(20)}` } } }],
  ["a gas tank", { wallets: { tank: { ...POLICY.wallets["xrpl-hot"], purpose: "gas" } } }],
  [
    "a wallet of deposits",
    { wallets: { d: { ...POLICY.wallets["xrpl-hot"], keystore: "deposits" } } },
  ],
  ["a denied X-address", { denied: [X_ADDRESS] }],
])("the policy of the XRP Ledger refuses %s", (_, changes) => {
  expect(() => parsePolicy(JSON.stringify({ ...POLICY, ...changes }))).toThrow(SignerError);
});

test("a new policy has the network, and signs nothing before an operator sets its limits", () => {
  const { releaseKeys, installation } = POLICY;
  const releaseKey = releaseKeys[0] ?? "";
  const made = makePolicy({ installation, releaseKey, approvers: [], networks: ["xrpl=xrp:0"] });
  expect(parsePolicy(JSON.stringify(made)).networks["xrpl"]).toMatchObject({
    networkId: 0,
    dayCents: 0,
  });
  expect(made.wallets).toEqual({
    "xrpl-hot": { network: "xrpl", keystore: "hot", path: "m/44'/144'/0'/0/0" },
  });
});
