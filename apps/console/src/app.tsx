import type { Me, Permission, ProviderSignedIn } from "@exchange/contract/admin";
import { type ComponentType, lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { finishAtProvider, takeAnswer } from "./account/provider.tsx";
import { SignIn } from "./account/sign-in.tsx";
import { type CallError, call, onSession } from "./api.ts";
import { goTo, linkTo, type Route, type ScreenProps, useRoute } from "./route.ts";
import { chooseLanguage, languageNow, languages, say, type TextKey } from "./say.ts";
import { ErrorNotice } from "./ui/error-notice.tsx";
import { StepUp } from "./ui/step-up.tsx";

interface Place {
  readonly label: TextKey;
  readonly screen: ComponentType<ScreenProps>;
  readonly permission?: Permission;
  /** The screen of one thing of the place, whose id is the second part of the address. */
  readonly detail?: ComponentType<ScreenProps>;
  /** Only the operator's people see it. */
  readonly isOperators?: true;
}

/** The places of the console by the first part of their address, each loaded when it is opened. */
const PLACES: Readonly<Record<string, Place>> = {
  home: {
    label: "nav.home",
    screen: lazy(async () => (await import("./home/home.tsx")).Home),
    permission: "overview.read",
    isOperators: true,
  },
  shop: {
    label: "nav.home",
    screen: lazy(async () => (await import("./money/shop.tsx")).ShopHome),
    permission: "shop.read",
  },
  orders: {
    label: "nav.orders",
    screen: lazy(async () => (await import("./orders/orders.tsx")).Orders),
    detail: lazy(async () => (await import("./orders/order.tsx")).Order),
    permission: "orders.read",
  },
  reviews: {
    label: "nav.reviews",
    screen: lazy(async () => (await import("./orders/reviews.tsx")).Reviews),
    permission: "orders.read",
    isOperators: true,
  },
  payouts: {
    label: "nav.payouts",
    screen: lazy(async () => (await import("./payouts/payouts.tsx")).Payouts),
    permission: "payouts.read",
    isOperators: true,
  },
  treasury: {
    label: "nav.treasury",
    screen: lazy(async () => (await import("./money/treasury.tsx")).TreasuryBalances),
    permission: "treasury.read",
    isOperators: true,
  },
  reports: {
    label: "nav.reports",
    screen: lazy(async () => (await import("./money/reports.tsx")).Reports),
    permission: "reports.read",
  },
  statements: {
    label: "nav.statements",
    screen: lazy(async () => (await import("./money/statements.tsx")).Statements),
    permission: "ledger.read",
  },
  ledger: {
    label: "nav.ledger",
    screen: lazy(async () => (await import("./money/ledger.tsx")).Ledger),
    permission: "ledger.read",
    isOperators: true,
  },
  keys: {
    label: "nav.keys",
    screen: lazy(async () => (await import("./keys/keys.tsx")).Keys),
    permission: "integration.read",
  },
  webhooks: {
    label: "nav.webhooks",
    screen: lazy(async () => (await import("./webhooks/webhooks.tsx")).Webhooks),
    detail: lazy(async () => (await import("./webhooks/delivery.tsx")).Delivery),
    permission: "integration.read",
  },
  requests: {
    label: "nav.requests",
    screen: lazy(async () => (await import("./requests/requests.tsx")).Requests),
    permission: "integration.read",
  },
  install: {
    label: "nav.install",
    screen: lazy(async () => (await import("./install/install.tsx")).Install),
    permission: "integration.read",
  },
  settings: {
    label: "nav.settings",
    screen: lazy(async () => (await import("./settings/settings.tsx")).Settings),
    permission: "integration.read",
  },
  prices: {
    label: "nav.prices",
    screen: lazy(async () => (await import("./prices/prices.tsx")).Prices),
    permission: "prices.read",
    isOperators: true,
  },
  catalogue: {
    label: "nav.catalogue",
    screen: lazy(async () => (await import("./catalogue/catalogue.tsx")).Catalogue),
    permission: "catalogue.read",
    isOperators: true,
  },
  merchants: {
    label: "nav.merchants",
    screen: lazy(async () => (await import("./merchants/merchants.tsx")).Merchants),
    detail: lazy(async () => (await import("./merchants/merchant.tsx")).MerchantDetail),
    permission: "merchants.read",
    isOperators: true,
  },
  people: {
    label: "nav.people",
    screen: lazy(async () => (await import("./people/people.tsx")).People),
    permission: "people.read",
  },
  audit: {
    label: "nav.audit",
    screen: lazy(async () => (await import("./people/audit.tsx")).Audit),
    permission: "audit.read",
  },
  account: {
    label: "nav.account",
    screen: lazy(async () => (await import("./account/account.tsx")).Account),
  },
};

/** A person sees it once, so it is not in the first load. */
const Invitation = lazy(async () => (await import("./account/invitation.tsx")).Invitation);

export function App() {
  const route = useRoute();
  const [me, setMe] = useState<Me | null>();
  const [failed, setFailed] = useState<CallError>();
  const [refused, setRefused] = useState<CallError>();
  const [asking, setAsking] = useState<(isProved: boolean) => void>();
  useEffect(() => {
    onSession({
      askProof: () => new Promise((resolve) => setAsking(() => resolve)),
      signedOut: () => setMe(null),
    });
    const readMe = () =>
      call<Me>("/me").then(setMe, (error: CallError) =>
        error.code === "SIGN_IN_REQUIRED" ? setMe(null) : setFailed(error),
      );
    const answer = takeAnswer();
    const notAccepted = (error: CallError) => {
      setRefused(error);
      return readMe();
    };
    void (answer === undefined ? readMe() : finishAtProvider(answer).then(returned, notAccepted));
  }, []);
  const returned = ({ did, me: entered }: ProviderSignedIn): void => {
    if (did !== "signed_in") goTo("account");
    setMe(entered);
  };
  const enter = (entered: Me): void => {
    setRefused(undefined);
    setMe(entered);
    if (route.path[0] === "invitation") goTo("");
  };
  const [first = "", token = ""] = route.path;
  if (failed)
    return (
      <main class="gate">
        <ErrorNotice error={failed} />
      </main>
    );
  if (me === undefined) return null;
  if (first === "invitation") return <Invitation token={token} onEnter={enter} />;
  if (me === null) return <SignIn onEnter={enter} failed={refused} />;
  return (
    <>
      <Shell me={me} route={route} refused={refused} onSignOut={() => setMe(null)} />
      {asking && (
        <StepUp
          me={me}
          onEnd={(isProved) => {
            setAsking(undefined);
            asking(isProved);
          }}
        />
      )}
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
  const may = (permission: Permission): boolean => me.permissions.includes(permission);
  const open = Object.entries(PLACES).filter(
    ([, { permission, isOperators }]) =>
      (permission === undefined || may(permission)) && (!isOperators || me.merchantId === null),
  );
  const [first = "", id] = route.path;
  const [current, place] = open.find(([name]) => name === first) ?? open[0] ?? [];
  if (place === undefined) return null;
  const Shown = (id !== undefined && place.detail) || place.screen;
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
        <nav aria-label={say("nav.label")}>
          {open.map(([name, { label }]) => (
            <a key={name} href={linkTo(name)} aria-current={name === current ? "page" : undefined}>
              {say(label)}
            </a>
          ))}
        </nav>
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
      </header>
      <main id="content" tabIndex={-1}>
        {route.path.length === 0 && <ErrorNotice error={refused} />}
        <Suspense fallback={<p class="muted">{say("common.loading")}</p>}>
          <Shown key={`${current} ${id ?? ""}`} me={me} route={route} may={may} />
        </Suspense>
      </main>
    </div>
  );
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
