import { join } from "node:path";
import { expect, onTestFailed, type TestContext, vi } from "vitest";
import { readConfig } from "../../../apps/server/src/config.ts";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import { describeStop } from "../../../apps/server/src/domain/payouts/stop.ts";
import { readOrder } from "../../../apps/server/src/flows/orders/read.ts";
import { type RunningService, startService } from "../../../apps/server/src/main.ts";
import { readSignLog } from "../../../apps/server/src/signer/sign-log.ts";
import { listStops } from "../../../apps/server/src/storage/payouts/stops.ts";
import { statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import {
  type CommandLine,
  openCommandLine,
} from "../../../apps/server/src/testing/command-line.ts";
import { ORDERS, payInstruction, placeAndAsk } from "../../../apps/server/src/testing/orders.ts";
import { writeRails } from "../../../apps/server/src/testing/rails-service.ts";
import {
  MERCHANT_ID,
  makeWorld,
  openSession,
  type World,
} from "../../../apps/server/src/testing/world.ts";
import { addToFailure } from "../../support/service/failed-test.ts";
import type { LiveSigner } from "./live-signer.ts";

const ON_ITS_WAY = statement(
  "test_on_its_way",
  `select send.id from chain_sends send
   where not exists (select from stops) and (
     send.purpose = 'payout' and send.state = 'signed'
     or send.state in ('bound', 'signed', 'sent') and exists (
       select from chain_fee_terms terms where terms.send_id = send.id and not exists (
         select from chain_transactions t where t.send_id = terms.send_id and t.number = terms.number)))
   limit 1`,
);

/** The installation's name in the policy of every test signer. */
export const INSTALLATION = "shop-1";

/** The whole service on a database of its own, which signs through a real signer. */
export interface PayingService {
  readonly world: World;
  readonly line: CommandLine;
  readonly signer: LiveSigner;
  /** The running service. */
  service(): RunningService;
  stop(): Promise<void>;
  read(view: OrderView): Promise<OrderView>;
  status(view: OrderView): Promise<string>;
  /** The final and the latest state of a payout, with the reason of its order. */
  outcome(view: OrderView): Promise<readonly (string | null | undefined)[]>;
  /** Lets the chain grow until the order has the status. */
  growToStatus(view: OrderView, status: string, grow: () => Promise<void>): Promise<void>;
  /** Whether a transaction has terms and no signature, or a payout is signed and not sent. More blocks could end its deadline. */
  isOnItsWay(): Promise<boolean>;
  /** The number of signatures in the signer's log. */
  signatures(): number;
  /** The networks and pairs whose payouts are stopped. */
  stops(): Promise<readonly string[]>;
}

/** A paying service, and the parts of it that its world completes. */
interface Parts {
  readonly common: PayingService;
  /** Writes the rails file with these networks. */
  configure(chains: object): void;
  run(variables?: NodeJS.ProcessEnv): Promise<void>;
  /** Places an order for coins to the address, and pays it at the sandbox's bank. */
  buy(receive: string, address: string, euro: string): Promise<OrderView>;
  /** Stops the service and the signer, and deletes the database. */
  close(): Promise<void>;
}

export async function makePayingService(signer: LiveSigner): Promise<Parts> {
  const world = await makeWorld();
  const line = await openCommandLine(world.database);
  let running: RunningService | undefined;
  const service = (): RunningService => found(running);
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  const read: PayingService["read"] = ({ order }) =>
    readOrder(service().deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const outcome: PayingService["outcome"] = async (view) => {
    const { order, payout } = await read(view);
    return [order.status, order.statusReason, payout?.state, payout?.voidReason];
  };
  /** Adds the reasons why payouts wait to the error of a failed test, which names only the state that did not come. */
  const tellWaits = async ({ task }: TestContext): Promise<void> => {
    const error = task.result?.errors?.at(-1);
    if (error === undefined) return;
    for (const words of ["doctor", "ledger breaks --all", "payouts list", "payouts stops"]) {
      const { out, errors } = await line.run(...words.split(" "));
      const lines = `${out}${errors}`.split("\n").filter((text) => !text.startsWith("ok "));
      addToFailure(error, `\n\nexchange ${words}\n${lines.join("\n")}`);
    }
  };
  const common: PayingService = {
    ...{ world, line, signer, service, stop, read },
    status: async (view) => (await read(view)).order.status,
    outcome,
    growToStatus: async (view, status, grow) => {
      const grown = async () => {
        await grow();
        const reached = await outcome(view);
        return reached[0] === status ? status : reached.join(" ");
      };
      await expect.poll(grown, { timeout: 60_000, interval: 100 }).toBe(status);
    },
    isOnItsWay: async () => (await world.database.query(ON_ITS_WAY)).length > 0,
    signatures: () => readSignLog(join(signer.folder, "sign.log")).signatures.length,
    stops: async () => (await listStops(world.database)).map(describeStop),
  };
  return {
    common,
    configure: (chains) => {
      const { socket, releaseKeyFile } = signer;
      const rails = { signer: { socket, releaseKeyFile, installation: INSTALLATION } };
      writeRails(line, { ...rails, chains });
    },
    run: async (variables = {}) => {
      const config = readConfig({ ...line.variables, ...variables });
      running = await startService(config, { progress: () => {} });
    },
    buy: async (receive, address, euro) => {
      const { deps } = service();
      onTestFailed(tellWaits);
      const order = { ...ORDERS.buyByBank, receive, amount: euro };
      const place = { deps, openSession: (id: string) => openSession(deps, id) };
      // Nobody is quoted a coin before the scanner has read the hot wallet, nor while its token is broken.
      const view = await vi.waitFor(
        () => placeAndAsk(place, { ...order, request: { walletAddress: address } }),
        { timeout: 60_000, interval: 250 },
      );
      await payInstruction({ ...deps, books: deps.database }, view);
      return view;
    },
    close: async () => {
      await stop();
      await signer.close();
      await line.close();
      await world.close();
    },
  };
}
