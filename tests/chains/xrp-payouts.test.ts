import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { xrpAccountOf } from "../../apps/server/src/domain/wallets/xrp-address.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { hotKeysAt } from "../../apps/server/src/testing/signer.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { LOST, type XrpNode } from "./world/xrp-node.ts";
import {
  makeXrpPayingWorld,
  newXrpAddress,
  type XrpDestination,
  type XrpPayingWorld,
} from "./world/xrp-paying.ts";
import { FLAGS } from "./world/xrp-payments.ts";
import { fund, payment, withKeys } from "./world/xrp-strangers.ts";
import { XRP, XRP_HOT } from "./world/xrp-world.ts";

const SENDS = statement(
  "test_xrp_sends_of_order",
  `select send.state, send.dead_by, send.place::int as place, (select array_agg(t.hash order by t.number)
     from chain_transactions t where t.send_id = send.id) as hashes
   from payout_intents intent
     join chain_send_outputs o on o.intent_id = intent.id
     join chain_sends send on send.id = o.send_id
   where intent.order_id = $1 order by send.created_at`,
);

/** An account and its tag in one text (XLS-5). */
const X_ADDRESS = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu";
const prices = (reserve: number): object => ({ reserve_base: reserve, reserve_inc: 200_000 });

const BOOKS = statement(
  "test_xrp_books",
  `select coalesce(sum(posting.units), 0)::text as units from ledger_postings posting
     join ledger_accounts account on account.id = posting.account_id
   where account.purpose = 'chain_wallet' and account.asset_id = ${XRP}`,
);

function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

interface Send {
  readonly state: string;
  readonly dead_by: string | null;
  readonly place: number;
  readonly hashes: readonly string[] | null;
}

