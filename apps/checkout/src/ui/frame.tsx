import type { CheckoutSession } from "@exchange/contract";
import { ALL_LANGUAGES, LANGUAGES, type Language, languageOf } from "@exchange/ui/languages";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { pickLanguage } from "../copy/choice.ts";
import { t } from "../copy/first.ts";
import { spokenLocale } from "../copy/speech.ts";
import { useActions } from "./context.ts";
import { ChevronIcon, CloseIcon, GlobeIcon } from "./icons.tsx";
import { OperatorLine } from "./operator.tsx";

interface FrameProps {
  readonly session: CheckoutSession | undefined;
  readonly shop: string | undefined;
  readonly children: ComponentChildren;
}

/** The parts around every screen: the shop's name, the sandbox badge, the close button, the language. */
export const Frame = ({ session, shop, children }: FrameProps) => {
  const { exit, hosted, operator } = useActions();
  const sandbox = session !== undefined && session.environment !== "prod";
  return (
    <div class="frame">
      <header class="bar">
        <p class="shop">
          {session && <Logo session={session} />}
          <span class="shop-name">{shop ?? t("checkout")}</span>
        </p>
        {sandbox && <span class="badge">{t("sandbox")}</span>}
        {hosted && (
          <button
            type="button"
            class="close"
            aria-label={t("close")}
            onClick={() => exit.ask("user")}
          >
            <CloseIcon />
          </button>
        )}
      </header>
      {children}
      <footer class="foot">
        {sandbox && <p>{t("sandbox.note")}</p>}
        <OperatorLine operator={session ? session.operator : operator} />
        <LanguageChoice />
      </footer>
    </div>
  );
};

/** The logo of the merchant or of its page. */
function Logo({ session }: { readonly session: CheckoutSession }) {
  const [broken, setBroken] = useState(false);
  const { logoUrl } = session.merchant;
  if (!logoUrl || broken) return null;
  return <img class="logo" src={logoUrl} alt="" onError={() => setBroken(true)} />;
}

/** Lists the languages by their own names, so that customers find theirs whatever language is on the screen. */
const LanguageChoice = () => (
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
