import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { watchFailpoints } from "../../apps/server/src/failpoints.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { bindTopUp } from "../../apps/server/src/storage/treasury/sweeps.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import {
  CONTRACTS,
  HOT,
  hex,
  makePayingWorld,
  newAddress,
  type PayingWorld,
} from "./world/paying-world.ts";
import { type ListedMove, makeSweeping, type Sweeping, word } from "./world/sweeping.ts";

const SWEEPS = { aboveEuro: 1, maxHours: 24 };
const NETWORK = { deposits: { xpub: XPUB, wallet: "ethereum-deposits" }, sweeps: SWEEPS };
const GWEI = 10n ** 9n;
const SIGNED_OF_PAYOUT = statement(
  "test_signed_of_payout",
  `select count(*)::int as signed from chain_transactions t
     join chain_send_outputs output using (send_id) where output.intent_id = $1`,
);
const FIRST_ADDRESS = statement(
  "test_first_address",
  "select address from chain_addresses order by key_index limit 1",
);

/** The fees of our own moves are raised, and no place of them is left empty. The chain's balances judge. */
describe.skipIf(ANVIL_PATH === "")("top-ups and sweeps that are outbid", () => {
  let world: PayingWorld;
  let sweeping: Sweeping;

  beforeAll(async () => {
    world = await makePayingWorld({ network: NETWORK });
    sweeping = makeSweeping(world);
    await world.start();
  });
  afterAll(async () => {
    watchFailpoints(() => {});
    expect(await world.stops()).toEqual([]);
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });

  const last = async (purpose: ListedMove["purpose"]) =>
    (await sweeping.moves()).filter((move) => move.purpose === purpose).at(-1);
  /** Mines blocks at a base fee until the condition holds. */
  const mineAt = async (price: bigint, condition: () => Promise<boolean>): Promise<void> => {
    await sweeping.mineUntil(condition, async () => {
      await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(price));
    });
  };
  /** Throws at each failpoint of the name, once. Nothing is kept in memory, so it is what `kill -9` leaves. */
  const crashAt = (name: string): ReadonlySet<string> => {
    const crashedAt = new Set<string>();
    watchFailpoints((reached) => {
      if (!reached.startsWith(name) || crashedAt.has(reached)) return;
      crashedAt.add(reached);
      throw new Error(`crashed at ${reached}`);
    });
    return crashedAt;
  };
  const signedOf = async (view: OrderView): Promise<number> => {
    const id = found((await world.read(view)).payout).id;
    const rows = await world.world.database.query<{ signed: number }>(SIGNED_OF_PAYOUT, [id]);
    return found(rows[0]).signed;
  };
  /** The endpoints show a cheaper market than there is, so whatever is signed meanwhile is outbid. */
  const showCheapMarket = (): void => {
    const cheap = { baseFeePerGas: [hex(GWEI)], reward: [] };
    for (const proxy of world.proxies) {
      const rewrite = ({ method }: { readonly method: string }, result: unknown): unknown =>
        method === "eth_feeHistory" ? cheap : result;
      proxy.behaviour = { rewrite };
    }
  };
  const showMarket = (): void => {
    for (const proxy of world.proxies) proxy.behaviour = {};
  };
  const areEnded = async (): Promise<boolean> =>
    (await sweeping.moves()).every(({ state }) => state === "final");
  /** The deposit addresses keep the gas that a sweep of tokens did not use. */
  const swept: string[] = [];
  const haveSameBooks = async (address: string): Promise<void> => {
    swept.push(address);
    await sweeping.mineUntil(async () => {
      let held = await world.holds(HOT, "eth");
      for (const one of swept) held += await world.holds(one, "eth");
      return held === (await sweeping.booked("eth"));
    });
    const tokens = await world.holds(HOT, "usdt");
    expect(tokens).toBe(await sweeping.booked("usdt-ethereum"));
  };

  test("an outbid top-up is raised, and a payout behind it arrives", async () => {
    const view = await sweeping.sell("usdt-ethereum", "200");
    await sweeping.deposit(view);
    await world.node.call("evm_setAutomine", false);
    showCheapMarket();
    await mineAt(40n * GWEI, async () => (await last("top_up"))?.state === "signed");
    showMarket();
    const to = newAddress();
    const bought = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(bought))[2]).toBe("broadcast");
    const signatures = world.signatures();
    const crashedAt = crashAt("raise.");
    await mineAt(40n * GWEI, async () => (await world.holds(to, "eth")) > 0n);
    expect([...crashedAt]).toEqual(["raise.after_terms", "raise.after_sign", "raise.after_store"]);
    expect(found(await last("top_up")).signed).toBeGreaterThan(1);
    // The same question has the same answer, so no crash led to another signature. The payout may be raised too, and
    // a signature is stored a moment after the signer logged it.
    const unstored = async (): Promise<number> => {
      const raised = found(await last("top_up")).signed - 1 + (await signedOf(bought)) - 1;
      return world.signatures() - signatures - raised;
    };
    await expect.poll(unstored).toBe(0);
    // The market comes down, so the tokens are worth their fee again.
    await mineAt(GWEI, async () => (await world.holds(sweeping.addressOf(view), "usdt")) === 0n);
    await mineAt(GWEI, areEnded);
    expect(await world.status(bought)).toBe("completed");
    await haveSameBooks(sweeping.addressOf(view));
  });

  test("an outbid sweep of tokens is raised after another top-up", async () => {
    await world.node.call("evm_setAutomine", true);
    const view = await sweeping.sell("usdt-ethereum", "1000");
    const before = await world.holds(HOT, "usdt");
    const count = (await sweeping.moves()).length;
    const begun = async (purpose: ListedMove["purpose"]) =>
      (await sweeping.moves()).slice(count).filter((move) => move.purpose === purpose);
    await sweeping.deposit(view);
    await world.node.call("evm_setAutomine", false);
    await mineAt(GWEI, async () => (await begun("top_up"))[0]?.state === "final");
    await expect.poll(async () => (await begun("sweep")).length).toBe(1);
    await mineAt(6n * GWEI, async () => (await world.holds(HOT, "usdt")) > before);
    await mineAt(6n * GWEI, areEnded);
    expect((await world.holds(HOT, "usdt")) - before).toBe(found(view.instruction).units);
    expect((await begun("sweep"))[0]?.signed).toBeGreaterThan(1);
    expect((await begun("top_up")).length).toBeGreaterThan(1);
    await haveSameBooks(sweeping.addressOf(view));
  });

  test("an outbid sweep of coins is raised out of what it moves", async () => {
    const view = await sweeping.sell("eth", "0.5");
    const before = await world.holds(HOT, "eth");
    showCheapMarket();
    await world.node.call("evm_setAutomine", true);
    await sweeping.deposit(view);
    await world.node.call("evm_setAutomine", false);
    await mineAt(6n * GWEI, async () => (await last("sweep"))?.state === "signed");
    const first = found(await last("sweep"));
    showMarket();
    await mineAt(6n * GWEI, areEnded);
    expect(found(await last("sweep")).signed).toBeGreaterThan(1);
    const address = sweeping.addressOf(view);
    expect(await world.holds(address, "eth")).toBe(0n);
    const arrived = (await world.holds(HOT, "eth")) - before;
    expect(arrived).toBeLessThan(BigInt(found(first.units ?? undefined)));
    expect(arrived).toBeGreaterThan((found(view.instruction).units * 99n) / 100n);
    await haveSameBooks(address);
  });

  test("a sweep of a token that takes a fee ends with a person, and the books have what is left", async () => {
    await world.node.call("evm_setAutomine", true);
    const view = await sweeping.sell("usdt-ethereum", "1000");
    await sweeping.deposit(view);
    const setFee = (basisPoints: bigint) =>
      world.send({ to: CONTRACTS.usdt, data: `0x69fe0e2d${word(basisPoints)}` });
    await setFee(100n);
    await sweeping.mineUntil(async () => (await world.stops()).length > 0);
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    const { id, units } = found(await last("sweep"));
    expect(breaks.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(`of sweep ${id} is final: the token moved [0-9]+ of ${units} units`),
    ]);
    const say = ["payouts", "resolve", id, "--as", "anna", "--left"];
    // The command waits for the scanner, which reads the final block after the worker.
    const saidLess = async (): Promise<string> => (await world.line.run(...say, "9.9")).errors;
    await expect.poll(saidLess).toContain("moved 10 usdt-ethereum out of our wallet");
    const paid = await world.line.run(...say, "10", "--outcome", "paid");
    expect(paid.errors).toContain("There is no payout");
    expect(await world.line.run(...say, "10")).toMatchObject({ status: 0 });
    await sweeping.mineUntil(async () => (await last("sweep"))?.state === "final");
    expect((await world.line.run(...say, "10")).errors).toContain("was already resolved");
    await setFee(0n);
    await world.resume();
    await haveSameBooks(sweeping.addressOf(view));
  });

  test("a top-up that nobody signs any more gives up its place, and a payout behind it arrives", async () => {
    await world.node.call("evm_setAutomine", true);
    await world.stop();
    await world.start({ sweeps: undefined, deposits: { xpub: XPUB } });
    const { database, catalogue } = world.service().deps;
    const gas = {
      type: "eip1559",
      gasLimit: "21000",
      maxFeePerGas: "2",
      maxPriorityFeePerGas: "1",
    };
    const { address } = await database
      .query<{ address: string }>(FIRST_ADDRESS)
      .then(([row]) => found(row));
    const topUp = {
      ...{ sendId: randomUUID(), networkCode: "ethereum", units: 1n, terms: gas, fee: 42_000n },
      assetId: found(catalogue().currencyByCodeOrReference("eth")).id,
      ...{
        deposit: { address },
        funderAddress: HOT,
        dayMax: 10n ** 18n,
        keep: 0n,
        isForRaise: false,
      },
    };
    expect(await database.transaction((tx) => bindTopUp(tx, topUp))).toBe("bound");
    const to = newAddress();
    const bought = await world.buy("usdt", to);
    await sweeping.mineUntil(async () => (await world.status(bought)) === "completed");
    await sweeping.mineUntil(async () => (await last("cancel"))?.state === "final");
    expect(await last("top_up")).toMatchObject({ state: "vacated" });
  });
});
