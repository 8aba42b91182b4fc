import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayoutApproval } from "../../storage/payouts/approvals.ts";
import { putStop } from "../../storage/payouts/stops.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { approvePayout } from "../payouts/approve.ts";
import { resumePayouts } from "../payouts/resume.ts";
import { setPayoutLimits } from "../payouts/set-limits.ts";
import { requireOperator } from "./require-operator.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const ALL = { kind: "all", subject: "" } as const;
const AUDIT = { ...ALL, reason: "books differ", setBy: "auditor", peopleToResume: 2 } as const;

describe.each(["staging", "prod"] as const)("in %s", (environment) => {
  const resume = (person: string, account: string) =>
    resumePayouts({ ...world.deps, environment }, { ...ALL, by: operatorNamed(person, account) });

  test("one account is one person, whatever names it gives", async () => {
    await putStop(world.database, AUDIT);
    expect(await resume("cfo@example.com", "root")).toEqual({ resumed: false, peopleMissing: 1 });
    await expect(resume("ceo@example.com", "root")).rejects.toThrow(
      "cfo@example.com, from the account root that ceo@example.com uses too, has already agreed. Another person",
    );
    await expect(resume("cfo@example.com", "ben")).rejects.toThrow(
      "cfo@example.com (account ben) has already agreed.",
    );
    expect(await resume("ceo@example.com", "ben")).toEqual({ resumed: true, peopleMissing: 0 });
  });

  test("two commands of one account at the same moment count once", async () => {
    await putStop(world.database, AUDIT);
    const both = await Promise.allSettled([resume("anna", "root"), resume("ben", "root")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await resume("carla", "carla");
  });
});

test("in prod a payout is approved by two accounts, and the database refuses one twice", async () => {
  const changes = { approvalAboveCents: 0n };
  const btc = { kind: "currency", subject: "btc" } as const;
  await setPayoutLimits(world.deps, { ...btc, changes, by: operatorNamed("anna") });
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  const held = await world.untilStatus(view, "in_review");
  const intentId = held.payout?.id ?? "";
  const deps = { ...world.deps, environment: "prod" as const };
  const approve = (person: string, account: string) =>
    approvePayout(deps, { intentId, by: operatorNamed(person, account) });
  expect(await approve("anna", "root")).toMatchObject({ approvalsMissing: 1 });
  await expect(approve("ben", "root")).rejects.toThrow(
    "anna, from the account root that ben uses too, has already approved payout",
  );
  const second = { person: "carla", account: "root" };
  const inserted = world.database.transaction((tx) => insertPayoutApproval(tx, intentId, second));
  expect(await inserted).toBe(false);
  expect(await approve("ben", "ben")).toMatchObject({ approvalsMissing: 0, released: true });
});

test("on a developer's machine, in dev, each name counts as an account", () => {
  const operator = operatorNamed(" Anna ", "root");
  expect(requireOperator({ environment: "dev" }, operator)).toEqual({
    person: "anna",
    systemUser: "root",
    sudoUser: null,
    account: "anna",
  });
  expect(requireOperator({ environment: "prod" }, operator).account).toBe("root");
});
