import {
  assertAllowedTarget,
  type TargetPolicy,
  TargetRefused,
} from "../../domain/webhooks/targets.ts";
import { Refusal } from "../refusal.ts";

/** Returns the URL in the form that is called. Refuses INVALID_INPUT where no webhook may go. */
export function readWebhookTarget(policy: TargetPolicy, url: string): string {
  try {
    const target = assertAllowedTarget(url, policy);
    // A fragment is never sent.
    target.hash = "";
    return target.href;
  } catch (error) {
    if (!(error instanceof TargetRefused)) throw error;
    throw new Refusal("INVALID_INPUT", {
      message: error.message,
      details: [{ field: "url", issue: error.message }],
    });
  }
}
