import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { readConfig } from "../../apps/server/src/config.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import type { SignedTransaction } from "../../apps/server/src/domain/ports/chain-gateway.ts";
import {
  type FeeTerms,
  OTHER_BYTES,
  SigningRefused,
} from "../../apps/server/src/domain/ports/chain-sender.ts";
import type {
  ChainSweeper,
  OwnMove,
  SweepAccount,
} from "../../apps/server/src/domain/ports/chain-sweeper.ts";
import { planSweep } from "../../apps/server/src/domain/treasury/sweep-plan.ts";
import { openSweeps } from "../../apps/server/src/start/rails/open-sweeps.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import {
  type Cases,
  NotHere,
  once,
  runConformance,
  type WorldRow,
} from "../../apps/server/src/testing/conformance.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import type { PayingService } from "./world/paying-service.ts";
import { makePayingWorld } from "./world/paying-world.ts";
import { makeSolanaPayingWorld } from "./world/solana-paying.ts";
import { makeSolanaSweeping, SOLANA_SWEPT } from "./world/solana-sweeping.ts";
import { makeSweeping } from "./world/sweeping.ts";
import { addressOf } from "./world/sweeping-by-deadline.ts";
import { makeTronPayingWorld } from "./world/tron-paying.ts";
import { makeTronSweeping, TRON_SWEPT } from "./world/tron-sweeping.ts";

// The promises of `ChainSweeper`, for the network's own coin on every network with sweeps. A new one adds its row to `WORLDS`.

/** A paid deposit address, and the sweep that empties it. */
interface SignedSweep {
  readonly paid: bigint;
  /** Another address that was given and never paid. */
  readonly unpaid: string;
  readonly move: OwnMove;
  readonly terms: FeeTerms;
  readonly signed: SignedTransaction;
}

