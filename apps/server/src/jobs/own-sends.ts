import type {
  ChainGateway,
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { reportForeign, reportMismatch } from "../flows/payouts/report-break.ts";
import { bookCosts } from "../storage/ledger/house.ts";
import type { OwnSend } from "../storage/payouts/own-sends.ts";
import { addSigned, endSend, listSigned, storeOwn } from "../storage/payouts/sends.ts";
import { feeOf } from "./chain-rail.ts";
import { raiseOrResend } from "./raise-or-resend.ts";

type OwnSendDeps = Pick<Deps, "database" | "catalogue" | "log">;

/**
 * Signs and sends a cancel, a raise or a consolidation, or asks what became of it. A stop does not prevent a cancel or a
 * raise, because it pays nobody. A consolidation can wait.
 */
export async function advanceOwnSend(
  deps: OwnSendDeps,
  chain: ChainGateway,
  { id, purpose, networkCode, place, role, isStopped }: OwnSend,
): Promise<void> {
  const { database } = deps;
  const send: ChainSend = {
    id,
    networkCode,
    purpose,
    ...(role === "gas" && { payer: "gas_tank" as const }),
    place: place === null ? null : { kind: "nonce", nonce: place },
    outputs: [],
  };
  if ((await listSigned(database, id)).length === 0) {
    if (isStopped) return;
    const transaction = await chain.sign(send);
    failpoint("hole.after_sign");
    await storeOwn(database, id, transaction);
    failpoint("hole.after_store");
  }
  const signed = (await listSigned(database, id)).map((one) => ({ ...one, networkCode }));
  const spender = { name: `${purpose} ${id}`, networkCode };
  const outcome = await chain.follow(send, signed);
  switch (outcome.state) {
    case "waiting":
      return raiseOrResendOwn(deps, chain, { send, signed, outcome, isStopped });
    case "mined":
      return;
    case "dead":
    case "lost":
      return endOwnImpossible(deps, { ...spender, id }, outcome);
    case "final":
    case "failed":
    case "mismatch":
      if (outcome.state === "mismatch") await reportMismatch(deps, spender, outcome);
      failpoint("hole.before_end");
      await database.transaction(async (tx) => {
        const { hash, networkFee: units } = outcome;
        const state = outcome.state === "final" ? "final" : "failed";
        if (!(await endSend(tx, id, { state, hash }))) return;
        await bookCosts(tx, { networkFee: feeOf(deps, { networkCode, hash, units }) });
      });
      failpoint("hole.after_end");
  }
}

/** Ends a send whose transactions can no longer be mined. If somebody else's transaction prevents them, an alert says so. */
export async function endOwnImpossible(
  deps: Pick<Deps, "database" | "log">,
  spender: { readonly id: string; readonly name: string; readonly networkCode: string },
  { state, by }: Extract<SendOutcome, { state: "dead" | "lost" }>,
): Promise<void> {
  if (state === "dead") await reportForeign(deps, spender, by);
  await endSend(deps.database, spender.id, { state: "dead", by });
}

/** Sends a transaction that the network does not know, and replaces a stuck one. */
async function raiseOrResendOwn(
  { database }: OwnSendDeps,
  chain: ChainGateway,
  own: {
    readonly send: ChainSend;
    readonly signed: readonly SignedTransaction[];
    readonly outcome: { readonly isKnown: boolean; readonly isStuck: boolean };
    readonly isStopped: boolean;
  },
): Promise<void> {
  const { send, signed, outcome, isStopped } = own;
  const newest = signed.at(-1);
  if (newest === undefined) return;
  await raiseOrResend(outcome, {
    raise: async () => {
      if (isStopped || !chain.replace) return false;
      const replacement = await chain.replace(send, newest);
      if (!replacement) return false;
      const number = signed.length + 1;
      const stored = await addSigned(database, send.id, { ...replacement, number });
      await chain.broadcast({ ...stored, networkCode: newest.networkCode });
      return true;
    },
    resend: async () => {
      await chain.broadcast(newest);
      failpoint("hole.after_broadcast");
    },
  });
}
