import {
  NO_ORDER_PERSON,
  NO_SESSION_PERSON,
  NO_WALLET_PERSON,
  normalizeEmail,
  type OrderPerson,
  type SessionPerson,
  type WalletPerson,
} from "../../domain/customers/personal-data.ts";
import type { Order, OrderCustomer } from "../../domain/orders/order.ts";
import type { DataKey } from "../../domain/ports/secret-box.ts";
import type { Session, StoredSession } from "../../domain/sessions/session.ts";
import {
  type DataKeyKind,
  findLockedKey,
  type NewDataKey,
} from "../../storage/customers/data-keys.ts";
import type { StoredDataKey } from "../../storage/customers/rewrapped.ts";
import {
  type NewWallet,
  type StoredWallet,
  type WalletAddress,
  walletRowKey,
} from "../../storage/wallets/wallets.ts";
import type { Deps } from "../deps.ts";

/**
 * Seals and unseals personal data. No other file does, so a row whose key was destroyed reads everywhere as a row
 * without a person. Unsealed keys and data live as long as one call.
 */
type Sealing = Pick<Deps, "dataKeys">;

interface Owner {
  readonly merchantId: string;
  readonly sessionId: string;
}

// A sealed text is bound to its place: the column and the row that hold it. It opens for no other place.
const keyPlace = (kind: DataKeyKind, merchantId: string, rowKey: string): string =>
  `data_keys:${kind}:${merchantId}:${rowKey}`;
const sessionKeyPlace = ({ merchantId, sessionId }: Owner): string =>
  keyPlace("session", merchantId, sessionId);
const sessionKey = (owner: Owner, sealed: Uint8Array): DataKey => ({
  sealed,
  boundTo: sessionKeyPlace(owner),
});
const sessionPlace = ({ merchantId, sessionId }: Owner): string =>
  `sessions.personal:${merchantId}:${sessionId}`;
const orderPlace = (orderId: bigint): string => `orders.personal:${orderId}`;
const billingPlace = (attemptId: string): string => `payment_attempts.billing_sealed:${attemptId}`;
const walletPlace = (wallet: WalletAddress): string =>
  `wallets.personal:${wallet.merchantId}:${walletRowKey(wallet)}`;

/** The texts whose digests find a customer again, each bound to its merchant. */
export const referenceMark = (merchantId: string, reference: string): string =>
  `reference:${merchantId}:${reference}`;
export const emailMark = (merchantId: string, email: string): string =>
  `email:${merchantId}:${normalizeEmail(email)}`;

const digestOf = ({ dataKeys }: Sealing, mark: string | undefined): Uint8Array | null =>
  mark === undefined ? null : (dataKeys.digests(mark)[0] ?? null);

/** Returns the digest of the merchant's reference of its customer; null without a reference. */
export const referenceDigest = (
  deps: Sealing,
  merchantId: string,
  reference: string | undefined,
): Uint8Array | null =>
  digestOf(deps, reference === undefined ? undefined : referenceMark(merchantId, reference));

function keyOfCustomer(
  deps: Sealing,
  merchantId: string,
  { key, customer }: { readonly key: DataKey; readonly customer: OrderCustomer },
): NewDataKey {
  const { reference, email } = customer;
  return {
    sealed: key.sealed,
    referenceDigest: referenceDigest(deps, merchantId, reference),
    emailDigest: digestOf(deps, email === undefined ? undefined : emailMark(merchantId, email)),
  };
}

const isEmpty = ({ customer, metadata, returnUrl }: SessionPerson): boolean =>
  Object.keys(customer).length + Object.keys(metadata).length === 0 && returnUrl === null;

/** Seals a session's personal data with a new key. A session without any needs no key. */
export function sealSession(
  deps: Sealing,
  owner: Owner,
  person: SessionPerson,
): { readonly personal: Uint8Array | null; readonly newKey: NewDataKey | undefined } {
  if (isEmpty(person)) return { personal: null, newKey: undefined };
  const key = deps.dataKeys.makeDataKey(sessionKeyPlace(owner));
  return {
    personal: deps.dataKeys.sealBy(key, JSON.stringify(person), sessionPlace(owner)),
    newKey: keyOfCustomer(deps, owner.merchantId, { key, customer: person.customer }),
  };
}

