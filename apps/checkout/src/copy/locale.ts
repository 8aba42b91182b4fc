/** The locale of numbers and dates. Texts are English, so the numbers beside them are too. */
export function chooseLocale(wanted: string | undefined): string {
  if (!wanted?.toLowerCase().startsWith("en")) return "en";
  try {
    return Intl.NumberFormat.supportedLocalesOf([wanted])[0] ?? "en";
  } catch {
    return "en";
  }
}
