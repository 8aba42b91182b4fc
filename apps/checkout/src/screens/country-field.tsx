import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";
import { describedBy, Field } from "../ui/field.tsx";
import type { FormErrors } from "../ui/form.tsx";
import { ChevronIcon } from "../ui/icons.tsx";

// ISO 3166-1 alpha-2.
const CODES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

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
  return CODES.split(" ")
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => compare(a.name, b.name));
}
