import type { ProviderAddress, ProviderSignedIn, SignInProvider } from "@exchange/contract/admin";
import { CallError, call } from "../api.ts";
import { say } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { useAction, useData } from "../ui/use-data.ts";

const CALLBACK_PATH = "/sign_in/callback";

/** Returns the answer of the identity provider in the address, and takes it out of the address and the history. */
export function takeAnswer(): string | undefined {
  if (location.pathname !== CALLBACK_PATH) return undefined;
  const answer = location.search.slice(1);
  history.replaceState(null, "", "/");
  return answer;
}

/** Finishes what the browser began before it went to the identity provider. */
export async function finishAtProvider(answer: string): Promise<ProviderSignedIn> {
  try {
    const body = { answer };
    return await call<ProviderSignedIn>("/sign_in/provider", { method: "POST", body });
  } catch (error) {
    const isRefused = error instanceof CallError && error.code === "SIGN_IN_FAILED";
    throw isRefused ? new CallError("PROVIDER_SIGN_IN_FAILED", "") : error;
  }
}

interface Begin {
  /** The call that answers with the provider's address. */
  readonly begin: string;
  readonly body?: object | undefined;
}

/** Goes to the identity provider, which returns the browser to the console. */
export async function goToProvider({ begin, body }: Begin): Promise<void> {
  const { url } = await call<ProviderAddress>(begin, { method: "POST", body });
  location.assign(url);
}

/** The button of the identity provider, where the service has one. */
export function ProviderButton({ begin, body }: Begin) {
  const loaded = useData("provider", () => call<SignInProvider>("/sign_in/provider"));
  const { isBusy, error, run } = useAction();
  const name = loaded.data?.name;
  if (!name) return null;
  return (
    <>
      <ErrorNotice error={error} />
      <button
        type="button"
        class="button wide"
        aria-disabled={isBusy}
        onClick={() => run(() => goToProvider({ begin, body }))}
      >
        {say("sign_in.provider", { name })}
      </button>
    </>
  );
}
