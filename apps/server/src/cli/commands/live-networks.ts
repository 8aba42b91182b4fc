import { readContracts } from "../../adapters/chains/evm/contracts.ts";
import { examineMints } from "../../adapters/chains/solana/examine.ts";
import { readTronContracts } from "../../adapters/chains/tron/reader.ts";
import type { Config } from "../../config.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { AssetPlace, BlockName } from "../../domain/ports/chain-reader.ts";
import type { ChainChoices } from "../../start/rails/chain-choices.ts";
import {
  coinsReadOn,
  hasLogs,
  type LogChoices,
  networkOf,
  openReader,
  readLiveRails,
} from "../../start/rails/open-chains.ts";
import { solanaEndpointsOf, solanaTokenOf } from "../../start/rails/open-solana.ts";
import type { SolanaChoices } from "../../start/rails/solana-choices.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { type AssetBook, readBooks } from "../../storage/chains/books.ts";
import { findBlock, findCursor } from "../../storage/chains/cursors.ts";
import { listSilentAssets } from "../../storage/chains/silent-assets.ts";
import { listHotWallets } from "../../storage/chains/wallet-movements.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { readCoinBalances } from "../../storage/treasury/wallets.ts";
import { bad, type Examined, examined, type Finding } from "../finding.ts";
import { describeGas, readGas } from "../gas.ts";
import { examineEndpoints } from "./chain-endpoints.ts";
import { examineDepositAddresses, examineReleaseKey, examineSigner } from "./live-keys.ts";
import { examinePayouts } from "./live-payouts.ts";

interface LiveNetwork {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly code: string;
  readonly choices: LogChoices;
}

type AnyNetwork = Omit<LiveNetwork, "choices"> & { readonly choices: ChainChoices[string] };

/** Checks the live networks of the rails file and the signer. Without any it finds nothing to check. */
export async function examineLiveNetworks(
  database: Database,
  config: Config,
): Promise<readonly Finding[]> {
  if (config.railsFile === undefined) return [];
  try {
    const catalogue = await readCatalogue(database);
    const { chains = {}, signer } = readLiveRails(config, { catalogue: () => catalogue });
    const findings: Finding[] = [];
    for (const [code, choices] of Object.entries(chains)) {
      const place = { database, catalogue, code };
      // Nodes of Tron answer other questions. The scanner's line says whether they agree.
      if (choices.kind !== "tron") {
        const endpoints = () => examineEndpoints(catalogue, code, choices);
        findings.push(await examined(`endpoints of ${code}`, endpoints));
      }
      findings.push(await examined(`chain ${code}`, () => examineScanner({ ...place, choices })));
      const addresses = () => examineDepositAddresses(database, code, choices);
      findings.push(await examined(`deposits of ${code}`, addresses));
      const wallets = { ...place, choices };
      findings.push(await examined(`wallets of ${code}`, () => examineBooks(wallets)));
      findings.push(...(await examinePayouts({ ...place, choices })));
      if (choices.kind === "solana" && choices.tokens !== undefined) {
        const mints = () => examineTokens(catalogue, code, choices);
        findings.push(await examined(`contracts of ${code}`, mints));
      }
      // Only EVM networks and Tron have contracts whose code we read.
      if (!hasLogs(choices)) continue;
      const network = { ...place, choices };
      findings.push(await examined(`contracts of ${code}`, () => examineContracts(network)));
    }
    for (const gas of await readGas(database, catalogue, chains)) {
      const describe = async (): Promise<Examined> => describeGas(catalogue, gas);
      findings.push(await examined(`gas of ${gas.networkCode}`, describe));
    }
    if (signer) {
      const { role } = config;
      findings.push(await examined("signer", () => examineSigner(database, signer, chains)));
      findings.push(await examined("release key", () => examineReleaseKey(signer, role)));
    }
    return findings;
  } catch (error) {
    return [bad("live networks", (error as Error).message, "Correct the rails file.")];
  }
}

