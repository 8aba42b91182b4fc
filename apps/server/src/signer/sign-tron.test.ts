import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import type { Release } from "../domain/payouts/release-text.ts";
import { bytesAt, readFields } from "../domain/wallets/protobuf.ts";
import { BOTH, makeRelease, NOW, openTestSigner, signRelease } from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import {
  TRON_CUSTOMER as CUSTOMER,
  TRON_HOT as HOT,
  TRON_POLICY as POLICY,
  tronTerms as terms,
  TRON_USDT as USDT,
} from "../testing/tron-signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";

interface Payment {
  readonly release?: Partial<Release>;
  readonly terms?: object;
  readonly after?: string | null;
}
const pay = ({ release = {}, terms: changes = {}, after = null }: Payment = {}) => {
  const chosen = terms(changes);
  const { expiration, reference } = chosen;
  return {
    op: "pay_tron",
    release: signRelease(
      makeRelease({
        network: "tron",
        wallet: "tron-hot",
        asset: "usdt-tron",
        address: CUSTOMER,
        place: { kind: "until", expiration, reference, after },
        ...release,
      }),
    ),
    terms: chosen,
  };
};
const trx = { release: { asset: "trx" }, terms: { feeLimit: "0" } };

const expectRefused = refusalsUnder(POLICY);

/** Made from the same words and numbers by TronWeb 6.5.1, which is not a part of this project. */
const OF_TRONWEB = {
  trx: {
    hash: "e76e81601aa38789833243f9384f950973c47a528057acbc03ebd8555e055d32",
    rawData:
      "0a020a1b2208c1d2e3f40516273840e0af999ea0345a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541e2e1a54926527fbb4e4420de4c6bab82beaee24d121541c8599111f29c1e1e061265b4af93ea1f274ad78a18c0843d7080db959ea034",
    signature:
      "97f26836caddb99b17570d0b78ae591c376192e01493509e159fab8f596e3b125793dced893ccdf665f731688462c6d52f75cce8dce14c0cb374c9c5d979965f1c",
  },
  usdt: {
    hash: "9e2005715648118734bd7da7611277bc295561df771348b01801d4291907dbb9",
    rawData:
      "0a020a1b2208c1d2e3f40516273840e0af999ea0345aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541e2e1a54926527fbb4e4420de4c6bab82beaee24d121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb000000000000000000000000c8599111f29c1e1e061265b4af93ea1f274ad78a00000000000000000000000000000000000000000000000000000000000f42407080db959ea03490018087a70e",
    signature:
      "1122fb62c5a4cc426bf6f39009db1005c721809290d3c4e52c7b99adee0c9bca26b1bd8494c49e227eff0137365f4b77034e068affb466c8f0438a09fad248101c",
  },
};

test.each([
  ["TRX", trx, OF_TRONWEB.trx],
  ["a token", {}, OF_TRONWEB.usdt],
] as const)(
  "the bytes and signature of a payment of %s are those of TronWeb",
  (_, payment, theirs) => {
    const { hash, bytes } = openTestSigner(POLICY).sign(pay(payment));
    const fields = readFields(hexToBytes(bytes));
    expect({
      hash,
      rawData: bytesToHex(bytesAt(fields, 1)),
      signature: bytesToHex(bytesAt(fields, 2)),
    }).toEqual(theirs);
  },
);

test("the wallets have the addresses of the derivation path, and sign only there", () => {
  const signer = openTestSigner(POLICY);
  const [first] = signer.parts.wallets.addresses("tron-hot", 0, 5);
  expect(first?.address).toBe(HOT);
  expect(signer.parts.wallets.addresses("tron-deposits", 0, 2)).toEqual([
    { path: "m/44'/195'/0'/0/0", address: "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH" },
    { path: "m/44'/195'/0'/0/1", address: "TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK" },
  ]);
});

