import { ok, type Reply, refused } from "../answers.ts";
import type { Opening } from "../checkout.ts";
import { OPERATOR } from "./operator.ts";
import { type Scene, see } from "./scene.ts";

const stopped = (name: string, opening: Opening): Scene => ({
  ...opening,
  name,
  async play({ page, shoot }) {
    await see(page, ".lead");
    await shoot(name);
  },
});

const withSession = (reply: Reply): Opening => ({ answers: { "GET /session": () => reply } });

/** Holds the timer that tells of a slow start. On a busy machine it would callback before the first picture is taken. */
const HOLD_SLOW_TIMER = `{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => {
    if (after !== 3000) return start(callback, after, ...values);
    window.ringSlowTimer = callback;
    return 0;
  };
}`;

/** Screens before the customer can choose anything. */
export const BOOTING: readonly Scene[] = [
  {
    name: "boot",
    ...withSession("silence"),
    script: HOLD_SLOW_TIMER,
    async play({ page, shoot, shootState }) {
      await see(page, ".skeleton");
      await shoot("boot");
      await page.evaluate("ringSlowTimer()");
      await page.locator("p.hint.centred:not(:empty)").waitFor();
      await shootState("boot-slow");
    },
  },
  stopped("stopped-timed-out", withSession(refused(401, "TOKEN_EXPIRED"))),
];

/** Other reasons why a checkout cannot start. */
export const STOPPED: readonly Scene[] = [
  stopped("boot-unreachable", withSession("cut")),
  stopped("stopped-invalid", withSession(refused(401, "TOKEN_INVALID"))),
  stopped("order-page-closed", {
    by: "page",
    operator: OPERATOR,
    ...withSession(refused(401, "TOKEN_INVALID")),
  }),
  stopped("stopped-used", withSession(refused(409, "SESSION_EXPIRED"))),
  stopped("stopped-unsupported", { answers: { "GET /payment-methods": () => ok([]) } }),
  stopped("stopped-link", { by: "none" }),
  stopped("stopped-host-lost", { by: "popup" }),
];
