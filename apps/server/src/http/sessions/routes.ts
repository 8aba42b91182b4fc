import { ENDPOINTS } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { readSession } from "../../flows/sessions/read.ts";
import { revokeSessionToken } from "../../flows/sessions/revoke-token.ts";
import type { Register } from "../registrar.ts";
import { ok } from "../wire.ts";
import { presentSession } from "./present.ts";

export function registerSessions(register: Register, deps: Deps): void {
  register(ENDPOINTS.readSession, async ({ caller, params }) => {
    const key = { merchantId: caller.merchant.id, sessionId: params.sessionId };
    return ok(presentSession(await readSession(deps, key), caller, deps));
  });
  register(ENDPOINTS.revokeSessionToken, async ({ caller, params, deps: joined }) => {
    const key = { merchantId: caller.merchant.id, sessionId: params.sessionId };
    return ok(presentSession(await revokeSessionToken(joined, key), caller, deps));
  });
}
