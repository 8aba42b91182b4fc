import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { isSameRelease, parseReleaseText } from "../domain/payouts/release-text.ts";
import { type ChainSend, PayoutWaits } from "../domain/ports/chain-gateway.ts";
import {
  type ChainSender,
  type SignedRelease,
  SigningRefused,
} from "../domain/ports/chain-sender.ts";
import { vacate } from "../storage/payouts/holes.ts";
import { makeStoreSigned } from "../storage/payouts/intents.ts";
import { findStoredTerms } from "../storage/payouts/releases.ts";
import { bindPlaces } from "../storage/payouts/sends.ts";
import { owePayout, readPayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { type LiveSends, makeLiveSends } from "./live-sends.ts";

const NETWORK = "bitcoin";

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
beforeAll(async () => {
  world = await makeWorld();
  await run(
    `insert into chain_wallets (id, network_code, address) values ('hot', '${NETWORK}', '0xhot')`,
  );
});
afterAll(() => world.close());

/** The terms of the last question that each worker asked have a number of their own. */
let priced = 0;

/** Returns the sending half of a worker, whose signer answers after `answer`. */
function workerOf(
  answer: () => Promise<void>,
  read: (releases: readonly SignedRelease[]) => void = () => {},
  rules: Partial<ChainSender> = {},
): LiveSends {
  const sender: Partial<ChainSender> = {
    ...rules,
    networkCode: NETWORK,
    wallet: { name: "hot", address: "0xhot" },
    feeTerms: async () => ({ price: String(++priced) }),
    sign: async (send, terms, releases) => {
      await answer();
      read(releases);
      const transactionHash = `0x${send.id}${terms["price"]}`;
      return { networkCode: NETWORK, transactionHash, bytes: Uint8Array.of(1) };
    },
  };
  return makeLiveSends({
    database: world.database,
    log: pino({ level: "silent" }),
    sender: sender as ChainSender,
    installation: "test",
    signRelease: () => "",
  });
}

async function bound(): Promise<{ readonly payout: BoundPayout; readonly send: ChainSend }> {
  const { id, units, address } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const sendId = randomUUID();
  await world.database.transaction((tx) => bindPlaces(tx, [{ intentId: id, sendId }]));
  const output = { intentId: id, assetReference: "btc", address: address ?? "", memo: null, units };
  const send: ChainSend = {
    ...{ id: sendId, networkCode: NETWORK, purpose: "payout" },
    ...{ place: { kind: "nonce", nonce: 0n }, outputs: [output] },
  };
  return { payout: await readPayout(world, id), send };
}
const giveUp = (sendId: string): Promise<boolean> =>
  world.database.transaction((tx) => vacate(tx, { sendId, cancelId: randomUUID() }));
const termsOf = ({ id: sendId }: ChainSend) =>
  findStoredTerms(world.database, { sendId, number: 1 });

/** Begins to sign with a worker that is frozen between the signer's refusal and its record. */
async function frozenAfter(reason: string, send: ChainSend): Promise<() => Promise<void>> {
  let thaw = () => {};
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  let signing: Promise<unknown> = Promise.resolve();
  await new Promise<void>((refused) => {
    const worker = workerOf(async () => {
      refused();
      await thawed;
      throw new SigningRefused(reason, `refused: ${reason}`);
    });
    signing = worker.sign(send);
  });
  return async () => {
    thaw();
    await expect(signing).rejects.toThrow(`refused: ${reason}`);
  };
}
const signs = (): Promise<void> => Promise.resolve();

test.each(["limit", "fee", "terms"])(
  "a refusal for the %s that a frozen worker records late withdraws nothing that another worker had signed",
  async (reason) => {
    const { payout, send } = await bound();
    const thaw = await frozenAfter(reason, send);
    const signed = await workerOf(signs).sign(send);
    const terms = await termsOf(send);
    await thaw();
    expect(await giveUp(send.id)).toBe(false);
    expect(await termsOf(send)).toEqual(terms);
    // After a crash before the signature was stored the signer gets the same question.
    expect(await workerOf(signs).sign(send)).toEqual(signed);
    expect((await makeStoreSigned(world.database)(payout, signed)).state).toBe("signed");
  },
);

test("a refusal that no other worker's question follows gives up the place and the terms", async () => {
  const { send } = await bound();
  const thaw = await frozenAfter("fee", send);
  expect(await termsOf(send)).toBeDefined();
  expect(await giveUp(send.id)).toBe(false);
  await thaw();
  expect(await termsOf(send)).toBeUndefined();
  expect(await giveUp(send.id)).toBe(true);
});

test("a replacement whose release became too old is released anew, and a first signature is not", async () => {
  const { payout, send } = await bound();
  const texts: string[] = [];
  const worker = workerOf(signs, (releases) => {
    texts.push(...releases.map(({ text }) => text));
    if (texts.length % 2 === 1) throw new SigningRefused("release_age", "refused: release_age");
  });
  await expect(worker.sign(send)).rejects.toThrow("refused: release_age");
  expect(texts).toHaveLength(1);
  const signed = await worker.sign(send);
  await makeStoreSigned(world.database)(payout, signed);
  texts.length = 0;
  const replacement = await worker.replace(send, signed);
  expect(replacement?.transactionHash).not.toBe(signed.transactionHash);
  const [old = "", renewed = ""] = texts;
  expect(isSameRelease(old, renewed)).toBe(true);
  expect(parseReleaseText(renewed).releasedAt.getTime()).toBeGreaterThan(
    parseReleaseText(old).releasedAt.getTime(),
  );
});

test("a payout that the wallet cannot cover beside earlier ones waits without a place, unless it has terms", async () => {
  const answer = { state: "wait", why: "too little", askAgainMs: 1_234 } as const;
  const poor = workerOf(signs, undefined, { countsUnderWay: true, preflight: async () => answer });
  const { payout, send } = await bound();
  const signing = poor.sign(send);
  await expect(signing).rejects.toBeInstanceOf(PayoutWaits);
  await expect(signing).rejects.toMatchObject({ message: "too little", askAgainMs: 1_234 });
  expect(await termsOf(send)).toBeUndefined();
  expect((await readPayout(world, payout.id)).send).toBeNull();
  // The signer may have signed this one.
  const { send: signedOnce } = await bound();
  const signed = await workerOf(signs).sign(signedOnce);
  expect(await poor.sign(signedOnce)).toEqual(signed);
});
