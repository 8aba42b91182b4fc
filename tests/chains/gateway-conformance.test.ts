import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { toEvmForm } from "../../apps/server/src/adapters/chains/tron/addresses.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import type {
  ChainDeposit,
  ChainGateway,
  ChainSend,
  DepositAddress,
  SignedTransaction,
} from "../../apps/server/src/domain/ports/chain-gateway.ts";
import { listCoinsOf } from "../../apps/server/src/storage/chains/coins.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { listSigned } from "../../apps/server/src/storage/payouts/sends.ts";
import { type Database, statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import {
  type Cases,
  NotHere,
  once,
  runConformance,
  type WorldRow,
} from "../../apps/server/src/testing/conformance.ts";
import { makeOrderWorld, ORDERS, payInstruction } from "../../apps/server/src/testing/orders.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { COIN_NETWORK, coinsText } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { DEPTH, makePayingCoins } from "./world/paying-coins.ts";
import { makePayingWorld, newAddress } from "./world/paying-world.ts";
import { makeSolanaPayingWorld, newSolanaAddress } from "./world/solana-paying.ts";
import { makeTronPayingWorld, newTronAddress } from "./world/tron-paying.ts";
import { makeXrpPayingWorld, newXrpAddress } from "./world/xrp-paying.ts";
import { payment } from "./world/xrp-strangers.ts";
import { XRPL } from "./world/xrp-world.ts";

// The promises of `ChainGateway`, over the sandbox and every kind of live network. A new kind adds its row to `WORLDS`.

/** A gateway with a service around it, and what strangers do on its network. */
interface GatewayWorld {
  readonly gateway: ChainGateway;
  readonly networkCode: string;
  /** The network's own coin. */
  readonly assetReference: string;
  /** A stranger pays our address. A `final` payment can no longer be dropped. */
  payTo(address: DepositAddress, units: bigint, depth: "seen" | "final"): Promise<void>;
  /** Returns the units to pay in place of these, where the network has a minimum. By default the same. */
  unitsOf?(units: bigint): bigint;
  isFinal(deposit: ChainDeposit): boolean;
  /** Only what can no longer be dropped is read. */
  readonly isSeenFinal?: true;
  /** Makes a payout to a new address, and returns it when its order is completed. All cases share it. */
  payOut(): Promise<Payout>;
  close(): Promise<void>;
}

interface Payout {
  readonly send: ChainSend;
  readonly signed: readonly SignedTransaction[];
  /** Returns what the network itself says that the address has. */
  arrived(): Promise<bigint>;
}

const SEND = statement(
  "test_send_of_intent",
  `select send.id, send.place::text as place from chain_sends send
     join chain_send_outputs o on o.send_id = send.id and not o.is_vacated
   where o.intent_id = $1`,
);

/** Returns the send of an order's payout, and its transactions, as they are stored. */
async function payoutOf(
  database: Database,
  { payout }: OrderView,
  assetReference: string,
): Promise<Omit<Payout, "arrived">> {
  const { id: intentId, networkCode, address, memo, units } = found(payout);
  const [send] = await database.query<{ id: string; place: string | null }>(SEND, [intentId]);
  const { id, place } = found(send);
  const output = { intentId, assetReference, address: found(address ?? undefined), memo, units };
  const code = found(networkCode ?? undefined);
  const stored = await listSigned(database, id);
  return {
    send: {
      id,
      networkCode: code,
      purpose: "payout",
      place:
        place === null
          ? { kind: "coins", coins: await listCoinsOf(database, id) }
          : { kind: "nonce", nonce: BigInt(place) },
      outputs: [output],
    },
    signed: stored.map((one) => ({ ...one, networkCode: code })),
  };
}

const ARRIVED = statement(
  "test_arrived",
  `select coalesce(sum(coalesce(moved_units, units)), 0)::text as units
   from sandbox.chain_transactions where address = $1 and mined_at is not null`,
);

async function sandboxWorld(): Promise<GatewayWorld> {
  const world = await makeOrderWorld();
  const { deps, database } = world;
  const networkCode = "ethereum";
  const required = found(deps.catalogue().network(networkCode)).confirmations;
  return {
    gateway: found(deps.chain),
    networkCode,
    assetReference: "eth",
    payTo: async (address, units, depth) => {
      const assetId = found(deps.catalogue().currencyByCodeOrReference("eth")).id;
      const instruction = { ...address, rail: "chain", reference: "", assetId, units };
      const view = { instruction } as unknown as OrderView;
      const confirmations = depth === "seen" ? 1 : 1_000;
      await payInstruction({ ...deps, books: database }, view, { confirmations });
    },
    isFinal: ({ state, confirmations }) => state === "in_block" && confirmations >= required,
    payOut: once(async () => {
      const walletAddress = newAddress();
      const view = await world.order({
        ...ORDERS.buyByBank,
        receive: "eth",
        request: { walletAddress },
      });
      await world.pay(view);
      const done = await world.untilStatus(view, "completed");
      const { address } = found(done.payout);
      return {
        ...(await payoutOf(database, done, "eth")),
        arrived: async () => {
          const [row] = await database.query<{ units: string }>(ARRIVED, [address]);
          return BigInt(found(row).units);
        },
      };
    }),
    close: () => world.close(),
  };
}

async function evmWorld(): Promise<GatewayWorld> {
  const world = await makePayingWorld();
  await world.start();
  const { deps } = world.service();
  return {
    gateway: found(deps.chain),
    networkCode: "ethereum",
    assetReference: "eth",
    payTo: async ({ address }, units, depth) => {
      await world.send({ to: address, value: units });
      if (depth === "final") await world.mine();
    },
    isFinal: ({ isFinal }) => isFinal === true,
    payOut: once(async () => {
      const to = newAddress();
      const view = await world.buy("eth", to);
      await expect
        .poll(
          async () => {
            await world.mine(1);
            return world.status(view);
          },
          { interval: 200 },
        )
        .toBe("completed");
      return {
        ...(await payoutOf(deps.database, await world.read(view), "eth")),
        arrived: async () => BigInt(await world.node.call("eth_getBalance", to, "latest")),
      };
    }),
    close: () => world.close(),
  };
}

async function coinsWorld(): Promise<GatewayWorld> {
  const world = await makePayingCoins();
  await world.start();
  await world.fund();
  const { deps } = world.service();
  return {
    gateway: found(deps.chain),
    networkCode: COIN_NETWORK,
    assetReference: "ltc",
    payTo: async ({ address }, units, depth) => {
      await world.node.call("sendtoaddress", address, coinsText(units));
      await world.mine(depth === "seen" ? 1 : DEPTH);
    },
    isFinal: ({ isFinal }) => isFinal === true,
    payOut: once(async () => {
      const to = await world.newAddress();
      const view = await world.buy(to);
      await expect.poll(() => world.inMempool()).toBe(1);
      await world.mine(DEPTH);
      await expect.poll(() => world.status(view)).toBe("completed");
      return {
        ...(await payoutOf(deps.database, await world.read(view), "ltc")),
        arrived: () => world.holds(to),
      };
    }),
    close: () => world.close(),
  };
}

async function tronWorld(): Promise<GatewayWorld> {
  const world = await makeTronPayingWorld();
  await world.start();
  const { deps } = world.service();
  const [, from] = await world.node.call<string[]>("eth_accounts");
  return {
    gateway: found(deps.chain),
    networkCode: "tron",
    assetReference: "trx",
    payTo: async ({ address }, units, depth) => {
      const value = `0x${units.toString(16)}`;
      await world.node.call("eth_sendTransaction", { from, to: toEvmForm(address), value });
      if (depth === "final") await world.mine(8);
    },
    isFinal: ({ isFinal }) => isFinal === true,
    payOut: once(async () => {
      const to = newTronAddress();
      const view = await world.buy("trx", to);
      await world.until(view, "completed");
      return {
        ...(await payoutOf(deps.database, await world.read(view), "trx")),
        arrived: () => world.holds(to, "trx"),
      };
    }),
    close: () => world.close(),
  };
}

async function solanaWorld(): Promise<GatewayWorld> {
  const world = await makeSolanaPayingWorld();
  await world.start();
  const { chain } = world;
  const { deps } = world.service();
  const finalize = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) {
      await expect
        .poll(async () => (await findCursor(deps.database, "solana"))?.height)
        .toBe(chain.head().slot);
      chain.mine(16);
    }
  };
  return {
    gateway: found(deps.chain),
    networkCode: "solana",
    assetReference: "sol",
    payTo: async ({ address }, units, depth) => {
      await chain.pay([{ to: address, units: units + LEAST_LAMPORTS }]);
      if (depth === "final") await finalize();
    },
    unitsOf: (units) => units + LEAST_LAMPORTS,
    isFinal: ({ isFinal }) => isFinal === true,
    payOut: once(async () => {
      const to = newSolanaAddress();
      const view = await world.buy(to);
      await world.until(view, "completed");
      return {
        ...(await payoutOf(deps.database, await world.read(view), "sol")),
        arrived: async () => chain.lamports(to),
      };
    }),
    close: () => world.close(),
  };
}