/** Returns the session with its personal data; without any after they were erased. */
export function unsealSession(deps: Sealing, stored: StoredSession): Session {
  const { personal, ...session } = stored;
  const { dataKey } = session;
  if (personal === null || dataKey === null) return { ...session, ...NO_SESSION_PERSON };
  const key = sessionKey(session, dataKey);
  const text = deps.dataKeys.openBy(key, personal, sessionPlace(session));
  return { ...session, ...(JSON.parse(text) as SessionPerson) };
}

/**
 * Seals an order's personal data with the key of its session, or with a new one. The key is stored with the
 * order, unless the session stored it with the same marks of the customer.
 */
export function sealOrder(
  deps: Sealing,
  session: Pick<Session, "merchantId" | "sessionId" | "dataKey" | "customer">,
  order: { readonly id: bigint; readonly person: OrderPerson },
): {
  readonly personal: Uint8Array;
  readonly dataKey: Uint8Array;
  readonly newKey: NewDataKey | undefined;
} {
  const { customer } = order.person;
  const key =
    session.dataKey === null
      ? deps.dataKeys.makeDataKey(sessionKeyPlace(session))
      : sessionKey(session, session.dataKey);
  // A key may be left from an earlier token of the session, which named another customer.
  const isStored =
    session.dataKey !== null &&
    (customer.reference ?? customer.email) !== undefined &&
    session.customer.reference === customer.reference &&
    session.customer.email === customer.email;
  return {
    personal: deps.dataKeys.sealBy(key, JSON.stringify(order.person), orderPlace(order.id)),
    dataKey: key.sealed,
    newKey: isStored ? undefined : keyOfCustomer(deps, session.merchantId, { key, customer }),
  };
}

type SealedOrder = Pick<Order, "id" | "merchantId" | "sessionId" | "personal" | "dataKey">;

/** Returns the order's customer, metadata and payout fields; nothing after they were erased. */
export function personOf(deps: Sealing, order: SealedOrder): OrderPerson {
  const { personal, dataKey } = order;
  if (personal === null || dataKey === null) return NO_ORDER_PERSON;
  const text = deps.dataKeys.openBy(sessionKey(order, dataKey), personal, orderPlace(order.id));
  return JSON.parse(text) as OrderPerson;
}

/**
 * Returns the order with its key even if an erasure locked it. Only what the law requires may use it: late
 * money of an erased customer is screened, and goes to the account that the customer named.
 */
export async function withLockedKey(
  { database }: Pick<Deps, "database">,
  order: Order,
): Promise<Order> {
  if (order.personal === null || order.dataKey !== null) return order;
  return { ...order, dataKey: await findLockedKey(database, order) };
}

/** Returns whether the key of the order's person was destroyed. Read the order by `withLockedKey` first. */
export const isErased = ({ personal, dataKey }: Pick<Order, "personal" | "dataKey">): boolean =>
  personal !== null && dataKey === null;

/** Seals the address of a card's holder. An order without a key has ended, so it takes no card. */
export function sealBilling(
  deps: Sealing,
  order: SealedOrder,
  billing: { readonly attemptId: string; readonly address: object },
): Uint8Array {
  return sealByOrder(deps, order, JSON.stringify(billing.address), billingPlace(billing.attemptId));
}

/** Seals a text with the order's key, which the order must have. */
function sealByOrder(deps: Sealing, order: SealedOrder, text: string, place: string): Uint8Array {
  if (order.dataKey === null) throw new Error(`the data key of order ${order.id} was destroyed`);
  return deps.dataKeys.sealBy(sessionKey(order, order.dataKey), text, place);
}

/** Returns the address of a card's holder; null after the customer was erased. */
export function unsealBilling(
  deps: Sealing,
  order: SealedOrder,
  billing: { readonly attemptId: string; readonly sealed: Uint8Array },
): unknown {
  if (order.dataKey === null) return null;
  const key = sessionKey(order, order.dataKey);
  return JSON.parse(deps.dataKeys.openBy(key, billing.sealed, billingPlace(billing.attemptId)));
}

