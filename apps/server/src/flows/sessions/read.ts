import type { OrderView } from "../../domain/orders/view.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { findSession, type SessionKey } from "../../storage/sessions/sessions.ts";
import { unsealSession } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { readOrder } from "../orders/read.ts";
import { Refusal } from "../refusal.ts";

export interface SessionView {
  readonly session: Session;
  readonly order: OrderView | null;
}

/** Reads a merchant's session and the order placed in it. Refuses NOT_FOUND. */
export async function readSession(
  deps: Pick<Deps, "database" | "dataKeys">,
  key: SessionKey,
): Promise<SessionView> {
  const session = await findSession(deps.database, key);
  if (!session) throw new Refusal("NOT_FOUND", { message: "There is no such session." });
  const { merchantId, orderId } = session;
  // The session names its order from the moment both exist, so the second read finds it.
  const order = orderId === null ? null : await readOrder(deps, { merchantId, orderId });
  return { session: unsealSession(deps, session), order };
}
