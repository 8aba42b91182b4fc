import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toEvmForm } from "../../apps/server/src/adapters/chains/tron/addresses.ts";
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
import { ANVIL_PATH, type Anvil, CHAIN_ID, startAnvil } from "./world/anvil.ts";
import { callData, creationData } from "./world/chain-world.ts";
import { startTronNode, type TronNode } from "./world/tron-node.ts";
import { TRON_XPUB } from "./world/tron-world.ts";

/** The contract of Tether's token on Tron, as the catalogue has it. */
const USDT = "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c";
const REFUNDS = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";

/** The whole service, started with a rails file that names servers of Tron. */
describe.skipIf(ANVIL_PATH === "")("orders paid on Tron", () => {
  let node: Anvil;
  let servers: readonly TronNode[];
  let world: World;
  let line: CommandLine;
  let service: RunningService;
  let payer: string;

  beforeAll(async () => {
    node = await startAnvil();
    [payer = ""] = await node.call<string[]>("eth_accounts");
    const made = await node.call("eth_sendTransaction", {
      from: payer,
      data: creationData("Token"),
    });
    const { contractAddress } = await node.call<{ contractAddress: string }>(
      "eth_getTransactionReceipt",
      made,
    );
    await node.call(
      "anvil_setCode",
      USDT,
      await node.call("eth_getCode", contractAddress, "latest"),
    );
    await node.call("anvil_dealERC20", payer, USDT, "0xe8d4a51000");
    await node.call("anvil_mine", "0x14");
    servers = await Promise.all([0, 1].map(() => startTronNode(node.url)));
    world = await makeWorld();
    line = await openCommandLine(world.database);
    const tron = {
      kind: "tron",
      chainId: CHAIN_ID,
      endpoints: servers.map(({ url }, index) => ({
        name: `node-${index}`,
        url: url.replace("//", "//a-key@"),
      })),
      finality: { atLeast: 9 },
      scan: { pollMs: 50 },
      deposits: { xpub: TRON_XPUB },
    };
    service = await startWithRails(line, { chains: { tron } });
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all((servers ?? []).map((server) => server.close()));
    await line?.close();
    await world?.close();
    await node?.kill();
  });

  const read = ({ order }: OrderView): Promise<OrderView> =>
    readOrder(service.deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const statusOf = async (view: OrderView): Promise<string> => (await read(view)).order.status;

  test.each(["usdt-tron", "trx"])(
    "a sale of %s is completed once its deposit is in a solidified block",
    async (spend) => {
      const { deps } = service;
      const view = await placeAndAsk(
        { deps, openSession: (id) => openSession(deps, id) },
        {
          ...ORDERS.sell,
          spend,
          amount: "200",
          request: { ...ORDERS.sell.request, refundAddress: REFUNDS },
        },
      );
      const { address: shown, units } = found(view.instruction);
      const address = String(shown);
      expect(address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
      const to = toEvmForm(address);
      const payment =
        spend === "trx"
          ? { to, value: `0x${units.toString(16)}` }
          : { to: USDT, data: callData("transfer(address,uint256)", to, units) };
      await node.call("eth_sendTransaction", { from: payer, ...payment });
      await expect.poll(() => statusOf(view)).toBe("payment_pending");
      await node.call("anvil_mine", "0x8");
      await expect.poll(() => statusOf(view)).toBe("completed");
      const { deposits } = await read(view);
      expect(deposits.map((one) => [one.state, one.units])).toEqual([["final", units]]);
    },
  );

  test("nobody is quoted coins of a network without a hot wallet", async () => {
    const { deps } = service;
    const order = {
      ...ORDERS.buyByBank,
      receive: "usdt-tron",
      request: { walletAddress: REFUNDS },
    };
    await expect(
      placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, order),
    ).rejects.toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
  });

  test("the commands show the network and its contract, and the books are right", async () => {
    expect(await line.runJson("chains", "show")).toMatchObject([
      { networkCode: "tron", problem: null, addresses: 2 },
    ]);
    const { out } = await line.run("doctor");
    expect(out).toMatch(/ok +chain tron: read up to block \d+, 0 behind its endpoints/);
    expect(out).toMatch(/ok +wallets of tron: the books equal the chain/);
    // The token of this test has no function for its decimals, as the doctor says.
    expect(out).toContain("contracts of tron: usdt-tron does not say its decimals");
    expect((await line.run("ledger", "check")).status).toBe(0);
    expect(await listStops(world.database)).toEqual([]);
    expect(servers.map(({ keys }) => [...keys])).toEqual([["a-key"], ["a-key"]]);
  });
});
