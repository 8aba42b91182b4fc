import { createServer, type RequestListener } from "node:http";
import { readSettings } from "./settings.ts";
import { makeShop } from "./shop.ts";

// `localhost` may mean either; the browser and the service need not choose the same.
const LOOPBACK = { v4: "127.0.0.1", v6: "::1" } as const;

function listen(listener: RequestListener, at: { port: number; host: string }): Promise<number> {
  const server = createServer({ requestTimeout: 30_000 }, listener);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : at.port);
    });
  });
}

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const shop = makeShop(settings);
  const port = await listen(shop, { port: settings.port, host: LOOPBACK.v4 });
  await listen(shop, { port, host: LOOPBACK.v6 }).catch((error: NodeJS.ErrnoException) => {
    // A machine without IPv6 is fine.
    if (error.code === "EADDRINUSE") throw error;
  });
  const url = `http://localhost:${port}`;
  if (process.send === undefined) console.log(`shop: ${url}`);
  else process.send({ type: "ready", url });
}

// Started by `npm start`, the shop never outlives it.
process.on("disconnect", () => process.exit(0));

start().catch((error: NodeJS.ErrnoException) => {
  const taken = error.code === "EADDRINUSE";
  console.error(
    taken
      ? `Port ${process.env["SHOP_PORT"] ?? 8081} is taken by another program. Stop that program, or set SHOP_PORT to a free port.`
      : error.message,
  );
  process.exit(1);
});
