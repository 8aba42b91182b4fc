import { directionOf, languageOf } from "../copy/languages.ts";

/** The direction of a locale's writing. */
export const writingOf = (locale: string): "ltr" | "rtl" => directionOf(languageOf(locale) ?? "en");

/** Tells the page's language, so that it is read aloud, hyphenated and laid out as such. */
export function applyLanguage(root: HTMLElement, locale: string): void {
  root.lang = locale;
  root.dir = writingOf(locale);
}
