import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { readOrder } from "../../apps/server/src/flows/orders/read.ts";
import { type RunningService } from "../../apps/server/src/main.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../../apps/server/src/testing/command-line.ts";
import { ETHEREUM, ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { startWithRails } from "../../apps/server/src/testing/rails-service.ts";
import {
  MERCHANT_ID,
  makeWorld,
  openSession,
  type World,
} from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH, type Anvil, CHAIN_ID, startAnvil } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import { type LyingProxy, startProxy } from "./world/lying-proxy.ts";

/** The whole service, started with a rails file that names a real node behind three endpoints. */
describe.skipIf(ANVIL_PATH === "")("orders paid on a live network", () => {
  let node: Anvil;
  let proxies: readonly LyingProxy[];
  let world: World;
  let line: CommandLine;
  let service: RunningService;

  beforeAll(async () => {
    node = await startAnvil();
    await node.call("anvil_mine", "0x14");
    proxies = await Promise.all([0, 1, 2].map(() => startProxy(node.url)));
    world = await makeWorld();
    line = await openCommandLine(world.database);
    const ethereum = {
      kind: "evm",
      chainId: CHAIN_ID,
      endpoints: proxies.map(({ url }, index) => ({ name: `node-${index}`, url })),
      finality: { atLeast: 1 },
      scan: { pollMs: 50, balancesSeconds: 0 },
      deposits: { xpub: XPUB },
    };
    service = await startWithRails(line, { chains: { ethereum } });
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all((proxies ?? []).map((proxy) => proxy.close()));
    await line?.close();
    await world?.close();
    await node?.kill();
  });

  const sell = (): Promise<OrderView> => {
    const { deps } = service;
    return placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, ORDERS.sell);
  };
  const read = ({ order }: OrderView): Promise<OrderView> =>
    readOrder(service.deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const statusOf = async (view: OrderView): Promise<string> => (await read(view)).order.status;
  const payTo = async (view: OrderView, units?: bigint): Promise<string> => {
    const [from] = await node.call<string[]>("eth_accounts");
    const instruction = found(view.instruction);
    const value = `0x${(units ?? instruction.units).toString(16)}`;
    return node.call("eth_sendTransaction", { from, to: instruction.address, value });
  };
  const depositsOf = async (view: OrderView) =>
    (await read(view)).deposits.map(({ state, units }) => [state, units]);

  test("a sale is paid once its deposit is final, through a reorganisation that drops it", async () => {
    const view = await sell();
    const { address, units } = found(view.instruction);
    expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    await payTo(view);
    await expect.poll(() => statusOf(view)).toBe("payment_pending");
    expect(await depositsOf(view)).toEqual([["seen", units]]);
    // Dropped: the order waits again, and the same payment is made once more.
    await node.call("anvil_reorg", 1, []);
    await node.call("anvil_mine", "0x1");
    await expect.poll(() => statusOf(view)).toBe("awaiting_payment");
    await payTo(view);
    await node.call("anvil_mine", "0xc");
    await expect.poll(() => statusOf(view)).toBe("completed");
    expect(await node.call("eth_getBalance", address, "finalized")).toBe(`0x${units.toString(16)}`);
    const states = (await depositsOf(view)).filter(([state]) => state === "final");
    expect(states).toEqual([["final", units]]);
  });

  test("coins that a contract pays complete a sale at their final block", async () => {
    const view = await sell();
    const { address, units } = found(view.instruction);
    const [from] = await node.call<string[]>("eth_accounts");
    // The code of a contract that pays its value on by destroying itself: push the address, selfdestruct.
    const data = `0x73${String(address).slice(2).toLowerCase()}ff`;
    const value = `0x${units.toString(16)}`;
    await node.call("eth_sendTransaction", { from, data, value });
    await node.call("anvil_mine", "0xc");
    await expect.poll(() => statusOf(view)).toBe("completed");
    expect(await depositsOf(view)).toEqual([["final", units]]);
  });

  test("an order keeps its address, and two orders have two", async () => {
    const views = await Promise.all([sell(), sell()]);
    const addresses = views.map((view) => found(view.instruction).address);
    expect(new Set(addresses).size).toBe(2);
    const again = await Promise.all(
      views.map(({ order }) =>
        found(service.deps.chain).depositAddress({
          networkCode: "ethereum",
          reference: String(order.id),
        }),
      ),
    );
    expect(again.map(({ address }) => address)).toEqual(addresses);
  });

  test("coins of a network without a hot wallet are not quoted, and its links name the real chain", async () => {
    const { deps } = service;
    const buy = { ...ORDERS.buyByBank, receive: "eth", request: { walletAddress: ETHEREUM } };
    const placed = placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, buy);
    await expect(placed).rejects.toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
    expect(deps.catalogue().network("ethereum")?.chainId).toBe(CHAIN_ID);
    expect(deps.catalogue().network("base")?.chainId).toBeUndefined();
  });

  test("all networks that the file does not name are the sandbox's", async () => {
    const chain = found(service.deps.chain);
    const place = await chain.depositAddress({ networkCode: "bitcoin", reference: "1" });
    expect(place.address).toMatch(/^bc1/);
    expect(await chain.depositsTo(place)).toEqual([]);
  });

  test("the command line shows the network, and accepts no branch where nothing was lost", async () => {
    const [network, ...others] = await line.runJson<Record<string, unknown>[]>("chains", "show");
    expect(others).toEqual([]);
    expect(network).toMatchObject({ networkCode: "ethereum", problem: null });
    const accept = ["chains", "accept", "--reason", "a test", "--as", "anna", "--network"];
    expect(await line.run(...accept, "ethereum")).toMatchObject({
      status: 1,
      errors: expect.stringContaining("has lost no final block"),
    });
    expect(await line.run(...accept, "bitcoin")).toMatchObject({
      status: 2,
      errors: expect.stringContaining("The rails file names no network bitcoin"),
    });
  });

  test("the audit finds nothing wrong, and no payout is stopped", async () => {
    expect((await line.run("ledger", "check")).status).toBe(0);
    expect(await listStops(world.database)).toEqual([]);
    expect(await line.runJson("ledger", "breaks")).toEqual([]);
  });
});
