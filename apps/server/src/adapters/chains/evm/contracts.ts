import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Quorum } from "../agree.ts";
import { type Rpc, RpcRefusal } from "../rpc.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { wordsOf } from "./words.ts";

/** keccak256("decimals()"), its first four bytes. */
const DECIMALS = "0x313ce567";
const CODE = /^0x([0-9a-f]{2})*$/i;

/** The answers of a token's contract, as enough endpoints agree. */
export interface ContractFacts {
  readonly contract: string;
  /** The keccak-256 of its code. Null where the address has none. */
  readonly codeHash: string | null;
  /** Undefined where it does not answer the question. */
  readonly decimals: bigint | undefined;
}

/** Reads the contracts of a network, for the operator's check. */
export const readContracts = (
  options: EvmEndpointsOptions,
  contracts: readonly string[],
): Promise<readonly ContractFacts[]> => readContractsOf(openEvmQuorum(options), contracts);

/** Asks the endpoints, and closes them. The contracts have the form of Ethereum's JSON-RPC. */
export async function readContractsOf(
  quorum: Quorum,
  contracts: readonly string[],
): Promise<readonly ContractFacts[]> {
  try {
    const facts: ContractFacts[] = [];
    for (const contract of contracts) {
      const ask = (rpc: Rpc): Promise<ContractFacts> => readContract(rpc, contract);
      const keyOf = ({ codeHash, decimals }: ContractFacts) => `${codeHash} ${decimals}`;
      facts.push(await quorum.agree({ what: `contract ${contract}`, ask, keyOf }));
    }
    return facts;
  } finally {
    await quorum.close();
  }
}

async function readContract(rpc: Rpc, contract: string): Promise<ContractFacts> {
  const [code] = await rpc.ask([["eth_getCode", contract, "latest"]]);
  const text = typeof code === "string" && CODE.test(code) ? code.slice(2) : "";
  if (text === "") return { contract, codeHash: null, decimals: undefined };
  const codeHash = `0x${bytesToHex(keccak_256(hexToBytes(text)))}`;
  try {
    const [answer] = await rpc.ask([["eth_call", { to: contract, data: DECIMALS }, "latest"]]);
    const decimals = answer === "0x" ? undefined : wordsOf(rpc.name).quantity(answer);
    return { contract, codeHash, decimals };
  } catch (error) {
    if (error instanceof RpcRefusal) return { contract, codeHash, decimals: undefined };
    throw error;
  }
}
