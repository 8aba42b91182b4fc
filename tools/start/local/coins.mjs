// Coins of the local chain: code at the catalogue's contract addresses, and full wallets.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NETWORKS = ["ethereum", "litecoin"];
const { code: TOKEN_CODE } = JSON.parse(
  readFileSync(new URL("demo-token.json", import.meta.url), "utf8"),
);
/** Worth of each asset in a new wallet, in euro. */
const HOT_EURO = 1_000_000;
const CUSTOMER_EURO = 30_000;

/** Returns the assets of the local chains in the catalogue. The contract of a native coin is undefined. */
export function readAssets(catalogueDir) {
  const file = join(catalogueDir, "crypto-currencies.json");
  return JSON.parse(readFileSync(file, "utf8")).filter(({ network }) => NETWORKS.includes(network));
}

/** Writes a token at each address that has no code yet, so that a catalogue may gain tokens later. */
export async function placeTokens({ call }, assets) {
  for (const { contract, decimals, code, name } of assets) {
    if (contract === undefined || (await call("eth_getCode", contract, "latest")) !== "0x")
      continue;
    await call("anvil_setCode", contract, TOKEN_CODE);
    const slots = { 3: word(decimals), 4: shortText(code), 5: shortText(name) };
    for (const [slot, value] of Object.entries(slots)) {
      await call("anvil_setStorageAt", contract, word(Number(slot)), value);
    }
  }
}

export async function fillWallets(node, assets, { hot, customer }) {
  await fill(node, assets, { address: hot, euro: HOT_EURO });
  await fill(node, assets, { address: customer, euro: CUSTOMER_EURO });
}

async function fill({ call }, assets, { address, euro }) {
  for (const asset of assets) {
    const units = `0x${unitsFor(asset, euro).toString(16)}`;
    if (asset.contract === undefined) await call("anvil_setBalance", address, units);
    else await call("anvil_dealERC20", address, asset.contract, units);
  }
}

/** Returns a round amount of coins of about this value. */
function unitsFor({ perEuro, decimals }, euro) {
  const coins = Math.max(1, Math.round(Number(perEuro) * euro));
  return BigInt(coins) * 10n ** BigInt(decimals);
}

const word = (number) => `0x${number.toString(16).padStart(64, "0")}`;

/** Returns the slot of a string: up to 31 bytes from the left, and twice their number at the end. */
function shortText(text) {
  const bytes = Buffer.from(text).subarray(0, 31);
  return `0x${bytes.toString("hex").padEnd(62, "0")}${(bytes.length * 2).toString(16).padStart(2, "0")}`;
}
