import { type Language, languageOf } from "@exchange/ui/languages";
import { type Catalogue, formatMessage, type Values } from "@exchange/ui/messages";
import first from "../../locales/en/first.json";
import { fetchedOnce } from "../fetched-once.ts";
import { CATALOGUES, type Part } from "./catalogues.ts";

/** The time that a screen waits for its language before it shows English. The language may follow later. */
const PATIENCE_MS = 3_000;

let english: Catalogue = first;
/** The first screen needs one part. Screens that are fetched later add theirs. */
let parts: readonly Part[] = ["first"];
let messages: Catalogue = {};
let spoken = "en";
let wanted = "en";
const listeners = new Set<(locale: string) => void>();
const catalogues = new Map<string, () => Promise<{ readonly default: Catalogue }>>();

/** The locale of everything on the screen, so that texts, numbers and dates agree. */
export const spokenLocale = (): string => spoken;

/** Returns a text in the language on the screen, or in English where its catalogue lacks the message. */
export const say = (key: string, values: Values = {}): string =>
  formatMessage(messages, { key, values }, spoken) ??
  formatMessage(english, { key, values }, "en") ??
  key;

export const hasMessage = (key: string): boolean => english[key] !== undefined;

/** Calls `run` after each change of the texts. Returns a function that stops it. */
export function onSpeech(run: (locale: string) => void): () => void {
  listeners.add(run);
  return () => listeners.delete(run);
}

/**
 * Fetches the texts of a locale and shows them. Returns the locale on the screen: the previous one
 * when the texts cannot be fetched or take too long. The last call wins.
 */
export async function speak(locale: string): Promise<string> {
  wanted = locale;
  const arrival = change(locale);
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([arrival, patience]);
  return spoken;
}

/** Adds the parts that screens need, in the language on the screen. */
export async function speakAlso(added: readonly Part[]): Promise<void> {
  parts = [...new Set([...parts, ...added])];
  await speak(wanted);
}

export function addEnglish(texts: Catalogue): void {
  english = { ...english, ...texts };
}

async function change(locale: string): Promise<void> {
  const language = languageOf(locale) ?? "en";
  const found = await Promise.all(parts.map((part) => fetchPart(language, part)));
  if (wanted !== locale || (found.length > 0 && found.every((texts) => texts === undefined))) {
    return;
  }
  messages = Object.assign({}, ...found);
  spoken = locale;
  for (const run of listeners) run(locale);
}

/** Returns one part of a language, or undefined when it cannot be fetched. The next call tries again. */
async function fetchPart(language: Language, part: Part): Promise<Catalogue | undefined> {
  if (language === "en") return {};
  const name = `${language} ${part}`;
  const fetchCatalogue = catalogues.get(name) ?? fetchedOnce(CATALOGUES[language][part]);
  catalogues.set(name, fetchCatalogue);
  return fetchCatalogue().then(
    (texts) => texts.default,
    () => undefined,
  );
}
