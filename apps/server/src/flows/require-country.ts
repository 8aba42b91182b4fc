import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { Country } from "../domain/catalogue/country.ts";
import { Refusal } from "./refusal.ts";

/**
 * Returns the ISO 3166-1 country of a code in any letter case. A country that is not served is
 * returned too, because the rules decide about it. Refuses INVALID_COUNTRY.
 */
export function requireCountry(
  catalogue: Catalogue,
  { code, field }: { readonly code: string; readonly field: string },
): Country {
  const country = catalogue.country(code);
  if (country) return country;
  throw new Refusal("INVALID_COUNTRY", {
    message: `"${code}" is not a country code. Use an ISO 3166-1 alpha-2 code such as DE.`,
    details: [{ field, issue: "is not an ISO 3166-1 alpha-2 code" }],
  });
}