/** Less than this is refused for an account that is new. */
const LEAST_LAMPORTS = 1_000_000n;

async function xrpWorld(): Promise<GatewayWorld> {
  const world = await makeXrpPayingWorld();
  await world.start();
  const { deps } = world.service();
  return {
    gateway: found(deps.chain),
    networkCode: XRPL,
    assetReference: "xrp",
    isSeenFinal: true,
    payTo: async ({ address, memo }, units) => {
      world.stranger.send(payment({ to: address, tag: memo, units }));
      world.chain.close();
    },
    isFinal: ({ isFinal }) => isFinal === true,
    payOut: once(async () => {
      const address = newXrpAddress();
      const view = await world.buy({ address });
      await world.until(view, "completed");
      return {
        ...(await payoutOf(deps.database, await world.read(view), "xrp")),
        arrived: async () => world.holds(address),
      };
    }),
    close: () => world.close(),
  };
}

const WORLDS: Readonly<Record<string, WorldRow<GatewayWorld>>> = {
  solana: { open: solanaWorld, close: (world) => world.close() },
  sandbox: { open: sandboxWorld, close: (world) => world.close() },
  evm: {
    open: evmWorld,
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  tron: {
    open: tronWorld,
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  litecoind: {
    open: coinsWorld,
    close: (world) => world.close(),
    missing: LITECOIND_PATH === "" ? "litecoind" : undefined,
  },
  xrp: { open: xrpWorld, close: (world) => world.close() },
};

const newPlace = ({ gateway, networkCode }: GatewayWorld): Promise<DepositAddress> =>
  gateway.depositAddress({ networkCode, reference: randomBytes(6).readUIntBE(0, 6).toString() });

const arrives = ({ unitsOf = (units) => units }: GatewayWorld, units: bigint): bigint =>
  unitsOf(units);

const NOWHERE = "no-such-network";

const CASES: Cases<GatewayWorld> = {
  "a reference keeps its address, whoever asks at the same time, and two references have two":
    async (world) => {
      const { gateway, networkCode } = world;
      const request = { networkCode, reference: "4711" };
      const same = await Promise.all([1, 2, 3].map(() => gateway.depositAddress(request)));
      const other = await gateway.depositAddress({ networkCode, reference: "4712" });
      const keys = same.map(({ address, memo }) => `${address} ${memo}`);
      expect(new Set(keys).size).toBe(1);
      expect(keys).not.toContain(`${other.address} ${other.memo}`);
    },
  "an unknown network has no addresses": async ({ gateway }) => {
    const request = { networkCode: NOWHERE, reference: "1" };
    await expect(gateway.depositAddress(request)).rejects.toThrow(NOWHERE);
  },
  "an address that nobody paid has no deposits": async (world) => {
    expect(await world.gateway.depositsTo(await newPlace(world))).toEqual([]);
  },
  "a payment is one deposit, which is seen first and final later, with one id and amount": async (
    world,
  ) => {
    const place = await newPlace(world);
    const units = 1_000_000_007n;
    await world.payTo(place, units, "seen");
    const deposits = () => world.gateway.depositsTo(place);
    const { assetReference } = world;
    const seen = {
      assetReference,
      units: arrives(world, units),
      state: "in_block",
      confirmations: 1,
    };
    await expect.poll(deposits).toMatchObject([seen]);
    const [first] = await deposits();
    if (!world.isSeenFinal) expect(first && world.isFinal(first)).toBe(false);
    expect(first?.askAgainMs).toBeGreaterThan(0);
    expect(first?.blockHash).not.toBeNull();
  },
  "a deposit that is final stays one deposit, and the statement lists it once": async (world) => {
    const place = await newPlace(world);
    await world.payTo(place, 770_000n, "final");
    const final = async () => (await world.gateway.depositsTo(place)).map(world.isFinal);
    await expect.poll(final).toEqual([true]);
    const [deposit] = await world.gateway.depositsTo(place);
    expect(await world.gateway.depositsTo(place)).toMatchObject([
      { id: deposit?.id, units: arrives(world, 770_000n) },
    ]);
    const lines = (await world.gateway.statement?.(new Date(0))) ?? [];
    const own = lines.filter(
      ({ kind, reference }) => kind === "deposit" && reference === deposit?.id,
    );
    expect(own).toMatchObject([{ state: "settled", amount: { units: arrives(world, 770_000n) } }]);
  },
  "two equal payments are two deposits": async (world) => {
    const place = await newPlace(world);
    await world.payTo(place, 50_000n, "final");
    await world.payTo(place, 50_000n, "final");
    const ids = async () => (await world.gateway.depositsTo(place)).map(({ id }) => id);
    await expect.poll(async () => new Set(await ids()).size).toBe(2);
    expect(await ids()).toHaveLength(2);
  },
  "a payment to one address is not a deposit of another": async (world) => {
    const [paid, other] = [await newPlace(world), await newPlace(world)];
    await world.payTo(paid, 90_000n, "final");
    await expect.poll(async () => (await world.gateway.depositsTo(paid)).length).toBe(1);
    expect(await world.gateway.depositsTo(other)).toEqual([]);
  },
  "a payout arrives once, and its place is final with one of its transactions and a fee": async (
    world,
  ) => {
    const { send, signed, arrived } = await world.payOut();
    const [output] = send.outputs;
    expect(await arrived()).toBe(output?.units);
    const outcome = await world.gateway.follow(send, signed);
    expect(outcome).toMatchObject({ state: "final" });
    if (outcome.state !== "final") return;
    expect(signed.map(({ transactionHash }) => transactionHash)).toContain(outcome.hash);
    expect(outcome.networkFee).toBeGreaterThan(0n);
    // The same question has the same outcome, though the chain grows.
    const { confirmations: _grows, ...end } = outcome;
    expect(await world.gateway.follow(send, signed)).toMatchObject(end);
  },
  "broadcasting the bytes of a mined transaction again changes nothing": async (world) => {
    const { send, signed, arrived } = await world.payOut();
    const before = await arrived();
    for (const transaction of signed) await world.gateway.broadcast(transaction);
    for (const transaction of signed) await world.gateway.broadcast(transaction);
    expect(await world.gateway.follow(send, signed)).toMatchObject({ state: "final" });
    expect(await arrived()).toBe(before);
  },
  "asking to sign at a place that is mined cannot pay again": async (world) => {
    const { send, signed, arrived } = await world.payOut();
    const before = await arrived();
    const again = await world.gateway.sign(send);
    await world.gateway.broadcast(again).catch(() => {});
    expect(await arrived()).toBe(before);
    expect(await world.gateway.follow(send, signed)).toMatchObject({ state: "final" });
  },
  "a signer that was asked before gives the same bytes": async (world) => {
    const { send, signed } = await world.payOut();
    const again = await world.gateway.sign(send);
    if (again.transactionHash !== signed[0]?.transactionHash) {
      return new NotHere("its signatures are salted, and the place excludes the others");
    }
    expect(again.bytes).toEqual(signed[0].bytes);
    return undefined;
  },
  "the next place is above every place that was mined": async (world) => {
    const { send } = await world.payOut();
    const { nextPlace } = world.gateway;
    if (!nextPlace || send.place?.kind !== "nonce") return new NotHere("its places have no order");
    expect(await nextPlace(world.networkCode)).toBeGreaterThan(send.place.nonce);
    return undefined;
  },
  "a place at which nothing was signed waits, and is worth another question later": async (
    world,
  ) => {
    const { send } = await world.payOut();
    const nonce = send.place?.kind === "nonce" ? send.place.nonce : 0n;
    const place = { kind: "nonce", nonce: nonce + 1_000n } as const;
    const empty = { ...send, id: randomUUID(), place };
    const outcome = await world.gateway.follow(empty, []);
    expect(outcome).toMatchObject({ state: "waiting", isStuck: false });
    if (outcome.state === "waiting") expect(outcome.askAgainMs).toBeGreaterThan(0);
  },
  "a payout is stated as settled once, under the id of its intent": async (world) => {
    const { send } = await world.payOut();
    const [output] = send.outputs;
    const settled = async () => {
      const lines = (await world.gateway.statement?.(new Date(0))) ?? [];
      return lines.filter(
        ({ kind, reference, state }) =>
          kind === "payout" && reference === output?.intentId && state === "settled",
      );
    };
    // The scanner reads the final block a moment after the node has it.
    await expect.poll(settled).toMatchObject([{ source: world.networkCode }]);
  },
};

describe("gateways of networks", () => {
  runConformance(CASES, WORLDS);
});
