import { kindOf, RUNBOOKS } from "../domain/alerts/causes.ts";
import type { Mailer } from "../domain/ports/mailer.ts";
import { operatorPolicy } from "../domain/webhooks/targets.ts";
import type { Deps } from "../flows/deps.ts";
import { repeat } from "../flows/repeat.ts";
import {
  type AlertChannel,
  type AlertMessage,
  claimAlertMessages,
  recordAlertMessage,
} from "../storage/alerts/alerts.ts";
import { classifyStatus } from "../webhooks/error-classes.ts";
import { makePoster, type Poster } from "../webhooks/poster.ts";

const LOOK_MS = 5_000;

type SenderDeps = Pick<Deps, "database" | "environment" | "publicUrl" | "log">;
type Body = ReturnType<typeof bodyOf>;

/** One way in which messages reach the operator. */
export interface AlertWay {
  readonly channel: AlertChannel;
  /** Never rejects. Returns why the message was not taken, or undefined. */
  readonly send: (
    message: Body & { readonly id: string },
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly close?: () => Promise<void>;
}

/** Posts messages to an address of the operator. */
export function webhookWay(
  url: string,
  poster: Poster = makePoster({ policy: operatorPolicy(url) }),
): AlertWay {
  return {
    channel: "webhook",
    send: async (message, signal) => {
      const headers = { "content-type": "application/json", "x-alert-id": message.id };
      const outcome = await poster.post({ url, headers, body: JSON.stringify(message), signal });
      return outcome.kind === "failed" ? outcome.errorClass : classifyStatus(outcome.status);
    },
    close: () => poster.close(),
  };
}

/** Mails messages to people of the operator. */
export const mailWay = (mailer: Mailer, to: readonly string[]): AlertWay => ({
  channel: "mail",
  send: ({ id, environment, state, summary, runbook, beganAt, endedAt }, signal) =>
    mailer.send(
      {
        to,
        id: `alert.${id.replace(":", ".")}`,
        subject: `Exchange ${environment}, ${state}: ${summary}`,
        text: [
          summary,
          `Began: ${beganAt}`,
          ...(endedAt === null ? [] : [`Ended: ${endedAt}`]),
          `Runbook: ${runbook}`,
          "",
        ].join("\n"),
      },
      signal,
    ),
});

/** Sends the operator's messages in one way. Returns the function that ends it. */
export function startAlertSender(deps: SenderDeps, way: AlertWay): () => Promise<void> {
  const stop = repeat({
    everyMs: LOOK_MS,
    round: (signal) => sendAlerts(deps, way, signal),
    failed: (err) => deps.log.warn({ err }, "messages to the operator cannot be sent, retrying"),
  });
  return async () => {
    await stop();
    await way.close?.();
  };
}

/**
 * Sends the messages that are due. A message is claimed and committed, sent, and then recorded, so one that is cut off
 * is sent again with the same id.
 */
export async function sendAlerts(
  deps: SenderDeps,
  { channel, send }: AlertWay,
  signal: AbortSignal,
): Promise<void> {
  for (const message of await claimAlertMessages(deps.database, channel)) {
    const id = `${message.alertId}:${message.what}`;
    const fault = await send({ id, ...bodyOf(deps, message) }, signal);
    await recordAlertMessage(deps.database, message, { channel, fault });
    // The address may hold a secret, so the log does not name it.
    if (fault)
      deps.log.warn({ fault, channel, alert: id }, "a message to the operator was not taken");
  }
}

/** `text` is the member that chat programs show. */
function bodyOf({ environment, publicUrl }: SenderDeps, message: AlertMessage) {
  const { what, cause, summary, beganAt, endedAt } = message;
  const kind = kindOf(cause);
  const runbook = `${publicUrl}/docs/operating/runbooks/${RUNBOOKS[kind]}`;
  const state = what === "began" ? "begun" : "ended";
  return {
    text: `Exchange ${environment}, ${state}: ${summary} ${runbook}`,
    environment,
    state,
    kind,
    cause,
    summary,
    runbook,
    beganAt: beganAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
