import { describe, expect } from "vitest";
import {
  type BlockName,
  type ChainReader,
  Disagreement,
  type ReadMovement,
  type Watch,
} from "../../apps/server/src/domain/ports/chain-reader.ts";
import {
  type Cases,
  NotHere,
  runConformance,
  type WorldRow,
} from "../../apps/server/src/testing/conformance.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { ASSETS, makeChainWorld } from "./world/chain-world.ts";
import { LTC, makeCoinWorld } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { makeSolanaWorld, SOL } from "./world/solana-world.ts";
import { makeTronWorld, TRON_ASSETS } from "./world/tron-world.ts";
import { makeXrpWorld, XRP } from "./world/xrp-world.ts";

// The promises of `ChainReader`, over every kind of network that has one. A new kind adds its row to `WORLDS`.

/** A network, and what strangers do on it. */
interface ReaderWorld {
  readonly reader: ChainReader;
  /** The network's own coin, and a token where there are tokens. */
  readonly coin: Asset;
  readonly token?: Asset;
  /** Returns one of our addresses. */
  address(index: number): string;
  /** Returns the units to pay in place of these, where the network has a minimum. By default the same. */
  unitsOf?(units: bigint): bigint;
  /** Its spans have only some of their blocks. */
  readonly hasSomeBlocks?: true;
  /** Pays an address in a new block, and returns the hash. */
  pay(index: number, asset: Asset, units: bigint): Promise<string>;
  /** Pays an address, and no block has it yet. Absent where every payment is in a block at once. */
  waiting?(index: number, units: bigint): Promise<unknown>;
  /** Mines empty blocks. */
  mine(blocks: number): Promise<void>;
  /** Replaces the newest blocks by at least the same number of others, which hold the transactions again. Absent if it cannot. */
  mineAgain?(depth: number, hashes: readonly string[]): Promise<void>;
  /** Its addresses are tags of one account, which alone has a balance. */
  readonly balances?: "shared";
  close(): Promise<void>;
}

interface Asset {
  readonly assetId: number;
  readonly contract: string | null;
}

async function evmWorld(): Promise<ReaderWorld> {
  const world = await makeChainWorld();
  const token = { assetId: ASSETS.usdt, contract: world.contracts.usdt };
  return {
    reader: world.reader(),
    coin: { assetId: ASSETS.eth, contract: null },
    token,
    address: (index) => world.address(index),
    pay: (index, { contract }, units) =>
      world.pay(index, contract === null ? "eth" : "usdt", units),
    mine: (blocks) => world.mine(blocks),
    mineAgain: async (depth, hashes) => {
      const bytes = await Promise.all(hashes.map((hash) => world.bytesOf(hash)));
      await world.reorganise(depth, bytes);
    },
    close: () => world.close(),
  };
}

async function coinsWorld(): Promise<ReaderWorld> {
  const world = await makeCoinWorld({ addresses: 6 });
  return {
    reader: world.reader(),
    coin: { assetId: LTC, contract: null },
    address: (index) => world.address(index),
    pay: async (index, _asset, units) => {
      const hash = await world.pay(index, units);
      await world.mine(1);
      return hash;
    },
    waiting: (index, units) => world.pay(index, units),
    mine: (blocks) => world.mine(blocks),
    mineAgain: async (depth, hashes) => {
      const bytes = await Promise.all(
        hashes.map((hash) => world.node.call<{ hex: string }>("gettransaction", hash)),
      );
      await world.reorganise(
        depth,
        bytes.map(({ hex }) => hex),
      );
    },
    close: () => world.close(),
  };
}

async function tronWorld(): Promise<ReaderWorld> {
  const world = await makeTronWorld();
  return {
    reader: world.reader(),
    coin: { assetId: TRON_ASSETS.trx, contract: null },
    token: { assetId: TRON_ASSETS.usdt, contract: world.usdt },
    address: (index) => world.address(index),
    pay: (index, { contract }, units) =>
      world.pay(index, contract === null ? "trx" : "usdt", units),
    mine: (blocks) => world.mine(blocks),
    mineAgain: (depth, ids) => world.reorganise(depth, ids),
    close: () => world.close(),
  };
}

async function solanaWorld(): Promise<ReaderWorld> {
  const world = await makeSolanaWorld();
  const { chain } = world;
  return {
    reader: world.reader(),
    coin: { assetId: SOL, contract: null },
    address: (index) => world.address(index),
    pay: (index, _asset, units) =>
      chain.pay([{ to: world.address(index), units: units + LEAST_LAMPORTS }]),
    unitsOf: (units) => units + LEAST_LAMPORTS,
    mine: async (blocks) => chain.mine(blocks),
    mineAgain: async (depth, signatures) => {
      const dropped = chain.drop(depth);
      // Each transaction has a block of its own, in another slot than before.
      chain.mine(depth);
      for (const bytes of signatures.length > 0 ? dropped : []) chain.execute(bytes);
    },
    hasSomeBlocks: true,
    close: () => world.close(),
  };
}

