import { createPublicKey } from "node:crypto";
import { askSigner } from "../../adapters/chains/signer-client.ts";
import type { Config } from "../../config.ts";
import { printPublicKey } from "../../signer/policy.ts";
import type { AddressesAnswer, StatusAnswer } from "../../signer/protocol.ts";
import type { ChainChoices, EvmChoices } from "../../start/rails/chain-choices.ts";
import { accountOf } from "../../start/rails/open-gateway.ts";
import { readReleaseKey, type SignerChoices } from "../../start/rails/signer-choices.ts";
import { listNewestAddresses } from "../../storage/chains/addresses.ts";
import { readHighestSigned } from "../../storage/payouts/wallets.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { listWallets, openWalletOf } from "../../storage/treasury/wallets.ts";
import type { Examined } from "../finding.ts";

const ADDRESSES = 20;

/** Derives stored deposit addresses again. A changed address would bring a customer's coins to somebody else. */
export async function examineDepositAddresses(
  database: Database,
  code: string,
  choices: ChainChoices[string],
): Promise<Examined> {
  const account = accountOf(choices);
  const stored = await listNewestAddresses(database, code, ADDRESSES);
  const ours = stored.filter((one) => one.accountFingerprint === account.fingerprint);
  const wrong = ours.filter((one) => one.address !== account.addressAt(one.keyIndex));
  if (wrong.length > 0) {
    const words = wrong.map(({ address, keyIndex }) => `${address} at key ${keyIndex}`).join(", ");
    return {
      found: `not addresses of ${choices.kind === "xrp" ? "hot.address" : "the account in deposits"}: ${words}`,
      fix: "Somebody changed the table chain_addresses. Stop the service, and look at who can write to the database.",
    };
  }
  const others = stored.length - ours.length;
  const words = ours.length === 0 ? "no address of it was given" : `${ours.length} derived again`;
  const earlier = others === 0 ? "" : `; ${others} of an earlier account`;
  return { found: `account ${account.fingerprint}, ${words}${earlier}` };
}

/** Compares the signer with the rails file and with the places that the database gives. */
export async function examineSigner(
  database: Database,
  { socket, installation: expected }: SignerChoices,
  chains: ChainChoices,
): Promise<Examined> {
  // Before the signer is asked: a worker may sign meanwhile, and its transaction is in the log first.
  const signed = await readSigned(database, chains);
  const status = await askSigner<StatusAnswer>(socket, { op: "status" });
  const { installation, logEntries, wallets } = status;
  const faults: string[] = [];
  if (installation !== expected) {
    faults.push(`signer.installation is ${expected}, and the signer's policy has ${installation}`);
  }
  for (const [code, choices] of Object.entries(chains)) {
    const { hot } = choices;
    const [member, ours] = hotOf(choices);
    const { address, publicKey } = (hot && wallets[hot.wallet]) ?? {};
    const theirs = choices.kind === "utxo" ? publicKey : address;
    if (hot && ours !== (choices.kind === "evm" ? theirs?.toLowerCase() : theirs)) {
      faults.push(`chains.${code}.hot.${member} is ${ours}, and the signer has ${theirs}`);
    }
    if (choices.kind === "evm") faults.push(...tankFaults(status, code, choices));
    const fault = await depositFault(socket, code, choices);
    if (fault !== undefined) faults.push(fault);
  }
  const found = `${installation} at ${socket}, ${logEntries} entries in its log`;
  if (faults.length > 0) {
    const fix = "Correct the rails file before anybody pays: compare with exchange signer status.";
    return { found: `${found}; ${faults.join("; ")}`, fix };
  }
  const places = await placeFaults(database, status, signed);
  if (places.length === 0) {
    return { found: `${found}, its addresses are those of the rails file` };
  }
  const fix =
    "Do not resume payouts: docs/operating/signer.md#if-the-log-and-the-chain-disagree says what to do.";
  return { found: `${found}; ${places.join("; ")}`, fix };
}

