import { expect, test } from "vitest";
import { createEventReader, type StreamEvent } from "./stream.ts";

function eventsIn(...pieces: readonly string[]): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  for (const piece of pieces) read(piece);
  return events;
}

const ORDER = { type: "order", data: '{"orderId":7}' };

test.each(["\n", "\r\n", "\r"])("an event ends with an empty line, ended by %j", (end) => {
  const lines = ["event: order", "id: 3", 'data: {"orderId":7}', "", ""];
  expect(eventsIn(lines.join(end))).toEqual([ORDER]);
});

test.each(["\n", "\r\n"])("it may be cut anywhere, lines ended by %j", (end) => {
  const text = ["event: order", 'data: {"orderId":7}', "", "event: order", "data: 2", "", ""].join(
    end,
  );
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(eventsIn(text.slice(0, cut), "", text.slice(cut))).toEqual([
      ORDER,
      { type: "order", data: "2" },
    ]);
  }
});

test("what is not ended yet is no event", () => {
  expect(eventsIn("event: order\ndata: 1\n")).toEqual([]);
});

test("comments, fields nobody knows and events without data are passed over", () => {
  expect(eventsIn(": nothing new\n\nretry: 9\nevent: order\n\ndata: 1\ncolour: red\n\n")).toEqual([
    { type: "message", data: "1" },
  ]);
});

test("several lines of data are one text; one space after the colon is not part of it", () => {
  expect(eventsIn("data:a\ndata: b\ndata:  c\ndata\n\n")).toEqual([
    { type: "message", data: "a\nb\n c\n" },
  ]);
});
