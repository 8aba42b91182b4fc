import type { TronTransfer } from "../../../domain/wallets/tron.ts";
import type { Quorum } from "../agree.ts";
import { wordsOf } from "../evm/words.ts";
import { type Rpc, RpcRefusal } from "../rpc.ts";
import { toEvmForm, toNodeForm } from "./addresses.ts";
import { addressWord, balanceOf, questionOf, readCall } from "./constant-call.ts";
import { unitsOf } from "./rpc.ts";

/** The TRX and the resources with which a wallet pays for transactions. */
export interface TronResources {
  /** In sun. */
  readonly coins: bigint;
  /** Energy and bandwidth that cost nothing, because TRX are staked for them or some of it is free each day. */
  readonly energy: bigint;
  readonly bandwidth: bigint;
}

const highest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

interface NodeResources {
  readonly EnergyLimit?: unknown;
  readonly EnergyUsed?: unknown;
  readonly freeNetLimit?: unknown;
  readonly freeNetUsed?: unknown;
  readonly NetLimit?: unknown;
  readonly NetUsed?: unknown;
}

/**
 * Throws where the endpoint has not reached the height. Its balances may lack the transactions of the blocks up to it. A
 * node reports the balances of its newest block only, so its height is asked for before them.
 */
async function requireReached(rpc: Rpc, reached: bigint | undefined): Promise<void> {
  if (reached === undefined) return;
  const [answer] = await rpc.ask([["eth_blockNumber"]]);
  const height = wordsOf(rpc.name).quantity(answer);
  if (height >= reached) return;
  // Being a moment behind is not a fault.
  throw new RpcRefusal(`${rpc.name}: its balances are of block ${height}, below ${reached}`);
}

/** Reads the resources of a wallet. The lowest answers count: a node that is ahead may see coins of a block that is dropped. */
export async function readResources(
  quorum: Quorum,
  address: string,
  reached?: bigint,
): Promise<TronResources> {
  const owner = { address: toNodeForm(toEvmForm(address)) };
  const ask = async (rpc: Rpc): Promise<TronResources> => {
    await requireReached(rpc, reached);
    const [account, answer] = await rpc.ask([
      ["/wallet/getaccount", owner],
      ["/wallet/getaccountresource", owner],
    ]);
    const { balance = "0" } = account as { readonly balance?: unknown };
    const resources = answer as NodeResources;
    const spare = (limit: unknown = "0", used: unknown = "0"): bigint => {
      const rest = unitsOf(rpc, limit, "resource") - unitsOf(rpc, used, "resource");
      return rest > 0n ? rest : 0n;
    };
    return {
      coins: unitsOf(rpc, balance, "balance"),
      energy: spare(resources.EnergyLimit, resources.EnergyUsed),
      // A transaction takes all of its bytes from the staked or from the free ones.
      bandwidth: highest(
        spare(resources.freeNetLimit, resources.freeNetUsed),
        spare(resources.NetLimit, resources.NetUsed),
      ),
    };
  };
  const answers = await quorum.collect({ what: `the account ${address}`, ask });
  const lowest = (name: keyof TronResources): bigint =>
    answers.map(({ value }) => value[name]).reduce((low, one) => (one < low ? one : low));
  return { coins: lowest("coins"), energy: lowest("energy"), bandwidth: lowest("bandwidth") };
}

/** `contract`: code, which takes no TRX by a transfer. `none`: the address was never used. */
export type RecipientKind = "account" | "contract" | "none";

/** Returns what enough endpoints have at an address. */
export function readRecipient(quorum: Quorum, address: string): Promise<RecipientKind> {
  const owner = { address: toNodeForm(toEvmForm(address)) };
  const ask = async (rpc: Rpc): Promise<RecipientKind> => {
    const [answer] = await rpc.ask([["/wallet/getaccount", owner]]);
    const { address: found, type } = answer as { address?: unknown; type?: unknown };
    if (found === undefined) return "none";
    return type === "Contract" ? "contract" : "account";
  };
  return quorum.agree({ what: `the account ${address}`, ask, keyOf: String });
}

/** The outcome of a transfer that was tried and not sent. */
export interface TriedTransfer {
  readonly isGood: boolean;
  readonly energy: bigint;
}

/**
 * Tries the transfer at every endpoint. The highest energy counts, and the verdict that enough of them agree on. The
 * token's own answer counts nothing: Tether's contract on Tron answers false to each transfer, and moves the coins.
 */
export async function tryTransfer(
  quorum: Quorum,
  from: string,
  { to, contract, units }: TronTransfer & { readonly contract: string },
): Promise<TriedTransfer> {
  const words = [addressWord(to), units.toString(16).padStart(64, "0")] as const;
  const call = ["transfer(address,uint256)", ...words] as const;
  const question = questionOf({ at: "newest", from, contract, call });
  let energy = 0n;
  const ask = async (rpc: Rpc): Promise<boolean> => {
    const [answer] = await rpc.ask([question]);
    const tried = readCall(rpc, contract, answer);
    const used = unitsOf(rpc, tried.energy, "energy");
    if (tried.isGood && used > energy) energy = used;
    return tried.isGood;
  };
  const isGood = await quorum.agree({ what: "a trial of the transfer", ask, keyOf: String });
  return { isGood, energy };
}

/** Returns the lowest balance of a token that an endpoint reports. Null where the contract does not say it. */
export async function readTokens(
  quorum: Quorum,
  from: string,
  { contract, reached }: { readonly contract: string; readonly reached?: bigint | undefined },
): Promise<bigint | null> {
  const question = balanceOf({ at: "newest", from, contract });
  const ask = async (rpc: Rpc): Promise<bigint | null> => {
    await requireReached(rpc, reached);
    const [answer] = await rpc.ask([question]);
    return readCall(rpc, contract, answer).units;
  };
  const answers = await quorum.collect({ what: `tokens of ${from}`, ask });
  const said = answers.flatMap(({ value }) => (value === null ? [] : [value]));
  if (said.length < answers.length) return null;
  return said.reduce((low, one) => (one < low ? one : low));
}
