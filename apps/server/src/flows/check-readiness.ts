import { readBusinessNow } from "../storage/postgres/business-clock.ts";
import type { Deps } from "./deps.ts";

/** The checks that must pass before this copy may be sent requests. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<"database" | "catalogue", "ok" | "failing">>;
}

export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const database = await readBusinessNow(deps.database).then(
    () => "ok" as const,
    () => "failing" as const,
  );
  const catalogue = deps.catalogue().currencies.length > 0 ? "ok" : "failing";
  return {
    isReady: database === "ok" && catalogue === "ok",
    checks: { database, catalogue },
  };
}
