import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TEST_POLICY, TEST_WORDS, USDT } from "../testing/signer.ts";
import { makeSeedWords, makeSignerFolder, parseSeedWords } from "./ceremony.ts";
import { openKeystore, sealKeystore } from "./keystore.ts";
import { makePolicy } from "./new-policy.ts";
import { openSigner } from "./open-signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import { listen } from "./socket.ts";

const PASSPHRASE = "correct horse battery staple";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const makeFolder = () => join(mkdtempSync(join(tmpdir(), "exchange-signer-")), "signer");
const sealed = sealKeystore("hot", new Uint8Array(64).fill(7), PASSPHRASE);

/** Sets members of JSON text by their paths. Undefined removes a member. */
function change(text: string, edits: Readonly<Record<string, unknown>>): string {
  const file: unknown = JSON.parse(text);
  for (const [path, value] of Object.entries(edits)) {
    const names = path.split("/");
    const last = names.pop() ?? "";
    const parent = names.reduce((at, name) => Reflect.get(Object(at), name), file);
    Reflect.set(Object(parent), last, value);
  }
  return JSON.stringify(file);
}

/** Returns a public key in other letters: the last one has two bits that no byte of the key uses. */
const respelled = (key: string): string => {
  const last = key.charAt(key.length - 2);
  const other = BASE64.charAt(BASE64.indexOf(last) + 1);
  return `${key.slice(0, -2)}${other}=`;
};

test("a folder that is missing is named with what makes it", async () => {
  const folder = makeFolder();
  expect(() => openSigner(folder, PASSPHRASE)).toThrow(
    `${folder} is not a folder. Make it: exchange signer init --folder ${folder}`,
  );
  const socket = join(folder, "signer.sock");
  await expect(listen(socket, () => ({}) as never)).rejects.toThrow(
    `${folder} is not a folder. Make it as the signer's user: mkdir -m 750 ${folder}`,
  );
});

test("a keystore opens with its passphrase only", () => {
  expect(openKeystore("hot", sealed, PASSPHRASE)).toEqual(Buffer.alloc(64, 7));
  expect(() => openKeystore("hot", sealed, `${PASSPHRASE} `)).toThrow("passphrase is wrong");
  expect(sealed).not.toContain(Buffer.alloc(64, 7).toString("base64"));
});

test("a keystore does not open for another purpose, not even with its head changed", () => {
  expect(() => openKeystore("deposits", sealed, PASSPHRASE)).toThrow(
    `for "hot", not for "deposits"`,
  );
  const renamed = change(sealed, { "head/purpose": "deposits" });
  expect(() => openKeystore("deposits", renamed, PASSPHRASE)).toThrow("the file was changed");
});

test.each([
  ["a weaker derivation", { "head/N": 2 }],
  ["a derivation that takes all memory", { "head/N": 2 ** 30 }],
  ["a member more", { extra: 1 }],
])("a keystore with %s is not valid", (_, edit) => {
  expect(() => openKeystore("hot", change(sealed, edit), PASSPHRASE)).toThrow("not valid");
});

test("a changed byte of the sealed seed, or a cut tag, opens nothing", () => {
  const file = JSON.parse(sealed);
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  for (const name of ["sealed", "tag"]) {
    const changed = change(sealed, { [name]: flip(file[name]) });
    expect(() => openKeystore("hot", changed, PASSPHRASE)).toThrow("the file was changed");
  }
  const cut = change(sealed, { tag: file.tag.slice(0, 4) });
  expect(() => openKeystore("hot", cut, PASSPHRASE)).toThrow();
});

test("a short passphrase seals nothing", () => {
  expect(() => sealKeystore("hot", new Uint8Array(64), "short")).toThrow("at least 12 characters");
});

