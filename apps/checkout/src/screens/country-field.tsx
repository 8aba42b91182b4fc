import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";
import { describedBy, Field } from "../ui/field.tsx";
import type { FormErrors } from "../ui/form.tsx";
import { ChevronIcon } from "../ui/icons.tsx";

// ISO 3166-1 alpha-2, by the first letter: "JEMOP" stands for JE, JM, JO and JP. Written in full they take 480 bytes more.
const CODES =
  "ADEFGILMOQRSTUWXZ BABDEFGHIJLMNOQRSTVWYZ CACDFGHIKLMNORUVWXYZ DEJKMOZ ECEGHRST FIJKMOR GABDEFGHILMNPQRSTUWY HKMNRTU IDELMNOQRST JEMOP KEGHIMNPRWYZ LABCIKRSTUVY MACDEFGHKLMNOPQRSTUVWXYZ NACEFGILOPRUZ OM PAEFGHKLMNRSTWY QA REOSUW SABCDEGHIJKLMNORSTVXYZ TCDFGHJKLMNORTVWZ UAGMSYZ VACEGINU WFS YET ZAMW"
    .split(" ")
    .flatMap(([first, ...seconds]) => seconds.map((second) => `${first}${second}`));

interface Country {
  readonly code: string;
  readonly name: string;
}

export interface CountryProps {
  readonly card: CardDraft;
  readonly form: FormErrors;
  readonly onType: (fields: Partial<CardDraft>) => void;
  readonly locale: string;
  /** The countries of which no card is taken. */
  readonly unserved: readonly string[];
}

/** The country as the browser's own list: it fills itself in, finds what is typed, and has the phone's picker. */
export function CountryField({ card, form, onType, locale, unserved }: CountryProps) {
  const served = useCountries(locale, card.countryCode);
  const countries = served.filter(({ code }) => !unserved.includes(code));
  const field = {
    id: "billing-country",
    label: t("card.country"),
    error: form.errorOf("billing-country"),
  };
  return (
    <Field {...field}>
      <div class="control">
        <select
          {...describedBy(field)}
          autoComplete="billing country"
          value={card.countryCode}
          onChange={(event) => onType({ countryCode: event.currentTarget.value })}
          onBlur={() => form.blur("billing-country")}
        >
          <option value="" />
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        <ChevronIcon />
      </div>
    </Field>
  );
}

/** Returns the picked country at once and all countries after the first paint: the list is long to draw. */
function useCountries(locale: string, picked: string): readonly Country[] {
  const [all, setAll] = useState<readonly Country[]>();
  useEffect(() => setAll(countriesIn(locale)), [locale]);
  return all ?? (picked ? [countryIn(locale, picked)] : []);
}

const countryIn = (locale: string, code: string): Country => ({
  code,
  name: new Intl.DisplayNames([locale], { type: "region" }).of(code) ?? code,
});

/** Returns every country with its name in the locale, in the locale's order. */
function countriesIn(locale: string): readonly Country[] {
  const names = new Intl.DisplayNames([locale], { type: "region" });
  const { compare } = new Intl.Collator(locale);
  return CODES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
    compare(a.name, b.name),
  );
}
