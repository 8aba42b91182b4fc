import type { CheckoutSession, OperationType } from "@exchange/contract";
import { type Locks, locksOf } from "../machine/locks.ts";
import { inLocale } from "../machine/reduce.ts";
import type { CardDraft, Choosing, WalletDraft } from "../machine/state.ts";
import { stepsOf } from "../machine/steps.ts";
import { fitWays, isCard } from "../machine/ways.ts";

/** A draft of another version is not used. */
const VERSION = 1;

/** The choices of a session in this window. The fields of a card are never among them. */
type Draft = Pick<Choosing, "screen" | "amount" | "wallet" | "refund" | "payout" | "edited"> & {
  readonly version: typeof VERSION;
  readonly sessionId: string;
  readonly operation: OperationType;
  readonly locale: string;
  readonly spend: number;
  readonly receive: number;
  readonly method: number;
  readonly delivery: number | undefined;
  readonly billing: Pick<CardDraft, "postalCode" | "countryCode">;
};

/** The stored choices of a session, to be applied once its first screen is known. */
export interface SavedChoices {
  readonly operation: OperationType;
  applyTo(choosing: Choosing): Choosing;
}

export function draftTextOf(stage: Choosing): string {
  const { world, card } = stage;
  const draft: Draft = {
    version: VERSION,
    sessionId: world.session.sessionId,
    operation: world.operation,
    locale: world.locale,
    screen: stage.screen,
    amount: stage.amount,
    spend: stage.spend.id,
    receive: stage.receive.id,
    method: stage.method.id,
    delivery: stage.delivery?.id,
    wallet: checkedAgain(stage.wallet),
    refund: checkedAgain(stage.refund),
    payout: stage.payout,
    edited: stage.edited,
    billing: { postalCode: card.postalCode, countryCode: card.countryCode },
  };
  return JSON.stringify(draft);
}

/** An address whose check was not finished is checked again. */
const checkedAgain = (draft: WalletDraft): WalletDraft =>
  draft.check === "accepted" ? draft : { ...draft, check: "unchecked", fault: undefined };

/** Returns the choices in the text if they are of this session. */
export function parseDraft(text: string, session: CheckoutSession): SavedChoices | undefined {
  const draft = JSON.parse(text) as Draft;
  if (draft.version !== VERSION || draft.sessionId !== session.sessionId) return undefined;
  return { operation: draft.operation, applyTo: (choosing) => restore(draft, choosing) };
}

/** The draft's choices in place of the first ones. The merchant's locks hold. */
function restore(draft: Draft, first: Choosing): Choosing {
  const { world } = first;
  if (draft.operation !== world.operation) return first;
  const locks = locksOf(world.session);
  const spend = locks.spendCurrency ? first.spend : named(world.spendCurrencies, draft.spend);
  const receive = locks.receiveCurrency
    ? first.receive
    : named(world.receiveCurrencies, draft.receive);
  const method = locks.method ? first.method : named(world.methods, draft.method);
  // The catalogue changed in the meantime.
  if (!spend || !receive || !method || spend.id === receive.id) return first;
  const delivery = named(method.deliveryMethods ?? [], draft.delivery) ?? first.delivery;
  const restored: Choosing = {
    ...fitWays({ ...first, spend, receive, method, delivery }),
    amount: locks.amount ? first.amount : draft.amount,
    wallet: locks.wallet ? { ...first.wallet, ...memoIn(draft, locks) } : draft.wallet,
    refund: draft.refund,
    payout: { ...first.payout, ...draft.payout },
    card: { ...first.card, ...draft.billing },
    edited: draft.edited,
  };
  const spoken = { ...restored, world: { ...world, locale: draft.locale } };
  return { ...(inLocale(spoken, world.locale) as Choosing), screen: screenFor(draft, restored) };
}

/** The merchant may lock an address and leave its memo to the customer. */
const memoIn = ({ wallet }: Draft, locks: Locks): Partial<WalletDraft> =>
  locks.memo ? {} : { memo: wallet.memo, withoutMemo: wallet.withoutMemo };

/** The step of the draft. A card was not stored, neither one that pays nor one that is paid, so its step is shown again. */
function screenFor({ screen }: Draft, stage: Choosing): Choosing["screen"] {
  const steps = stepsOf(stage);
  const isPaidToCard = stage.delivery !== undefined && isCard(stage.delivery);
  const lost = isPaidToCard ? "payout" : steps.find((step) => step === "card");
  const wanted = screen === "review" ? (lost ?? screen) : screen;
  return steps.find((step) => step === wanted) ?? stage.screen;
}

const named = <Item extends { readonly id: number }>(items: readonly Item[], id?: number) =>
  items.find((item) => item.id === id);
