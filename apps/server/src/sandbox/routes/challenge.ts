import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import { escapeHtml } from "../../http/pages/html.ts";
import type { SandboxChallenge, SandboxIssuer } from "../cards/issuer.ts";
import { CHALLENGE_CSP, CHALLENGE_STYLE_PATH, CHALLENGE_STYLES } from "./challenge-styles.ts";

const PAGE = "/sandbox/challenges/:id";
const FORM_BYTES_MAX = 1024;

/** Registers the page of a 3-D Secure challenge, on which the sandbox's bank asks its cardholder. */
export function registerChallengePage(app: FastifyInstance, issuer: SandboxIssuer): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      async (request: FastifyRequest) => {
        await request.receiveBody(FORM_BYTES_MAX);
        return null;
      },
    );
    scope.addHook("onRequest", async (request) => refuseOtherSite(request.headers));
    scope.get(CHALLENGE_STYLE_PATH, async (_request, reply) =>
      reply.type("text/css; charset=utf-8").send(CHALLENGE_STYLES),
    );
    scope.get<{ Params: { id: string } }>(PAGE, async (request, reply) =>
      sendPage(reply, await issuer.challenge(request.params.id)),
    );
    for (const answer of ["confirm", "cancel"] as const) {
      scope.post<{ Params: { id: string } }>(`${PAGE}/${answer}`, async (request, reply) => {
        await issuer.answer(request.params.id, answer);
        return sendPage(reply, await issuer.challenge(request.params.id));
      });
    }
  });
}

/**
 * Only the checkout shows this page and only its own buttons answer it. Another site that learned its
 * address is refused.
 */
function refuseOtherSite(headers: FastifyRequest["headers"]): void {
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") throw new Refusal("ORIGIN_NOT_ALLOWED");
}

function sendPage(reply: FastifyReply, challenge: SandboxChallenge | undefined): FastifyReply {
  return reply
    .code(challenge ? 200 : 404)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", CHALLENGE_CSP)
    .header("cache-control", "no-store")
    .send(page(challenge));
}

const page = (challenge: SandboxChallenge | undefined): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox Bank</title>
<link rel="stylesheet" href="${CHALLENGE_STYLE_PATH}">
<main aria-label="Sandbox Bank">
<p class="bank">Sandbox Bank</p>
${challenge ? content(challenge) : "<h1>We can't find this payment</h1><p>Go back to the checkout.</p>"}
</main>
</html>`;

function content(challenge: SandboxChallenge): string {
  if (!challenge.open) {
    return "<h1>Thank you</h1><p>The checkout continues on its own.</p>";
  }
  const amount = escapeHtml(`${challenge.amount} ${challenge.currencyCode}`);
  const card = escapeHtml(`${challenge.brand} ending in ${challenge.lastFour}`);
  const path = `/sandbox/challenges/${encodeURIComponent(challenge.id)}`;
  return `<h1>Confirm your payment</h1>
<p>Do you want to pay <strong>${amount}</strong> with your ${card}?</p>
<form method="post" action="${path}/confirm"><button class="primary">Confirm payment</button></form>
<form method="post" action="${path}/cancel"><button>Cancel</button></form>
<p class="note">This bank is part of the sandbox. No money moves.</p>`;
}
