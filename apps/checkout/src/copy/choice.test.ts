import { beforeEach, expect, test, vi } from "vitest";
import type { Device } from "./choice.ts";

// Each test opens a page of its own: the language and the pick belong to a page.
beforeEach(() => vi.resetModules());

const open = async (languages: readonly string[], memory: Device["memory"] = makeMemory()) => {
  const choice = await import("./choice.ts");
  const { say, spokenLocale } = await import("./speech.ts");
  await choice.startSpeaking({ languages, memory });
  return { ...choice, spokenLocale, says: () => say("continue"), memory };
};

function makeMemory() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

test("a page starts in the first of the device's languages that has texts", async () => {
  const page = await open(["zh-CN", "de-AT", "fr"]);
  expect(page.spokenLocale()).toBe("de-AT");
  expect(page.says()).toBe("Weiter");
});

test("a device without a language that has texts gets English", async () => {
  const page = await open(["zh-CN"]);
  expect(page.says()).toBe("Continue");
});

test("the shop's language comes before the device's", async () => {
  const page = await open(["de"]);
  expect(await page.speakFor("s-1", "tr")).toBe("tr");
  expect(page.says()).toBe("Devam");
});

test("a shop's language without texts leaves the device's language", async () => {
  const page = await open(["de"]);
  expect(await page.speakFor("s-1", "xx")).toBe("de");
});

test("the customer's pick comes first while the checkout is open", async () => {
  const page = await open(["de-CH", "fr-CH"]);
  await page.speakFor("s-1", "it");
  await page.pickLanguage("fr");
  expect(page.spokenLocale()).toBe("fr-CH");
  expect(await page.speakFor("s-1", "it")).toBe("fr-CH");
});

test("after a reload the checkout is in the picked language", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", null);
  await first.pickLanguage("ar");
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", null)).toBe("ar");
});

test("a pick made before the session is known is stored too", async () => {
  const first = await open(["de"]);
  await first.pickLanguage("es");
  await first.speakFor("s-1", null);
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", null)).toBe("es");
});

test("another checkout in the same window does not inherit the pick", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", null);
  await first.pickLanguage("ar");
  vi.resetModules();
  const other = await open(["de"], first.memory);
  expect(await other.speakFor("s-2", null)).toBe("de");
});

test("after a reload the shop's language comes before the pick", async () => {
  const first = await open(["de"]);
  await first.speakFor("s-1", "it");
  await first.pickLanguage("ar");
  vi.resetModules();
  const again = await open(["de"], first.memory);
  expect(await again.speakFor("s-1", "it")).toBe("it");
});

test("a browser that blocks storage does not prevent a pick", async () => {
  const forget = () => {
    throw new Error("access is denied");
  };
  const page = await open(["de"], { getItem: forget, setItem: forget });
  await page.speakFor("s-1", null);
  await page.pickLanguage("fr");
  expect(page.says()).toBe("Continuer");
});
