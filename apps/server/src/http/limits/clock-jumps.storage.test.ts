import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { sandboxCallbacks } from "../../sandbox/callbacks/callbacks.ts";
import { useConsole } from "../../testing/console-world.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { makeWorld } from "../../testing/world.ts";

/** The limit of both doors, in a minute. */
const STRANGE_PER_MINUTE = 60;

const desk = useConsole(() => makeWorld({}));
let api: HttpWorld;

beforeAll(async () => {
  const callbacks = new Map([["sandbox", sandboxCallbacks([Buffer.alloc(32, 7)])]]);
  api = await makeHttpWorld({ deps: { callbacks } });
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => api.close());

/** Lets the time pass while the clock of the machine is set back by an hour. */
function setClockBack(passedMs: number): void {
  const [wallMs, steadyMs] = [Date.now, performance.now.bind(performance)];
  vi.spyOn(Date, "now").mockImplementation(() => wallMs() - 3_600_000);
  vi.spyOn(performance, "now").mockImplementation(() => steadyMs() + passedMs);
}

const callConsole = (index: number) => {
  const cookie = `__Host-exchange_console=${String(index).padStart(43, "x")}`;
  return desk.app.inject({ url: "/v1/admin/me", headers: { cookie } });
};
const sendCallback = () =>
  api.app.inject({
    method: "POST",
    url: "/rails/sandbox/callbacks",
    headers: { "content-type": "application/json" },
    payload: "{}",
  });

test.each([
  ["the console", callConsole],
  ["the callbacks", sendCallback],
])(
  "%s: a limit ends after its minute, also when the clock of the machine is set back",
  async (_title, call) => {
    const status = async (index: number) => (await call(index)).statusCode;
    for (let index = 0; index <= STRANGE_PER_MINUTE; index += 1) await status(index);
    expect(await status(101)).toBe(429);
    setClockBack(61_000);
    expect(await status(102)).toBe(401);
  },
);