/** The blocks by which a healthy scanner may be behind its endpoints, such as after a pause. */
const LAG_MAX = 100n;

async function examineScanner({ database, catalogue, code, choices }: AnyNetwork) {
  const cursor = await findCursor(database, code);
  const reader = openReader(catalogue, code, choices);
  const { believed, final } = await reader.heads().finally(() => reader.close());
  if (!cursor) {
    return {
      found: `never read; its endpoints are at block ${believed}`,
      fix: "Start a worker: its scanner begins at the final block.",
    };
  }
  const lag = believed - cursor.height;
  const found = `read up to block ${cursor.height}, ${lag} behind its endpoints; final block ${cursor.finalHeight}`;
  if (cursor.problem !== null) {
    return {
      found: `${found}; ${cursor.problem}`,
      fix: "Correct the endpoints in the rails file.",
    };
  }
  if (final === undefined) {
    return { found: `${found}; too few endpoints name a final block`, fix: "Ask their providers." };
  }
  if (lag <= LAG_MAX) return { found };
  return { found, fix: "Start a worker, and read its log for the reason." };
}

/** Reads the balances of the hot wallets again, beside what the scanner compared. */
async function examineBooks({ database, catalogue, code, choices }: AnyNetwork) {
  const books = await readBooks(database, code);
  const wallets = await listHotWallets(database, code);
  const compared = books.find(({ comparedHeight }) => comparedHeight !== null)?.comparedHeight;
  if (compared === undefined) {
    const fix = `Mend the line of chain ${code} first. A worker compares at the first final block that it reads.`;
    return { found: "the books were never compared", fix };
  }
  const wrong = books.filter(({ difference }) => difference !== 0n).map(describeDifference);
  if (wrong.length > 0) {
    const fix = "Find the cause with: exchange chains statement. The payouts are stopped.";
    return { found: wrong.join("; "), fix };
  }
  const silent = await listSilentAssets(database, code);
  if (silent.length > 0) {
    const names = silent.map(({ assetReference }) => assetReference).join(", ");
    return {
      found: `${names} does not report its balances, so it is not quoted, credited or paid`,
      fix: "Look the contract up in an explorer. The asset goes on by itself once it answers.",
    };
  }
  const held = await balancesOf({ database, catalogue, code, choices }, wallets);
  return { found: `the books equal the chain at block ${compared}${held}` };
}

/** The coins of the scanner, of each wallet. Nodes have no balances at a block. */
async function coinBalancesOf(
  { database, catalogue, code }: Omit<AnyNetwork, "choices">,
  height: bigint,
  wallets: readonly { readonly id: string }[],
): Promise<readonly (bigint | null)[]> {
  const assetId = coinsReadOn(catalogue, code)[0]?.id ?? 0;
  const read = await readCoinBalances(database, code, { assetId, height });
  return wallets.map(({ id }) => read.find(({ walletId }) => walletId === id)?.units ?? null);
}

async function readBalances(
  { catalogue, code, choices }: Omit<AnyNetwork, "database">,
  block: BlockName,
  places: readonly AssetPlace[],
): Promise<readonly (bigint | null)[]> {
  const reader = openReader(catalogue, code, choices);
  return (await reader.balancesAt?.(block, places).finally(() => reader.close())) ?? [];
}

const describeDifference = ({ difference, assetReference, sinceHeight }: AssetBook): string =>
  `the books have ${difference > 0n ? difference : -difference} units of ${assetReference} ${difference > 0n ? "more" : "fewer"} than the chain since block ${sinceHeight}`;

