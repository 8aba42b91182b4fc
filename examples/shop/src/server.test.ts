import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SERVER = fileURLToPath(new URL("../dist/server.js", import.meta.url));
const VARIABLES = {
  SHOP_PORT: "0",
  EXCHANGE_CLIENT_ID: "client_dev_1",
  EXCHANGE_API_KEY: "exk_dev_secret",
  EXCHANGE_WEBHOOK_SECRET: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==",
};

const start = (env: Record<string, string>): ChildProcess =>
  fork(SERVER, [], { env: { PATH: process.env["PATH"], ...env }, stdio: "pipe" });

async function failure(shop: ChildProcess): Promise<{ code: number; text: string }> {
  let text = "";
  shop.stderr?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(shop, "close")) as [number];
  return { code, text };
}

test("the shop tells its parent when it is ready, and ends with it", async () => {
  const shop = start(VARIABLES);
  const [message] = (await once(shop, "message")) as [{ type: string; url: string }];
  expect(message.type).toBe("ready");
  expect((await fetch(message.url)).status).toBe(200);
  shop.disconnect();
  expect(await once(shop, "exit")).toEqual([0, null]);
});

test("the error for a taken port names SHOP_PORT", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { code, text } = await failure(start({ ...VARIABLES, SHOP_PORT: String(port) }));
  expect(code).toBe(1);
  expect(text.trim()).toBe(
    `Port ${port} is taken by another program. Stop that program, or set SHOP_PORT to a free port.`,
  );
  other.close();
});

test("one error names everything that is missing or wrong", async () => {
  const { code, text } = await failure(start({ SHOP_PORT: "x", EXCHANGE_URL: "ftp://x" }));
  expect(code).toBe(1);
  expect(text.trim().split("\n")).toHaveLength(5);
});
