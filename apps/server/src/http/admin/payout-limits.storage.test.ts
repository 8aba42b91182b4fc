import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { setPayoutLimits } from "../../flows/payouts/set-limits.ts";
import { type ConsoleBrowser, useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { owePayout } from "../../testing/payouts.ts";
import { makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);

const REASON = "a wallet of a supplier was robbed";
const BTC = { kind: "currency", currency: "btc" };

const limitsOf = async (person: ConsoleBrowser, kind: string, currency: string | null = null) =>
  (await person.call(CALLS.listPayoutLimits)).body.data.find(
    (row) => row.kind === kind && row.currency === currency,
  );
const lower = (person: ConsoleBrowser, payload: object) =>
  person.call(CALLS.lowerPayoutLimits, { payload: { reason: REASON, ...payload } });

test("a viewer sees the limits of each currency, and the part that the last hour and day used", async () => {
  const viewer = await desk.person(["viewer"]);
  expect(await limitsOf(viewer, "total")).toMatchObject({
    ...{ isSet: false, hourCents: null, releasedHourCents: 0, releasedDayCents: 0 },
  });
  const [old, fresh] = [await owePayout(desk.world, 4_000n), await owePayout(desk.world, 1_500n)];
  await desk.world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica;
      update payout_intents set released_at = business_now() - interval '2 hours' where id = '${old.id}';
      update payout_intents set released_at = business_now() where id = '${fresh.id}'`),
  );
  await setPayoutLimits(desk.world.deps, {
    ...{ kind: "default", subject: "", changes: { dayCents: 9_000n }, by: operatorNamed("anna") },
  });
  const used = { releasedHourCents: 1_500, releasedDayCents: 5_500 };
  expect(await limitsOf(viewer, "currency", "btc")).toMatchObject({
    ...{ isSet: false, dayCents: 9_000, payoutCents: null, ...used },
  });
  expect(await limitsOf(viewer, "total")).toMatchObject({ dayCents: null, ...used });
  expect(await limitsOf(viewer, "default")).toMatchObject({
    ...{ isSet: true, dayCents: 9_000, releasedHourCents: null, releasedDayCents: null },
  });
});

test("compliance lowers a limit at once, and the log has who, what, before, after and why", async () => {
  const compliance = await desk.person(["compliance"]);
  const first = await lower(compliance, { ...BTC, payoutCents: 5_000, dayCents: 8_000 });
  expect(first.status, first.text).toBe(200);
  const second = await lower(compliance, { ...BTC, payoutCents: 4_000, dayCents: 8_000 });
  expect(second.body.data.find(({ currency }) => currency === "btc")).toMatchObject({
    ...{ isSet: true, payoutCents: 4_000, hourCents: null, dayCents: 8_000 },
  });
  const query = { subject: "btc" };
  const [change] = (await compliance.call(CALLS.listChanges, { query })).body.data;
  expect(change).toMatchObject({
    ...{ person: compliance.email, action: "set_payout_limits", reason: REASON, via: "console" },
  });
  expect(change?.changes).toContainEqual(
    expect.objectContaining({ name: "payout", before: "50.00 EUR", after: "40.00 EUR" }),
  );
});

test("nobody raises a limit in the console, and nothing of a refused call is kept", async () => {
  const treasurer = await desk.person(["treasury"]);
  const before = await limitsOf(treasurer, "currency", "btc");
  const mixed = await lower(treasurer, { ...BTC, payoutCents: 3_000, dayCents: 8_001 });
  expect([mixed.status, mixed.code]).toEqual([400, "INVALID_INPUT"]);
  expect(mixed.text).toContain("exchange payouts limits");
  expect(await limitsOf(treasurer, "currency", "btc")).toEqual(before);
  expect((await lower(treasurer, BTC)).code).toBe("INVALID_INPUT");
  expect((await lower(treasurer, { kind: "total", payoutCents: 1 })).code).toBe("INVALID_INPUT");
  expect((await lower(treasurer, { ...BTC, currency: "xxx", dayCents: 1 })).code).toBe("NOT_FOUND");
});
