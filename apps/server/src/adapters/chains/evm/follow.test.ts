import { expect, test } from "vitest";
import type { ChainSend } from "../../../domain/ports/chain-gateway.ts";
import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import { type FollowOptions, makeFollow } from "./follow.ts";

const HASH = `0x${"ab".repeat(32)}`;
const OWN = `0x${"11".repeat(20)}`;
const TO = `0x${"22".repeat(20)}`;
const mined = { hash: HASH, height: 96n, isSuccess: true, networkFee: 1n, moved: 0n, events: 0 };

/** Endpoints that have the transaction in block 96 of 100, and a node of the operator's that is behind. */
function behind() {
  const questions: string[] = [];
  const quorum = {
    collect: async () => [{ endpoint: { isOwn: false }, value: { latest: 100n } }],
    agree: async ({ needsOwn }: { readonly needsOwn?: true }) => {
      questions.push(needsOwn ? "own" : "any");
      if (needsOwn) throw new Disagreement("the operator's own node does not answer");
      return mined;
    },
  } as unknown as Quorum;
  const endpoints = { quorum: 1, endpoints: [], finality: { tag: "finalized", atLeast: 12 } };
  const options = { quorum, endpoints, limits: {}, pollMs: 1, payoutDepth: 4 };
  return { questions, follow: makeFollow(options as unknown as FollowOptions) };
}

const account = { address: OWN, contractOf: () => null } as unknown as Parameters<
  ReturnType<typeof makeFollow>
>[0];
const output = { intentId: "1", assetReference: "eth", address: TO, memo: null, units: 1n };
const payout: ChainSend = {
  ...{ id: "1", networkCode: "ethereum", purpose: "payout" },
  ...{ place: { kind: "nonce", nonce: 0n }, outputs: [output] },
};
const signed = [{ networkCode: "ethereum", transactionHash: HASH, bytes: Uint8Array.of(1) }];

test("a payout is not paid while the operator's own node does not have its block", async () => {
  const { follow } = behind();
  expect(await follow(account, payout, signed)).toMatchObject({ state: "mined", isPaid: false });
});

test("a payout of a completed order is not asked about twice", async () => {
  const { follow, questions } = behind();
  await follow(account, { ...payout, isPaid: true }, signed);
  expect(questions).toEqual(["any"]);
});
