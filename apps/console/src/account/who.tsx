import type { Me } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { goTo } from "../route.ts";
import { chooseLanguage, languageNow, languages, say } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { useAction } from "../ui/use-data.ts";

/** The person who is signed in, with the language of the console and the way out. */
export function Who({ me, onSignOut }: { readonly me: Me; readonly onSignOut: () => void }) {
  const { isBusy, error, run } = useAction();
  // The session goes on until the service has ended it, so a failure leaves the person here.
  const signOut = () =>
    run(async () => {
      await call("/me/sign_out", { method: "POST" });
      goTo("");
      onSignOut();
    });
  return (
    <div class="who">
      <ErrorNotice error={error} />
      <span class="muted">
        {me.name}
        {me.merchantName && `, ${me.merchantName}`}
      </span>
      <LanguageChoice />
      <button type="button" class="button quiet" aria-disabled={isBusy} onClick={signOut}>
        {say("nav.sign_out")}
      </button>
    </div>
  );
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
