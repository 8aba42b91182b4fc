import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readDepositAccount } from "../adapters/chains/evm/deposit-addresses.ts";
import { writeReleaseText } from "../domain/payouts/release-text.ts";
import { openSigner } from "../signer/open-signer.ts";
import { makeService } from "../signer/service.ts";
import { listen } from "../signer/socket.ts";
import { CUSTOMER, GAS, makeRelease, signText, TEST_WORDS } from "../testing/signer.ts";
import { runCommand } from "./main.ts";

const parent = mkdtempSync(join(tmpdir(), "exchange-signer-"));
afterAll(() => rmSync(parent, { recursive: true }));
const file = (name: string) => join(parent, name);
const PASSPHRASE = "correct horse battery staple";
writeFileSync(file("passphrase"), `${PASSPHRASE}\n`);

async function run(...words: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const status = await runCommand(["signer", ...words], {
    variables: {},
    print: (text) => out.push(text),
    printError: (text) => errors.push(text),
  });
  return { status, out: out.join("\n"), errors: errors.join("\n") };
}

async function runJson<T>(...words: string[]): Promise<T> {
  const { status, out, errors } = await run(...words, "--json");
  expect({ words, status, errors }).toEqual({ words, status: 0, errors: "" });
  return JSON.parse(out) as T;
}

const passphrase = ["--passphrase-file", file("passphrase")];
const newKey = async (use: string, name: string) =>
  (
    await runJson<{ publicKey: string }>(
      "new-key",
      "--for",
      use,
      "--file",
      file(name),
      ...passphrase,
    )
  ).publicKey;

test("the whole ceremony: keys, folder, policy, approval, signature, log", async () => {
  const releaseKey = await newKey("release", "release.key");
  const anna = await newKey("approver", "anna.key");
  const ben = await newKey("approver", "ben.key");
  writeFileSync(file("words"), `${TEST_WORDS.hot}\n${TEST_WORDS.deposits}\n`);
  const folder = file("keys");
  await runJson(
    ...["init", "--folder", folder, "--installation", "shop-1", "--release-key", releaseKey],
    ...["--approver", `anna=${anna}`, "--approver", `ben=${ben}`, "--network", "ethereum=evm:1"],
    ...["--words-file", file("words"), ...passphrase],
  );
  const policyFile = join(folder, "policy.json");
  const policy = JSON.parse(readFileSync(policyFile, "utf8"));
  policy.dayCents = policy.hourCents = policy.networks.ethereum.dayCents = 1_000_000;
  policy.assets.eth = {
    ...{ network: "ethereum", decimals: 18, centsPerCoin: 300_000, paymentCents: 1_000_000 },
    ...{ hourCents: 1_000_000, approvalAboveCents: 10_000 },
  };
  writeFileSync(policyFile, JSON.stringify(policy));

  const parts = openSigner(folder, PASSPHRASE);
  const service = makeService(parts, { report: () => {}, onBroken: () => {} });
  const socket = file("signer.sock");
  const listener = await listen(socket, service.answer);
  try {
    const status = await run("status", "--socket", socket);
    expect(status.out).toContain("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    const wallet = ["--socket", socket, "--wallet", "ethereum-deposits", "--count", "1"];
    expect(await runJson("addresses", ...wallet)).toEqual([
      { path: "m/44'/60'/0'/0/0", address: CUSTOMER },
    ]);
    const { wallets } = await runJson<{
      wallets: Record<string, { publicKey: string | null }>;
    }>("status", "--socket", socket);
    const xpub = wallets["ethereum-deposits"]?.publicKey ?? "";
    expect(readDepositAccount(xpub).addressAt(0)).toBe(CUSTOMER);
    const missing = await run("addresses", "--socket", socket, "--wallet", "eth");
    expect(missing).toMatchObject({
      status: 1,
      errors: 'The signer refused: The policy has no wallet "eth".',
    });

    const release = makeRelease({
      ...{ asset: "eth", wallet: "ethereum-hot", units: 10n ** 17n, releasedAt: new Date() },
    });
    const text = writeReleaseText(release);
    writeFileSync(file("release.txt"), text);
    const shown = await run("approve", "--release-file", file("release.txt"));
    expect(shown.out).toContain(CUSTOMER);
    const approve = (name: string) =>
      runJson<{ name: string; signature: string }>(
        ...["approve", "--release-file", file("release.txt"), "--key-file", file(`${name}.key`)],
        ...["--name", name, ...passphrase],
      );
    const approvals = [await approve("anna"), await approve("ben")];
    const key = createPrivateKey(readFileSync(file("release.key"), "utf8"));
    const ask = (by: typeof approvals) => {
      const signed = { text, signature: signText(text, key), approvals: by };
      return service.answer(JSON.stringify({ id: 1, op: "pay", release: signed, gas: GAS }));
    };
    expect(ask(approvals.slice(1))).toMatchObject({ error: { reason: "approvals" } });
    expect(ask(approvals)).toMatchObject({ ok: { hash: expect.any(String) } });
  } finally {
    await listener.close();
  }
  const log = join(folder, "sign.log");
  expect(await runJson("verify-log", log)).toMatchObject({ signatures: 1, tornBytes: 0 });
  writeFileSync(log, readFileSync(log, "utf8").replace('"shop-1"', '"shop-2"'));
  expect(await run("verify-log", "--log", log)).toMatchObject({
    status: 1,
    errors: expect.stringContaining("Line 2 of the sign log does not follow"),
  });
});

test.each([
  [["new-key", "--for", "owner", "--file", "x"], 2, "release or approver"],
  [["new-key", "--for", "release", "--file", file("passphrase")], 1, "is not written over"],
  [["approve", "--release-file", file("nothing")], 1, "cannot be read: ENOENT"],
  [["approve", "--release-file", file("passphrase")], 1, "exactly as the worker wrote it"],
  [["status", "--socket", file("nothing.sock")], 1, "There is no signer at"],
  [["status", "--socket", file("passphrase")], 1, "is not a socket"],
  [["addresses", "--socket", "x", "--wallet", "y", "--count", "0"], 2, "from 1 to 1000"],
  [["verify-log", file("nothing")], 1, "does not exist"],
])("signer %j is refused with a clear error", async (words, status, message) => {
  const result = await run(...words);
  expect(result.errors).toContain(message);
  expect(result.status).toBe(status);
  expect(result.errors).not.toMatch(/\n\s+at /);
});

test.each([
  ["a network that is not one", ["--release-key", "x", "--network", "ethereum"], "ethereum=evm:1"],
  [
    "a release key that is not one",
    ["--release-key", "x", "--network", "e=evm:1"],
    "- releaseKeys[0]: The value must be a public key",
  ],
  [
    "an approver without a key",
    ["--release-key", "x", "--network", "e=evm:1", "--approver", "anna"],
    "anna=ed25519:",
  ],
])("signer init with %s makes nothing", async (_, words, message) => {
  const folder = file("never");
  const init = ["init", "--folder", folder, "--installation", "shop-1", ...words, ...passphrase];
  expect(await run(...init)).toMatchObject({ status: 1, errors: expect.stringContaining(message) });
  expect(() => readFileSync(join(folder, "policy.json"))).toThrow("ENOENT");
});
