import type { CheckoutSession, OperationType } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { t } from "../copy/first.ts";
import type { Ordered } from "../machine/state.ts";
import { Notice } from "./parts.tsx";

interface SessionProps {
  readonly session: CheckoutSession;
}

interface OutLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
}

/** The service checked the address. This check holds also against an answer that was changed on its way. */
const OutLink = ({ href, children }: OutLinkProps) =>
  /^(https?|mailto):/.test(href) ? (
    <a class="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : null;

/** The operator's name and licence as it wrote them, and where to get help. */
export function OperatorLine({ operator }: { readonly operator: CheckoutSession["operator"] }) {
  if (!operator) return null;
  const words = [operator.name, operator.licence].filter((text) => text !== undefined);
  if (words.length === 0 && operator.helpUrl === undefined) return null;
  return (
    <p class="operator">
      {words.map((text) => (
        <bdi key={text}>{text}</bdi>
      ))}
      {operator.helpUrl !== undefined && (
        <OutLink href={operator.helpUrl}>{t("operator.help")}</OutLink>
      )}
    </p>
  );
}

interface OfOperationProps extends SessionProps {
  readonly operation: OperationType;
}

/** The operator's warning, where the order delivers coins. */
export function RiskNotice({ session: { operator }, operation }: OfOperationProps) {
  if (!operator?.riskNotice || (operation !== "B" && operation !== "CC")) return null;
  return (
    <Notice>
      <p dir="auto">{operator.riskNotice}</p>
    </Notice>
  );
}

/** The operator's terms and privacy policy, to which the press on the button below agrees. */
export function OperatorTerms({ session: { operator }, operation }: OfOperationProps) {
  if (!operator?.termsUrl && !operator?.privacyUrl) return null;
  const pays = operation === "B" || operation === "FF";
  return (
    <p class="hint terms">
      {t(pays ? "operator.agree.pay" : "operator.agree.place")}{" "}
      {operator.termsUrl && <OutLink href={operator.termsUrl}>{t("operator.terms")}</OutLink>}
      {operator.termsUrl && operator.privacyUrl && " · "}
      {operator.privacyUrl && <OutLink href={operator.privacyUrl}>{t("operator.privacy")}</OutLink>}
      {operator.name !== undefined && (
        <>
          {" ("}
          <bdi>{operator.name}</bdi>)
        </>
      )}
    </p>
  );
}

const TROUBLED = new Set([
  ...["in_review", "refund_pending", "refunded", "failed", "expired", "cancelled"],
]);

/** Where a customer gets help with an order that did not go as planned. */
export function OrderHelp({ stage }: { readonly stage: Ordered }) {
  const help = stage.session.operator?.helpUrl;
  const { status, payment } = stage.order;
  const isTroubled = TROUBLED.has(status) || payment.attempt?.status === "declined";
  if (help === undefined || !isTroubled) return null;
  return (
    <p class="hint">
      {t("operator.help.order")} <OutLink href={help}>{t("operator.help")}</OutLink>
    </p>
  );
}
