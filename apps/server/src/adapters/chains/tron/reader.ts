import {
  type AssetPlace,
  type BlockName,
  type ChainReader,
  Disagreement,
  type ReadSpan,
  type Watch,
} from "../../../domain/ports/chain-reader.ts";
import { toTronForm } from "../../../domain/wallets/tron.ts";
import { type ContractFacts, readContractsOf } from "../evm/contracts.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "../evm/endpoints.ts";
import { readSpan, type SpanSource } from "../evm/read-span.ts";
import { type EvmReaderOptions, nameOf, readHeads } from "../evm/reader.ts";
import type { ReadFees } from "../evm/wallet-movements.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { spanKey } from "../span-key.ts";
import { toEvmForm } from "./addresses.ts";
import { readSolidBalances } from "./balances.ts";
import { readTronBlocks } from "./blocks.ts";
import { makeTronRpc, UNITS } from "./rpc.ts";

/**
 * Reads Tron as an EVM network (docs/decisions/0071-read-tron-as-an-evm-network.md). Its nodes differ in three ways.
 * Blocks come from the nodes' own interface, because Ethereum's JSON-RPC for them is ambiguous. Fees come from there
 * too. Balances are those of the nodes' newest solidified block.
 */
export function makeTronReader(options: EvmReaderOptions): ChainReader {
  const { networkCode, addressesAtOnce, finality } = options;
  const quorum = openEvmQuorum(options, makeTronRpc);
  // The least number of blocks above a final one that the scanner has read.
  const ahead = BigInt(finality.atLeast - 1);
  const readTronSpan = async (from: BlockName, to: bigint, watch: Watch): Promise<ReadSpan> => {
    const request = { networkCode, from, to, watch: toEvmForms(watch), addressesAtOnce };
    const what = `blocks ${from.height + 1n} to ${to}`;
    const span = await quorum.agree({
      what,
      ask: (rpc) => readSpan(rpc, request, TRON_SOURCE),
      keyOf: spanKey,
    });
    if (!span) throw new Disagreement(what);
    return toTronForms(span);
  };
  const balancesAt = async (
    block: BlockName,
    places: readonly AssetPlace[],
  ): Promise<readonly (bigint | null)[]> => {
    const what = `balances at block ${block.height}`;
    const balances = await quorum.agree({
      what,
      ask: (rpc) => readSolidBalances(rpc, { block, places, ahead }),
      keyOf: (found) => found && String(found),
      needsOwn: true,
    });
    if (!balances) throw new Disagreement(what);
    return balances;
  };
  return {
    heads: () => readHeads(quorum, options),
    nameOf: (height) => nameOf(quorum, height),
    read: readTronSpan,
    balancesAt,
    balancesAreLater: true,
    close: () => quorum.close(),
  };
}

/** Reads the contracts of the network, for the operator's check. */
export const readTronContracts = (
  options: EvmEndpointsOptions,
  contracts: readonly string[],
): Promise<readonly ContractFacts[]> =>
  readContractsOf(openEvmQuorum(options, makeTronRpc), contracts.map(toEvmForm));

/** A node says exactly what a transaction cost. Energy and bandwidth that were staked for cost nothing. */
const readTronFees: ReadFees = async (rpc, transactions) => {
  const hashes = [...new Set(transactions.map(({ transactionHash }) => transactionHash))];
  const answers = await rpc.ask(
    hashes.map((hash) => ["/wallet/gettransactioninfobyid", { value: hash.slice(2) }]),
  );
  return new Map(hashes.map((hash, index) => [hash, feeOf(rpc, hash, answers[index])]));
};

function feeOf(rpc: Rpc, hash: string, answer: unknown): bigint {
  const { id, fee = "0" } = answer as { readonly id?: unknown; readonly fee?: unknown };
  if (id === hash.slice(2) && typeof fee === "string" && UNITS.test(fee)) return BigInt(fee);
  throw new EndpointFault(rpc.name, `the fee of ${hash} is not known`);
}

const TRON_SOURCE: SpanSource = { readBlocks: readTronBlocks, readFees: readTronFees };

const toEvmForms = (watch: Watch): Watch => ({
  ...watch,
  addresses: watch.addresses.map(toEvmForm),
  assets: watch.assets.map(({ assetId, contract }) => ({
    assetId,
    contract: contract && toEvmForm(contract),
  })),
  ...(watch.wallets && { wallets: watch.wallets.map(toEvmForm) }),
});

/** Explorers of Tron write a transaction's id without `0x`. */
const toTronForms = ({ blocks, movements, walletMovements }: ReadSpan): ReadSpan => ({
  blocks,
  movements: movements.map((one) => ({
    ...one,
    address: toTronForm(one.address),
    transactionHash: one.transactionHash.slice(2),
  })),
  ...(walletMovements && {
    walletMovements: walletMovements.map((one) => ({
      ...one,
      address: toTronForm(one.address),
      counterparty: one.counterparty && toTronForm(one.counterparty),
      transactionHash: one.transactionHash.slice(2),
    })),
  }),
});
