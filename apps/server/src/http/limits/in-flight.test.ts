import { setImmediate as turn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { boundRequests } from "./in-flight.ts";

const CHECK_MS = 500;
const LIMITS = { requestsMax: 3, deadlineMs: 15_000 };

/** A server with one request whose work ends when the test says so. */
async function startRequest() {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const app = Fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler((error, _request, reply) => reply.status(503).send((error as Error).message));
  boundRequests(app, LIMITS);
  let end = (): void => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const isTaken = new Promise<void>((taken) => {
    app.get("/", async () => {
      taken();
      await work;
      return "the answer";
    });
  });
  const answer = app.inject("/");
  answer.catch(() => {});
  await isTaken;
  return { answer, end };
}

test("a request whose answer arrived while the process was paused is answered", async () => {
  const { answer, end } = await startRequest();
  vi.advanceTimersByTime(3_600_000);
  await turn();
  end();
  const { statusCode, body } = await answer;
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: "the answer" });
});

test("a request without an answer is refused at most one check after its deadline", async () => {
  const { answer } = await startRequest();
  let isOver = false;
  void answer.then(() => {
    isOver = true;
  });
  for (let passedMs = 0; passedMs < LIMITS.deadlineMs; passedMs += CHECK_MS) {
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(CHECK_MS);
    await turn();
  }
  expect((await answer).statusCode).toBe(503);
});

test("a request is refused in time although the event loop is busy", async () => {
  const { answer } = await startRequest();
  let isOver = false;
  void answer.then(() => {
    isOver = true;
  });
  let passedMs = 0;
  for (; !isOver; passedMs += 900) {
    vi.advanceTimersByTime(900);
    await turn();
  }
  expect(passedMs).toBe(15_300);
  expect((await answer).statusCode).toBe(503);
});