/** A sweeper with a service around it that sweeps nothing itself. */
interface SweeperWorld {
  readonly sweeper: ChainSweeper;
  readonly assetId: number;
  /** Signs the sweep of an address with a final deposit, and does not send it. All cases share it. */
  sweep(): Promise<SignedSweep>;
  /** Returns what the chain itself says that an address has. */
  holds(address: string): Promise<bigint>;
  follow(signed: readonly SignedTransaction[]): ReturnType<ChainSweeper["follow"]>;
  /** Lets the chain grow until the condition holds. */
  growUntil(condition: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a world that differ between networks. */
interface Parts {
  readonly world: PayingService & { close(): Promise<void> };
  readonly asset: string;
  sell(): Promise<OrderView>;
  deposit(view: OrderView): Promise<void>;
  holds(address: string): Promise<bigint>;
  growUntil(condition: () => Promise<boolean>): Promise<void>;
}

const KEY_INDEX = statement(
  "test_key_index",
  `select key_index as "keyIndex" from chain_addresses where lower(address) = lower($1)`,
);

async function worldOf({ world, asset, ...parts }: Parts): Promise<SweeperWorld> {
  const { deps } = world.service();
  const { networks } = openSweeps(readConfig(world.line.variables), deps);
  const { sweeper } = found(networks[0]);
  const { id: assetId, reference } = found(deps.catalogue().currencyByCodeOrReference(asset));
  const moveFrom = (from: SweepAccount, units: bigint, nonce: bigint | null): OwnMove => {
    const id = randomUUID();
    const to = sweeper.hot.address;
    return {
      send: {
        ...{ id, networkCode: sweeper.networkCode, purpose: "sweep" },
        place: nonce === null ? null : { kind: "nonce", nonce },
        outputs: [{ intentId: id, assetReference: reference, address: to, memo: null, units }],
      },
      from,
      to: sweeper.hot,
    };
  };
  const sweep = once(async () => {
    const view = await parts.sell();
    const unpaid = addressOf(await parts.sell());
    await parts.deposit(view);
    await parts.growUntil(async () => (await world.status(view)) === "completed");
    const address = addressOf(view);
    const [key] = await deps.database.query<{ keyIndex: number }>(KEY_INDEX, [address]);
    const from = { name: sweeper.depositAccount(found(key).keyIndex) ?? "", address };
    const move = (units: bigint, nonce: bigint | null) => moveFrom(from, units, nonce);
    return { unpaid, ...(await signSweep(sweeper, { address, assetId, move })) };
  });
  const finalHeight = async () =>
    (await findCursor(deps.database, sweeper.networkCode))?.finalHeight ?? 0n;
  return {
    ...{ sweeper, assetId, sweep },
    holds: parts.holds,
    follow: async (signed) => {
      const { move, terms } = await sweep();
      return sweeper.follow(move, signed, { finalHeight: await finalHeight(), terms });
    },
    growUntil: parts.growUntil,
    close: async () => {
      await sweeper.close();
      await world.close();
    },
  };
}

/** Plans and signs as the job does. */
async function signSweep(
  sweeper: ChainSweeper,
  {
    address,
    assetId,
    move: moveOf,
  }: {
    readonly address: string;
    readonly assetId: number;
    readonly move: (units: bigint, nonce: bigint | null) => OwnMove;
  },
): Promise<Omit<SignedSweep, "unpaid">> {
  const { units, coins, usedPlaces, costs } = await sweeper.holdingOf(address, assetId);
  const market = await sweeper.market();
  const prices = { costs: costs ?? market.costsOf(assetId), centsOf: () => 1n };
  const rules = { aboveCents: 0n, ageMaxMs: 0, leftUnits: 0n, feeMax: 10n ** 30n };
  const plan = planSweep({ units, coins, cents: 10_000n, ageMs: 0, isCoin: true }, prices, rules);
  if (plan.kind !== "sweep") throw new Error(`the plan is to ${plan.kind}`);
  const move = moveOf(plan.units, usedPlaces);
  const terms = sweeper.termsOf(assetId, plan.fee) ?? found(await sweeper.deadlineTerms?.(move));
  return { paid: units, move, terms, signed: await sweeper.sign(move, terms) };
}

/** A busy machine needs long for a signature. */
const PATIENT = { expirationSeconds: 300 };

const WORLDS: Readonly<Record<string, WorldRow<SweeperWorld>>> = {
  evm: {
    open: async () => {
      const world = await makePayingWorld();
      await world.start({ deposits: { xpub: XPUB, wallet: "ethereum-deposits" } });
      const { deposit, mineUntil: growUntil, sell } = makeSweeping(world);
      const holds = (address: string): Promise<bigint> => world.holds(address, "eth");
      return worldOf({
        world,
        asset: "eth",
        sell: () => sell("eth", "0.1"),
        ...{ deposit, holds, growUntil },
      });
    },
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  tron: {
    open: async () => {
      const world = await makeTronPayingWorld();
      const { deposits } = TRON_SWEPT;
      await world.start({ deposits, payouts: { ...PATIENT, graceSeconds: 1 } });
      const { deposit, growUntil, sell } = makeTronSweeping(world);
      const holds = (address: string): Promise<bigint> => world.holds(address, "trx");
      return worldOf({
        world,
        asset: "trx",
        sell: () => sell("trx", "2000"),
        ...{ deposit, holds, growUntil },
      });
    },
    close: (world) => world.close(),
    missing: ANVIL_PATH === "" ? "anvil" : undefined,
  },
  solana: {
    open: async () => {
      const world = await makeSolanaPayingWorld();
      const { deposits } = SOLANA_SWEPT;
      await world.start({ deposits, payouts: { ...PATIENT, graceBlocks: 4 } });
      const { deposit, growUntil, sell } = makeSolanaSweeping(world);
      const holds = async (address: string): Promise<bigint> => world.chain.lamports(address);
      return worldOf({
        world,
        asset: "sol",
        sell: () => sell("sol", "200"),
        ...{ deposit, holds, growUntil },
      });
    },
    close: (world) => world.close(),
  },
};

const reasonOf = (signing: Promise<unknown>): Promise<unknown> =>
  signing.then(
    () => "signed",
    (error: unknown) => (error instanceof SigningRefused ? error.reason : error),
  );

const CASES: Cases<SweeperWorld> = {
  "an address has what was paid to it, and one that nobody paid has nothing": async (world) => {
    const { sweeper, assetId, holds } = world;
    const { move, paid, unpaid } = await world.sweep();
    expect(paid).toBe(await holds(move.from.address));
    expect(await sweeper.holdingOf(unpaid, assetId)).toMatchObject({ units: 0n, coins: 0n });
  },
  "a sweep that nobody signed waits, and is not stuck": async ({ follow }) => {
    expect(await follow([])).toMatchObject({ state: "waiting", isStuck: false });
  },
  "a signed sweep that no node has waits, and is not known": async ({ follow, sweep }) => {
    const { signed } = await sweep();
    expect(await follow([signed])).toMatchObject({ state: "waiting", isKnown: false });
  },
  "the same question to the signer has the same bytes": async ({ sweeper, sweep }) => {
    const { move, terms, signed } = await sweep();
    expect(await sweeper.sign(move, terms)).toEqual(signed);
  },
  "the signer sweeps to no other deposit address": async ({ sweeper, sweep }) => {
    const { move, terms, unpaid } = await sweep();
    if (move.send.place !== null) {
      return new NotHere("the signer of EVM networks signs between all wallets of its policy");
    }
    const to = { name: sweeper.depositAccount(1) ?? "", address: unpaid };
    const reason = reasonOf(sweeper.sign({ ...move, to }, terms));
    expect(["purpose", "unlisted"]).toContain(await reason);
    return undefined;
  },
  "an address that the signer derives otherwise is not swept": async ({ sweeper, sweep }) => {
    const { move, terms } = await sweep();
    const from = { ...move.from, name: sweeper.depositAccount(99_999) ?? "" };
    expect(await reasonOf(sweeper.sign({ ...move, from }, terms))).toBe(OTHER_BYTES);
  },
  "a sweep ends with its own transaction, and the two addresses have its fee less": async (
    world,
  ) => {
    const { sweeper, holds, follow, growUntil } = world;
    const { signed, paid, move } = await world.sweep();
    const { from, to, send } = move;
    const both = async () => (await holds(from.address)) + (await holds(to.address));
    const before = await both();
    await sweeper.broadcast(signed);
    await growUntil(async () => (await follow([signed])).state === "final");
    const outcome = await follow([signed]);
    expect(outcome).toMatchObject({ state: "final", hash: signed.transactionHash });
    if (outcome.state !== "final") return;
    expect(await both()).toBe(before - outcome.networkFee);
    expect(paid - (await holds(from.address))).toBeGreaterThanOrEqual(send.outputs[0]?.units ?? 0n);
  },
  "broadcasting the bytes of a mined sweep again changes nothing": async (world) => {
    const { sweeper, holds, follow } = world;
    const { signed, move } = await world.sweep();
    const { address } = move.to;
    const before = await holds(address);
    for (let turn = 0; turn < 2; turn += 1) await sweeper.broadcast(signed).catch(() => {});
    expect([(await follow([signed])).state, await holds(address)]).toEqual(["final", before]);
  },
};

describe("sweepers of networks", () => {
  runConformance(CASES, WORLDS);
});
