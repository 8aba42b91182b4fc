import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { startService } from "../main.ts";

let other: Server;
let port: string;
let folder: string;

beforeAll(async () => {
  other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  port = String((other.address() as AddressInfo).port);
  folder = mkdtempSync(join(tmpdir(), "exchange-ports-"));
});
afterAll(() => {
  other.close();
  rmSync(folder, { recursive: true });
});

test.each(["PORT", "EXCHANGE_CONSOLE_PORT", "EXCHANGE_HEALTH_PORT", "SHOP_PORT"])(
  "a first start with a taken %s is refused before it makes a data folder",
  async (setting) => {
    const dataDir = join(folder, "data");
    const free = { PORT: "0", EXCHANGE_CONSOLE_PORT: "0", SHOP_PORT: "0" };
    const config = readConfig({
      ...{ ...free, HOST: "127.0.0.1", EXCHANGE_LOG_LEVEL: "silent", EXCHANGE_DATA_DIR: dataDir },
      [setting]: port,
    });
    const demo = { shopUrl: "http://localhost:8081" };
    await expect(startService(config, { progress: () => {}, demo })).rejects.toThrow(
      `Port ${port} is taken by another program. Stop that program, or choose another port: ${setting}=`,
    );
    expect(existsSync(dataDir)).toBe(false);
  },
);
