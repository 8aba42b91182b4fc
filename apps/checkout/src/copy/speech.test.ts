import { beforeEach, expect, test, vi } from "vitest";

type Table = Readonly<Record<string, Record<string, () => Promise<unknown>>>>;

const fetched = vi.hoisted(() => ({ parts: [] as string[], fail: false, wait: false }));

vi.mock("./catalogues.ts", async (importOriginal) => {
  const { CATALOGUES } = await importOriginal<{ CATALOGUES: Table }>();
  const watched = Object.entries(CATALOGUES).map(([language, parts]) => {
    const entries = Object.entries(parts).map(([part, fetch]) => {
      const watchedFetch = async () => {
        fetched.parts.push(`${language} ${part}`);
        if (fetched.wait) await new Promise(() => undefined);
        if (fetched.fail) throw new Error("the line is down");
        return await fetch();
      };
      return [part, watchedFetch];
    });
    return [language, Object.fromEntries(entries)];
  });
  return { CATALOGUES: Object.fromEntries(watched) };
});

beforeEach(() => {
  vi.resetModules();
  Object.assign(fetched, { parts: [], fail: false, wait: false });
});

const open = () => import("./speech.ts");

test("English needs no fetch", async () => {
  const { speak, speakAlso, say } = await open();
  await speak("en-GB");
  await speakAlso(["steps", "orders"]);
  expect(say("continue")).toBe("Continue");
  expect(fetched.parts).toEqual([]);
});

test("a language is fetched once, and only the parts of the fetched screens", async () => {
  const { speak, speakAlso } = await open();
  await speak("de");
  expect(fetched.parts).toEqual(["de first"]);
  await speak("de-AT");
  await speakAlso(["steps", "orders"]);
  expect(fetched.parts).toEqual(["de first", "de steps", "de orders"]);
});

test("texts and numbers change together, and listeners are called", async () => {
  const { speak, say, onSpeech, spokenLocale } = await open();
  const heard: string[] = [];
  const precision = () => say("amount.error.precision", { code: "JPY", count: 1200 });
  onSpeech((locale) => heard.push(`${locale} ${precision()}`));
  await speak("de");
  await speak("en");
  expect(heard).toEqual([
    "de Beträge in JPY haben höchstens 1.200 Nachkommastellen",
    "en JPY amounts can have at most 1,200 decimal places",
  ]);
  expect(spokenLocale()).toBe("en");
});

test("the last of two requested languages wins", async () => {
  const { speak, say } = await open();
  await Promise.all([speak("fr"), speak("de")]);
  expect(say("continue")).toBe("Weiter");
});

test("a failed fetch leaves the previous language, and the next request fetches again", async () => {
  const { speak, say } = await open();
  fetched.fail = true;
  expect(await speak("de")).toBe("en");
  expect(say("continue")).toBe("Continue");
  fetched.fail = false;
  expect(await speak("de")).toBe("de");
  expect(say("continue")).toBe("Weiter");
});

test("a slow language leaves English on the screen after three seconds", async () => {
  vi.useFakeTimers();
  const { speak, say } = await open();
  fetched.wait = true;
  const spoken = speak("de");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await spoken).toBe("en");
  expect(say("continue")).toBe("Continue");
  vi.useRealTimers();
});

test("a message that a language lacks is printed in English", async () => {
  const { speak, say, addEnglish } = await open();
  addEnglish({ brandNew: "{{count}} more", plain: "New" });
  await speak("de");
  expect(say("plain")).toBe("New");
  expect(say("brandNew", { count: 1200 })).toBe("1,200 more");
});
