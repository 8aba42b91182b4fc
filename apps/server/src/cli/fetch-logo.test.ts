import type http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerStatus, type Receiver, startReceiver } from "../testing/webhooks/receiver.ts";
import { fetchLogo } from "./fetch-logo.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");
const LOCAL = { allowSandboxTargets: true };

let site: Receiver;
beforeAll(async () => {
  site = await startReceiver();
});
afterAll(() => site.close());

const answering = (body: Buffer | string, headers: http.OutgoingHttpHeaders = {}) => {
  site.answer = (response) => response.writeHead(200, headers).end(body);
};

test.each([
  ["image/png", PNG],
  ["image/jpeg", Buffer.from("ffd8ffe000", "hex")],
  ["image/webp", Buffer.from("RIFF\0\0\0\0WEBPVP8 ")],
  ["image/svg+xml", '<?xml version="1.0"?>\n<!-- made -->\n<svg viewBox="0 0 1 1"></svg>'],
  ["image/svg+xml", '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">\n<svg></svg>'],
])("%s is stored as it is, whatever type its server names", async (type, body) => {
  answering(body, { "content-type": "text/html" });
  const base64 = Buffer.from(body).toString("base64");
  expect(await fetchLogo(site.url, LOCAL)).toBe(`data:${type};base64,${base64}`);
});

test.each([
  ["a page", () => answering("<html></html>"), /not a PNG, JPEG, WebP or SVG/],
  ["a file of comments alone", () => answering("<!---->".repeat(5_000)), /not a PNG, JPEG/],
  ["an error", () => void (site.answer = answerStatus(404)), /status 404/],
  [
    "a redirect",
    () => void (site.answer = answerStatus(302, { location: "http://127.0.0.1:1/" })),
    /status 302/,
  ],
  ["more than 36 kB", () => answering(Buffer.concat([PNG, Buffer.alloc(37_000)])), /36 kB/],
])("%s is refused", async (_what, answer, words) => {
  answer();
  await expect(fetchLogo(site.url, LOCAL)).rejects.toThrow(words);
});

test.each([
  "http://shop.example/logo.png",
  "https://127.0.0.1/logo.png",
  "https://[::ffff:10.0.0.1]/logo.png",
  "https://169.254.169.254/logo.png",
  "https://localhost/logo.png",
  "https://user:pass@shop.example/logo.png",
])("%s is not asked", async (url) => {
  const requestsBefore = site.received.length;
  const policy = { allowSandboxTargets: false };
  await expect(fetchLogo(url, policy)).rejects.toThrow(/cannot be fetched/);
  expect(site.received).toHaveLength(requestsBefore);
});
