import type { OperationType } from "@exchange/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import { catalogueFor, makeSession, openAs } from "../machine/testing.ts";
import { pause } from "./deps.ts";
import { done, makeWorld, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("another operation", () => {
  const catalogue = (operations: OperationType[] = []): Partial<CheckoutApi> => ({
    listCurrencies: async ({ operationType }) => {
      operations.push(operationType);
      return done(catalogueFor(operationType).currencies);
    },
    listPaymentMethods: async ({ operationType }) => done([...catalogueFor(operationType).methods]),
  });

  test("is read once, and opens with the present currencies", async () => {
    const operations: OperationType[] = [];
    const tether = catalogueFor("B").currencies.cryptoCurrencies[2];
    if (!tether) throw new Error("the test catalogue has no third coin");
    const world = makeWorld(catalogue(operations), openAs("B", { receive: tether }));
    world.boot();
    for (const operation of ["S", "B", "S"] as const) {
      world.store.dispatch({ area: "operation", type: "operationPicked", operation });
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(operations).toEqual(["S", "B"]);
    expect(world.choosingNow()).toMatchObject({
      world: { operation: "S" },
      spend: { reference: "usdt-tron" },
      receive: { code: "EUR" },
    });
  });

  test("that the country does not support, or that is unreachable, is reported", async () => {
    const none = { ...catalogue(), listPaymentMethods: async () => done([]) };
    for (const [api, status] of [
      [none, "unavailable"],
      [{ ...catalogue(), listCurrencies: async () => unreachable }, "unreachable"],
    ] as const) {
      const world = makeWorld(api, openAs("B"));
      world.boot();
      world.store.dispatch({ area: "operation", type: "operationPicked", operation: "S" });
      await vi.advanceTimersByTimeAsync(0);
      expect(world.choosingNow()).toMatchObject({
        world: { operation: "B" },
        switching: { operation: "S", status },
      });
    }
  });

  test("that fails after another pick does not affect that pick", async () => {
    let fail: (answer: typeof unreachable) => void = () => {};
    const late = new Promise<typeof unreachable>((resolve) => {
      fail = resolve;
    });
    const world = makeWorld({ ...catalogue(), listCurrencies: () => late }, openAs("B"));
    world.boot();
    world.store.dispatch({ area: "operation", type: "operationPicked", operation: "S" });
    world.store.dispatch({ area: "operation", type: "operationPicked", operation: "B" });
    fail(unreachable);
    await vi.advanceTimersByTimeAsync(0);
    expect(world.choosingNow().switching).toBeUndefined();
  });

  test("opens if it was picked while an earlier one was loading", async () => {
    const world = makeWorld(
      {
        ...catalogue(),
        listCurrencies: async (query) => {
          await pause(query.operationType === "S" ? 100 : 500);
          if (query.operationType === "S") return unreachable;
          return done(catalogueFor(query.operationType).currencies);
        },
      },
      openAs("B"),
    );
    world.boot();
    world.store.dispatch({ area: "operation", type: "operationPicked", operation: "S" });
    world.store.dispatch({ area: "operation", type: "operationPicked", operation: "CC" });
    await vi.advanceTimersByTimeAsync(200);
    expect(world.choosingNow().switching?.status).toBe("opening");
    await vi.advanceTimersByTimeAsync(400);
    expect(world.choosingNow().world.operation).toBe("CC");
  });

  test("opens if the first one offers nothing", async () => {
    const session = makeSession({ operationTypes: ["B", "S"] });
    const api = catalogue();
    const world = makeWorld({
      ...api,
      readSession: async () => done(session),
      listPaymentMethods: async ({ operationType }) =>
        done(operationType === "B" ? [] : [...catalogueFor(operationType).methods]),
    });
    world.store.dispatch({ area: "checkout", type: "started" });
    await vi.advanceTimersByTimeAsync(0);
    expect(world.choosingNow().world.operation).toBe("S");
  });

  test.each([
    [{ baseCurrency: "btc", targetCurrency: "EUR" }, "S", 0],
    [{ baseCurrency: "btc" }, "S", 0],
    [{ operationType: "B", baseCurrency: "btc", targetCurrency: "eur" }, "B", 2],
    [{ baseCurrency: "zzz" }, "B", 1],
    [{ paymentMethod: "nope" }, "B", 1],
  ] as const)(
    "opens if it has the currencies of the page: %j",
    async (options, operation, ignored) => {
      const session = makeSession({ operationTypes: ["B", "S"] });
      const api = { ...catalogue(), readSession: async () => done(session) };
      const world = makeWorld(api, undefined, options);
      world.store.dispatch({ area: "checkout", type: "started" });
      await vi.advanceTimersByTimeAsync(0);
      const { world: opened } = world.choosingNow();
      expect([opened.operation, opened.ignored.length]).toEqual([operation, ignored]);
    },
  );

  test("that could have the page's currencies, but is unreachable, does not hinder the first one", async () => {
    const session = makeSession({ operationTypes: ["B", "S"] });
    const all = catalogue();
    const api: Partial<CheckoutApi> = {
      ...all,
      readSession: async () => done(session),
      listPaymentMethods: async (query) =>
        query.operationType === "S" ? unreachable : done([...catalogueFor("B").methods]),
    };
    const world = makeWorld(api, undefined, { baseCurrency: "btc" });
    world.store.dispatch({ area: "checkout", type: "started" });
    await vi.advanceTimersByTimeAsync(0);
    expect(world.choosingNow().world).toMatchObject({ operation: "B", ignored: ["btc"] });
  });
});
