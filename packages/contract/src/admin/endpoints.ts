import { CATALOGUE_ENDPOINTS } from "./catalogue.ts";
import { CHANGE_ENDPOINTS } from "./changes.ts";
import { INSTALL_ENDPOINTS } from "./install.ts";
import { MERCHANT_KEY_ENDPOINTS } from "./keys.ts";
import { LEDGER_ENDPOINTS } from "./ledger.ts";
import { MERCHANT_OVERVIEW_ENDPOINTS } from "./merchant-overview.ts";
import { MERCHANT_ENDPOINTS } from "./merchants.ts";
import { ADMIN_ORDER_ENDPOINTS } from "./orders.ts";
import { OVERVIEW_ENDPOINTS } from "./overview.ts";
import { ADMIN_PAYOUT_ENDPOINTS } from "./payouts.ts";
import { PEOPLE_ENDPOINTS } from "./people.ts";
import { PRICE_ENDPOINTS } from "./prices.ts";
import { PROVIDER_ENDPOINTS } from "./provider.ts";
import { REPORT_ENDPOINTS } from "./reports.ts";
import { REQUEST_ENDPOINTS } from "./requests.ts";
import { SERVICE_ACCOUNT_ENDPOINTS } from "./service-accounts.ts";
import { MERCHANT_SETTINGS_ENDPOINTS } from "./settings.ts";
import { SIGN_IN_ENDPOINTS } from "./sign-in.ts";
import { TREASURY_ENDPOINTS } from "./treasury.ts";
import { ADMIN_WEBHOOK_ENDPOINTS } from "./webhooks.ts";

/** Every endpoint of the console's port. */
export const ADMIN_ENDPOINTS = {
  ...SIGN_IN_ENDPOINTS,
  ...PROVIDER_ENDPOINTS,
  ...PEOPLE_ENDPOINTS,
  ...SERVICE_ACCOUNT_ENDPOINTS,
  ...OVERVIEW_ENDPOINTS,
  ...CHANGE_ENDPOINTS,
  ...ADMIN_ORDER_ENDPOINTS,
  ...ADMIN_PAYOUT_ENDPOINTS,
  ...TREASURY_ENDPOINTS,
  ...LEDGER_ENDPOINTS,
  ...REPORT_ENDPOINTS,
  ...MERCHANT_OVERVIEW_ENDPOINTS,
  ...MERCHANT_ENDPOINTS,
  ...MERCHANT_KEY_ENDPOINTS,
  ...ADMIN_WEBHOOK_ENDPOINTS,
  ...INSTALL_ENDPOINTS,
  ...REQUEST_ENDPOINTS,
  ...MERCHANT_SETTINGS_ENDPOINTS,
  ...PRICE_ENDPOINTS,
  ...CATALOGUE_ENDPOINTS,
};

export type AdminEndpointName = keyof typeof ADMIN_ENDPOINTS;
