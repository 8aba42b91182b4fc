/** The person or service account that acts for the operator or a merchant, as the log of changes names them. */
export interface Operator {
  /** The name that the person gave, or the e-mail address of their account. */
  readonly person: string;
  /** The user of the system that the command ran as. Null in the console. */
  readonly systemUser: string | null;
  /** The user that called sudo. Null without sudo. */
  readonly sudoUser: string | null;
  /** The account that counts as one person: of the system, or of the console. */
  readonly account: string;
  /** The account of the console. Absent at the command line. */
  readonly console?: ConsoleOrigin;
}

/** Whether a person of a merchant acts. The rules of the merchant's API hold for them, and not those of the operator. */
export const isOfMerchant = ({ console: origin }: Operator): boolean =>
  origin !== undefined && origin.merchantId !== null;

/** The company that operates this installation, as customers see it. A part that no setting names is absent. */
export interface OperatorCard {
  readonly name?: string;
  readonly licence?: string;
  readonly termsUrl?: string;
  readonly privacyUrl?: string;
  readonly helpUrl?: string;
  readonly riskNotice?: string;
}

/** The beginning of the name of a service account in the log. No person has such a name. */
export const SERVICE_ACCOUNT_PREFIX = "service-account.";

/** Where a change in the console came from. */
export interface ConsoleOrigin {
  /** Null for a service account. */
  readonly personId: string | null;
  /** The service account that acts in place of a person. */
  readonly serviceAccountId?: string;
  /** Null for a person or a service account of the operator. */
  readonly merchantId: string | null;
  /** The network address of the request. */
  readonly address: string;
}
