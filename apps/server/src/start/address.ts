import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Config } from "../config.ts";
import { partsOfRole } from "./roles.ts";
import { StartError } from "./start-error.ts";

type PortConfig = Pick<
  Config,
  "role" | "host" | "port" | "consolePort" | "healthPort" | "shopPort"
>;

/** Refuses a port of this process that another program has. `hasShop` says that the demo shop runs beside it. */
export async function requireFreePorts(
  config: PortConfig,
  { hasShop }: { readonly hasShop: boolean },
): Promise<void> {
  const { servesApi, servesConsole } = partsOfRole(config);
  const { host } = config;
  const addresses = [
    { isUsed: servesApi, host, port: config.port, setting: "PORT" },
    { isUsed: servesConsole, host, port: config.consolePort, setting: "EXCHANGE_CONSOLE_PORT" },
    { isUsed: true, host, port: config.healthPort, setting: "EXCHANGE_HEALTH_PORT" },
    // The shop listens on every address of `localhost`.
    { isUsed: hasShop, host: "127.0.0.1", port: config.shopPort, setting: "SHOP_PORT" },
  ];
  for (const address of addresses) {
    // Port 0 is one that is free, or none.
    if (!address.isUsed || address.port === 0) continue;
    await probe(address).catch((error: Error) => {
      throw listenError(error, address);
    });
  }
}

/** Listens for a moment. Returns the port. */
async function probe({ port, host }: Pick<Config, "port" | "host">): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  const { port: opened } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return opened;
}

/** Returns the configured port, or for 0 one that is free now. */
export async function choosePort(config: Pick<Config, "port" | "host">): Promise<number> {
  return config.port === 0 ? probe(config) : config.port;
}

/** Explains why listening failed, and which setting chooses another port or address. */
export function listenError(
  error: NodeJS.ErrnoException,
  address: { readonly host: string; readonly port: number; readonly setting: string },
): Error {
  const { host, port, setting } = address;
  if (error.code === "EADDRINUSE") {
    return new StartError(
      `Port ${port} is taken by another program. Stop that program, or choose another port: ` +
        `${setting}=${port + 10} npm start`,
    );
  }
  if (error.code === "EACCES") {
    return new StartError(
      `Port ${port} may not be opened by this user. Choose one above 1023 with ${setting}.`,
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartError(`This machine has no address ${host}. Correct HOST.`);
  }
  return error;
}

/** Returns the address of the example shop. Only `dev` runs one. */
export const shopUrlOf = ({
  environment,
  shopPort,
}: Pick<Config, "environment" | "shopPort">): string | undefined =>
  environment !== "dev" || shopPort === 0 ? undefined : `http://localhost:${shopPort}`;
