import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { listServedCountries } from "../../domain/rules/list-ways.ts";
import { useConsole } from "../../testing/console-world.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);

const BTC = { kind: "currency", subject: "btc" } as const;
const REASON = { reason: "the chain split" };

test("the catalogue shows currencies, networks and methods with their state, and limits by operation", async () => {
  const viewer = await desk.person(["viewer"]);
  const { currencies, networks, methods, stops } = (await viewer.call(CALLS.readCatalogue)).body
    .data;
  expect(stops).toEqual([]);
  const { currencies: all, networks: chains, paymentMethods } = desk.deps.catalogue();
  expect([currencies.length, networks.length, methods.length]).toEqual([
    all.length,
    chains.length,
    paymentMethods.length,
  ]);
  expect(currencies).toContainEqual(
    expect.objectContaining({
      reference: "btc",
      networkCode: "bitcoin",
      enabled: true,
      stop: null,
    }),
  );
  const card = methods.find(({ reference }) => reference === "card");
  const rule = desk.deps.catalogue().pricingRules.find(({ reference }) => reference === "card-buy");
  const most = Math.min(
    ...[
      rule?.limits.maxEuro,
      desk.deps.catalogue().paymentMethodByReference("card")?.limits.maxEuro,
    ].flatMap((euro) => (euro ? [Number(euro.units) / 10 ** euro.scale] : [])),
  );
  const buy = card?.operations.find(({ operation }) => operation === "buy");
  expect(Number(buy?.maxEuro)).toBe(most);
});

test("the catalogue shows each country with the operations that merchants' customers have there", async () => {
  const viewer = await desk.person(["viewer"]);
  const { countries } = (await viewer.call(CALLS.readCatalogue)).body.data;
  const catalogue = desk.deps.catalogue();
  expect(countries).toHaveLength(catalogue.countries.length);
  const served = listServedCountries(catalogue).map(({ country, operations }) => [
    country.code,
    [...operations],
  ]);
  const shown = countries.filter(({ operations }) => operations.length > 0);
  expect(shown.map(({ code, operations }) => [code, operations])).toEqual(served);
  expect(countries).toContainEqual(expect.objectContaining({ code: "CU", operations: [] }));
});

test("an administrator stops a coin after a fresh proof, and the stop names who and why", async () => {
  const admin = await desk.person(["administrator"]);
  const compliance = await desk.person(["compliance"]);
  const stop = { payload: { ...BTC, ...REASON } };
  expect((await compliance.call(CALLS.stopExchanges, stop)).code).toBe("ROLE_REQUIRED");
  await desk.query(
    "update person_sessions set stepped_up_at = clock_timestamp() - interval '1 hour'",
  );
  expect((await admin.call(CALLS.stopExchanges, stop)).code).toBe("STEP_UP_REQUIRED");
  expect((await admin.call(CALLS.resumeExchanges, { payload: BTC })).code).toBe("STEP_UP_REQUIRED");
  await desk.query("update person_sessions set stepped_up_at = clock_timestamp()");
  const stopped = (await admin.call(CALLS.stopExchanges, stop)).body.data;
  expect(stopped.currencies.find(({ reference }) => reference === "btc")?.stop).toMatchObject({
    ...{ ...BTC, ...REASON },
    setBy: admin.email,
  });
  const query = { person: admin.email, action: "stop" };
  const [logged] = (await compliance.call(CALLS.listChanges, { query })).body.data;
  expect(logged).toMatchObject({ subject: "currency btc", via: "console", ...REASON });
  // It is the same stop as those of payouts.
  expect((await compliance.call(CALLS.listStops)).body.data).toMatchObject([BTC]);
  const resumed = (await admin.call(CALLS.resumeExchanges, { payload: BTC })).body.data;
  expect(resumed.currencies.some(({ stop: left }) => left !== null)).toBe(false);
  expect((await compliance.call(CALLS.listStops)).body.data).toEqual([]);
});

test.each([
  ["pair", "eur-btc"],
  ["merchant", MERCHANT_ID],
  ["network", "bitcoin"],
  ["method", "sepa"],
] as const)("a stop of %s %s is shown where it is resumed", async (kind, subject) => {
  const treasury = await desk.person(["treasury"]);
  const payload = { kind, subject };
  const view = (await treasury.call(CALLS.stopExchanges, { payload: { ...payload, ...REASON } }))
    .body.data;
  const shown = [...view.stops, ...[...view.networks, ...view.methods].map(({ stop }) => stop)];
  expect(shown.filter((stop) => stop !== null)).toMatchObject([payload]);
  expect((await treasury.call(CALLS.resumeExchanges, { payload })).status).toBe(200);
  expect((await treasury.call(CALLS.resumeExchanges, { payload })).code).toBe("NOT_FOUND");
});

test("a stop of everything or of a rail is not resumed here, because it may need two people", async () => {
  const admin = await desk.person(["administrator"]);
  for (const kind of ["all", "rail"]) {
    const payload = { kind, subject: "" };
    expect((await admin.call(CALLS.resumeExchanges, { payload })).code).toBe("INVALID_INPUT");
  }
});
