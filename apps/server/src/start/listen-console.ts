import { makeOpenIdProvider } from "../adapters/openid/provider.ts";
import type { Config } from "../config.ts";
import type { IdentityProvider } from "../domain/ports/identity-provider.ts";
import type { Deps } from "../flows/deps.ts";
import { inviteFirstOperator } from "../flows/people/invite.ts";
import { buildAdminServer } from "../http/admin/server.ts";
import { buildHttpServer } from "../http/server.ts";
import { listenError, shopUrlOf } from "./address.ts";
import { apiSettings, closerOf } from "./listen.ts";
import type { RunningConsole } from "./running-service.ts";

export interface OpenedConsole {
  readonly console: RunningConsole;
  close(): Promise<void>;
}

/** Listens on the console's port. In `dev` it also makes the first operator's link. */
export async function listenConsole(deps: Deps, config: Config): Promise<OpenedConsole> {
  const { consolePort: port, host, trustedProxies } = config;
  const url = consoleUrlOf(config);
  const app = buildAdminServer(
    { ...deps, consoleUrl: url, identityProvider: providerOf(config) },
    {
      trustedProxies,
      failedKeysPerFiveMinutes: config.rateLimits.failedCredentialsPerFiveMinutes,
      shopUrl: shopUrlOf(config),
      ...(config.environment !== "prod" && {
        buildApi: () => buildHttpServer(deps, apiSettings(config)),
      }),
    },
  );
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw listenError(error as Error, { host, port, setting: "EXCHANGE_CONSOLE_PORT" });
  }
  // Other environments keep their log, so their first operator is invited at the command line.
  const isDev = config.environment === "dev";
  const firstLink = isDev ? await inviteFirstOperator({ ...deps, consoleUrl: url }) : undefined;
  return {
    console: { url, firstLink },
    close: closerOf(app),
  };
}

/** Returns the identity provider of the settings. It is asked when somebody signs in, and not before. */
function providerOf(config: Config): IdentityProvider | undefined {
  const { ssoIssuer: issuer, ssoClientId: clientId, ssoClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    return undefined;
  const name = config.ssoName ?? new URL(issuer).host;
  return makeOpenIdProvider({
    ...{ issuer, clientId, clientSecret, name, consoleUrl: consoleUrlOf(config) },
  });
}

/** The address at which people open the console. */
export const consoleUrlOf = ({
  consoleUrl,
  consolePort,
}: Pick<Config, "consoleUrl" | "consolePort">): string =>
  consoleUrl ?? `http://localhost:${consolePort}`;
