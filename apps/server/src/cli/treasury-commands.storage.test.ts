import { afterAll, beforeAll, expect, test } from "vitest";
import { nameLiveNetworks } from "../storage/treasury/stock.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeWorld, type World } from "../testing/world.ts";

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
