import type { Me, Permission, ProviderSignedIn } from "@exchange/contract/admin";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { finishAtProvider, takeAnswer } from "./account/provider.tsx";
import { SignIn } from "./account/sign-in.tsx";
import { Who } from "./account/who.tsx";
import { type CallError, call, notePerson, onSession } from "./api.ts";
import { PLACES, type Place } from "./places.ts";
import { goTo, linkTo, type Route, useRoute } from "./route.ts";
import { say } from "./say.ts";
import { ErrorNotice } from "./ui/error-notice.tsx";
import { NotFound } from "./ui/not-found.tsx";
import { Fetched, fetchLater, NotLoaded, Waiting } from "./ui/not-loaded.tsx";
import { Screen } from "./ui/screen.tsx";
import { StepUp } from "./ui/step-up.tsx";

/** A person sees it once, so it is not in the first load. */
const Invitation = fetchLater(async () => (await import("./account/invitation.tsx")).Invitation);

/**
 * Keeps the person of this browser: undefined until the service has answered, and null while nobody is signed in. A later
 * question, a sign-in and a sign-out overtake the answer to `ask`.
 */
function usePerson() {
  const [me, setMe] = useState<Me | null>();
  const [failed, setFailed] = useState<CallError>();
  const turn = useRef(0);
  const show = (person: Me | null): void => {
    turn.current += 1;
    notePerson();
    setFailed(undefined);
    setMe(person);
  };
  const ask = async (): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const isNewest = (): boolean => own === turn.current;
    // A call without a session shows the sign-in by itself, which overtakes this one.
    await call<Me>("/me").then(
      (person) => isNewest() && show(person),
      (error: CallError) => isNewest() && setFailed(error),
    );
  };
  return { me, failed, ask, show };
}

/** A fresh proof of the person: one question, and all calls that need it wait for its answer. */
function useProof() {
  const [isAwaited, setAwaited] = useState(false);
  const waiting = useRef<((isProved: boolean) => void)[]>([]);
  const ask = (): Promise<boolean> => {
    setAwaited(true);
    return new Promise((resolve) => waiting.current.push(resolve));
  };
  const end = (isProved: boolean): void => {
    setAwaited(false);
    for (const answer of waiting.current.splice(0)) answer(isProved);
  };
  return { isAwaited, ask, end };
}

export function App() {
  const route = useRoute();
  const { me, failed, ask, show } = usePerson();
  const [refused, setRefused] = useState<CallError>();
  const proof = useProof();
  const signedOut = (ended: CallError | undefined): void => {
    if (ended) setRefused(ended);
    show(null);
  };
  useEffect(() => {
    onSession({ askProof: proof.ask, signedOut });
    const answer = takeAnswer();
    const notAccepted = (error: CallError) => {
      setRefused(error);
      return ask();
    };
    void (answer === undefined ? ask() : finishAtProvider(answer).then(returned, notAccepted));
  }, []);
  const returned = ({ did, me: entered }: ProviderSignedIn): void => {
    if (did !== "signed_in") goTo("account");
    show(entered);
  };
  const enter = (entered: Me): void => {
    setRefused(undefined);
    show(entered);
    if (route.path[0] === "invitation") goTo("");
  };
  const [first = "", token = ""] = route.path;
  if (failed) return <NotLoaded error={failed} onAgain={() => void ask()} />;
  if (me === undefined)
    return (
      <main class="gate">
        <Waiting />
      </main>
    );
  if (first === "invitation")
    return (
      <Fetched as="page">
        <Invitation token={token} onEnter={enter} />
      </Fetched>
    );
  if (me === null) return <SignIn onEnter={enter} failed={refused} />;
  return (
    <>
      <Shell me={me} route={route} refused={refused} onSignOut={() => show(null)} />
      {proof.isAwaited && <StepUp me={me} onEnd={proof.end} />}
    </>
  );
}

function Shell({
  me,
  route,
  refused,
  onSignOut,
}: {
  readonly me: Me;
  readonly route: Route;
  /** The reason why a linking at the identity provider failed. */
  readonly refused: CallError | undefined;
  readonly onSignOut: () => void;
}) {
  useEffect(follow, []);
  const [first = "", id] = route.path;
  const nav = useTabInSight(first);
  const may = (permission: Permission): boolean => me.permissions.includes(permission);
  const open = Object.entries(PLACES).filter(
    ([, { permission, isOperators }]) =>
      (permission === undefined || may(permission)) && (!isOperators || me.merchantId === null),
  );
  const [home] = open;
  const [current, place] =
    first === "" ? (home ?? []) : (open.find(([name]) => name === first) ?? []);
  const Shown = (id !== undefined && place?.detail) || place?.screen;
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={focusContent}>
        {say("nav.skip")}
      </a>
      <header class="bar">
        <span class="brand">
          {say("app.name")}
          <span class={`tag ${me.environment === "prod" ? "danger" : ""}`}>{me.environment}</span>
        </span>
        <nav ref={nav} aria-label={say("nav.label")}>
          {open.map(([name, { label }]) => (
            <a key={name} href={linkTo(name)} aria-current={name === current ? "page" : undefined}>
              {say(label)}
            </a>
          ))}
        </nav>
        <Who me={me} onSignOut={onSignOut} />
      </header>
      <main id="content" tabIndex={-1}>
        {route.path.length === 0 && <ErrorNotice error={refused} />}
        <Fetched key={route.path.join()} as="screen">
          {Shown ? <Shown me={me} route={route} may={may} /> : home && <Nowhere first={home} />}
        </Fetched>
      </main>
    </div>
  );
}

/** Says that the person has no such screen, and leads to their first one. */
const Nowhere = ({ first: [place, { label }] }: { readonly first: readonly [string, Place] }) => (
  <Screen title={say("not_found.title")}>
    <NotFound text={say("not_found.place")} place={place} label={say(label)} />
  </Screen>
);

/**
 * Returns the reference of a strip of tabs that scrolls on a phone, where the tab of the present place may be beyond
 * an edge.
 */
function useTabInSight(place: string) {
  const strip = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const tab = strip.current?.querySelector("[aria-current]");
    tab?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place]);
  return strip;
}

/** Follows changes while the person is signed in. The first load does not wait for it. */
function follow(): () => void {
  const following = import("./ui/follow.ts").then(({ followChanges }) => followChanges());
  return () => void following.then((stop) => stop());
}

/** The address stays as it is: it names a screen, and the link a place on it. */
function focusContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
