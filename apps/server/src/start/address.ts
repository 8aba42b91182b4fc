import { createServer } from "node:net";
import type { Config } from "../config.ts";
import { StartError } from "./start-error.ts";

/** Returns the configured port, or for 0 one that is free now. */
export async function choosePort(config: Pick<Config, "port" | "host">): Promise<number> {
  if (config.port !== 0) return config.port;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, config.host, () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
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
