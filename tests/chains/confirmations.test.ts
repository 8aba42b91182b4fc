import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { readOrder } from "../../apps/server/src/flows/orders/read.ts";
import { presentPayment } from "../../apps/server/src/http/orders/present-payment.ts";
import { type RunningService } from "../../apps/server/src/main.ts";
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
import { XPUB } from "./world/chain-world.ts";

/** The block eight below the head is final by the network's own word. */
const SMALL = 1;
const LARGE = 30;

/** The whole service on a live network whose rails file asks for more blocks above 1,000 euro. */
describe.skipIf(ANVIL_PATH === "")("confirmations by amount on a live network", () => {
  let node: Anvil;
  let world: World;
  let line: CommandLine;
  let service: RunningService;

  beforeAll(async () => {
    node = await startAnvil();
    await node.call("anvil_mine", "0x14");
    world = await makeWorld();
    line = await openCommandLine(world.database);
    const ethereum = {
      kind: "evm",
      chainId: CHAIN_ID,
      endpoints: [{ name: "node", url: node.url }],
      finality: { atLeast: SMALL, large: { aboveEuro: "1000", atLeast: LARGE } },
      scan: { pollMs: 50, balancesSeconds: 0 },
      deposits: { xpub: XPUB },
    };
    service = await startWithRails(line, { chains: { ethereum } });
  });
  afterAll(async () => {
    await service?.stop();
    await line?.close();
    await world?.close();
    await node?.kill();
  });

  const sell = (amount: string): Promise<OrderView> => {
    const { deps } = service;
    const session = { deps, openSession: (id?: string) => openSession(deps, id) };
    return placeAndAsk(session, { ...ORDERS.sell, amount });
  };
  const pay = async ({ instruction }: OrderView): Promise<void> => {
    const [from] = await node.call<string[]>("eth_accounts");
    const { address: to, units } = found(instruction);
    await node.call("eth_sendTransaction", { from, to, value: `0x${units.toString(16)}` });
  };
  const read = ({ order }: OrderView): Promise<OrderView> =>
    readOrder(service.deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const statusOf = async (view: OrderView): Promise<string> => (await read(view)).order.status;
  const shown = async (view: OrderView) =>
    presentPayment(await read(view), service.deps.catalogue()).instructions?.confirmationsRequired;
  const depositOf = async (view: OrderView) => {
    const [deposit] = (await read(view)).deposits;
    return deposit && [deposit.state, deposit.confirmations, deposit.confirmationsRequired];
  };

  test("a small deposit is final by the network's own word, and a large one waits for its blocks", async () => {
    // At the catalogue's rate one ETH is 2,874 euro.
    const [small, large] = [await sell("0.1"), await sell("1")];
    expect([await shown(small), await shown(large)]).toEqual([SMALL, LARGE]);
    await pay(small);
    await expect.poll(() => depositOf(small)).toEqual(["seen", 1, SMALL]);
    await pay(large);
    await expect.poll(() => depositOf(large)).toEqual(["seen", 1, LARGE]);
    // The network calls both final now. The number alone did not make the small one final before.
    await node.call("anvil_mine", `0x${(LARGE - 2).toString(16)}`);
    await expect.poll(() => statusOf(small)).toBe("completed");
    await expect.poll(() => depositOf(large)).toEqual(["seen", LARGE - 1, LARGE]);
    expect(await statusOf(large)).toBe("payment_pending");
    // The rail has settled what our books do not have yet: the audit knows that it is under way.
    expect((await line.run("ledger", "check")).status).toBe(0);
    expect(await line.runJson("ledger", "breaks")).toEqual([]);
    await node.call("anvil_mine", "0x1");
    await expect.poll(() => statusOf(large)).toBe("completed");
    expect(await depositOf(large)).toEqual(["final", LARGE, LARGE]);
  });
});
