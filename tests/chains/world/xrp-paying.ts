import { randomBytes } from "node:crypto";
import { expect, vi } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import { toXrpAddress } from "../../../apps/server/src/domain/wallets/xrp-address.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import { ORDERS, payInstruction, placeAndAsk } from "../../../apps/server/src/testing/orders.ts";
import { openSession } from "../../../apps/server/src/testing/world.ts";
import { makeLiveSigner } from "./live-signer.ts";
import { INSTALLATION, makePayingService, type PayingService } from "./paying-service.ts";
import { makeXrpChain, type XrpChain } from "./xrp-ledger.ts";
import { startXrpNode, type XrpNode } from "./xrp-node.ts";
import { fund, makeStranger, type Stranger } from "./xrp-strangers.ts";
import { STRANGER_SEED, XRP_HOT, XRPL } from "./xrp-world.ts";

/** Ledgers for which a payout may wait. */
export const LEDGERS = 4;

/** Returns an address of the XRP Ledger that nobody has used. */
export const newXrpAddress = (): string => toXrpAddress(randomBytes(20));

/** The whole service with a real signer, and servers in front of a ledger of the tests, whose balances judge. */
export interface XrpPayingWorld extends PayingService {
  readonly chain: XrpChain;
  readonly servers: readonly XrpNode[];
  readonly stranger: Stranger;
  start(changes?: object): Promise<void>;
  /** Places an order for coins to the address, and pays it at the sandbox's bank. */
  buy(to: XrpDestination, euro?: string): Promise<OrderView>;
  /** Places an order that sells XRP, and returns it with the address to pay. */
  sell(amount: string): Promise<OrderView>;
  /** Closes a ledger, unless the scanner has earlier ones to read, or a transaction is on its way. */
  grow(): Promise<void>;
  /** Closes ledgers, never further than the scanner follows, until the order has the status. */
  until(view: OrderView, status: string): Promise<void>;
  growUntil(wanted: () => Promise<boolean>): Promise<void>;
  /** Returns the drops that an address has in the newest validated ledger. */
  holds(address: string): bigint;
  /** The number of validated transactions that the hot wallet made. */
  made(): number;
  close(): Promise<void>;
}

export interface XrpDestination {
  readonly address: string;
  readonly memo?: string;
}

const SEQUENCE = 700;

export async function makeXrpPayingWorld(
  options: { readonly variables?: NodeJS.ProcessEnv } = {},
): Promise<XrpPayingWorld> {
  const chain = makeXrpChain();
  fund(chain, XRP_HOT, { balance: 10n ** 12n, sequence: SEQUENCE });
  const stranger = makeStranger(chain, STRANGER_SEED);
  // A server must have the last 2,000 ledgers.
  chain.close(2_010);
  const servers = await Promise.all([0, 1, 2].map(() => startXrpNode(chain)));
  const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
  const signer = await makeLiveSigner({
    installation: INSTALLATION,
    chainId: 1,
    contracts: { usdt: "", usdc: "" },
    change: (policy) => ({
      ...policy,
      networks: {
        [XRPL]: {
          kind: "xrp",
          networkId: chain.networkId,
          feeMax: "20000",
          feeMaxPerDay: "1000000",
          dayCents: 5_000_000,
        },
      },
      wallets: { "xrpl-hot": { network: XRPL, keystore: "hot", path: "m/44'/144'/0'/0/0" } },
      assets: { xrp: { network: XRPL, decimals: 6, centsPerCoin: 220, ...limits } },
      denied: [],
    }),
  });
  const paying = await makePayingService(signer);
  const { common } = paying;
  const { world, line, service } = common;
  Object.assign(line.variables, options.variables);
  const configure = (changes: object): void => {
    const xrpl = {
      kind: "xrp",
      networkId: chain.networkId,
      endpoints: servers.map(({ url }, index) => ({ name: `node-${index}`, url })),
      scan: { pollMs: 50, balancesSeconds: 0 },
      hot: { wallet: "xrpl-hot", address: XRP_HOT },
      payouts: { ledgers: LEDGERS },
      ...changes,
    };
    paying.configure({ [XRPL]: xrpl });
  };
  const grow = async (): Promise<void> => {
    const cursor = await findCursor(world.database, XRPL);
    const head = chain.ledgers.at(-1)?.index ?? 0;
    const isRead = !cursor || Number(cursor.finalHeight) >= head - 1;
    if (isRead && !(await common.isOnItsWay())) chain.close();
  };
  const growUntil: XrpPayingWorld["growUntil"] = (wanted) =>
    expect
      .poll(
        async () => {
          await grow();
          return wanted();
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
  const place = () => {
    const { deps } = service();
    return { deps, openSession: (id: string) => openSession(deps, id) };
  };
  return {
    ...common,
    ...{ chain, servers, stranger, grow, growUntil },
    start: async (changes = {}) => {
      configure(changes);
      await paying.run();
    },
    buy: async ({ address, memo }, euro = "50") => {
      const { deps } = service();
      const named = address.startsWith("X") ? {} : { withoutMemo: true as const };
      const request = { walletAddress: address, ...(memo === undefined ? named : { memo }) };
      const order = { ...ORDERS.buyByBank, receive: "xrp", amount: euro, request };
      // Nobody is quoted a coin before the scanner has read the hot wallet.
      const view = await vi.waitFor(
        async () => {
          await grow();
          return placeAndAsk(place(), order);
        },
        { timeout: 60_000, interval: 250 },
      );
      await payInstruction({ ...deps, books: deps.database }, view);
      return view;
    },
    sell: async (amount) => {
      const { request } = ORDERS.sell;
      const refunds = { refundAddress: stranger.address, refundMemo: "7" };
      return placeAndAsk(place(), {
        ...ORDERS.sell,
        spend: "xrp",
        amount,
        request: { ...request, ...refunds },
      });
    },
    until: (view, wanted) => common.growToStatus(view, wanted, grow),
    holds: (address) => chain.ledgers.at(-1)?.state.get(address)?.balance ?? 0n,
    made: () => (chain.ledgers.at(-1)?.state.get(XRP_HOT)?.sequence ?? 0) - SEQUENCE,
    close: async () => {
      await paying.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
