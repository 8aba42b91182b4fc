/** The languages there are catalogues of, each by its own name. */
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

/** The language whose texts a locale reads: "de" for "de-CH", "pt-BR" for every Portuguese. */
export function languageOf(locale: string): Language | undefined {
  const [spoken] = locale.toLowerCase().split(/[-_]/);
  return ALL_LANGUAGES.find((language) => language.split("-")[0] === spoken);
}

export const directionOf = (language: Language): "ltr" | "rtl" =>
  language === "ar" ? "rtl" : "ltr";

/** The first of the wanted locales that there are texts for, with its region; English without one. */
export function chooseLocale(wanted: readonly (string | null | undefined)[]): string {
  for (const locale of wanted) {
    const known = locale && languageOf(locale) && canonical(locale);
    if (known) return known;
  }
  return "en";
}

/** A language with the region that the device speaks it in: German numbers differ in Switzerland. */
export const inRegion = (language: Language, device: readonly string[]): string =>
  chooseLocale([...device.filter((locale) => languageOf(locale) === language), language]);

function canonical(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf([locale.replaceAll("_", "-")])[0];
  } catch {
    return undefined;
  }
}
