import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Quorum } from "../agree.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "../evm/endpoints.ts";
import type { MinedPayment } from "../mined-payment.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { toEvmForm } from "./addresses.ts";
import { findMined, SUCCESS } from "./mined.ts";
import { readInstruction } from "./raw-data.ts";
import { makeTronRpc } from "./rpc.ts";

interface TronPayment {
  readonly from: string;
  readonly to: string;
  readonly contract: string | null;
}

/** Reads a payment in a solidified block, for the operator's check. Returns null while none has it. */
export async function readTronPayment(
  options: EvmEndpointsOptions,
  hash: string,
  { from, ...transfer }: TronPayment,
): Promise<MinedPayment | null> {
  const quorum = openEvmQuorum(options, makeTronRpc);
  try {
    const mined = await findMined(quorum, { hash, from, transfer, isFinal: true });
    if (mined === null) return null;
    const { height, result, networkFee, moved } = mined;
    const units = transfer.contract === null ? await readValue(quorum, hash, transfer.to) : moved;
    return { height, isSuccess: result === SUCCESS, networkFee, units };
  } finally {
    await quorum.close();
  }
}

const BYTES = /^([0-9a-f]{2})+$/;

/** Returns the TRX that the transaction brings to the address, by the bytes whose hash is its id. */
function readValue(quorum: Quorum, hash: string, to: string): Promise<bigint> {
  const ask = async (rpc: Rpc): Promise<bigint> => {
    const [answer] = await rpc.ask([["/walletsolidity/gettransactionbyid", { value: hash }]]);
    const { raw_data_hex: text } = answer as { readonly raw_data_hex?: unknown };
    const bytes = hexToBytes(typeof text === "string" && BYTES.test(text) ? text : "");
    if (bytesToHex(sha256(bytes)) !== hash) {
      throw new EndpointFault(rpc.name, `the bytes of transaction ${hash} have another id`);
    }
    const moved = readInstruction(bytes)?.transfer;
    return moved?.to === toEvmForm(to) ? moved.units : 0n;
  };
  return quorum.agree({ what: `value of ${hash}`, ask, keyOf: String, needsOwn: true });
}
