import { encodeJson } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type ChangeNotice, type ChangeTopic } from "@exchange/contract/admin";
import { makeChangeWatch } from "../../flows/people/watch-changes.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** The time after which a browser opens a stream again that ended. */
const RETRY_MS = 3_000;

/** Tells a person's console which topics changed. It reads the rows by their own calls. */
export function registerChanges(register: RegisterAdmin, deps: AdminDeps): void {
  const watch = makeChangeWatch(deps);
  register(ADMIN_ENDPOINTS.followChanges, async ({ caller, signal }) => {
    const { session, merchantId } = caller;
    return eventsOf(watch.follow({ sessionId: session.id, merchantId }, signal));
  });
}

async function* eventsOf(changes: AsyncIterable<readonly ChangeTopic[]>): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  for await (const topics of changes) {
    const notice: ChangeNotice = { topics: [...topics] };
    yield `event: changes\ndata: ${encodeJson(notice)}\n\n`;
  }
}
