import { randomUUID } from "node:crypto";
import type { NewSession } from "../storage/sessions/sessions.ts";

/** Opens a session for a merchant that asks for nothing but a token. */
export const plainSession = (merchantId: string, sessionId: string): NewSession => ({
  merchantId,
  sessionId,
  tokenJti: randomUUID(),
  tokenExpiresAt: new Date(Date.now() + 1_800_000),
  scope: [],
  lock: {},
  personal: null,
  locale: null,
});