test("a new signer's folder is closed, opens, and is never written over", () => {
  const folder = makeFolder();
  const files = { policy: TEST_POLICY, words: TEST_WORDS, passphrase: PASSPHRASE };
  const fingerprints = makeSignerFolder(folder, files);
  for (const name of ["policy.json", "hot.keystore", "deposits.keystore", "sign.log"]) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
  expect(openSigner(folder, PASSPHRASE).wallets.fingerprints).toEqual(fingerprints);
  expect(() => makeSignerFolder(folder, files)).toThrow("Name an empty folder");

  const policy = join(folder, "policy.json");
  chmodSync(policy, 0o640);
  expect(() => openSigner(folder, PASSPHRASE)).toThrow(`chmod 600 ${policy}`);
  chmodSync(policy, 0o600);
  chmodSync(folder, 0o770);
  expect(() => openSigner(folder, PASSPHRASE)).toThrow("chmod go-w");
  chmodSync(folder, 0o700);
  const text = readFileSync(policy, "utf8");
  rmSync(policy);
  writeFileSync(`${policy}.real`, text, { mode: 0o600 });
  symlinkSync(`${policy}.real`, policy);
  expect(() => openSigner(folder, PASSPHRASE)).toThrow("Links are not followed");
});

test("a signer whose log is gone, or belongs to other seeds, does not open", () => {
  const [folder, other] = [makeFolder(), makeFolder()];
  const files = { policy: TEST_POLICY, passphrase: PASSPHRASE };
  makeSignerFolder(folder, { ...files, words: TEST_WORDS });
  makeSignerFolder(other, { ...files, words: makeSeedWords() });
  const log = join(folder, "sign.log");
  rmSync(log);
  expect(() => openSigner(folder, PASSPHRASE)).toThrow("sign.log does not exist");
  writeFileSync(log, readFileSync(join(other, "sign.log")), { mode: 0o600 });
  expect(() => openSigner(folder, PASSPHRASE)).toThrow("other seeds");
});

test("seed words with a wrong checksum, or one list for both, are refused", () => {
  const { hot, deposits } = makeSeedWords();
  expect(hot.split(" ")).toHaveLength(24);
  expect(parseSeedWords(`${hot}\n${deposits}\n`)).toEqual({ hot, deposits });
  expect(() => parseSeedWords(`${hot} zoo\n${deposits}`)).toThrow("first line");
  expect(() => parseSeedWords(`${hot}\n`)).toThrow("second line");
  expect(() => parseSeedWords(`${hot}\n${hot}`)).toThrow("seeds of their own");
});

