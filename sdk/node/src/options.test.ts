import { expect, test } from "vitest";
import { createExchange } from "./exchange.ts";
import { type ExchangeOptions, readOptions } from "./options.ts";

const GOOD = { baseUrl: "https://exchange.example", apiKey: "exk_dev_secret", clientId: "client" };

test.each([
  ["https://exchange.example", "https://exchange.example/v1"],
  ["https://exchange.example/", "https://exchange.example/v1"],
  ["https://exchange.example/v1", "https://exchange.example/v1"],
  ["https://exchange.example/v1/", "https://exchange.example/v1"],
  ["https://shop.example/pay", "https://shop.example/pay/v1"],
  ["http://localhost:8080", "http://localhost:8080/v1"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"],
  ["http://[::1]:8080", "http://[::1]:8080/v1"],
])("the address %s is %s", (baseUrl, expected) => {
  expect(readOptions({ ...GOOD, baseUrl }).baseUrl).toBe(expected);
});

test("plain HTTP to another machine is sent only with permission", () => {
  const baseUrl = "http://exchange.internal:8080";
  expect(() => createExchange({ ...GOOD, baseUrl })).toThrow("allowPlainHttp");
  expect(readOptions({ ...GOOD, baseUrl, allowPlainHttp: true }).baseUrl).toBe(`${baseUrl}/v1`);
  expect(() => createExchange({ ...GOOD, baseUrl: "http://127.0.0.1.evil.example" })).toThrow(
    "allowPlainHttp",
  );
});

test.each<[string, Record<string, unknown>]>([
  ["baseUrl", { baseUrl: undefined }],
  ["baseUrl", { baseUrl: "exchange.example" }],
  ["baseUrl", { baseUrl: "ftp://exchange.example" }],
  ["baseUrl", { baseUrl: "https://user@exchange.example" }],
  ["baseUrl", { baseUrl: "https://:pass@exchange.example" }],
  ["baseUrl", { baseUrl: "https://exchange.example/?a=1" }],
  ["apiKey", { apiKey: undefined }],
  ["apiKey", { apiKey: "" }],
  ["apiKey", { apiKey: "exk_dev_secret\n" }],
  ["apiKey", { apiKey: "exk dev secret" }],
  ["clientId", { clientId: "clïent" }],
  ["timeoutMs", { timeoutMs: 0 }],
  ["timeoutMs", { timeoutMs: 2 ** 31 }],
  ["timeoutMs", { timeoutMs: Number.NaN }],
  ["maxRetries", { maxRetries: -1 }],
  ["maxRetries", { maxRetries: 1.5 }],
])("%s: %j is refused at once, without a word of the key", (name, own) => {
  const make = () => createExchange({ ...GOOD, ...own } as ExchangeOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(name);
  expect(make).not.toThrow(/secret|dev/);
});
