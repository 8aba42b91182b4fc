import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADDRESS_FORMATS } from "../../domain/catalogue/network.ts";
import type {
  ChainGateway,
  ChainSend,
  SendOutcome,
  SignedTransaction,
} from "../../domain/ports/chain-gateway.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import type { SandboxWorld } from "../world/sandbox-world.ts";
import { sandboxWorld } from "../world/world.ts";
import { askAgainMsOf } from "./follow.ts";
import { type AddressBehaviour, MAGIC_ADDRESSES } from "./magic-addresses.ts";

let world: World;
let chain: ChainGateway;
let outside: SandboxWorld;
beforeAll(async () => {
  world = await makeWorld();
  chain = found(world.deps.chain);
  outside = sandboxWorld(world.database);
});
afterAll(() => world.close());

let nonce = 0n;
const sendTo = (
  address: string,
  { networkCode = "ethereum", ...changes }: { nonce?: bigint; networkCode?: string } = {},
): ChainSend => {
  const intentId = randomUUID();
  return {
    id: intentId,
    networkCode,
    purpose: "payout",
    place: { kind: "nonce", nonce: changes.nonce ?? nonce++ },
    outputs: [{ intentId, assetReference: "eth", address, memo: null, units: 5n }],
  };
};
const sends = new Map<string, ChainSend>();
const sign = async (...wanted: Parameters<typeof sendTo>): Promise<SignedTransaction> => {
  const send = sendTo(...wanted);
  const signed = await chain.sign(send);
  sends.set(signed.transactionHash, send);
  return signed;
};

const sendOf = ({ transactionHash }: SignedTransaction): ChainSend =>
  found(sends.get(transactionHash));

const addressOf = (behaviour: AddressBehaviour): string =>
  found(MAGIC_ADDRESSES.find((item) => item.form === "evm" && item.behaviour === behaviour))
    .address;

