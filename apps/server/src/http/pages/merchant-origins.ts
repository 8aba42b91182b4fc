import type { Deps } from "../../flows/deps.ts";

const LOCAL_ORIGINS = ["http://localhost:*", "http://127.0.0.1:*"];
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/;

/**
 * Origins whose pages may show the merchant's checkout. In a sandbox without any, every local one.
 */
export function merchantOrigins(
  deps: Pick<Deps, "directory" | "environment">,
  clientId: unknown,
): readonly string[] {
  const merchant = typeof clientId === "string" ? deps.directory().merchant(clientId) : undefined;
  if (!merchant) return [];
  const origins = merchant.settings.allowedOrigins.filter((origin) => ORIGIN.test(origin));
  if (origins.length > 0) return origins;
  return deps.environment === "dev" ? LOCAL_ORIGINS : [];
}
