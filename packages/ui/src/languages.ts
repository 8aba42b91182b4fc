/** The languages with catalogues, each by its own name. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  "pt-BR": "Português (Brasil)",
  it: "Italiano",
  tr: "Türkçe",
  ar: "العربية",
} as const;
export type Language = keyof typeof LANGUAGES;

export const ALL_LANGUAGES = Object.keys(LANGUAGES) as readonly Language[];

/** Returns the language of a locale's texts: "de" for "de-CH", "pt-BR" for every Portuguese. */
export function languageOf(locale: string): Language | undefined {
  const [spoken] = locale.toLowerCase().split(/[-_]/);
  return ALL_LANGUAGES.find((language) => language.split("-")[0] === spoken);
}

/** Returns the writing direction of a locale's texts. */
export const directionOf = (locale: string): "ltr" | "rtl" =>
  languageOf(locale) === "ar" ? "rtl" : "ltr";

/** Returns the first wanted locale that has texts, with its region, or English. */
export function chooseLocale(wanted: readonly (string | null | undefined)[]): string {
  for (const locale of wanted) {
    const spoken = locale && languageOf(locale) && canonical(locale);
    if (spoken) return spoken;
  }
  return "en";
}

/** Returns a language with the device's region: German numbers look different in Switzerland. */
export const inRegion = (language: Language, device: readonly string[]): string =>
  chooseLocale([...device.filter((locale) => languageOf(locale) === language), language]);

function canonical(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf([locale.replaceAll("_", "-")])[0];
  } catch {
    return undefined;
  }
}