async function balancesOf(
  { database, catalogue, code, choices }: AnyNetwork,
  wallets: readonly { readonly id: string; readonly address: string }[],
): Promise<string> {
  const cursor = await findCursor(database, code);
  const block = cursor && (await findBlock(database, code, cursor.finalHeight));
  if (!block || wallets.length === 0) return "";
  const currencies = coinsReadOn(catalogue, code);
  const places = wallets.flatMap(({ address }) =>
    currencies.map(({ id, contractAddress }) => ({
      address,
      asset: { assetId: id, contract: contractAddress },
    })),
  );
  const balances =
    choices.kind === "utxo"
      ? await coinBalancesOf({ database, catalogue, code }, block.height, wallets)
      : await readBalances({ catalogue, code, choices }, block, places);
  const words = wallets.map(({ id }, at) => {
    const held = currencies.flatMap((currency, index) => {
      const units = balances[at * currencies.length + index] ?? null;
      if (units === null) return [`an unknown amount of ${currency.reference}`];
      const coins = unitsText(currency, units);
      return units === 0n ? [] : [`${coins} ${currency.reference}`];
    });
    return `${id} has ${held.join(", ") || "nothing"}`;
  });
  return `; ${words.join("; ")}`;
}

/** Checks that each token that is paid out has a mint of the Token program, with the decimals of the catalogue. */
async function examineTokens(
  catalogue: Catalogue,
  code: string,
  choices: SolanaChoices,
): Promise<Examined> {
  const tokens = (choices.tokens ?? []).flatMap((reference) => {
    const token = solanaTokenOf(catalogue, reference);
    return token === null ? [] : [{ ...token, reference }];
  });
  const options = solanaEndpointsOf(catalogue, code, { choices, suspect: () => {} });
  const faults = await examineMints(options, tokens);
  if (faults.length > 0) {
    const fix = "Remove the token from tokens, and compare its mint with its issuer's page.";
    return { found: faults.join("; "), fix };
  }
  const words = tokens.map(({ reference, mint }) => `${reference} ${mint}`);
  return { found: words.length === 0 ? "no tokens" : `decimals agree; ${words.join(", ")}` };
}

/** On a test network, the tokens of the network with real coins. A token with a hash in the rails file had code once. */
const NO_CODE = " has no code at its address";

/** A decimal that the catalogue has wrong would be a loss of many orders of magnitude. */
async function examineContracts({ catalogue, code, choices }: LiveNetwork) {
  const tokens = catalogue.currencies.flatMap(({ networkCode, contractAddress, ...currency }) =>
    networkCode === code && currency.enabled && contractAddress !== null
      ? [{ ...currency, contractAddress }]
      : [],
  );
  const options = networkOf(catalogue, code, { choices, suspect: () => {} });
  const read = choices.kind === "tron" ? readTronContracts : readContracts;
  const facts = await read(
    options,
    tokens.map(({ contractAddress }) => contractAddress),
  );
  const faults = tokens.flatMap(({ reference, decimals }, at) => {
    const { codeHash = null, decimals: said } = facts[at] ?? {};
    const expected = choices.codeHashes?.[reference];
    if (codeHash === null) {
      const words = `${reference}${NO_CODE}`;
      return [expected === undefined ? words : `${words}, and the rails file says ${expected}`];
    }
    return [
      ...(said === undefined ? [`${reference} does not say its decimals`] : []),
      ...(said !== undefined && said !== BigInt(decimals)
        ? [`${reference} has ${said} decimals, and the catalogue says ${decimals}`]
        : []),
      ...(expected !== undefined && expected !== codeHash
        ? [`the code of ${reference} has the hash ${codeHash}, and the rails file says ${expected}`]
        : []),
    ];
  });
  if (faults.length > 0) {
    const fix = faults.every((fault) => fault.endsWith(NO_CODE))
      ? "Write the contracts of this very network into crypto-currencies.json, or disable the tokens there."
      : "Stop the network's payouts, and compare the contracts with their issuers' pages.";
    return { found: faults.join("; "), fix };
  }
  const words = tokens.map(({ reference }, at) => `${reference} ${facts[at]?.codeHash}`);
  return { found: words.length === 0 ? "no tokens" : `decimals agree; ${words.join(", ")}` };
}
