import { setDefaultResultOrder } from "node:dns";
import type { AddressInfo } from "node:net";
import { readSettings } from "./settings.ts";
import { makeShop } from "./shop.ts";

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const shop = makeShop(settings);
  // Fastify serves every address of `localhost`. IPv4 comes first, so that a port taken there is an error.
  setDefaultResultOrder("ipv4first");
  await shop.listen({ port: settings.port, host: "localhost" });
  const { port } = shop.server.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  if (process.send === undefined) console.log(`shop: ${url}`);
  else process.send({ type: "ready", url });
}

// Started by `npm start`, the shop never outlives it.
process.on("disconnect", () => process.exit(0));

start().catch((error: NodeJS.ErrnoException) => {
  const isPortTaken = error.code === "EADDRINUSE";
  console.error(
    isPortTaken
      ? `Port ${process.env["SHOP_PORT"] ?? 8081} is taken by another program. Stop that program, or set SHOP_PORT to a free port.`
      : error.message,
  );
  process.exit(1);
});
