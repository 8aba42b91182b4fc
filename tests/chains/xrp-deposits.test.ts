import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { LOST } from "./world/xrp-node.ts";
import { fund, makeStranger, partialPayment, payment } from "./world/xrp-strangers.ts";
import { makeXrpWorld, XRP_HOT, type XrpWorld } from "./world/xrp-world.ts";

const WALLET = statement(
  "test_xrp_wallet",
  "select id, units::text as units, counterparty, state from chain_wallet_movements where network_code = 'xrpl' order by height, id",
);
const FLOAT = statement(
  "test_xrp_float",
  "select coalesce(sum(posting.units), 0)::text as units from ledger_postings posting join ledger_accounts account on account.id = posting.account_id where account.purpose = 'chain_wallet'",
);
const AT_ACCOUNT = statement(
  "test_xrp_at_account",
  `select id, units::text as units from chain_movements where network_code = 'xrpl' and address = '${XRP_HOT}'`,
);
const DIFFERENCES = statement(
  "test_xrp_differences",
  "select (chain_units)::text as chain, difference::text as difference from chain_books where network_code = 'xrpl'",
);

/** The ledger's own balance judges: what is credited, and what the house has, is what reached the account. */
describe("deposits on the XRP Ledger", () => {
  let world: XrpWorld;

  beforeEach(async () => {
    world = await makeXrpWorld();
  });
  afterEach(async () => {
    expect(await world.database.query(DIFFERENCES)).toSatisfy((rows: { difference: string }[]) =>
      rows.every(({ difference }) => difference === "0"),
    );
    await world.close();
  });

  const pay = (units: bigint, tag?: string): string => {
    const { hash, result } = world.stranger.send(payment({ to: XRP_HOT, tag, units }));
    expect(result).toBe("tesSUCCESS");
    world.chain.close();
    return hash;
  };
  const isRight = async (
    credited: Readonly<Record<number, bigint>>,
    house: bigint,
  ): Promise<void> => {
    expect(await world.credited()).toEqual(credited);
    const [row] = await world.database.query<{ units: string }>(FLOAT);
    const opening = 10n ** 15n;
    expect(BigInt(row?.units ?? 0)).toBe(opening + house);
    const all = Object.values(credited).reduce((sum, units) => sum + units, house);
    expect(world.gained()).toBe(all);
  };

  const isCredited = async (credited: Readonly<Record<number, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(credited);
  };

  test("a payment with an order's tag is credited once, and final in its validated ledger", async () => {
    const hash = world.pay(1, 25_000_000n);
    world.pay(2, 7n);
    await world.scan();
    await isRight({ 1: 25_000_000n, 2: 7n }, 0n);
    const [movement, ...others] = await world.movements(1);
    expect(others).toEqual([]);
    expect(movement).toMatchObject({ transactionHash: hash, state: "final", source: "value" });
    world.chain.close(5);
    await world.scan();
    await isRight({ 1: 25_000_000n, 2: 7n }, 0n);
  });

  test("nothing is read before its ledger is validated", async () => {
    world.stranger.send(payment({ to: XRP_HOT, tag: world.tag(1), units: 5n }));
    await world.scan();
    expect(await world.movements(1)).toEqual([]);
    world.chain.close();
    await world.scan();
    await isRight({ 1: 5n }, 0n);
  });

  test("a partial payment credits what it delivered, never what it says", async () => {
    world.chain.liquidity = 3n;
    const wanted = { to: XRP_HOT, tag: world.tag(1), units: 10n ** 12n };
    expect(world.stranger.send(partialPayment(wanted)).result).toBe("tesSUCCESS");
    world.chain.close();
    await world.scan();
    await isRight({ 1: 3n }, 0n);
  });

  test("a payment without a tag, or with one that no order has, is the house's, and its tag is kept", async () => {
    pay(11n);
    const unknown = pay(13n, "123456");
    pay(17n, "0");
    await world.scan();
    await isRight({}, 41n);
    const rows = await world.database.query<{ id: string; counterparty: string }>(WALLET);
    const own = rows.find(({ id }) => id.includes(unknown));
    expect(own?.id).toMatch(/:tag123456$/);
    expect(own?.counterparty).toBe(world.stranger.address);
  });

  test("a payment that failed, and one of another account's tag, credit nothing", async () => {
    const other = makeStranger(world.chain, "sn3nxiW7v8KXzPzAqzyHXbSSKNuN9");
    const poor = payment({ to: XRP_HOT, tag: world.tag(1), units: 10n ** 16n });
    expect(world.stranger.send(poor).result).toBe("tecUNFUNDED_PAYMENT");
    world.stranger.send(payment({ to: other.address, tag: world.tag(1), units: 5_000_000n }));
    world.chain.close();
    await world.scan();
    await isRight({}, 0n);
    expect(await world.problem()).toBeNull();
  });

  test("two equal payments in one ledger are two deposits", async () => {
    for (let count = 0; count < 2; count += 1) {
      world.stranger.send(payment({ to: XRP_HOT, tag: world.tag(4), units: 9n }));
    }
    world.chain.close();
    await world.scan();
    await isRight({ 4: 18n }, 0n);
    expect(await world.movements(4)).toHaveLength(2);
  });

  test("a history of many pages, and of a worker that was away, is read whole", async () => {
    for (const server of world.servers) server.page = 2;
    for (let count = 0; count < 5; count += 1) {
      world.stranger.send(payment({ to: XRP_HOT, tag: world.tag(3), units: 2n }));
    }
    world.chain.close(130);
    world.pay(5, 4n);
    await world.scan();
    await isRight({ 3: 10n, 5: 4n }, 0n);
  });

  test("payments whose metadata are too long for one answer are read in parts", async () => {
    const metadata = "x".repeat(33 * 1024 * 1024);
    for (const server of world.servers) {
      server.rewrite = ({ method, params }, answer) =>
        method === "account_tx" && Number(params["limit"]) > 3 ? { ...answer, metadata } : answer;
    }
    for (let count = 0; count < 5; count += 1) {
      world.stranger.send(payment({ to: XRP_HOT, tag: world.tag(3), units: 2n }));
    }
    world.chain.close();
    await world.scan();
    await isRight({ 3: 10n }, 0n);
  });

  test("one server that invents, hides or inflates a deposit is not believed, and is named", async () => {
    const [liar] = world.servers;
    if (liar) {
      liar.rewrite = ({ method }, answer) =>
        method === "account_tx"
          ? JSON.parse(
              JSON.stringify(answer).replaceAll(
                '"delivered_amount":"5"',
                '"delivered_amount":"5000"',
              ),
            )
          : answer;
    }
    world.pay(1, 5n);
    await world.scan();
    if (liar) {
      liar.rewrite = ({ method }, answer) =>
        method === "account_tx" ? { ...answer, transactions: [] } : answer;
    }
    world.pay(2, 6n);
    await world.scan();
    await isRight({ 1: 5n, 2: 6n }, 0n);
    expect(world.suspects).toContain("server 0");
  });

  test("two servers that hide a deposit are found out by the balance, and it is not lost", async () => {
    for (const server of world.servers.slice(0, 2)) {
      server.rewrite = ({ method }, answer) =>
        method === "account_tx" ? { ...answer, transactions: [] } : answer;
    }
    world.pay(1, 5n);
    await world.scan();
    // Nobody says whose it is, so the house has it until a person decides.
    await isRight({}, 5n);
  });

  test("two servers that inflate a deposit credit nothing until the balance has it", async () => {
    for (const server of world.servers.slice(0, 2)) {
      server.rewrite = ({ method }, answer) => {
        if (method !== "account_tx") return answer;
        const entries = answer["transactions"] as {
          tx: object;
          meta: { AffectedNodes: object[] };
        }[];
        return { ...answer, transactions: entries.map((entry) => inflated(entry)) };
      };
    }
    world.pay(1, 5n);
    await world.scan();
    expect(await world.credited()).toEqual({});
    const [movement] = await world.movements(1);
    expect(movement).toMatchObject({ state: "seen", units: 5_000n });
  });

  test("servers that lag, lose answers or lack ledgers delay deposits, and lose none", async () => {
    const [one, other, third] = world.servers;
    if (one && other && third) {
      one.behind = 1;
      other.behind = 1;
      world.pay(1, 5n);
      await world.scan();
      await isCredited({});
      other.behind = 0;
      await world.scan();
      await isCredited({ 1: 5n });
      // The history of two begins after the next deposit: they cannot say what was before.
      world.pay(2, 6n);
      world.chain.close(3);
      for (const server of [one, other]) server.since = world.chain.ledgers.at(-1)?.index ?? 0;
      expect(await world.step()).toBe("failed");
      await isCredited({ 1: 5n });
      other.since = 0;
      third.rewrite = ({ method }, answer) => (method === "account_tx" ? LOST : answer);
      expect(await world.step()).toBe("failed");
      third.rewrite = (_, answer) => answer;
      one.behind = 0;
    }
    await world.scan();
    await isRight({ 1: 5n, 2: 6n }, 0n);
  });

  test("while the account is not registered deposits wait, and its float is not taken for one", async () => {
    await world.close();
    world = await makeXrpWorld({ isRegistered: false });
    world.pay(1, 5n);
    pay(7n);
    await world.scan();
    expect(await world.credited()).toEqual({});
    expect(await world.database.query(AT_ACCOUNT)).toEqual([]);
    await world.register();
    world.pay(2, 6n);
    await world.scan();
    await isRight({ 1: 5n, 2: 6n }, 7n);
    expect(await world.database.query(AT_ACCOUNT)).toEqual([]);
  });

  test("a server of another network is not asked", async () => {
    const [wrong] = world.servers;
    if (wrong) {
      wrong.rewrite = ({ method }, answer) =>
        method === "server_info" ? { ...answer, info: { network_id: 0 } } : answer;
    }
    fund(world.chain, "rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe");
    world.pay(1, 5n);
    await world.scan();
    await isRight({ 1: 5n }, 0n);
  });
});

interface Entry {
  readonly tx: object;
  readonly meta: { readonly AffectedNodes: object[] };
}

/** Says a thousand times what was delivered, in the balances too. */
function inflated(entry: Entry): object {
  const more = 5_000n;
  const text = JSON.stringify(entry)
    .replace(/"delivered_amount":"5"/, `"delivered_amount":"${more}"`)
    .replace(
      new RegExp(`("Account":"${XRP_HOT}","Balance":")([0-9]+)`),
      (_, head: string, balance: string) => head + String(BigInt(balance) + more - 5n),
    );
  return JSON.parse(text) as object;
}
