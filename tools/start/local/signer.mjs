// The signer of the local chain: its folder, made once, and its process.
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askSigner } from "../../../apps/server/dist/adapters/chains/signer-client.js";
import {
  makeReleaseKey,
  makeSeedWords,
  makeSignerFolder,
  publicAccount,
} from "../../../apps/server/dist/signer/ceremony.js";
import { makePolicy } from "../../../apps/server/dist/signer/new-policy.js";
import { CHAIN_ID } from "./node.mjs";
import { startProgram } from "./program.mjs";

export const INSTALLATION = "local";
export const WALLETS = {
  hot: "ethereum-hot",
  deposits: "ethereum-deposits",
  coins: "litecoin-hot",
};
const PROGRAM = fileURLToPath(new URL("../../../apps/server/dist/signer/main.js", import.meta.url));
/** The accounts of the deposit addresses. The signer's wallet has the addresses below that of Ethereum. */
const DEPOSIT_ACCOUNTS = { ethereum: "m/44'/60'/0'", litecoin: "m/84'/1'/0'" };

/** Limits of a demo: nobody approves, and no purchase of a demo reaches them. */
const PAYMENT_CENTS = 100_000_00;
const DAY_CENTS = 100_000_000_00;
const COIN_FEES = { feeRateMax: 500, feeMax: "1000000", feeMaxPerDay: "100000000" };

/** Makes the signer's folder at the first start. A folder that was not finished is made again. */
export function ensureSignerFolder(folder, assets) {
  const place = join(folder, "signer");
  if (existsSync(place)) return;
  const partial = join(folder, "signer.new");
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  const words = makeSeedWords();
  const passphrase = randomBytes(24).toString("base64url");
  const releaseKey = makeReleaseKey(join(partial, "release.key"));
  const policy = makePolicy({
    installation: INSTALLATION,
    releaseKey,
    approvers: [],
    networks: [`ethereum=evm:${CHAIN_ID}`, "litecoin=litecoin:regtest"],
  });
  makeSignerFolder(join(partial, "keys"), {
    policy: demoPolicy(policy, assets),
    words,
    passphrase,
  });
  writeFileSync(join(partial, "passphrase"), `${passphrase}\n`, { mode: 0o600 });
  for (const [network, path] of Object.entries(DEPOSIT_ACCOUNTS)) {
    const xpub = publicAccount(words.deposits, path);
    writeFileSync(xpubPath(partial, network), `${xpub}\n`, { mode: 0o600 });
  }
  renameSync(partial, place);
}

const xpubPath = (place, network) =>
  join(place, network === "ethereum" ? "deposits.xpub" : `${network}-deposits.xpub`);

function demoPolicy(policy, assets) {
  const ethereum = {
    ...policy.networks.ethereum,
    feeMax: String(10n ** 17n),
    feeMaxPerDay: String(10n ** 19n),
    dayCents: DAY_CENTS,
  };
  const litecoin = { ...policy.networks.litecoin, ...COIN_FEES, dayCents: DAY_CENTS };
  return {
    ...policy,
    hourCents: DAY_CENTS,
    dayCents: DAY_CENTS,
    networks: { ethereum, litecoin },
    assets: Object.fromEntries(assets.map((asset) => [asset.reference, assetLimits(asset)])),
  };
}

const assetLimits = ({ network, contract, decimals, perEuro }) => ({
  network,
  ...(contract !== undefined && { contract }),
  decimals,
  centsPerCoin: Math.max(1, Math.ceil(100 / Number(perEuro))),
  paymentCents: PAYMENT_CENTS,
  hourCents: DAY_CENTS,
  approvalAboveCents: PAYMENT_CENTS,
});

/** Starts the signer and asks for its hot wallet. */
export async function startSigner(folder) {
  const place = join(folder, "signer");
  // A socket's path may have a hundred bytes, and that of a data folder may be longer.
  const socketFolder = mkdtempSync(join(tmpdir(), "exchange-signer-"));
  const socket = join(socketFolder, "signer.sock");
  const program = startProgram({
    name: "the signer",
    file: process.execPath,
    words: [
      ...[PROGRAM, "--folder", join(place, "keys"), "--socket", socket],
      ...["--passphrase-file", join(place, "passphrase")],
    ],
    folder,
  });
  const stop = async () => {
    await program.stop("SIGTERM");
    rmSync(socketFolder, { recursive: true, force: true });
  };
  let wallets;
  try {
    ({ wallets } = await program.waitFor(() => askSigner(socket, { op: "status" })));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    socket,
    pid: program.pid,
    ended: program.ended,
    stop,
    hot: wallets[WALLETS.hot].address,
    xpub: readXpub(place, "ethereum"),
    coins: {
      hot: wallets[WALLETS.coins]?.publicKey,
      xpub: readXpub(place, "litecoin"),
      addressesOf: async (count) => {
        const question = { op: "addresses", wallet: WALLETS.coins, from: 0, count };
        const { addresses } = await askSigner(socket, question);
        return addresses.map(({ address }) => address);
      },
    },
    releaseKeyFile: join(place, "release.key"),
  };
}

/** A folder that was made before its network was known has no key of it. */
function readXpub(place, network) {
  const file = xpubPath(place, network);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
