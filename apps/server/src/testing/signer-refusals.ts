import { expect } from "vitest";
import type { PolicyFile } from "../signer/policy.ts";
import { readSignLog } from "../signer/sign-log.ts";
import { openTestSigner } from "./signer.ts";

/** Returns a check that a signer with the policy refuses a request for the reason, and records no signature. */
export const refusalsUnder =
  (policy: PolicyFile) =>
  (request: object, reason: string, signer = openTestSigner(policy)): void => {
    const before = readSignLog(signer.logFile).signatures.length;
    expect(signer.ask(request)).toMatchObject({ error: { code: "REFUSED", reason } });
    expect(readSignLog(signer.logFile).signatures).toHaveLength(before);
  };
