import { bytesToHex } from "@noble/hashes/utils.js";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { lookUp } from "./find-transaction.ts";
import type { XrpAnswer } from "./rpc.ts";

/**
 * Results that do not decide about a transaction: the open ledger has it, it waits for its turn, or it is too late or
 * too cheap. `tec` and success are forecasts. `followSend` finds its outcome.
 */
const EXPECTED =
  /^(tesSUCCESS$|tec|ter|telINSUF_FEE_P$|telCAN_NOT_QUEUE|tefALREADY$|tefPAST_SEQ$|tefMAX_LEDGER$)/;

/** Sends the bytes to one endpoint. Returns the words of an unexpected refusal. */
export async function sendTo(rpc: Rpc, bytes: Uint8Array): Promise<string | undefined> {
  const blob = bytesToHex(bytes).toUpperCase();
  const [answer] = (await rpc.ask([["submit", { tx_blob: blob }]])) as XrpAnswer[];
  const result = String(answer?.["engine_result"] ?? answer?.error);
  if (EXPECTED.test(result)) return undefined;
  const { engine_result_message: words } = answer ?? {};
  return `${rpc.name}: ${result}: ${typeof words === "string" ? words.slice(0, 200) : ""}`;
}

/** Returns how many of the endpoints that answer have the transaction, in a ledger or waiting for one. */
export async function countKnowing(quorum: Quorum, hash: string): Promise<number> {
  const ask = async (rpc: Rpc): Promise<boolean> =>
    (await lookUp(rpc, { transaction: hash, binary: false })) !== undefined;
  const answers = await quorum.collect({ what: `transaction ${hash}`, ask });
  return answers.filter(({ value }) => value).length;
}
