import { ENDPOINTS } from "@exchange/contract";
import { advanceClock } from "../../flows/advance-clock.ts";
import type { Deps } from "../../flows/deps.ts";
import type { Register } from "../registrar.ts";
import { ok, toUnixSeconds } from "../wire.ts";

export function registerSandboxClock(register: Register, deps: Deps): void {
  register(ENDPOINTS.advanceSandboxClock, async ({ body }) => {
    const { businessNow, aheadSeconds } = await advanceClock(deps, body.advanceSeconds);
    return ok({ businessTime: toUnixSeconds(businessNow), aheadSeconds });
  });
}
