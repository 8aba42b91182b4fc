import { pickLanguage } from "../copy/choice.ts";
import { t } from "../copy/first.ts";
import { ALL_LANGUAGES, LANGUAGES, type Language, languageOf } from "../copy/languages.ts";
import { spokenLocale } from "../copy/speech.ts";
import { ChevronIcon, GlobeIcon } from "./icons.tsx";

/** The languages by their own names: who cannot read this one finds theirs. */
export const LanguageChoice = () => (
  <div class="languages">
    <label for="language">
      <GlobeIcon />
      <span class="visually-hidden">{t("language")}</span>
    </label>
    <select
      id="language"
      value={languageOf(spokenLocale())}
      onChange={(event) => void pickLanguage(event.currentTarget.value as Language)}
    >
      {ALL_LANGUAGES.map((language) => (
        <option key={language} value={language} lang={language}>
          {LANGUAGES[language]}
        </option>
      ))}
    </select>
    <ChevronIcon />
  </div>
);
