import type { Setting } from "./setting.ts";
import { CONSOLE_SETTINGS } from "./settings/console.ts";
import { MAIL_SETTINGS } from "./settings/mail.ts";
import { OBSERVATION_SETTINGS } from "./settings/observation.ts";
import { OPERATOR_SETTINGS } from "./settings/operator.ts";
import { ORDER_SETTINGS } from "./settings/orders.ts";
import { RATE_LIMIT_SETTINGS } from "./settings/rate-limits.ts";
import { REHEARSAL_SETTINGS } from "./settings/rehearsal.ts";
import { SERVICE_SETTINGS } from "./settings/service.ts";
import { SINGLE_SIGN_ON_SETTINGS } from "./settings/single-sign-on.ts";

/** Every setting. `docs/reference/configuration.md` is generated from this table. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...SINGLE_SIGN_ON_SETTINGS,
  ...OBSERVATION_SETTINGS,
  ...MAIL_SETTINGS,
  ...OPERATOR_SETTINGS,
  ...ORDER_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...REHEARSAL_SETTINGS,
} as const;

/** Variables with our prefix that the demo shop and the examples read. The service ignores them. */
export const FOREIGN_NAMES: readonly string[] = [
  "EXCHANGE_URL",
  "EXCHANGE_CLIENT_ID",
  "EXCHANGE_API_KEY",
  "EXCHANGE_WEBHOOK_SECRET",
  "EXCHANGE_ADMIN_KEY_FILE",
];

type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The settings without a default. They may be absent. */
type Absent =
  | "databaseUrl"
  | "databaseUrlFile"
  | "databaseDirectUrl"
  | "databaseStandbyUrl"
  | "sandboxDatabaseUrl"
  | "publicUrl"
  | "consoleUrl"
  | "railsFile"
  | "secretKeysFile"
  | "alertWebhookUrl"
  | "smtpUrl"
  | "smtpUrlFile"
  | "mailFrom"
  | "alertMail"
  | keyof typeof OPERATOR_SETTINGS
  | "ssoIssuer"
  | "ssoClientId"
  | "ssoClientSecret"
  | "ssoClientSecretFile"
  | "ssoName"
  | "failpoint";
/** The value of every setting, by its key. */
export type SettingValues = {
  readonly [K in keyof typeof SETTINGS]:
    | ValueOf<(typeof SETTINGS)[K]>
    | (K extends Absent ? undefined : never);
};
