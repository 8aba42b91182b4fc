import { afterAll, beforeAll, expect, test } from "vitest";
import { nameLiveNetworks } from "../storage/treasury/stock.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { writeRails } from "../testing/rails-service.ts";
import { MERCHANT_ID, makeWorld, type World } from "../testing/world.ts";

let world: World;
let line: CommandLine;
beforeAll(async () => {
  world = await makeWorld();
  line = await openCommandLine(world.database);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

const as = ["--as", "anna"];

test("without live networks and limits the stock is unlimited, and the commands say so", async () => {
  const shown = await line.run("treasury", "show");
  expect(shown.out).toContain("The stock of every asset is unlimited");
  expect((await line.run("wallets", "list")).out).toContain("No wallet has sent anything yet.");
  expect((await line.run("wallets", "descriptors")).out).toContain("names no live network");
  expect((await line.run("doctor")).out).toMatch(/ok +treasury: 0 assets with a bounded stock/);
});

const ETHEREUM = {
  kind: "evm",
  chainId: 11_155_111,
  // Nothing of this test asks it.
  endpoints: [{ name: "own", url: "http://localhost:9", trust: "own" }],
  deposits: {
    xpub: "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  },
  fees: { kind: "catalogue" },
};

test("rules explain refuses a live coin that no worker has named yet, as the service does", async () => {
  const wish = ["--client", MERCHANT_ID, "--operation", "buy", "--spend", "eur", "--amount", "250"];
  const explain = (receive: string) =>
    line.runJson(
      ...["rules", "explain", ...wish, "--method", "card", "--country", "DE"],
      ...["--receive", receive],
    );
  writeRails(line, { chains: { ethereum: ETHEREUM } });
  expect(await explain("eth")).toMatchObject({
    code: "LIQUIDITY_UNAVAILABLE",
    message: expect.stringContaining("cannot provide that much ETH"),
  });
  expect(await explain("btc")).toMatchObject({ offered: true });
  delete line.variables["EXCHANGE_RAILS_FILE"];
  expect(await explain("eth")).toMatchObject({ offered: true });
});

test("treasury show names the coins to bring, and the doctor the floats that are low", async () => {
  const btc = world.deps.catalogue().currencyByCodeOrReference("btc")?.id;
  await world.database.transaction(async (tx) => {
    await nameLiveNetworks(tx, ["bitcoin"]);
    await tx.runScript(`insert into chain_wallets (id, network_code, address, next_place)
      values ('btc-hot', 'bitcoin', 'bc1qhot', 7)`);
    await tx.runScript(`insert into wallet_balances (wallet_id, asset_id, units, height, used_places)
      values ('btc-hot', ${btc}, 12000000, 900000, 7)`);
  });
  const limits = ["--floor", "0.1", "--low", "0.3", "--target", "1", "--ceiling", "2"];
  const [shown] = await line.runJson<object[]>(
    ...["treasury", "set", "--currency", "btc", ...limits, ...as],
  );
  expect(shown).toMatchObject({ currency: "btc", onHand: "0.12", free: "0.12", float: "low" });
  expect(shown).toMatchObject({ advice: "refill 0.88", adviceUnits: "0.88", ceiling: "2" });
  expect((await line.run("doctor")).out).toMatch(/BAD +treasury: 0.12 btc left\n/);
  await line.run("treasury", "set", "--currency", "btc", "--floor", "0.2", ...as);
  expect((await line.run("doctor")).out).toContain("below the floor: it is not quoted");
  const { wallets } = await line.runJson<{ wallets: object[] }>("wallets", "list");
  expect(wallets).toMatchObject([
    { network: "bitcoin", role: "hot", nextPlace: "7", balances: [{ amount: "0.12" }] },
  ]);
});

test("limits that make no sense are refused with the rule", async () => {
  const set = ["treasury", "set", "--currency"];
  expect(await line.run(...set, "btc", ...as)).toMatchObject({ status: 2 });
  const falling = await line.run(...set, "btc", "--floor", "5", ...as);
  expect(falling).toMatchObject({ status: 1, errors: expect.stringContaining("must rise") });
  const unknown = await line.run(...set, "eur", "--floor", "5", ...as);
  expect(unknown.errors).toContain('There is no coin "eur"');
});

test("treasury show counts the coins of a hot wallet by size, and the doctor warns of too many", async () => {
  const coins = (count: number, units: number, first: number) => `insert into chain_coins
    (network_code, outpoint, account, branch, key_index, units, height, matures_at)
    select 'litecoin', lpad(number::text, 64, '0') || ':0', 'aabbccdd', 0, 0, ${units}, 80, 81
    from generate_series(${first}, ${first + count - 1}) as number`;
  const run = (text: string) => world.database.transaction((tx) => tx.runScript(text));
  await world.database.transaction((tx) => nameLiveNetworks(tx, ["litecoin"]));
  await run(`truncate treasury_limits;
    insert into chain_cursors (network_code, height, hash, final_height) values ('litecoin', 100, 'x', 90);
    insert into chain_wallets (id, network_code, address, kind, next_place)
      values ('ltc-hot', 'litecoin', 'xpub', 'coins', null);
    ${coins(2, 150_000_000, 1)}; ${coins(198, 1_000_000, 3)}`);
  const assets = await line.runJson<{ currency: string; coins?: object }[]>("treasury", "show");
  expect(assets.find(({ currency }) => currency === "ltc")?.coins).toEqual({
    ...{ count: 200, amount: "4.98", consolidating: 0 },
    sizes: [
      { from: "1", count: 2, amount: "3" },
      { from: "0.01", count: 198, amount: "1.98" },
    ],
  });
  expect((await line.run("doctor")).out).toMatch(/ok +treasury:/);
  await run(coins(1, 1_000_000, 201));
  const { out } = await line.run("treasury", "show");
  expect(out).toContain(
    "Coins of litecoin: 201, together 4.99 ltc. A transaction spends 200 at most",
  );
  expect(out).toMatch(/from 0\.01 +199 +1\.99/);
  expect((await line.run("doctor")).out).toMatch(
    /BAD +treasury: the hot wallet of litecoin has 201 coins\n/,
  );
});
