import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { readOrder } from "../../apps/server/src/flows/orders/read.ts";
import { type RunningService } from "../../apps/server/src/main.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../../apps/server/src/testing/command-line.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { startWithRails } from "../../apps/server/src/testing/rails-service.ts";
import {
  MERCHANT_ID,
  makeWorld,
  openSession,
  type World,
} from "../../apps/server/src/testing/world.ts";
import { COIN_XPUB, coinsText, unitsOf, unspentAt } from "./world/coin-world.ts";
import { LITECOIND_PATH, type Litecoind, startLitecoind } from "./world/litecoind.ts";

/** The whole service, started with a rails file that names a real Litecoin node. */
describe.skipIf(LITECOIND_PATH === "")("orders paid in litecoin on litecoind", () => {
  let node: Litecoind;
  let home: string;
  let world: World;
  let line: CommandLine;
  let service: RunningService;

  beforeAll(async () => {
    node = await startLitecoind();
    await node.call("createwallet", "stranger");
    home = await node.call("getnewaddress");
    await node.call("generatetoaddress", 110, home);
    world = await makeWorld();
    line = await openCommandLine(world.database);
    const litecoin = {
      kind: "utxo",
      coin: "litecoin",
      chain: "regtest",
      endpoints: [{ name: "node", url: node.url, trust: "own" }],
      finality: { atLeast: 4 },
      scan: { pollMs: 50 },
      deposits: { xpub: COIN_XPUB },
    };
    service = await startWithRails(line, { chains: { litecoin } });
  });
  afterAll(async () => {
    await service?.stop();
    await line?.close();
    await world?.close();
    await node?.remove();
  });

  const sell = async (): Promise<OrderView> => {
    const { deps } = service;
    const refundAddress = await node.call("getnewaddress");
    return placeAndAsk(
      { deps, openSession: (id) => openSession(deps, id) },
      {
        ...ORDERS.sell,
        spend: "ltc",
        amount: "3",
        request: { ...ORDERS.sell.request, refundAddress },
      },
    );
  };
  const read = ({ order }: OrderView): Promise<OrderView> =>
    readOrder(service.deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const statusOf = async (view: OrderView): Promise<string> => (await read(view)).order.status;
  const depositsOf = async (view: OrderView) =>
    (await read(view)).deposits.map(({ state, units }) => [state, units]);
  const confirmationsOf = async (view: OrderView): Promise<readonly number[]> =>
    (await read(view)).deposits.map(({ confirmations }) => confirmations);
  const mine = (blocks: number): Promise<unknown> => node.call("generatetoaddress", blocks, home);

  test("a sale that litecoind's wallet pays is completed once its deposit is final", async () => {
    const view = await sell();
    const { address, units } = found(view.instruction);
    expect(address).toMatch(/^rltc1q[a-z0-9]{38}$/);
    await node.call("sendtoaddress", address, coinsText(units));
    await mine(1);
    await expect.poll(() => statusOf(view)).toBe("payment_pending");
    expect(await depositsOf(view)).toEqual([["seen", units]]);
    // Dropped: the payment has no confirmation, until another block has it.
    await node.call("invalidateblock", await node.call("getbestblockhash"));
    const other = await node.call("getnewaddress");
    await node.call("generateblock", other, []);
    await node.call("generateblock", other, []);
    await expect.poll(() => confirmationsOf(view)).toEqual([0]);
    expect(await statusOf(view)).toBe("awaiting_payment");
    await mine(3);
    await expect.poll(() => confirmationsOf(view)).toEqual([3]);
    await expect.poll(() => statusOf(view)).toBe("payment_pending");
    await mine(1);
    await expect.poll(() => statusOf(view)).toBe("completed");
    expect(await depositsOf(view)).toEqual([["final", units]]);
    expect(await unspentAt(node, String(address))).toMatchObject([{ units }]);
  });

  test("a payment is seen before its block, and one that is spent elsewhere vanishes without credit", async () => {
    const view = await sell();
    const { address, units } = found(view.instruction);
    const [coin] = await node.call<{ txid: string; vout: string; amount: string }[]>("listunspent");
    const { txid, vout, amount } = found(coin);
    const fee = 100_000n;
    const sign = async (to: string, sent: bigint): Promise<string> => {
      const change = { [home]: coinsText(unitsOf(amount) - sent - fee) };
      const outputs = { [to]: coinsText(sent), ...change };
      const raw = await node.call("createrawtransaction", [{ txid, vout: Number(vout) }], outputs);
      return (await node.call<{ hex: string }>("signrawtransactionwithwallet", raw)).hex;
    };
    const takeBack = await sign(await node.call("getnewaddress"), 100_000_000n);
    await node.call("sendrawtransaction", await sign(String(address), units));
    await expect.poll(() => depositsOf(view)).toEqual([["seen", units]]);
    expect(await confirmationsOf(view)).toEqual([0]);
    expect(await statusOf(view)).toBe("awaiting_payment");
    await node.call("generateblock", home, [takeBack]);
    await expect.poll(() => depositsOf(view)).toEqual([["lost", units]]);
    expect(await statusOf(view)).toBe("awaiting_payment");
    await mine(4);
    expect(await depositsOf(view)).toEqual([["lost", units]]);
    expect(await unspentAt(node, String(address))).toEqual([]);
  });

  test("an address of the main chain is refused where the network follows a test chain", async () => {
    const { deps } = service;
    const order = {
      ...ORDERS.sell,
      spend: "ltc",
      amount: "3",
      request: {
        ...ORDERS.sell.request,
        refundAddress: "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
      },
    };
    await expect(
      placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, order),
    ).rejects.toThrow("This is not a valid Litecoin address");
  });

  test("the command line shows the network, and accepts no branch where nothing was lost", async () => {
    const networks = await line.runJson<Record<string, unknown>[]>("chains", "show");
    expect(networks).toMatchObject([{ networkCode: "litecoin", problem: null }]);
    const accept = ["chains", "accept", "--reason", "a test", "--as", "anna", "--network"];
    expect(await line.run(...accept, "litecoin")).toMatchObject({
      status: 1,
      errors: expect.stringContaining("has lost no final block"),
    });
  });

  test("the audit finds nothing wrong, and no payout is stopped", async () => {
    expect((await line.run("ledger", "check")).status).toBe(0);
    expect(await listStops(world.database)).toEqual([]);
    expect(await line.runJson("ledger", "breaks")).toEqual([]);
  });
});