test("a new policy is valid and allows no payment", () => {
  const policy = makePolicy({
    installation: "shop-1",
    releaseKey: TEST_POLICY.releaseKeys[0] ?? "",
    approvers: Object.entries(TEST_POLICY.approvers).map(([name, key]) => `${name}=${key}`),
    networks: [
      "ethereum=evm:1",
      "litecoin=litecoin:mainnet",
      "signet=bitcoin:testnet",
      "solana=solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    ],
  });
  const parsed = parsePolicy(JSON.stringify(policy));
  expect([parsed.hourCents, parsed.dayCents, parsed.assets]).toEqual([0, 0, {}]);
  expect(Object.values(parsed.wallets).map(({ path }) => path)).toEqual([
    "m/44'/60'/0'/0/0",
    "m/44'/60'/0'/0",
    "m/84'/2'/0'",
    "m/84'/1'/0'",
    "m/44'/501'/0'/0'",
    "m/44'/501'/0'/0'",
  ]);
  expect(() =>
    makePolicy({ ...policy, releaseKey: "", approvers: [], networks: ["x=solana:1"] }),
  ).toThrow("ethereum=evm:1");
});

test.each([
  [
    "a release key that approves",
    { "approvers/annaa": TEST_POLICY.releaseKeys[0] },
    "key of their own",
  ],
  ["one approval as enough", { approvalsNeeded: 1 }, "approvalsNeeded"],
  ["fewer approvers than needed", { "approvers/ben": undefined }, "1 approvers"],
  ["two names of one account", { "wallets/again": TEST_POLICY.wallets["eth-hot"] }, "two wallets"],
  [
    "one key of two approvers, spelled in two ways",
    { "approvers/ben": respelled(TEST_POLICY.approvers["anna"] ?? "") },
    "key of their own",
  ],
  [
    "an approver's key that is the release key, spelled in another way",
    { "approvers/annaa": respelled(TEST_POLICY.releaseKeys[0] ?? "") },
    "key of their own",
  ],
  [
    "two names of one account, whose path begins a number with 0",
    { "wallets/again": { network: "ethereum", keystore: "hot", path: "m/44'/060'/0'/0/0" } },
    "wallets.again.path",
  ],
  [
    "two names of one token",
    { "assets/tether": { ...TEST_POLICY.assets["usdt-ethereum"], contract: USDT.toLowerCase() } },
    "two assets are the same coin",
  ],
  ["two names of one coin", { "assets/ether": TEST_POLICY.assets["eth"] }, "the same coin"],
  ["two names of one chain", { "networks/again": TEST_POLICY.networks["base"] }, "same chain"],
  [
    "a wallet called cold",
    { "wallets/cold": { network: "base", keystore: "hot", path: "m/1" } },
    "cold",
  ],
  ["a wallet of no network", { "wallets/eth-hot/network": "x" }, `no network "x"`],
  ["a token on a chain of coins", { "assets/btc/contract": USDT }, "no token contracts"],
  [
    "deposits of coins under their own seed",
    { "wallets/btc-hot/keystore": "deposits" },
    "hot keystore",
  ],
  ["a price of zero", { "assets/eth/centsPerCoin": 0 }, "assets.eth.centsPerCoin"],
  ["a misspelt member", { denyed: [] }, "There is no member denyed"],
])("a policy with %s is refused", (_, edit, message) => {
  expect(() => parsePolicy(change(JSON.stringify(TEST_POLICY), edit))).toThrow(message);
});

test.each([
  ["xrpl=xrp:0", "testnet=xrp:1"],
  ["tron=tron:728126428", "nile=tron:3448148188"],
  [
    "solana=solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "devnet=solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
  ],
])(
  "a policy with the keys of %s on %s too is refused, because a transaction may be valid on both",
  (...networks) => {
    const policy = makePolicy({
      installation: "shop-1",
      releaseKey: TEST_POLICY.releaseKeys[0] ?? "",
      approvers: [],
      networks,
    });
    expect(() => parsePolicy(JSON.stringify(policy))).toThrow("have the same keys");
  },
);

test("coins of two chains with one path are refused, but not where both are worth nothing", () => {
  const coins = (environment: string) =>
    change(JSON.stringify(TEST_POLICY), {
      "networks/litecoin": { ...TEST_POLICY.networks["bitcoin"], chain: "litecoin", environment },
      "wallets/ltc-hot": { ...TEST_POLICY.wallets["btc-hot"], network: "litecoin" },
    });
  expect(() => parsePolicy(coins("mainnet"))).toThrow("have the same keys");
  const worthless = change(coins("testnet"), { "networks/bitcoin/environment": "testnet" });
  expect(() => parsePolicy(worthless)).not.toThrow();
});

test.each([
  [
    "approvers/anna",
    "x",
    "approvers.anna: The value must be a public key as signer new-key prints it",
  ],
  [
    "networks/ethereum/feeMax",
    20_000,
    "networks.ethereum.feeMax: The value must be a whole number of",
  ],
  ["networks/ethereum/feMax", "1", "networks.ethereum: There is no member feMax. Remove it"],
  [
    "networks/ethereum/dayCents",
    undefined,
    "networks.ethereum: The member dayCents is missing. Add it",
  ],
  ["networks/ethereum/kind", "eth", "networks.ethereum: The member kind must be one of evm, coins"],
  ["wallets/eth-hot/keystore", "cold", "wallets.eth-hot.keystore: The value must be one of hot"],
])("one fault of a policy, at %s, is one line that says what is accepted", (path, value, line) => {
  const broken = change(JSON.stringify(TEST_POLICY), { [path]: value });
  const start = line.replaceAll(".", "\\.");
  expect(() => parsePolicy(broken)).toThrow(
    new RegExp(`^The policy file is not valid:\n- ${start}[^\n]*$`),
  );
});

test("every problem of a policy is named at once", () => {
  const broken = change(JSON.stringify(TEST_POLICY), {
    "wallets/eth-hot/network": "x",
    "assets/eth/network": "y",
  });
  expect(() => parsePolicy(broken)).toThrow(/no network "x"[^]*no network "y"/);
  expect(() => parsePolicy("{")).toThrow("not JSON");
});