describe("a payment on Tron is refused", () => {
  test.each<[string, Payment, string]>([
    ["at a nonce", { release: { place: { kind: "nonce", nonce: 0n } } }, "place"],
    ["at any place", { release: { place: { kind: "any" } } }, "place"],
    ["from a wallet of deposits", { release: { wallet: "tron-deposits" } }, "unlisted"],
    ["with a memo", { release: { memo: "5" } }, "memo"],
    ["to a token's contract", { release: { address: USDT } }, "destination"],
    ["to our own hot wallet", { release: { address: HOT } }, "destination"],
    ["to a denied address", { release: { address: POLICY.denied[0] ?? "" } }, "destination"],
    [
      "to the zero address",
      { release: { address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb" } },
      "destination",
    ],
    ["to a wrong checksum", { release: { address: CUSTOMER.replace("YdH", "YdJ") } }, "address"],
    ["to an EVM address", { release: { address: `0x${"12".repeat(20)}` } }, "address"],
    [
      "of more units than TRX has",
      { ...trx, release: { asset: "trx", units: 2n ** 63n } },
      "release_text",
    ],
    ["of a token without a fee limit", { terms: { feeLimit: "0" } }, "fee"],
    ["of TRX with a fee limit", { ...trx, terms: { feeLimit: "1" } }, "fee"],
    ["that may burn more than the cap", { terms: { feeLimit: "48000001" } }, "fee"],
    ["after its deadline", { terms: { expiration: NOW } }, "terms"],
    ["with a deadline too far away", { terms: { expiration: NOW + 600_001 } }, "terms"],
    [
      "after a transaction that the log does not have",
      { after: "ab".repeat(32) },
      "paid_elsewhere",
    ],
    ["above the limit of one payment", { release: { units: 3n * 10n ** 10n } }, "limit"],
    ["above the approval limit", { release: { units: 1_500_000n * 10n ** 4n } }, "approvals"],
  ])("%s", (_, payment, reason) => {
    expectRefused(pay(payment), reason);
  });

  test("with terms that the release does not name", () => {
    const request = pay();
    expectRefused({ ...request, terms: terms({ expiration: NOW + 50_000 }) }, "place");
    expectRefused({ ...request, terms: terms({ reference: "0".repeat(20) }) }, "place");
  });

  test("as a payment of an EVM network, a sweep or a cancel", () => {
    const signer = openTestSigner(POLICY);
    const { release } = pay();
    const gas = { type: "legacy", gasLimit: "90000", gasPrice: "1" };
    expectRefused({ op: "pay", release, gas }, "place", signer);
    expectRefused({ op: "cancel", from: "tron-hot", nonce: "0", gas }, "network", signer);
    const sweep = { op: "sweep", from: "tron-deposits/0", to: "tron-hot", asset: "trx" };
    expectRefused({ ...sweep, units: "1", nonce: "0", gas }, "network", signer);
  });
});

describe("nothing excludes a second transaction on Tron", () => {
  const intent = "0193b5a0-0000-7000-8000-000000000001";
  const release = { intent };
  const later = (ms: number) => ({
    expiration: NOW + ms + 60_000,
    timestamp: NOW + ms,
    reference: "0a2fc1d2e3f405162738",
  });

  test("the same question has the same bytes, even after its deadline and a restart", () => {
    const signer = openTestSigner(POLICY);
    const request = pay({ release });
    const first = signer.sign(request);
    const again = signer.reopen();
    again.setTime(NOW + 3_600_000);
    expect(again.sign(request)).toEqual(first);
    expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
  });

  test("a second one is refused before the deadline of the first, by the signer's own clock", () => {
    const signer = openTestSigner(POLICY);
    const { hash } = signer.sign(pay({ release }));
    signer.setTime(NOW + 60_000);
    expectRefused(pay({ release, terms: later(60_000), after: hash }), "terms", signer);
    signer.setTime(NOW + 60_001);
    const second = signer.sign(pay({ release, terms: later(60_000), after: hash }));
    expect(second.hash).not.toBe(hash);
  });

  test("a second one is refused unless its release names the first as dead", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(pay({ release }));
    signer.setTime(NOW + 70_000);
    // A restored database does not know the first one, which may have paid.
    expectRefused(pay({ release, terms: later(70_000) }), "paid_elsewhere", signer);
    const other = "ab".repeat(32);
    expectRefused(pay({ release, terms: later(70_000), after: other }), "paid_elsewhere", signer);
  });

  test("a third one names the second, and all of them count against the limits", () => {
    const signer = openTestSigner({ ...POLICY, hourCents: 200 });
    const first = signer.sign(pay({ release }));
    signer.setTime(NOW + 70_000);
    const second = signer.sign(pay({ release, terms: later(70_000), after: first.hash }));
    signer.setTime(NOW + 140_000);
    const third = (after: string) => pay({ release, terms: later(140_000), after });
    expectRefused(third(first.hash), "paid_elsewhere", signer);
    expectRefused(third(second.hash), "limit", signer);
  });

  test("the number of transactions of a payment is limited", () => {
    const signer = openTestSigner({ ...POLICY, replacementsMax: 1, hourCents: 4_000_000 });
    let after: string | null = null;
    const ask = (ms: number) =>
      pay({ release: { ...release, asset: "trx" }, terms: { ...later(ms), feeLimit: "0" }, after });
    for (const ms of [0, 70_000]) {
      signer.setTime(NOW + ms);
      after = signer.sign(ask(ms)).hash;
    }
    signer.setTime(NOW + 140_000);
    expectRefused(ask(140_000), "paid_elsewhere", signer);
  });

  test("another amount for the same intent is refused, even after the deadline", () => {
    const signer = openTestSigner(POLICY);
    const { hash } = signer.sign(pay({ release }));
    signer.setTime(NOW + 70_000);
    const more = { ...release, units: 2_000_000n };
    expectRefused(
      pay({ release: more, terms: later(70_000), after: hash }),
      "changed_payment",
      signer,
    );
  });

  test("two intents with the same bytes are two transactions", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(pay());
    expectRefused(pay(), "terms", signer);
    signer.sign(pay({ terms: { expiration: NOW + 60_001 } }));
  });

  test("the fees of a day are capped over all transactions", () => {
    const signer = openTestSigner(POLICY);
    for (const ms of [1, 2, 3]) signer.sign(pay({ terms: { expiration: NOW + 60_000 + ms } }));
    expectRefused(pay({ terms: { expiration: NOW + 60_004 } }), "fee", signer);
  });

  test("two approvals of the payment hold at each deadline", () => {
    const signer = openTestSigner(POLICY);
    const chosen = terms();
    const { expiration, reference } = chosen;
    const large = {
      network: "tron",
      wallet: "tron-hot",
      asset: "usdt-tron",
      address: CUSTOMER,
      intent,
      units: 1_500_000n * 10n ** 4n,
      releasedAt: new Date(NOW),
    } as const;
    const { approvals } = signRelease(makeRelease({ ...large, place: { kind: "any" } }), BOTH);
    const place = { kind: "until", expiration, reference, after: null } as const;
    const signed = signRelease(makeRelease({ ...large, place }));
    signer.sign({ op: "pay_tron", release: { ...signed, approvals }, terms: chosen });
  });
});

test("a payment is checked before it has a deadline", () => {
  const signer = openTestSigner(POLICY);
  const checked = (changes: Partial<Release> = {}) => {
    const release = { network: "tron", wallet: "tron-hot", asset: "usdt-tron", address: CUSTOMER };
    return {
      op: "check",
      release: signRelease(makeRelease({ ...release, place: { kind: "any" }, ...changes })),
    };
  };
  expect(signer.ask(checked())).toMatchObject({ ok: { isAllowed: true } });
  expectRefused(checked({ address: "not-an-address" }), "address", signer);
});

test.each([
  [
    "a contract of an EVM network",
    { assets: { usdt: { ...POLICY.assets["usdt-tron"], contract: `0x${"12".repeat(20)}` } } },
  ],
  ["a gas tank", { wallets: { tank: { ...POLICY.wallets["tron-hot"], purpose: "gas" } } }],
])("the policy of Tron refuses %s", (_, changes) => {
  expect(() => parsePolicy(JSON.stringify({ ...POLICY, ...changes }))).toThrow(SignerError);
});