/** The ledger's own balances judge: a payout arrived once, or not at all. */
describe("payouts on the XRP Ledger", () => {
  let world: XrpPayingWorld;

  beforeAll(async () => {
    world = await makeXrpPayingWorld();
    await world.start();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  const atEach = (changes: Partial<XrpNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(() => {
    atEach({ before: () => {}, rewrite: (_, answer) => answer, behind: 0, since: 0 });
    Object.assign(world.chain, { takes: true, fee: 10n });
  });

  const sendsOf = ({ order }: OrderView): Promise<Send[]> =>
    world.world.database.query<Send>(SENDS, [order.id]);
  const arrived = async (view: OrderView, { address }: XrpDestination): Promise<void> => {
    await world.until(view, "completed");
    expect(world.holds(address)).toBe((await world.read(view)).payout?.units);
    expect(await world.stops()).toEqual([]);
  };
  /** The order waits in review, and the customer has nothing. */
  const refused = async (view: OrderView, { address }: XrpDestination): Promise<void> => {
    const before = world.holds(address);
    await world.until(view, "in_review");
    const [status, reason, state] = await world.outcome(view);
    expect([status, reason]).toEqual(["in_review", "delivery_rejected"]);
    expect(state).not.toBe("confirmed");
    expect(world.holds(address)).toBe(before);
    expect(await world.stops()).toEqual([]);
  };
  const reasonOf = async ({ order }: OrderView): Promise<string> =>
    (await world.line.run("orders", "explain", "--order", String(order.id))).out;
  const newAccount = (flags = 0n): XrpDestination => {
    const address = newXrpAddress();
    fund(world.chain, address, { balance: 5_000_000n, flags });
    return { address };
  };

  test("a payout arrives once, and makes the account of its recipient", async () => {
    const to = { address: newXrpAddress() };
    const made = world.made();
    const view = await world.buy(to);
    await arrived(view, to);
    const [send, ...others] = await sendsOf(view);
    expect([send?.state, others]).toEqual(["final", []]);
    expect((await world.read(view)).payout?.settledHash).toBe(send?.hashes?.[0]);
    expect(world.made()).toBe(made + 1);
  });

  test("a payout carries its destination tag, also out of an X-address", async () => {
    const { address } = newAccount(FLAGS.requireTag);
    const view = await world.buy({ address, memo: "4294967295" });
    await world.until(view, "completed");
    const [hash = ""] = (await sendsOf(view))[0]?.hashes ?? [];
    expect(world.chain.find(hash)?.transaction).toMatchObject({
      DestinationTag: 4_294_967_295,
      Destination: address,
    });
    const named = found(xrpAccountOf(X_ADDRESS));
    fund(world.chain, named.address, { balance: 5_000_000n, flags: FLAGS.requireTag });
    const other = await world.buy({ address: X_ADDRESS });
    await world.until(other, "completed");
    const [second = ""] = (await sendsOf(other))[0]?.hashes ?? [];
    expect(world.chain.find(second)?.transaction).toMatchObject({
      DestinationTag: Number(named.memo),
      Destination: named.address,
    });
  });

  test("doctor, wallets, the statement and the drill know the network", async () => {
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(/ok +endpoints of xrpl: node-0 at block \d+ \(2.4.0\)/);
    // One that keeps fewer ledgers than the documents ask for is named.
    atEach({ since: world.chain.ledgers.at(-1_999)?.index ?? 0 });
    expect((await world.line.run("doctor")).out).toMatch(
      /node-0.* does not have ledger \d+, 1999 below/,
    );
    atEach({ since: 0 });
    expect(out).toMatch(/ok +deposits of xrpl: account [0-9a-f]{8}/);
    expect(out).toMatch(/ok +wallets of xrpl: the books equal the chain at block \d+; .* xrp/);
    expect(out).toMatch(/ok +signer: .* its addresses are those of the rails file/);
    expect((await world.line.run("wallets", "list")).out).toContain(XRP_HOT);
    const drill = await world.line.run("drill", "first-payout", "--network", "xrpl");
    expect(drill.out).toMatch(/on the chain and in the books/);
    const lines = await world.line.run("chains", "statement", "--network", "xrpl");
    expect(lines.out).toMatch(/payout[\s\S]*fee/);
  });

  test("a payout to an account that does not exist, below the reserve, waits in review with the reason", async () => {
    const to = { address: newXrpAddress() };
    atEach({
      rewrite: ({ method }, answer) =>
        method === "server_state"
          ? { ...answer, state: { validated_ledger: prices(90_000_000) } }
          : answer,
    });
    const view = await world.buy(to);
    await refused(view, to);
    expect(await reasonOf(view)).toContain("below the reserve");
    const { deps } = world.service();
    atEach({ rewrite: (_, answer) => answer });
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
  });

  test.each([
    ["wants a destination tag", FLAGS.requireTag, "destination tag only"],
    ["takes payments only from some", FLAGS.depositAuth, "accounts that it allowed"],
    ["wants no XRP", FLAGS.noXrp, "does not want XRP"],
  ])("a payout to an account that %s waits in review with the reason", async (_, flags, why) => {
    const to = newAccount(flags);
    const made = world.made();
    const view = await world.buy(to);
    await refused(view, to);
    expect(await reasonOf(view)).toContain(why);
    expect(world.made()).toBe(made);
  });

  test("an account that wants a tag since the payout was signed: the fee is booked, and the order waits", async () => {
    const to = newAccount();
    const made = world.made();
    atEach({
      before: ({ method }) => {
        if (method === "submit")
          fund(world.chain, to.address, { balance: 5_000_000n, flags: FLAGS.requireTag });
      },
    });
    const view = await world.buy(to);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual(["in_review", "delivery_rejected", "void", "failed"]);
    expect(world.holds(to.address)).toBe(5_000_000n);
    expect(world.made()).toBe(made + 1);
    const [send] = await sendsOf(view);
    expect(send?.state).toBe("failed");
  });

  test("a payout whose broadcast has no answer arrives once", async () => {
    const made = world.made();
    let lost = 0;
    atEach({
      rewrite: ({ method }, answer) => {
        if (method !== "submit" || lost > 5) return answer;
        lost += 1;
        return LOST;
      },
    });
    const to = { address: newXrpAddress() };
    await arrived(await world.buy(to), to);
    expect([lost > 2, world.made()]).toEqual([true, made + 1]);
  });

  test("a payout that the network forgets expires, is signed again at its sequence, and arrives once", async () => {
    const before = [world.made(), world.signatures()] as const;
    world.chain.takes = false;
    // One endpoint alone reports ledgers that nobody else has.
    const [, , liar] = world.servers;
    if (liar) {
      liar.rewrite = ({ method, params }, answer) =>
        method === "ledger" && params["ledger_index"] === "validated"
          ? { ...answer, ledger_index: 4_000_000 }
          : answer;
    }
    const to = { address: newXrpAddress() };
    const view = await world.buy(to);
    await world.growUntil(async () => ((await sendsOf(view))[0]?.hashes?.length ?? 0) >= 3);
    expect(world.holds(to.address)).toBe(0n);
    world.chain.takes = true;
    await arrived(view, to);
    const [send, ...others] = await sendsOf(view);
    expect(others).toEqual([]);
    const hashes = send?.hashes ?? [];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(world.made()).toBe(before[0] + 1);
    expect(world.signatures()).toBe(before[1] + hashes.length);
  });

  test("a payout that expired is replaced and arrives once, though no endpoint has the ledgers where it could be", async () => {
    const made = world.made();
    world.chain.takes = false;
    const to = { address: newXrpAddress() };
    const view = await world.buy(to);
    const count = async () => (await sendsOf(view))[0]?.hashes?.length ?? 0;
    await world.growUntil(async () => (await count()) > 0);
    const before = await count();
    await world.growUntil(async () => {
      // The scanner goes on with the ledgers that are left.
      atEach({ since: world.chain.ledgers.at(-4)?.index ?? 0 });
      return (await count()) > before;
    });
    world.chain.takes = true;
    atEach({ since: 0 });
    await arrived(view, to);
    expect(world.made()).toBe(made + 1);
  });

  test("a payout that was validated after two endpoints fell behind is not paid again", async () => {
    const made = world.made();
    const to = { address: newXrpAddress() };
    let has = false;
    atEach({
      before: ({ method }) => {
        has ||= method === "submit";
      },
    });
    const view = await world.buy(to);
    await world.growUntil(async () => has);
    for (const server of world.servers.slice(0, 2)) server.behind = 3;
    world.chain.close(2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(world.made()).toBe(made + 1);
    atEach({ behind: 0 });
    await arrived(view, to);
    expect(world.made()).toBe(made + 1);
    expect((await sendsOf(view))[0]?.hashes).toHaveLength(1);
  });

  test("a network that is too dear, and a wallet that is too empty, make the payout wait with the reason", async () => {
    world.chain.fee = 15_000n;
    const to = newAccount();
    const had = world.holds(to.address);
    const view = await world.buy(to);
    const waits = async (why: string): Promise<void> => {
      await expect
        .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
        .toContain(why);
    };
    await waits("above the limit of 10000");
    world.chain.fee = 10n;
    atEach({
      rewrite: ({ method }, answer) =>
        method === "server_state"
          ? { ...answer, state: { validated_ledger: prices(10 ** 12) } }
          : answer,
    });
    await waits("drops beside its reserve");
    atEach({ rewrite: (_, answer) => answer });
    await world.until(view, "completed");
    expect(world.holds(to.address) - had).toBe((await world.read(view)).payout?.units);
  });

  test("a payout waits for the drops that another one under way will take", async () => {
    const made = world.made();
    world.chain.takes = false;
    const [to, other] = [newAccount(), newAccount()];
    const first = await world.buy(to);
    await expect
      .poll(async () => (await sendsOf(first)).map(({ state }) => state))
      .toEqual(["sent"]);
    const { units = 0n } = (await world.read(first)).payout ?? {};
    // They suffice for either payout, and not for both.
    const reserve = Number(world.holds(XRP_HOT) - (units * 3n) / 2n);
    atEach({
      rewrite: ({ method }, answer) =>
        method === "server_state"
          ? { ...answer, state: { validated_ledger: prices(reserve) } }
          : answer,
    });
    const second = await world.buy(other);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toContain(`1 transaction under way takes up to ${units + 10_000n} drops of it`);
    expect(await sendsOf(second)).toEqual([]);
    world.chain.takes = true;
    await world.until(first, "completed");
    // The ledger has the first payout, and the balance is without its drops.
    atEach({ rewrite: (_, answer) => answer });
    await world.until(second, "completed");
    expect(world.made()).toBe(made + 2);
  });

  test("of two payouts that are checked at the same moment, the later one gives up its sequence, and holds up no smaller one", async () => {
    const made = world.made();
    world.chain.takes = false;
    const [large, other, least] = [newAccount(), newAccount(), newAccount()];
    const [both, last] = [gate(), gate()];
    const recipients = new Set<unknown>();
    // Which payouts are under way is read before a recipient is asked for.
    atEach({
      before: async ({ method, params: { account } }) => {
        if (method !== "account_info") return;
        recipients.add(account);
        if (account === least.address) await last.opened;
        if (account === large.address || account === other.address) await both.opened;
      },
    });
    const small = await world.buy(least, "20");
    const views = [await world.buy(large), await world.buy(other)];
    await expect
      .poll(() => [least, large, other].every(({ address }) => recipients.has(address)))
      .toBe(true);
    const { units = 0n } = (await world.read(found(views[0]))).payout ?? {};
    // They suffice for either payout, and not for both.
    const reserve = Number(world.holds(XRP_HOT) - (units * 3n) / 2n);
    atEach({
      rewrite: ({ method }, answer) =>
        method === "server_state"
          ? { ...answer, state: { validated_ledger: prices(reserve) } }
          : answer,
    });
    both.open();
    const states = async () =>
      (await Promise.all(views.map(sendsOf))).flat().map(({ state }) => state);
    await expect.poll(async () => (await states()).toSorted()).toEqual(["sent", "vacated"]);
    last.open();
    await expect
      .poll(async () => (await sendsOf(small)).map(({ state }) => state))
      .toEqual(["sent"]);
    expect((await states()).toSorted()).toEqual(["sent", "vacated"]);
    world.chain.takes = true;
    atEach({ rewrite: (_, answer) => answer });
    for (const view of [...views, small]) await world.until(view, "completed");
    // A cancel used the sequence that was given up.
    expect(world.made()).toBe(made + 4);
    expect(await world.stops()).toEqual([]);
  });

  test("a sale is completed by the validated ledger that has the tag's payment, and books equal the ledger", async () => {
    const view = await world.sell("100");
    const { address, memo, units } = view.instruction as unknown as {
      address: string;
      memo: string;
      units: bigint;
    };
    expect(address).toBe(XRP_HOT);
    expect(memo).toMatch(/^[0-9]+$/);
    world.stranger.send(payment({ to: address, tag: memo, units }));
    await world.until(view, "completed");
    const { deposits } = await world.read(view);
    expect(deposits.map((one) => [one.state, one.units])).toEqual([["final", units]]);
    // Somebody forgot the tag: the house has it.
    world.stranger.send(payment({ to: address, units: 3_000_000n }));
    await world.growUntil(async () =>
      /Z +3 +xrp/.test((await world.line.run("ledger", "float")).out),
    );
    // To the drop, by the ledger's own word.
    await world.growUntil(async () => {
      const [row] = await world.world.database.query<{ units: string }>(BOOKS);
      return BigInt(row?.units ?? 0) === world.holds(XRP_HOT);
    });
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
  });

  test("a thief's transaction at our sequence: the payout is void, and the network stops", async () => {
    const key = hotKeysAt("m/44'/144'/0'/0/0");
    const hex = (bytes: Uint8Array | null) =>
      Buffer.from(bytes ?? [])
        .toString("hex")
        .toUpperCase();
    const thief = withKeys(world.chain, {
      address: XRP_HOT,
      publicKey: hex(key.publicKey),
      privateKey: `00${hex(key.privateKey)}`,
    });
    world.chain.takes = false;
    const to = { address: newXrpAddress() };
    const view = await world.buy(to);
    await world.growUntil(async () => ((await sendsOf(view))[0]?.hashes?.length ?? 0) >= 1);
    world.chain.takes = true;
    const taken = thief.send(payment({ to: world.stranger.address, units: 1_000_000n }));
    expect(taken.result).toBe("tesSUCCESS");
    world.chain.close();
    await world.growUntil(async () => (await world.stops()).length > 0);
    expect(await world.stops()).toEqual(["rail chain:xrpl"]);
    await world.growUntil(async () => {
      return (await sendsOf(view))[0]?.state === "dead";
    });
    expect((await sendsOf(view))[0]?.dead_by).toBe(taken.hash);
    await world.until(view, "in_review");
    expect(world.holds(to.address)).toBe(0n);
    const { out } = await world.line.run("ledger", "breaks");
    expect(out).toContain(taken.hash);
  });
});