/** Less than this is refused for an account that is new. */
const LEAST_LAMPORTS = 1_000_000n;

async function xrpWorld(): Promise<ReaderWorld> {
  const world = await makeXrpWorld();
  return {
    reader: world.reader(),
    coin: { assetId: XRP, contract: null },
    address: (index) => world.address(index + 1),
    pay: async (index, _asset, units) => world.pay(index + 1, units),
    mine: async (ledgers) => world.chain.close(ledgers),
    balances: "shared",
    close: () => world.close(),
  };
}

const WORLDS: Readonly<Record<string, WorldRow<ReaderWorld>>> = {
  solana: { open: solanaWorld, close: (world) => world.close() },
  evm: {
    open: evmWorld,
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  litecoind: {
    open: coinsWorld,
    close: (world) => world.close(),
    missing: LITECOIND_PATH === "" ? "litecoind" : undefined,
  },
  tron: {
    open: tronWorld,
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  xrp: { open: xrpWorld, close: (world) => world.close() },
};

const watchOf = ({ coin, token, address }: ReaderWorld, indexes: readonly number[]): Watch => ({
  addresses: indexes.map(address),
  assets: token ? [coin, token] : [coin],
});

const head = async ({ reader }: ReaderWorld): Promise<BlockName> =>
  reader.nameOf((await reader.heads()).believed);

/** Returns what the reader sees at the addresses while something happens. */
async function seenDuring(
  world: ReaderWorld,
  indexes: readonly number[],
  happen: () => Promise<unknown>,
): Promise<readonly ReadMovement[]> {
  const from = await head(world);
  await happen();
  const { believed } = await world.reader.heads();
  return (await world.reader.read(from, believed, watchOf(world, indexes))).movements;
}

const arrives = ({ unitsOf = (units) => units }: ReaderWorld, units: bigint): bigint =>
  unitsOf(units);

const CASES: Cases<ReaderWorld> = {
  "a final block is not above the believed one, and neither goes back": async (world) => {
    const before = await world.reader.heads();
    await world.mine(3);
    const after = await world.reader.heads();
    expect(after.believed).toBe(before.believed + 3n);
    expect(after.final ?? 0n).toBeLessThanOrEqual(after.believed);
    expect(after.final ?? 0n).toBeGreaterThanOrEqual(before.final ?? 0n);
  },
  "a block has one name, and the name of its parent is that of the block below": async (world) => {
    const top = await head(world);
    expect(await world.reader.nameOf(top.height)).toEqual(top);
    const below = await world.reader.nameOf(top.height - 1n);
    expect(below).toMatchObject({ height: top.height - 1n, hash: top.parent });
  },
  "a height that the network has not reached has no name": async (world) => {
    const { believed } = await world.reader.heads();
    await expect(world.reader.nameOf(believed + 1_000n)).rejects.toThrow(Disagreement);
  },
  "a span is consecutive, from the block above the first to the last asked for": async (world) => {
    if (world.hasSomeBlocks) return new NotHere("it reads the transactions of addresses");
    const from = await head(world);
    await world.mine(5);
    const to = from.height + 4n;
    const { blocks } = await world.reader.read(from, to, watchOf(world, [0]));
    expect(blocks.map(({ height }) => height)).toEqual(
      [1n, 2n, 3n, 4n].map((n) => from.height + n),
    );
    expect([from, ...blocks].slice(0, -1).map(({ hash }) => hash)).toEqual(
      blocks.map(({ parent }) => parent),
    );
    return undefined;
  },
  "a payment is reported once, with its exact amount, place and block": async (world) => {
    const units = 123_456_789n;
    let hash = "";
    const seen = await seenDuring(world, [0], async () => {
      hash = await world.pay(0, world.coin, units);
      await world.mine(2);
    });
    expect(seen).toMatchObject([
      {
        units: arrives(world, units),
        transactionHash: hash,
        assetId: world.coin.assetId,
        source: "value",
      },
    ]);
    const [movement] = seen;
    expect(movement?.address.toLowerCase()).toBe(world.address(0).toLowerCase());
    expect(await world.reader.nameOf(movement?.height ?? 0n)).toMatchObject({
      hash: movement?.blockHash,
    });
  },
  "a token's payment is reported once, with its exact amount": async (world) => {
    const { token } = world;
    if (!token) return new NotHere("the network has no tokens");
    const units = 10n ** 24n + 1n;
    const seen = await seenDuring(world, [1], () => world.pay(1, token, units));
    expect(seen).toMatchObject([{ units, assetId: token.assetId, source: "event" }]);
    return undefined;
  },
  "payments to addresses that are not watched are not reported": async (world) => {
    const seen = await seenDuring(world, [2], async () => {
      await world.pay(3, world.coin, 50_000n);
      await world.pay(2, world.coin, 60_000n);
    });
    expect(seen.map(({ units }) => units)).toEqual([arrives(world, 60_000n)]);
  },
  "equal payments are two movements with two ids, and reading again changes neither": async (
    world,
  ) => {
    const from = await head(world);
    await world.pay(4, world.coin, 70_000n);
    await world.pay(4, world.coin, 70_000n);
    const { believed } = await world.reader.heads();
    const read = async () =>
      (await world.reader.read(from, believed, watchOf(world, [4]))).movements;
    const seen = await read();
    expect(new Set(seen.map(({ id }) => id)).size).toBe(2);
    expect(await read()).toEqual(seen);
  },
  "a payment that no block has is pending under the id of its movement, and is not one afterwards":
    async (world) => {
      const { coin, reader, waiting } = world;
      const pendingPayments = reader.pendingPayments?.bind(reader);
      if (!pendingPayments || !waiting) return new NotHere("only its blocks are read");
      const pending = () => pendingPayments(coin, async () => [world.address(2)]);
      const from = await head(world);
      expect(await pending()).toEqual([]);
      await waiting(2, 40_000n);
      const [payment, ...others] = await pending();
      expect(payment).toMatchObject({ units: 40_000n, address: world.address(2) });
      expect(others).toEqual([]);
      await world.mine(1);
      expect(await pending()).toEqual([]);
      const { believed } = await reader.heads();
      const { movements } = await reader.read(from, believed, watchOf(world, [2]));
      expect(movements).toMatchObject([{ id: payment?.id, units: 40_000n }]);
      return undefined;
    },
  "nothing is watched, and the blocks are read all the same": async (world) => {
    const from = await head(world);
    await world.pay(0, world.coin, 90_000n);
    const span = await world.reader.read(from, from.height + 1n, { addresses: [], assets: [] });
    expect(span.blocks).toHaveLength(1);
    expect(span.movements).toEqual([]);
  },
  "a payment that is mined again in another block keeps its id": async (world) => {
    const { mineAgain } = world;
    if (!mineAgain) return new NotHere("its node cannot be made to reorganise");
    const from = await head(world);
    const hash = await world.pay(5, world.coin, 110_000n);
    const read = async () => {
      const { believed } = await world.reader.heads();
      return (await world.reader.read(from, believed, watchOf(world, [5]))).movements;
    };
    const [before] = await read();
    await mineAgain(1, [hash]);
    await world.mine(1);
    const after = await read();
    expect(after.map(({ id }) => id)).toEqual([before?.id]);
    expect(after[0]?.blockHash).not.toBe(before?.blockHash);
    return undefined;
  },
  "a span is not read on top of a block that was dropped": async (world) => {
    const { mineAgain } = world;
    if (!mineAgain) return new NotHere("its node cannot be made to reorganise");
    await world.mine(1);
    const dropped = await head(world);
    await mineAgain(1, []);
    await world.mine(2);
    const { believed } = await world.reader.heads();
    await expect(world.reader.read(dropped, believed, watchOf(world, [0]))).rejects.toThrow(
      Disagreement,
    );
    return undefined;
  },
  "balances are those at the block, in the order of the places": async (world) => {
    const { coin, token, reader } = world;
    const balancesAt = reader.balancesAt?.bind(reader);
    if (!balancesAt) return new NotHere("its blocks alone explain the balances");
    if (world.balances === "shared") return new NotHere("its tags have no balances of their own");
    if (reader.balancesAreLater) return new NotHere("its nodes know their own final block's only");
    const assets = token ? [coin, token] : [coin];
    const places = assets.flatMap((asset) =>
      [0, 5].map((index) => ({ address: world.address(index), asset })),
    );
    const block = await head(world);
    const before = await balancesAt(block, places);
    await world.pay(5, coin, 13n);
    expect(await balancesAt(block, places)).toEqual(before);
    const after = await balancesAt(await head(world), places);
    expect(after).toEqual(
      before.map((units, place) => (place === 1 ? (units ?? 0n) + 13n : units)),
    );
    expect(await balancesAt(block, [])).toEqual([]);
    return undefined;
  },
};

describe("readers of networks", () => {
  runConformance(CASES, WORLDS);
});
