import { expect, test } from "vitest";
import { makeStopList } from "./stop-list.ts";

test("parts end in the reverse order of their beginning, each after the one before", async () => {
  const order: string[] = [];
  const stops = makeStopList(() => {});
  for (const name of ["database", "jobs", "http"]) {
    stops.add(name, async () => {
      order.push(`${name} ends`);
      await Promise.resolve();
      order.push(`${name} ended`);
    });
  }
  await stops.stopAll();
  expect(order).toEqual([
    ...["http ends", "http ended", "jobs ends", "jobs ended"],
    ...["database ends", "database ended"],
  ]);
});

test("a part that fails to end is told and does not keep the others", async () => {
  const messages: string[] = [];
  let ended = false;
  const stops = makeStopList((message) => messages.push(message));
  stops.add("database", async () => {
    ended = true;
  });
  stops.add("http", () => Promise.reject(new Error("no")));
  await stops.stopAll();
  expect(ended).toBe(true);
  expect(messages).toEqual(["http: no"]);
});

test("stopping twice ends every part once", async () => {
  let count = 0;
  const stops = makeStopList(() => {});
  stops.add("jobs", async () => {
    count += 1;
  });
  await Promise.all([stops.stopAll(), stops.stopAll()]);
  expect(count).toBe(1);
});
