import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makePolicy } from "../../signer/new-policy.ts";
import { FIXED_FEE } from "../../signer/sign-tron.ts";
import { coinLimitsOf } from "./open-coins.ts";
import { openReleaseKey } from "./signer-choices.ts";
import { type TronChoices, tronFeeMaxOf } from "./tron-choices.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-release-"));
afterAll(() => rmSync(folder, { recursive: true }));

function keyFile(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

const pemOf = (type: "ed25519" | "x25519") =>
  (type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519")).privateKey
    .export({ format: "pem", type: "pkcs8" })
    .toString();

test("the release key signs a release", () => {
  const pem = pemOf("ed25519");
  const signature = openReleaseKey(keyFile("release.key", pem))("a release\n");
  const publicKey = createPublicKey(pem);
  expect(
    verify(null, Buffer.from("a release\n"), publicKey, Buffer.from(signature, "base64")),
  ).toBe(true);
});

test.each<[string, string, RegExp]>([
  ["a file that is missing", join(folder, "none"), /is not a file\. Make it: exchange signer/],
  [
    "a file that others may read",
    keyFile("open.key", pemOf("ed25519"), 0o644),
    /others may read\. Run: chmod 600/,
  ],
  ["text that is not a key", keyFile("text.key", "secret"), /holds no Ed25519 key/],
  ["a key of another kind", keyFile("other.key", pemOf("x25519")), /holds no Ed25519 key/],
])("%s is refused", (_what, path, problem) => {
  expect(() => openReleaseKey(path)).toThrow(problem);
});

test.each(["bitcoin", "litecoin"] as const)(
  "a new policy for %s allows the fees that the service allows by default",
  (coin) => {
    const networks = [`coins=${coin}:mainnet`];
    const policy = makePolicy({ installation: "shop-1", releaseKey: "", approvers: [], networks });
    const { rateMax, feeMax } = coinLimitsOf({ coin, chain: "main" });
    expect(policy.networks["coins"]).toMatchObject({
      feeRateMax: Number(rateMax),
      feeMax: String(2n * feeMax),
    });
  },
);

test("a new policy for Tron allows the call of a token that may burn the service's default, and its bytes", () => {
  const networks = ["tron=tron:728126428"];
  const policy = makePolicy({ installation: "shop-1", releaseKey: "", approvers: [], networks });
  const feeMax = tronFeeMaxOf({} as TronChoices) + FIXED_FEE;
  expect(policy.networks["tron"]).toMatchObject({ feeMax: String(feeMax) });
});
