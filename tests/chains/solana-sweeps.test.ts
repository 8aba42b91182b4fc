import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { askSigner } from "../../apps/server/src/adapters/chains/signer-client.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { depositAddressOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { moveClock } from "../../apps/server/src/flows/advance-clock.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { USUAL_RENT } from "./world/solana-chain.ts";
import type { SolanaNode } from "./world/solana-node.ts";
import {
  makeSolanaPayingWorld,
  newSolanaAddress,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";
import {
  makeSolanaSweeping,
  SOLANA_SWEPT,
  type SolanaSweeping,
  thiefOf,
} from "./world/solana-sweeping.ts";
import { SOLANA_ACCOUNT } from "./world/solana-world.ts";
import { type ExpiringMove, haveEnded } from "./world/sweeping-by-deadline.ts";

/** Keys are sealed and a service started, which takes long on a busy machine. */
const BUSY_MS = 180_000;
const HOUR_SECONDS = 3_600;
/** Less than a euro, and more than an account needs. */
const DUST = USUAL_RENT + 1n;

/** The chain's own balances judge. */
describe("sweeps on Solana", { timeout: BUSY_MS }, () => {
  let world: SolanaPayingWorld;
  let sweeping: SolanaSweeping;
  /** The orders whose deposit addresses may hold something. */
  const sold: OrderView[] = [];
  const stopped: string[] = [];

  beforeAll(async () => {
    world = await makeSolanaPayingWorld();
    sweeping = makeSolanaSweeping(world);
    await world.start(SOLANA_SWEPT);
  }, BUSY_MS);
  afterAll(async () => {
    await world?.close();
  });
  const atEach = (changes: Partial<SolanaNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(async () => {
    atEach({ takes: true, behind: 0, before: () => {}, rewrite: (_, answer) => answer });
    expect(await world.stops()).toEqual(stopped);
    if (stopped.length === 0) await sweeping.requireSameBooks(sold);
  });

  const sellAndPay = async (): Promise<OrderView> => {
    const view = await sweeping.sell("sol", "200");
    sold.push(view);
    await sweeping.deposit(view);
    await sweeping.growUntil(async () => (await world.status(view)) === "completed");
    return view;
  };
  const held = (view: OrderView): bigint => world.chain.lamports(sweeping.addressOf(view));
  const owed = (view: OrderView): bigint => found(view.instruction).units;
  const sweepsOf = async (view: OrderView): Promise<readonly ExpiringMove[]> =>
    (await sweeping.moves()).filter(({ from }) => from === sweeping.addressOf(view));
  const untilSwept = async (view: OrderView, times = 1): Promise<void> =>
    sweeping.growUntil(async () => {
      const moves = await sweepsOf(view);
      return moves.filter(({ state }) => state === "final").length === times && haveEnded(moves);
    });
  const areBooked = async (view: OrderView, count: number): Promise<boolean> => {
    const { deposits } = await world.read(view);
    return deposits.length === count && deposits.every(({ state }) => state === "final");
  };

  /** Returns an order whose sweep is in a block that is not final: the chain stops once the deposit is booked. */
  const sellUntilMined = async (): Promise<OrderView> => {
    const view = await sweeping.sell("sol", "200");
    sold.push(view);
    await sweeping.deposit(view);
    await sweeping.growUntil(() => areBooked(view, 1));
    const isMined = async () => held(view) === 0n && (await sweepsOf(view))[0]?.state === "signed";
    await expect.poll(isMined, { timeout: 60_000 }).toBe(true);
    return view;
  };

  test("SOL is collected to the last lamport, the hot wallet pays the fee, and all lists have it", async () => {
    const before = world.chain.lamports(SOLANA_HOT);
    const view = await sellAndPay();
    await untilSwept(view);
    expect(held(view)).toBe(0n);
    expect(world.chain.account(sweeping.addressOf(view))).toBeUndefined();
    expect(world.chain.lamports(SOLANA_HOT) - before).toBe(owed(view) - world.paidFees());
    expect(world.paidFees()).toBeGreaterThan(10_000n);
    expect(await sweeping.moves()).toMatchObject([
      { purpose: "sweep", state: "final", place: null, kind: "expiring", to: SOLANA_HOT },
    ]);
    const [{ hash } = { hash: "" }] = await sweeping.moves();
    const statement = await world.line.runJson<{
      closing: Record<string, string>;
      chain: Record<string, string>;
      lines: { kind: string; transaction: string }[];
    }>("chains", "statement", "--network", "solana");
    expect(statement.closing).toEqual(statement.chain);
    const lines = statement.lines.filter(({ transaction }) => transaction === hash);
    expect(lines.map(({ kind }) => kind).toSorted()).toEqual(["fee", "sweep", "sweep"]);
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(/ok +signer: .* its addresses are those of the rails file/);
    expect(await world.line.runJson("ledger", "breaks")).toEqual([]);
  });

  test("too few coins wait at a swept address, and later ones take them along", async () => {
    const view = await sellAndPay();
    await untilSwept(view);
    await world.chain.pay([{ to: sweeping.addressOf(view), units: DUST }]);
    await sweeping.growUntil(() => areBooked(view, 2));
    // Rounds that sweep another address have looked at this one too.
    await untilSwept(await sellAndPay());
    expect([held(view), (await sweepsOf(view)).length]).toEqual([DUST, 1]);
    await sweeping.deposit(view);
    await untilSwept(view, 2);
    expect(held(view)).toBe(0n);
    expect((await sweepsOf(view)).at(-1)?.units).toBe(String(owed(view) + DUST));
  });

  test("a sweep that the nodes drop is dead after its last valid block, and another one collects the coins once", async () => {
    const signed = world.signatures();
    const before = world.chain.lamports(SOLANA_HOT);
    // The endpoints report that the last valid block has passed, and the scanner has not read that far.
    atEach({
      takes: false,
      rewrite: ({ method }, answer) => (method === "getBlockHeight" ? 10 ** 9 : answer),
    });
    const view = await sweeping.sell("sol", "200");
    sold.push(view);
    await sweeping.deposit(view);
    // The chain stops once the deposit is booked, or its last valid block would pass.
    await sweeping.growUntil(() => areBooked(view, 1));
    await expect
      .poll(async () => (await sweepsOf(view)).map(({ state }) => state), { timeout: 60_000 })
      .toEqual(["signed"]);
    atEach({ rewrite: (_, answer) => answer });
    await sweeping.growUntil(async () =>
      (await sweepsOf(view)).some(({ deadBy }) => deadBy?.startsWith("deadline:") === true),
    );
    expect([world.chain.lamports(SOLANA_HOT), held(view)]).toEqual([before, owed(view)]);
    atEach({ takes: true });
    await untilSwept(await sellAndPay());
    // It waits for an hour, so that a node which refuses everything makes few signatures.
    expect(await sweepsOf(view)).toHaveLength(1);
    await moveClock(world.world.database, HOUR_SECONDS + 1);
    await untilSwept(view);
    expect((await sweepsOf(view)).map(({ state }) => state)).toEqual(["dead", "final"]);
    expect([held(view), world.signatures()]).toEqual([0n, signed + 3]);
  });

  test("a sweep that the nodes hide is not made again, although its last valid block has passed", async () => {
    const [made, signed] = [world.made(), world.signatures()];
    const hides = new Set(["getTransaction", "getSignatureStatuses"]);
    const view = await sellUntilMined();
    // The scanner has read it. The nodes lose it then.
    const { slot } = world.chain.head();
    const read = async () => (await findCursor(world.world.database, "solana"))?.height ?? 0n;
    await expect.poll(async () => (await read()) >= slot, { timeout: 60_000 }).toBe(true);
    let hiddenAnswers = 0;
    atEach({
      rewrite: ({ method }, answer) => {
        if (!hides.has(method)) return answer;
        hiddenAnswers += 1;
        return method === "getTransaction" ? null : { context: { slot: 1 }, value: [null] };
      },
    });
    for (let turn = 0; turn < 4; turn += 1) world.chain.mine(50);
    await expect.poll(() => hiddenAnswers, { timeout: 60_000 }).toBeGreaterThan(40);
    expect([world.made(), world.signatures()]).toEqual([made + 1, signed + 1]);
    expect((await sweepsOf(view)).map(({ state }) => state)).toEqual(["signed"]);
    atEach({ rewrite: (_, answer) => answer });
    await untilSwept(view);
    expect([world.made(), world.signatures()]).toEqual([made + 1, signed + 1]);
  });

  test("endpoints that are behind delay the end of a sweep, and it is made once", async () => {
    const made = world.made();
    const view = await sellUntilMined();
    for (const server of world.servers.slice(0, 2)) server.behind = 100;
    world.chain.mine(40);
    let polls = 0;
    atEach({ before: () => void (polls += 1) });
    await expect.poll(() => polls, { timeout: 60_000 }).toBeGreaterThan(100);
    expect(haveEnded(await sweepsOf(view))).toBe(false);
    for (const server of world.servers) server.behind = 0;
    await untilSwept(view);
    expect([world.made(), held(view)]).toEqual([made + 1, 0n]);
  });

  test("a sweep that would leave less than the rent moves nothing, costs its fee, and is tried again after a day", async () => {
    const view = await sweeping.sell("sol", "200");
    sold.push(view);
    let paid: Promise<string> | undefined;
    // A lamport comes between the plan of the sweep and its transaction.
    atEach({
      before: async ({ method }) => {
        if (method !== "sendTransaction" || (await sweepsOf(view)).length === 0) return;
        paid ??= world.chain.pay([{ to: sweeping.addressOf(view), units: 1n }]);
        await paid;
      },
    });
    await sweeping.deposit(view);
    await sweeping.growUntil(async () => (await sweepsOf(view)).some((one) => haveEnded([one])));
    expect((await sweepsOf(view)).map(({ state }) => state)).toEqual(["failed"]);
    expect(held(view)).toBe(owed(view) + 1n);
    await sweeping.requireSameBooks(sold);
    await sweeping.growUntil(() => areBooked(view, 2));
    await moveClock(world.world.database, 24 * HOUR_SECONDS + 1);
    await untilSwept(view);
    expect(held(view)).toBe(0n);
  });

  test("with a hot wallet that cannot pay a fee coins wait, and nothing is signed", async () => {
    const signed = world.signatures();
    let hotWalletReads = 0;
    atEach({
      rewrite: ({ method, params }, answer) => {
        if (method !== "getAccountInfo" || params[0] !== SOLANA_HOT) return answer;
        hotWalletReads += 1;
        const { value, ...rest } = answer as { value: object };
        return { ...rest, value: { ...value, lamports: Number(USUAL_RENT) } };
      },
    });
    const view = await sellAndPay();
    const readsBefore = hotWalletReads;
    await expect.poll(() => hotWalletReads, { timeout: 60_000 }).toBeGreaterThan(readsBefore + 10);
    expect([await sweepsOf(view), world.signatures()]).toEqual([[], signed]);
    atEach({ rewrite: (_, answer) => answer });
    await untilSwept(view);
  });

  test("the signer sweeps to no other deposit address", async () => {
    const { socket } = world.signer;
    const terms = { reference: world.chain.head().hash, expiration: Date.now() + 60_000 };
    const sweep = {
      ...{ op: "sweep_solana" as const, from: "solana-deposits/1", asset: "sol", units: "5" },
      terms: { ...terms, unitPrice: "0" },
    };
    for (const to of ["solana-deposits/2", "solana-deposits", newSolanaAddress()]) {
      await expect(askSigner(socket, { ...sweep, to })).rejects.toThrow();
    }
  });

  test("a thief's transaction from a deposit address stops the network, the audit names it, and nothing more is swept", async () => {
    // Its sweep stays under way.
    atEach({ takes: false });
    const view = await sellAndPay();
    const thief = await thiefOf("deposits");
    expect(thief.address).toBe(SOLANA_ACCOUNT);
    await world.chain.pay([{ to: thief.address, units: 10_000_000n }]);
    const from = sweeping.addressOf(view);
    const stolen = { from, to: newSolanaAddress(), units: 7_000_000n };
    const hash = await world.chain.payWithSeed(thief, seedOf(from), stolen);
    stopped.push("rail chain:solana");
    await sweeping.growUntil(async () => (await world.stops()).length > 0);
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    expect(breaks.map(({ problem }) => problem).join("\n")).toContain(
      `transaction ${hash}, which we did not sign, took 7000000 units of sol from`,
    );
    const signed = world.signatures();
    const other = await sellAndPay();
    let requests = 0;
    atEach({ before: () => void (requests += 1) });
    await expect.poll(() => requests, { timeout: 60_000 }).toBeGreaterThan(200);
    expect([await sweepsOf(other), world.signatures()]).toEqual([[], signed]);
  });

  const seedOf = (address: string): string => {
    for (let index = 0; index < 1_000; index += 1) {
      const derived = depositAddressOf(SOLANA_ACCOUNT, index);
      if (derived.address === address) return derived.seed;
    }
    throw new Error(`${address} is not one of the first deposit addresses`);
  };
});
