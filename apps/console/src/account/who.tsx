import type { Me } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { goTo } from "../route.ts";
import { chooseLanguage, languageNow, languages, say } from "../say.ts";

/** The person who is signed in, with the language of the console and the way out. */
export const Who = ({ me, onSignOut }: { readonly me: Me; readonly onSignOut: () => void }) => (
  <div class="who">
    <span class="muted">
      {me.name}
      {me.merchantName && `, ${me.merchantName}`}
    </span>
    <LanguageChoice />
    <button type="button" class="button quiet" onClick={() => void signOut(onSignOut)}>
      {say("nav.sign_out")}
    </button>
  </div>
);

async function signOut(done: () => void): Promise<void> {
  await call("/me/sign_out", { method: "POST" }).catch(() => {});
  goTo("");
  done();
}

function LanguageChoice() {
  return (
    <select
      aria-label={say("nav.language")}
      value={languageNow()}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
    >
      {languages().map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