/** Returns the digest by which mails to one address are counted and found. It is the same for every merchant. */
export const mailAddressDigest = (deps: Sealing, address: string): Uint8Array => {
  const digest = digestOf(deps, `mail:${normalizeEmail(address)}`);
  if (!digest) throw new Error("the service has no key for digests");
  return digest;
};

const mailPlace = (orderId: bigint, kind: string): string => `mails.address:${orderId}:${kind}`;

/** Seals the address of a mail. The order must have its key. */
export function sealMailAddress(
  deps: Sealing,
  order: SealedOrder,
  mail: { readonly kind: string; readonly address: string },
): Uint8Array {
  return sealByOrder(deps, order, mail.address, mailPlace(order.id, mail.kind));
}

/** Returns the address of a mail; undefined after the customer was erased. */
export function unsealMailAddress(
  deps: Sealing,
  order: SealedOrder,
  mail: { readonly kind: string; readonly address: Uint8Array },
): string | undefined {
  if (order.dataKey === null) return undefined;
  const key = sessionKey(order, order.dataKey);
  return deps.dataKeys.openBy(key, mail.address, mailPlace(order.id, mail.kind));
}

const walletKeyPlace = (wallet: WalletAddress): string =>
  keyPlace("wallet", wallet.merchantId, walletRowKey(wallet));

/** Seals the names beside a wallet. Without names the wallet keeps those it has. */
export function sealWallet(
  deps: Sealing,
  wallet: WalletAddress,
  person: WalletPerson | undefined,
): Pick<NewWallet, "personal" | "newKey"> {
  if (person === undefined) return { personal: null };
  const key = deps.dataKeys.makeDataKey(walletKeyPlace(wallet));
  return {
    personal: deps.dataKeys.sealBy(key, JSON.stringify(person), walletPlace(wallet)),
    newKey: { sealed: key.sealed, referenceDigest: null, emailDigest: null },
  };
}

/** An address that a merchant saved for a customer. */
export type SavedWallet = Pick<StoredWallet, "id" | "currencyId" | "walletAddress"> & WalletPerson;

/** Returns the wallet with the names beside it; without names after they were erased. */
export function unsealWallet(deps: Sealing, stored: StoredWallet): SavedWallet {
  const { personal, dataKey, id, currencyId, walletAddress } = stored;
  const wallet = { id, currencyId, walletAddress };
  if (personal === null || dataKey === null) return { ...wallet, ...NO_WALLET_PERSON };
  const key = { sealed: dataKey, boundTo: walletKeyPlace(stored) };
  const text = deps.dataKeys.openBy(key, personal, walletPlace(stored));
  return { ...wallet, ...(JSON.parse(text) as WalletPerson) };
}

/**
 * Seals a data key again, with the current secret key, and computes the digests of its customer again: they depend on the
 * secret keys too. The data that the key seals stays as it is. Throws when the key does not open.
 */
export function rewrapDataKey(
  deps: Sealing & Pick<Deps, "secrets">,
  stored: StoredDataKey,
): NewDataKey {
  const { merchantId, kind, rowKey, referenceDigest, emailDigest } = stored;
  const boundTo = keyPlace(kind, merchantId, rowKey);
  const sealed = deps.secrets.seal(deps.secrets.open(stored.sealed, boundTo), boundTo);
  if (referenceDigest === null && emailDigest === null) return { ...stored, sealed };
  const key = { sealed, boundTo };
  const found = keyOfCustomer(deps, merchantId, { key, customer: customerOf(deps, stored, key) });
  return {
    sealed,
    referenceDigest: referenceDigest && (found.referenceDigest ?? referenceDigest),
    emailDigest: emailDigest && (found.emailDigest ?? emailDigest),
  };
}

/** Returns the customer of the order, whose key was stored last, or else of the session. */
function customerOf(
  { dataKeys }: Sealing,
  { merchantId, rowKey, sessionPersonal, orderId, orderPersonal }: StoredDataKey,
  key: DataKey,
): OrderCustomer {
  const [sealed, place] =
    orderId !== null && orderPersonal !== null
      ? [orderPersonal, orderPlace(BigInt(orderId))]
      : [sessionPersonal, sessionPlace({ merchantId, sessionId: rowKey })];
  if (sealed === null) return {};
  return (JSON.parse(dataKeys.openBy(key, sealed, place)) as SessionPerson).customer;
}
