import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCatalogue } from "../../domain/catalogue/catalogue.ts";
import { depositAddressOf } from "../../domain/wallets/solana.ts";
import { insertAddress } from "../../storage/chains/addresses.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld, placeAndAsk } from "../../testing/orders.ts";

const THEIRS = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
const { address: OURS } = depositAddressOf(THEIRS, 1);

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
  const address = { networkCode: "solana", accountFingerprint: "aabbccdd", keyIndex: 1 };
  await insertAddress(world.database, { ...address, reference: "1", address: OURS });
});
afterAll(() => world.close());

/** Buys a coin of Solana, of which the coins of the list are only paid out. */
const buy = (receive: string, walletAddress: string, paidOutOnly: readonly string[]) => {
  const catalogue = world.deps.catalogue();
  const currencies = catalogue.currencies.map((currency) =>
    paidOutOnly.includes(currency.reference)
      ? { ...currency, isPaidOutOnly: true as const }
      : currency,
  );
  const own = buildCatalogue({ ...catalogue, currencies });
  return placeAndAsk(
    { deps: { ...world.deps, catalogue: () => own }, openSession: world.openSession },
    { ...ORDERS.buyByBank, receive, amount: "100", request: { walletAddress } },
  );
};

test("a coin that is only paid out is never sent to an address to which an order was paid", async () => {
  await expect(buy("usdc-solana", OURS, ["usdc-solana"])).rejects.toMatchObject({
    code: "INVALID_WALLET_ADDRESS",
    message: expect.stringContaining("Enter an address of your own wallet."),
  });
  const { order } = await buy("usdc-solana", THEIRS, ["usdc-solana"]);
  expect(found(order.walletAddress)).toBe(THEIRS);
});

test("a coin that comes back as a deposit may be sent there", async () => {
  expect((await buy("sol", OURS, ["usdc-solana"])).order.walletAddress).toBe(OURS);
});
