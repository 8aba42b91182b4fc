import { ENDPOINTS } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import type { Register } from "../../http/registrar.ts";
import { ok, toUnixSeconds } from "../../http/wire.ts";
import { advanceClock } from "../world/advance-clock.ts";

export function registerSandboxClock(register: Register, deps: Deps): void {
  register(ENDPOINTS.advanceSandboxClock, async ({ body }) => {
    const { businessNow, aheadSeconds } = await advanceClock(deps, body.advanceSeconds);
    return ok({ businessTime: toUnixSeconds(businessNow), aheadSeconds });
  });
}
