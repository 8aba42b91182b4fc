import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Config } from "../config.ts";
import { StartError } from "./start-error.ts";

/** Returns the configured port, or for 0 one that is free now. */
export async function choosePort(config: Pick<Config, "port" | "host">): Promise<number> {
  if (config.port !== 0) return config.port;
  const probe = createServer().listen(0, config.host);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
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