const ORDINARY = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
/** Follows the place of the first transaction, by all of them. */
const see = (...signed: SignedTransaction[]) => chain.follow(sendOf(found(signed[0])), signed);
/** Follows a place to its end. */
async function seeTheEnd(...signed: SignedTransaction[]): Promise<SendOutcome> {
  for (;;) {
    const outcome = await see(...signed);
    if (outcome.state !== "waiting" && outcome.state !== "mined") return outcome;
    await pause(outcome.askAgainMs);
  }
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const SET_AGE = statement(
  "test_set_age",
  `update sandbox.chain_transactions set broadcast_at = since.time,
     mined_at = case when mined_at is not null then since.time end
   from (select clock_timestamp() - $3 * interval '1 millisecond' as time) since
   where network_code = $1 and nonce = $2::numeric`,
);
/** Follows a transaction as if it was broadcast `ageMs` ago. Repeats a look that took `spanMs` or longer. */
async function seeAt(
  signed: SignedTransaction,
  { ageMs, spanMs }: { readonly ageMs: number; readonly spanMs: number },
): Promise<SendOutcome> {
  const { networkCode, place } = sendOf(signed);
  const nonce = place?.kind === "nonce" ? String(place.nonce) : null;
  for (;;) {
    const beganMs = performance.now();
    await world.database.query(SET_AGE, [networkCode, nonce, ageMs]);
    const outcome = await see(signed);
    if (performance.now() - beganMs < spanMs) return outcome;
  }
}

const MINED = statement(
  "test_mined_of_intent",
  `select transaction_hash as hash from sandbox.chain_transactions
   where intent_id = $1 and mined_at is not null`,
);
const minedOf = async (signed: SignedTransaction): Promise<string[]> => {
  const { intentId } = JSON.parse(Buffer.from(signed.bytes).toString()) as { intentId: string };
  const rows = await world.database.query<{ hash: string }>(MINED, [intentId]);
  return rows.map(({ hash }) => hash);
};

test("a deposit address is valid on its network and the same whenever it is asked for", async () => {
  const seen = new Set<string>();
  const formats = new Set<string>();
  for (const network of world.deps.catalogue().networks) {
    formats.add(network.addressFormat);
    for (const reference of ["1000000000001", "1000000000002"]) {
      const request = { networkCode: network.code, reference };
      const place = await chain.depositAddress(request);
      expect(checkAddress(network.addressFormat, place.address), place.address).toBe(true);
      expect(await chain.depositAddress(request)).toEqual(place);
      seen.add(`${network.code} ${place.address} ${place.memo}`);
    }
  }
  expect(formats).toEqual(new Set(ADDRESS_FORMATS));
  expect(seen.size).toBe(2 * world.deps.catalogue().networks.length);
});

test("depositors of the XRP Ledger share an account and differ by their tag", async () => {
  const first = await chain.depositAddress({ networkCode: "xrpl", reference: "a" });
  const second = await chain.depositAddress({ networkCode: "xrpl", reference: "b" });
  expect(first.address).toBe(second.address);
  expect(first.memo).toMatch(/^[0-9]{6,10}$/);
  expect(first.memo).not.toBe(second.memo);
});

test("transfers that are sent at the same time are each mined once, and one of each nonce", async () => {
  const place = nonce++;
  const alone = await Promise.all([1, 2, 3].map(() => sign(ORDINARY)));
  const rivals = [await sign(ORDINARY, { nonce: place }), await sign(ORDINARY, { nonce: place })];
  await Promise.all([...alone, ...rivals, ...alone, ...rivals].map(chain.broadcast));
  const minedCounts = async (transactions: typeof alone) => {
    const mined = await Promise.all(transactions.map(minedOf));
    return mined.map((hashes) => hashes.length);
  };
  expect(await minedCounts(alone)).toEqual([1, 1, 1]);
  expect(new Set(await minedCounts(rivals))).toEqual(new Set([0, 1]));
  const endsOf = async (transactions: typeof alone) => {
    const ends = await Promise.all(transactions.map((one) => seeTheEnd(one)));
    return ends.map(({ state }) => state);
  };
  expect(await endsOf(alone)).toEqual(["final", "final", "final"]);
  expect(new Set(await endsOf(rivals))).toEqual(new Set(["final", "dead"]));
});

test("an unknown network has no addresses", async () => {
  const request = { networkCode: "nowhere", reference: "a" };
  await expect(chain.depositAddress(request)).rejects.toThrow("nowhere");
});

test("coins are seen at their address, tag included, and nowhere else", async () => {
  const to = await chain.depositAddress({ networkCode: "xrpl", reference: "seen" });
  const target = { rail: "chain", to } as const;
  const id = randomUUID();
  const payment = { id, target, assetReference: "xrp", units: 7n, returns: "accepted" } as const;
  const paid = await outside.pay({ ...payment, confirmations: 0 });
  expect(await chain.depositsTo({ ...to, memo: "1" })).toEqual([]);
  expect(await chain.depositsTo({ ...to, memo: null })).toEqual([]);
  expect(await chain.depositsTo(to)).toEqual([
    {
      id: `${paid.transactionHash}:0`,
      assetReference: "xrp",
      units: 7n,
      state: "mempool",
      confirmations: 0,
      blockHash: null,
      askAgainMs: expect.any(Number),
    },
  ]);
});

test("a reorganised deposit leaves its block and comes back in another under the same id", async () => {
  const to = await chain.depositAddress({ networkCode: "bitcoin", reference: "reorg" });
  const target = { rail: "chain", to } as const;
  const payment = { id: randomUUID(), target, assetReference: "btc", units: 9n } as const;
  const paid = await outside.pay({ ...payment, confirmations: 1, returns: "accepted" });
  const [first] = await chain.depositsTo(to);
  expect(first).toMatchObject({ state: "in_block", confirmations: 1 });
  expect(await outside.change(paid, { kind: "drop" })).toMatchObject({ state: "orphaned" });
  const [lost] = await chain.depositsTo(to);
  expect(lost).toMatchObject({
    id: first?.id,
    state: "orphaned",
    confirmations: 0,
    blockHash: null,
  });
  await outside.change(paid, { kind: "confirm", confirmations: 2 });
  const [again] = await chain.depositsTo(to);
  expect(again).toMatchObject({ id: first?.id, state: "in_block", confirmations: 2 });
  expect(again?.blockHash).not.toBe(first?.blockHash);
});

test("broadcasting the same bytes twice changes nothing", async () => {
  const signed = await sign(ORDINARY);
  await chain.broadcast(signed);
  await chain.broadcast(signed);
  expect(await minedOf(signed)).toEqual([signed.transactionHash]);
  expect(await seeAt(signed, { ageMs: 50, spanMs: 200 })).toMatchObject({
    state: "mined",
    hash: signed.transactionHash,
  });
});

test("bytes that were changed are refused", async () => {
  const signed = await sign(ORDINARY);
  const text = Buffer.from(signed.bytes).toString().replace('"units":"5"', '"units":"6"');
  await expect(chain.broadcast({ ...signed, bytes: Buffer.from(text) })).rejects.toThrow("hash");
  expect(await see(signed)).toMatchObject({ state: "waiting", isKnown: false });
});

test("of one nonce one transaction is mined, however many are broadcast at once", async () => {
  const place = { nonce: 1_000_000n };
  const rivals = await Promise.all(Array.from({ length: 8 }, () => sign(ORDINARY, place)));
  await Promise.all(rivals.map((rival) => chain.broadcast(rival)));
  const ends = await Promise.all(rivals.map((rival) => seeTheEnd(rival)));
  expect(ends.filter(({ state }) => state === "final")).toHaveLength(1);
  expect(ends.filter(({ state }) => state === "dead")).toHaveLength(7);
});

test("the same nonce on another network is another place", async () => {
  const [here, there] = await Promise.all([
    sign(ORDINARY, { nonce: 2_000_000n }),
    sign(ORDINARY, { nonce: 2_000_000n, networkCode: "base" }),
  ]);
  await chain.broadcast(here);
  await chain.broadcast(there);
  expect(await minedOf(here)).toHaveLength(1);
  expect(await minedOf(there)).toHaveLength(1);
});

test("a stuck payout is mined by its replacement, and its place ends with the replacement", async () => {
  const stuck = await sign(addressOf("stuck"));
  await chain.broadcast(stuck);
  const waiting = { state: "waiting", isKnown: true };
  expect(await seeAt(stuck, { ageMs: 0, spanMs: 400 })).toMatchObject({
    ...waiting,
    isStuck: false,
  });
  expect(await seeAt(stuck, { ageMs: 400, spanMs: 60_000 })).toMatchObject({
    ...waiting,
    isStuck: true,
  });
  const replacement = found(await found(chain.replace)(sendOf(stuck), stuck));
  expect(replacement.transactionHash).not.toBe(stuck.transactionHash);
  await chain.broadcast(replacement);
  await chain.broadcast(stuck);
  expect(await seeTheEnd(stuck, replacement)).toMatchObject({
    state: "final",
    hash: replacement.transactionHash,
  });
  expect(await minedOf(stuck)).toEqual([replacement.transactionHash]);
});

test("a replacement may lose against the transaction it was to replace", async () => {
  const first = await sign(addressOf("first_wins"));
  await chain.broadcast(first);
  const replacement = found(await found(chain.replace)(sendOf(first), first));
  await chain.broadcast(replacement);
  expect(await seeTheEnd(first, replacement)).toMatchObject({
    state: "final",
    hash: first.transactionHash,
  });
  expect(await minedOf(first)).toEqual([first.transactionHash]);
});

test("a payout's first block may be dropped; another block takes it", async () => {
  const signed = await sign(addressOf("reorganised"));
  await chain.broadcast(signed);
  const first = await seeAt(signed, { ageMs: 50, spanMs: 300 });
  expect(first).toMatchObject({ state: "mined", confirmations: 1 });
  expect(await seeAt(signed, { ageMs: 400, spanMs: 300 })).toMatchObject({
    state: "waiting",
    isKnown: true,
    isStuck: false,
  });
  expect(await seeTheEnd(signed)).toMatchObject({ state: "final" });
});

test("a broadcast whose answer is lost has arrived", async () => {
  const signed = await sign(addressOf("answer_lost"));
  await expect(chain.broadcast(signed)).rejects.toThrow("did not answer");
  expect(await seeTheEnd(signed)).toMatchObject({ hash: signed.transactionHash });
  await chain.broadcast(signed);
  expect(await minedOf(signed)).toHaveLength(1);
});

test.each([
  ["reverted", { state: "failed", why: "the transaction was reverted" }],
  ["fee_taken", { state: "mismatch", why: "4 units moved instead of 5" }],
] as const)("a transfer to the address %s is mined, and is not final", async (behaviour, end) => {
  const signed = await sign(addressOf(behaviour));
  await chain.broadcast(signed);
  const { transactionHash: hash } = signed;
  expect(await seeTheEnd(signed)).toEqual({ ...end, hash, networkFee: 1_000n });
});

test("a foreign transaction at our place is final before ours is dead", async () => {
  const signed = await sign(addressOf("foreign"));
  await chain.broadcast(signed);
  expect(await seeAt(signed, { ageMs: 0, spanMs: 250 })).toMatchObject({
    state: "waiting",
    isKnown: true,
  });
  const end = await seeTheEnd(signed);
  expect(end).toMatchObject({ state: "dead" });
  expect(end).not.toMatchObject({ by: signed.transactionHash });
  expect(await minedOf(signed)).toEqual([]);
});

test("a place at which nothing happens is asked for less and less often", async () => {
  expect([0, 400, 60_000, 3_600_000].map(askAgainMsOf)).toEqual([100, 100, 15_000, 30_000]);
});