function tankFaults(
  { wallets }: StatusAnswer,
  code: string,
  { gasTank }: EvmChoices,
): readonly string[] {
  if (!gasTank) return [];
  const tank = wallets[gasTank.wallet];
  return [
    ...(tank?.address?.toLowerCase() === gasTank.address.toLowerCase()
      ? []
      : [
          `chains.${code}.gasTank.address is ${gasTank.address}, and the signer has ${tank?.address}`,
        ]),
    ...(tank?.purpose === "gas"
      ? []
      : [`wallet ${gasTank.wallet} has no purpose "gas" in the signer's policy`]),
  ];
}

/** Returns the member that names the hot wallet, and its value. Only EVM addresses ignore case. */
function hotOf({ kind, hot }: ChainChoices[string]): readonly [string, string | undefined] {
  if (kind === "utxo") return ["xpub", hot?.xpub];
  return ["address", kind === "evm" ? hot?.address.toLowerCase() : hot?.address];
}

/** A network's hot wallet in the policy, and the highest place at which the database says that it signed. */
interface SignedWallet {
  readonly code: string;
  readonly wallet: string;
  readonly highest: bigint | null;
}

async function readSigned(
  database: Database,
  chains: ChainChoices,
): Promise<readonly SignedWallet[]> {
  const found: SignedWallet[] = [];
  for (const [code, { hot }] of Object.entries(chains)) {
    if (!hot) continue;
    found.push({ code, wallet: hot.wallet, highest: await readHighestSigned(database, code) });
  }
  return found;
}

/**
 * A signer that signed at a place which the database would give again has seen more than the database has. One without
 * the newest place that the database has signed has an old copy of its log, and neither its places nor its limits hold.
 */
async function placeFaults(
  database: Database,
  { accounts }: StatusAnswer,
  signedWallets: readonly SignedWallet[],
): Promise<readonly string[]> {
  const wallets = await listWallets(database);
  const faults: string[] = [];
  for (const { code, wallet, highest: signed } of signedWallets) {
    const highest = accounts[wallet]?.highest ?? null;
    const log = `the signer's log has nonce ${highest ?? "none"} of ${wallet}`;
    const next = openWalletOf(wallets, code, "hot")[0]?.nextPlace;
    if (highest !== null && next && BigInt(highest) >= BigInt(next)) {
      faults.push(`${log}, and the next place is ${next}`);
    }
    if (signed !== null && (highest === null || BigInt(highest) < signed)) {
      faults.push(`${log}, and the database has a transaction that it signed at ${signed}`);
    }
  }
  return faults;
}

/** Compares the first deposit address that the signer derives with the one that customers are shown. */
async function depositFault(
  socket: string,
  code: string,
  choices: ChainChoices[string],
): Promise<string | undefined> {
  // The others have no wallet of deposits beside the hot one.
  if (choices.kind === "utxo" || choices.kind === "xrp") return undefined;
  const { wallet } = choices.deposits;
  if (wallet === undefined) return undefined;
  const request = { op: "addresses" as const, wallet, from: 0, count: 1 };
  const { addresses } = await askSigner<AddressesAnswer>(socket, request);
  const ours = accountOf(choices).addressAt(0);
  const theirs = addresses[0]?.address;
  const form = (one = ""): string => (choices.kind === "evm" ? one.toLowerCase() : one);
  const member = choices.kind === "solana" ? "account" : "xpub";
  if (form(theirs) === form(ours)) return undefined;
  return `chains.${code}.deposits.${member} begins with ${ours}, and the signer's ${wallet} with ${theirs}`;
}

/** A worker without the right key has every payout refused. */
export async function examineReleaseKey(
  { socket, releaseKeyFile }: SignerChoices,
  role: Config["role"],
): Promise<Examined> {
  if (role === "api") return { found: "not used by the API" };
  const ours = printPublicKey(createPublicKey(readReleaseKey(releaseKeyFile)));
  const { releaseKeys } = await askSigner<StatusAnswer>(socket, { op: "status" });
  if (releaseKeys?.includes(ours) === false) {
    return {
      found: `the public half of ${releaseKeyFile} is ${ours}, which the signer's policy does not have`,
      fix: "Add it to releaseKeys of policy.json and restart the signer, or name the right file in the rails file.",
    };
  }
  const words =
    releaseKeys === undefined
      ? "an earlier signer does not name its keys"
      : "in the signer's policy";
  return { found: `${releaseKeyFile}, mode 600, ${words}` };
}
