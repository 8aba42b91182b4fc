import { join } from "node:path";
import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAuditor } from "../auditor/auditor.ts";
import { sealEarlierRows } from "../flows/customers/seal-earlier-rows.ts";
import { startClearing } from "../jobs/clearing.ts";
import { openCommandLine } from "../testing/command-line.ts";
import { makeConsoleWorld } from "../testing/console-world.ts";
import { makeRoleWorld, type RoleWorld } from "../testing/service-roles.ts";
import { loadCatalogue } from "./catalogue/catalogue.ts";

const CATALOGUE_FILES = new URL("../../catalogue/", import.meta.url).pathname;

let roles: RoleWorld;
beforeAll(async () => {
  roles = await makeRoleWorld();
});
afterAll(() => roles.close());

test.each(["buy by card", "sell", "swap", "transfer"])(
  "API and worker run %s to its end with a role each, and its webhooks arrive",
  async (order) => {
    const played = await roles.play(order);
    for (const status of ["processing", "completed"]) await played.advance(status);
    await played.until(({ status }) => status === "completed");
    const eventsOf = (): readonly string[] =>
      roles.receiver.received
        .filter(({ body }) => body.includes(String(played.id)))
        .map(({ body }) => (JSON.parse(body) as { eventType: string }).eventType);
    await expect.poll(eventsOf).toContain("OrderFulfillment");
    expect(eventsOf()).toContain("OrderCreated");
  },
);

test("the console signs people in and approves with the worker's role", async () => {
  const identity = { issuer: "https://login.example", subject: "ada", label: null };
  const identityProvider = {
    name: "Example Login",
    address: async () => identity.issuer,
    identify: async () => identity,
  };
  const desk = makeConsoleWorld(roles.workerDeps, { identityProvider });
  const ada = await desk.person(["administrator", "treasury"]);
  expect((await ada.call(ADMIN_ENDPOINTS.readOverview)).status).toBe(200);
  const stop = { kind: "pair", subject: "eur-ltc" };
  const payload = { ...stop, reason: "a test" };
  expect((await ada.call(ADMIN_ENDPOINTS.stopPayouts, { payload })).status).toBe(200);
  expect((await ada.call(ADMIN_ENDPOINTS.resumePayouts, { payload: stop })).status).toBe(200);
  expect((await ada.call(ADMIN_ENDPOINTS.listChanges)).body.data.length).toBeGreaterThan(2);
  for (const begin of ["beginProviderLink", "beginProviderSignIn"] as const) {
    expect((await ada.call(ADMIN_ENDPOINTS[begin])).status).toBe(200);
    const answered = { payload: { answer: "code=x" } };
    expect((await ada.call(ADMIN_ENDPOINTS.finishProviderSignIn, answered)).status).toBe(200);
  }
  expect((await ada.call(ADMIN_ENDPOINTS.unlinkOwnIdentity)).code).toBe("STEP_UP_REQUIRED");
  await desk.close();
});

test("the worker's role clears, audits, seals and loads, and runs the operator's commands", async () => {
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });
  const days = {
    ordersRetentionDays: 30,
    sessionsRetentionDays: 30,
    walletsRetentionDays: 30,
    addressesRetentionDays: 30,
  };
  await startClearing({ ...roles.workerDeps, log }, days)();
  const auditor = startAuditor({ ...roles.workerDeps, log });
  await expect.poll(() => auditor.isAuditor() || warnings.length > 0).toBe(true);
  await auditor.stop();
  expect(warnings).toEqual([]);
  expect(await sealEarlierRows(roles.workerDeps)).toBe(0);
  expect(await loadCatalogue(roles.worker.database, CATALOGUE_FILES)).toEqual({ changed: 0 });

  const line = await openCommandLine(roles.owner);
  const url = String(line.variables["DATABASE_URL"]);
  line.variables["DATABASE_URL"] = url.replace("postgres@", `${roles.worker.name}@`);
  const { clientId } = roles.world.shop;
  for (const words of [
    "merchant create --name Other",
    "payouts stop --pair eur-ltc --reason test --as anna",
    "payouts resume --pair eur-ltc --as anna",
    "payouts limits --total --day 5000 --as anna",
    `webhook list --client ${clientId}`,
    "ledger check",
    "orders list",
  ]) {
    const { status, out, errors } = await line.run(...words.split(" "));
    expect(status, `${words}: ${out}${errors}`).toBe(0);
  }
  line.variables["DATABASE_URL"] = url.replace("postgres@", `${roles.api.name}@`);
  const refused = await line.run("merchant", "create", "--name", "Mine");
  expect([refused.status, refused.errors]).toEqual([
    1,
    expect.stringContaining("permission denied"),
  ]);
  await line.close();
});

test("the doctor says whether each process has a role of its own", async () => {
  const line = await openCommandLine(roles.owner);
  const { variables } = line;
  const url = String(variables["DATABASE_URL"]);
  Object.assign(variables, {
    EXCHANGE_ENV: "staging",
    EXCHANGE_PUBLIC_URL: "https://x.example",
    EXCHANGE_SECRET_KEYS_FILE: join(String(variables["EXCHANGE_DATA_DIR"]), "secret-keys"),
  });
  const say = async (user: string, role: string): Promise<string> => {
    Object.assign(variables, {
      DATABASE_URL: url.replace("postgres@", `${user}@`),
      EXCHANGE_ROLE: role,
    });
    const { out } = await line.run("doctor");
    return out.split("\n").find((each) => each.includes("database role")) ?? out;
  };
  expect(await say(roles.api.name, "api")).toBe(
    `ok   database role: ${roles.api.name}, of the API alone`,
  );
  expect(await say(roles.worker.name, "worker")).toMatch(
    `${roles.worker.name}, of the workers alone`,
  );
  expect(await say(roles.worker.name, "api")).toMatch(/^BAD .* may write payouts/);
  expect(await say(roles.api.name, "worker")).toMatch(/^BAD .* may not write payouts/);
  expect(await say("postgres", "api")).toMatch(/^BAD .* owns the tables/);
  await line.close();
});
