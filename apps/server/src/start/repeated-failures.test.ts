import { Writable } from "node:stream";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { logOptions } from "./log.ts";

const MINUTE_MS = 60_000;

let lines: Record<string, unknown>[] = [];
const openLog = () =>
  pino(
    logOptions("info"),
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
        done();
      },
    }),
  );

const databaseError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: "ERROR", routine: "mdextend" });
/** PostgreSQL names another file each time. */
const fullDisk = (file: number): Error =>
  databaseError("53100", `could not extend file "base/5/${file}": No space left on device`);
const written = () => lines.map(({ msg, orderId, repeats }) => ({ msg, orderId, repeats }));

const RETRIED = "a job will be retried";

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("A failure of the database that goes on", () => {
  test("is written once, and then once a minute with the number of its repeats", () => {
    const log = openLog();
    for (let order = 1; order <= 100; order += 1) {
      log.warn({ err: fullDisk(order), orderId: order }, RETRIED);
    }
    expect(written()).toEqual([{ msg: RETRIED, orderId: 1, repeats: undefined }]);
    vi.advanceTimersByTime(MINUTE_MS);
    log.warn({ err: fullDisk(101), orderId: 101 }, RETRIED);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(written().slice(1)).toEqual([
      { msg: RETRIED, orderId: 100, repeats: 99 },
      { msg: RETRIED, orderId: 101, repeats: 1 },
    ]);
    expect(lines.at(-1)?.["err"]).toMatchObject({ code: "53100" });
  });

  test("is new after a minute without it, and is written at once", () => {
    const log = openLog();
    log.warn({ err: fullDisk(1) }, RETRIED);
    vi.advanceTimersByTime(MINUTE_MS);
    log.warn({ err: fullDisk(2) }, RETRIED);
    expect(lines).toHaveLength(2);
  });

  test("is one failure for a request's log and the process's", () => {
    const log = openLog();
    log.child({ requestId: "1" }).error({ err: fullDisk(1) }, "a request failed");
    log.child({ requestId: "2" }).error({ err: fullDisk(2) }, "a request failed");
    expect(lines).toHaveLength(1);
  });

  test("hides no other cause, no other loop and no error that the database did not report", () => {
    const log = openLog();
    const errors = [
      fullDisk(1),
      databaseError("42501", "permission denied for table jobs"),
      databaseError("42501", "permission denied for table orders"),
      new Error("wrapped", { cause: databaseError("58030", "could not write file") }),
      new Error("the signer does not answer"),
      new Error("the signer does not answer"),
      databaseError("57014", "canceling statement due to statement timeout"),
      databaseError("57014", "canceling statement due to statement timeout"),
    ];
    for (const err of errors) log.warn({ err }, RETRIED);
    log.error({ err: fullDisk(2) }, "jobs could not be claimed, retrying");
    expect(lines).toHaveLength(errors.length + 1);
  });

  test("is written each time when it ends the process", () => {
    const log = openLog();
    log.fatal({ err: fullDisk(1) }, "the process ends");
    log.fatal({ err: fullDisk(2) }, "the process ends");
    expect(lines).toHaveLength(2);
  });
});
