import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statement } from "../../storage/postgres/database.ts";
import { makeWorld, type World } from "../../testing/webhooks/world.ts";
import { addWebhookEndpoint } from "./add-endpoint.ts";
import { listWebhookEndpoints } from "./list-endpoints.ts";
import { removeWebhookEndpoint } from "./remove-endpoint.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const ROWS = statement("test_rows", "select e::text as row, e.state from webhook_endpoints e");

describe("adding a webhook endpoint", () => {
  test("subscribes to the two documented events and shows a secret of 32 random bytes", async () => {
    const first = await world.addEndpoint("http://localhost:9000/hook");
    const second = await world.addEndpoint("http://localhost:9000/hook");
    expect(first.endpoint).toMatchObject({
      url: "http://localhost:9000/hook",
      eventTypes: ["OrderCreated", "OrderFulfillment"],
      state: "active",
    });
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(second.secret).not.toBe(first.secret);
    expect(second.endpoint.id).not.toBe(first.endpoint.id);
  });

  test("leaves no trace of the secret in the database", async () => {
    const { secret } = await world.addEndpoint("http://localhost:9000/hook");
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const rows = await world.database.query<{ row: string }>(ROWS);
    const all = rows.map(({ row }) => row).join("\n");
    expect(all).toContain("http://localhost:9000/hook");
    for (const form of [
      secret,
      secret.slice("whsec_".length),
      key.toString("hex"),
      Buffer.from(secret).toString("hex"),
    ]) {
      expect(all).not.toContain(form);
    }
  });

  test("keeps the URL as it will be called", async () => {
    const { endpoint } = await world.addEndpoint(" HTTPS://Shop.Example:443/a/../hook?x=1 ");
    expect(endpoint.url).toBe("https://shop.example/hook?x=1");
  });

  test("drops a fragment, which is never sent", async () => {
    const { endpoint } = await world.addEndpoint("https://shop.example/hook?x=1#here");
    expect(endpoint.url).toBe("https://shop.example/hook?x=1");
  });

  test.each([
    ["allowed", "http://192.168.0.1/hook"],
    ["allowed", "https://user:secret@shop.example/"],
    ["not allowed", "http://shop.example/hook"],
    ["not allowed", "https://localhost/hook"],
    ["not allowed", "https://shop.example:9000/hook"],
  ])("with loopback targets %s refuses %s", async (loopback, url) => {
    const webhookTargets = { allowSandboxTargets: loopback === "allowed" };
    const adding = addWebhookEndpoint(
      { ...world.deps, webhookTargets },
      { merchantId: world.merchantId, url },
    );
    await expect(adding).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  test("refuses an unknown merchant and an empty list of events", async () => {
    const url = "https://shop.example/hook";
    await expect(
      addWebhookEndpoint(world.deps, { merchantId: "client_dev_NOBODY", url }),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(world.addEndpoint(url, [])).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("removing a webhook endpoint", () => {
  test("forgets its secret, drops what was to be sent, and takes it off the list", async () => {
    const { endpoint } = await world.addEndpoint("http://localhost:9000/removed");
    await world.addEvent(77);
    const key = { merchantId: world.merchantId, endpointId: endpoint.id };
    await removeWebhookEndpoint(world.deps, key);
    const listed = await listWebhookEndpoints(world.deps, { merchantId: world.merchantId });
    expect(listed.map(({ id }) => id)).not.toContain(endpoint.id);
    expect(listed.length).toBeGreaterThan(0);
    const rows = await world.database.query(
      statement(
        "test_removed",
        `select e.secret_sealed, delivery_state(d) as state from webhook_endpoints e
         join deliveries d on d.endpoint_id = e.id where e.id = $1`,
      ),
      [endpoint.id],
    );
    expect(rows).toEqual([{ secret_sealed: null, state: "dropped" }]);
    await expect(removeWebhookEndpoint(world.deps, key)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("of another merchant, or by an id that is none, is refused", async () => {
    const { endpoint } = await world.addEndpoint("http://localhost:9000/mine");
    for (const command of [
      { merchantId: "client_dev_OTHER", endpointId: endpoint.id },
      { merchantId: world.merchantId, endpointId: "not-an-id" },
    ]) {
      await expect(removeWebhookEndpoint(world.deps, command)).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    }
  });
});
