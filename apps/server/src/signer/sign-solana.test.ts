import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { solanaBytes, toSolanaForm } from "../domain/wallets/solana.ts";
import { readMessage, splitTransaction, writeMessage } from "../domain/wallets/solana-message.ts";
import { BOTH, makeRelease, NOW, openTestSigner, signRelease } from "../testing/signer.ts";
import { refusalsUnder } from "../testing/signer-refusals.ts";
import {
  SOLANA_BLOCK as BLOCK,
  SOLANA_CUSTOMER as CUSTOMER,
  SOLANA_GENESIS as GENESIS,
  SOLANA_HOT as HOT,
  SOLANA_LIMITS as limits,
  SOLANA_POLICY as POLICY,
  solanaPayment as pay,
  type SolanaPayment,
  solanaTerms as terms,
} from "../testing/solana-signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { PolicyFile } from "./policy.ts";
import { readSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";
import { deriveEd25519 } from "./slip10.ts";

const expectRefused = refusalsUnder(POLICY);

/** The messages that `@solana/kit` 8.4.0 compiles of the same words and numbers. It is in no program of this project. */
const OF_KIT = {
  accounts:
    "010002040bf32b9f0db09672038fea36139b18f98a5f0149ef4ce0332e44b9a77e83c22d36729c638cf82a2085a0d86fd795d7756e2979b790f04fcfb3b737663c784a4700000000000000000000000000000000000000000000000000000000000000000306466fe5211732ffecadba72c39be7bc8ce5bbc5f7126b2c439b3a40000000cc490e928cd2e3873bb343fc95da33179ca60f4dbf46c2c36e91299d55d4e6b903",
  instructions: [
    [
      1_000_000n,
      2_000_000n,
      "03000502e80300000300090380841e0000000000020200010c0200000040420f0000000000",
    ],
    [
      2n ** 40n + 1n,
      0n,
      "03000502e8030000030009030000000000000000020200010c020000000100000000010000",
    ],
  ],
} as const;

test("the bytes of a payment are those of Solana's own library, and the signature is of the wallet", () => {
  for (const [units, price, instructions] of OF_KIT.instructions) {
    const signer = openTestSigner({
      ...POLICY,
      assets: { sol: { ...POLICY.assets["sol"], centsPerCoin: 1, ...limits } as never },
    });
    const request = pay({ release: { units }, terms: { unitPrice: String(price) } });
    const { hash, bytes } = signer.sign(request);
    const { signature, message } = splitTransaction(hexToBytes(bytes));
    expect(bytesToHex(message)).toBe(`${OF_KIT.accounts}${instructions}`);
    expect(toSolanaForm(signature)).toBe(hash);
    expect(ed25519.verify(signature, message, solanaBytes(HOT))).toBe(true);
  }
});

// The vectors of SLIP-0010 for ed25519.
test.each([
  [
    "000102030405060708090a0b0c0d0e0f",
    "m/0'/1'/2'/2'/1000000000'",
    "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793",
  ],
  [
    "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542",
    "m/0'/2147483647'/1'/2147483646'/2'",
    "551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d",
  ],
])("the key of a path is that of SLIP-0010", (seed, path, key) => {
  expect(bytesToHex(deriveEd25519(hexToBytes(seed), path))).toBe(key);
});

test("the wallets have the addresses that other wallets derive from the same words", () => {
  const signer = openTestSigner(POLICY);
  const status = signer.ask({ op: "status" });
  expect(status).toMatchObject({
    ok: {
      wallets: {
        "solana-hot": { address: HOT, publicKey: null },
        "solana-deposits": {
          address: null,
          publicKey: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
        },
      },
    },
  });
});

test("a message is read back only from exactly the bytes that are written", () => {
  const transfer = { from: HOT, to: CUSTOMER, units: 5n, blockhash: BLOCK, unitPrice: 7n };
  const message = writeMessage(transfer);
  expect(readMessage(message)).toEqual(transfer);
  for (const [at] of message.entries()) {
    const changed = message.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    let read: object | undefined;
    try {
      read = readMessage(changed);
    } catch {
      read = undefined;
    }
    // Another address, block or amount is another message. Everything else is not one.
    expect(read).not.toEqual(transfer);
  }
  expect(() => readMessage(message.slice(0, -1))).toThrow("not a transfer");
  expect(() => readMessage(Uint8Array.of(...message, 0))).toThrow("not a transfer");
});

describe("attacks", () => {
  test("the same request has the same answer, and one line in the log", () => {
    const signer = openTestSigner(POLICY);
    const request = pay();
    expect(signer.sign(request)).toEqual(signer.sign(request));
    expect(readSignLog(signer.logFile).signatures).toHaveLength(1);
  });

  test.each<[string, SolanaPayment, string]>([
    ["a deadline that passed", { terms: { expiration: NOW - 1 } }, "terms"],
    ["a deadline that is too far away", { terms: { expiration: NOW + 601_000 } }, "terms"],
    ["a nonce as its place", { release: { place: { kind: "nonce", nonce: 1n } } }, "place"],
    ["an address of Ethereum", { release: { address: `0x${"1".repeat(40)}` } }, "address"],
    ["an address of 31 bytes", { release: { address: "2".repeat(42) } }, "address"],
    [
      "the System Program",
      { release: { address: "11111111111111111111111111111111" } },
      "destination",
    ],
    [
      "another program",
      { release: { address: "ComputeBudget111111111111111111111111111111" } },
      "destination",
    ],
    ["our own wallet", { release: { address: HOT } }, "destination"],
    ["a denied address", { release: { address: POLICY.denied[0] as string } }, "destination"],
    ["a memo", { release: { memo: "x" } }, "memo"],
    ["an asset that is not listed", { release: { asset: "usdc-solana" } }, "unlisted"],
    ["a wallet of deposits", { release: { wallet: "solana-deposits" } }, "unlisted"],
    ["more than its limit", { release: { units: 200_000_000_000n } }, "limit"],
    ["more units than a transfer holds", { release: { units: 2n ** 64n } }, "release_text"],
    ["a fee above the cap", { terms: { unitPrice: "100000000" } }, "fee"],
    ["a transaction before it that was never signed", { after: "5".repeat(87) }, "paid_elsewhere"],
  ])("a payment with %s is refused", (_, payment, reason) => {
    expectRefused(pay(payment), reason);
  });

  test("terms that differ from the release are refused", () => {
    const { release } = pay();
    expectRefused({ op: "pay_solana", release, terms: terms({ reference: HOT }) }, "place");
    expectRefused({ op: "pay_solana", release, terms: terms({ expiration: NOW + 1 }) }, "place");
  });

  test("a payment is signed again only after its time, and only if the release names the one before", () => {
    const signer = openTestSigner(POLICY);
    const intent = makeRelease().intent;
    const first = signer.sign(pay({ release: { intent } }));
    const again = (after: string | null, expiration = NOW + 120_000) =>
      pay({ release: { intent }, terms: { reference: GENESIS, expiration }, after });
    // A database that was restored does not know the first one.
    expectRefused(again(null), "paid_elsewhere", signer);
    expectRefused(again(first.hash), "terms", signer);
    signer.setTime(NOW + 60_001);
    const second = signer.sign(again(first.hash));
    expect(second.hash).not.toBe(first.hash);
    signer.setTime(NOW + 120_001);
    const third = { reference: HOT, expiration: NOW + 200_000 };
    const of = (after: string) => pay({ release: { intent }, terms: third, after });
    expectRefused(of(first.hash), "paid_elsewhere", signer);
    expect(signer.sign(of(second.hash)).hash).not.toBe(second.hash);
  });

  test("a changed payment of the same intent is refused", () => {
    const signer = openTestSigner(POLICY);
    const intent = makeRelease().intent;
    const { hash } = signer.sign(pay({ release: { intent } }));
    signer.setTime(NOW + 60_001);
    const other = { intent, units: 7n };
    const words = { reference: GENESIS, expiration: NOW + 120_000 };
    expectRefused(pay({ release: other, terms: words, after: hash }), "changed_payment", signer);
  });

  test("two payments whose bytes are the same are one transaction, so the second is refused", () => {
    const signer = openTestSigner(POLICY);
    signer.sign(pay());
    expectRefused(pay(), "terms", signer);
    signer.sign(pay({ terms: { unitPrice: "2000001" } }));
  });

  test("dead transactions count against the limits, and are few", () => {
    const signer = openTestSigner({ ...POLICY, replacementsMax: 1 });
    const intent = makeRelease().intent;
    let after: string | null = null;
    for (const round of [1, 2]) {
      signer.setTime(NOW + round * 60_000);
      const expiration = NOW + round * 60_000 + 59_000;
      const words = { expiration, unitPrice: String(round) };
      after = signer.sign(pay({ release: { intent }, terms: words, after })).hash;
    }
    signer.setTime(NOW + 180_000);
    const third = pay({ release: { intent }, terms: { expiration: NOW + 190_000 }, after });
    expectRefused(third, "paid_elsewhere", signer);
  });

  test("the fees of a day are bounded", () => {
    const signer = openTestSigner(POLICY);
    const unitPrice = "90000000";
    signer.sign(pay({ terms: { unitPrice } }));
    const refused = pay({ terms: { unitPrice: "90000001" } });
    expectRefused(refused, "fee", signer);
    expect(signer.ask(refused)).toMatchObject({
      error: { message: expect.stringMatching(/of feeMaxPerDay in the policy\. Wait until/) },
    });
  });

  test("operators lift a limit by their signatures", () => {
    const units = 70_000_000_000n;
    expectRefused(pay({ release: { units } }), "approvals");
    const { terms: words } = pay();
    const place = { kind: "until", expiration: words.expiration, reference: BLOCK, after: null };
    const facts = { network: "solana", wallet: "solana-hot", asset: "sol", address: CUSTOMER };
    const release = makeRelease({ ...facts, units, place: place as never });
    openTestSigner(POLICY).sign({
      op: "pay_solana",
      release: signRelease(release, BOTH),
      terms: words,
    });
  });
});

test.each<[string, (policy: PolicyFile) => void]>([
  [
    "a path with a step that is not hardened",
    ({ wallets }) => void Object.assign(wallets["solana-hot"] ?? {}, { path: "m/44'/501'/0'/0" }),
  ],
  [
    "a token",
    ({ assets }) => void Object.assign(assets["sol"] ?? {}, { contract: `0x${"1".repeat(40)}` }),
  ],
])("a policy with %s is refused", (_, change) => {
  const policy = structuredClone(POLICY);
  change(policy);
  expect(() => parsePolicy(JSON.stringify(policy))).toThrow(SignerError);
});
