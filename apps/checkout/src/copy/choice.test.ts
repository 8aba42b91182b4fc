import { beforeEach, expect, test, vi } from "vitest";
import type { Device } from "./choice.ts";

// Each test opens a checkout of its own: what is spoken and picked belongs to a page.
beforeEach(() => vi.resetModules());

const open = async (languages: readonly string[], memory: Device["memory"] = makeMemory()) => {
  const choice = await import("./choice.ts");
  const { say, spokenLocale } = await import("./speech.ts");
  await choice.startSpeaking({ languages, memory });
  return { ...choice, spokenLocale, says: () => say("continue"), memory };
};

function makeMemory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test("a page begins in the first of the device's languages that there is", async () => {
  const page = await open(["zh-CN", "de-AT", "fr"]);
  expect(page.spokenLocale()).toBe("de-AT");
  expect(page.says()).toBe("Weiter");
});

test("a device without a language of ours gets English", async () => {
  const page = await open(["zh-CN"]);
  expect(page.says()).toBe("Continue");
});

test("what the shop's page asks for goes before the device", async () => {
  const page = await open(["de"]);
  expect(await page.speakFor("s-1", "tr")).toBe("tr");
  expect(page.says()).toBe("Devam");
});

test("a language of the shop's page that there is not leaves the device's", async () => {
  const page = await open(["de"]);
  expect(await page.speakFor("s-1", "xx")).toBe("de");
});

test("what the customer picks goes before everything while the checkout is open", async () => {
  const page = await open(["de-CH", "fr-CH"]);
  await page.speakFor("s-1", "it");
  await page.pickLanguage("fr");
  expect(page.spokenLocale()).toBe("fr-CH");
  expect(await page.speakFor("s-1", "it")).toBe("fr-CH");
});

test("after a reload the checkout is in the language that was picked in it", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", null);
  await first.pickLanguage("ar");
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", null)).toBe("ar");
});

test("what was picked before the session was known is kept too", async () => {
  const first = await open(["de"]);
  await first.pickLanguage("es");
  await first.speakFor("s-1", null);
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", null)).toBe("es");
});

test("another checkout of the same window does not inherit what was picked", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", null);
  await first.pickLanguage("ar");
  vi.resetModules();
  const other = await open(["de"], first.memory);
  expect(await other.speakFor("s-2", null)).toBe("de");
});

test("after a reload the shop's page is heard first", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", "it");
  await first.pickLanguage("ar");
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", "it")).toBe("it");
});

test("a browser that keeps nothing is no hindrance", async () => {
  const forget = () => {
    throw new Error("access is denied");
  };
  const page = await open(["de"], { getItem: forget, setItem: forget });
  await page.speakFor("s-1", null);
  await page.pickLanguage("fr");
  expect(page.says()).toBe("Continuer");
});
