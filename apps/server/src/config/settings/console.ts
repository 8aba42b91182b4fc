import { parseOrigin, parseWhole } from "../parsers.ts";
import { setting } from "../setting.ts";

/** The console, in which people with accounts run the service. */
export const CONSOLE_SETTINGS = {
  consolePort: setting({
    name: "EXCHANGE_CONSOLE_PORT",
    default: { dev: "8082", staging: "0", prod: "0" },
    description:
      "Port of the console and of `/v1/admin/*`, for the roles `all` and `console`. `0` opens none. Let only your own people reach it (`docs/operating/console.md`).",
    parse: parseWhole(0, 65_535),
  }),
  consoleUrl: setting({
    name: "EXCHANGE_CONSOLE_URL",
    default: undefined,
    defaultWords: "`http://localhost:<EXCHANGE_CONSOLE_PORT>` in `dev`, required elsewhere",
    description:
      "Address at which people open the console. Passkeys are bound to its host, so do not change it later. Must be HTTPS in `prod`.",
    parse: parseOrigin,
  }),
} as const;
