import type { ControlAction } from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import type { MerchantSettings } from "../../domain/ports/merchant-directory.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  lockMerchant,
  type MerchantRecord,
  switchMerchant,
  updateMerchant as update,
} from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import {
  changeDefaults,
  type DefaultsChange,
  invalid,
  requireColor,
  requireLogo,
  requireMerchantCountry,
  requireName,
  requireOrigins,
  requireTokenLifetime,
  showSettings,
} from "./settings.ts";

/** A change of a merchant's settings. Null removes a setting, an absent member does not change. */
export interface UpdateMerchant extends DefaultsChange {
  readonly merchantId: string;
  readonly name?: string | undefined;
  /** Replaces the list. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly addedOrigins?: readonly string[] | undefined;
  readonly removedOrigins?: readonly string[] | undefined;
  readonly countryCode?: string | undefined;
  readonly logoUrl?: string | null | undefined;
  readonly primaryColor?: string | null | undefined;
  readonly tokenLifetimeSeconds?: number | null | undefined;
  readonly by: Operator;
}

type UpdateDeps = Pick<Deps, "database" | "catalogue" | "environment">;

/**
 * Changes settings of a merchant. Running processes use them within a second. Refuses NOT_FOUND, and
 * INVALID_INPUT with the reason.
 */
export async function updateMerchant(
  deps: UpdateDeps,
  command: UpdateMerchant,
): Promise<MerchantRecord> {
  const operator = requireOperator(deps, command.by);
  return deps.database.transaction(async (tx) => {
    const before = await requireLocked(tx, command.merchantId);
    const after = await update(tx, {
      id: before.id,
      name: command.name === undefined ? before.name : requireName(command.name),
      settings: changeSettings(deps, before.settings, command),
    });
    await logControl(tx, {
      operator,
      action: "update_merchant",
      subject: before.id,
      before: showSettings(before),
      after: showSettings(after),
    });
    return after;
  });
}

async function requireLocked(tx: Tx, merchantId: string): Promise<MerchantRecord> {
  const merchant = await lockMerchant(tx, merchantId);
  if (merchant) return merchant;
  throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
}

function changeSettings(
  deps: UpdateDeps,
  settings: MerchantSettings,
  command: UpdateMerchant,
): MerchantSettings {
  const catalogue = deps.catalogue();
  const { countryCode } = command;
  const logoUrl = changed(command.logoUrl, settings.logoUrl, requireLogo);
  const primaryColor = changed(command.primaryColor, settings.primaryColor, requireColor);
  const tokenLifetimeSeconds = changed(
    command.tokenLifetimeSeconds,
    settings.tokenLifetimeSeconds,
    requireTokenLifetime,
  );
  return {
    allowedOrigins: changeOrigins(settings.allowedOrigins, command),
    countryCode:
      countryCode === undefined
        ? settings.countryCode
        : requireMerchantCountry(catalogue, countryCode),
    defaults: changeDefaults(catalogue, settings.defaults, command),
    ...(logoUrl === undefined ? {} : { logoUrl }),
    ...(primaryColor === undefined ? {} : { primaryColor }),
    ...(tokenLifetimeSeconds === undefined ? {} : { tokenLifetimeSeconds }),
  };
}

/** Returns the wanted value, checked; the current one if none is wanted; undefined to remove it. */
function changed<Value>(
  wanted: Value | null | undefined,
  current: Value | undefined,
  check: (value: Value) => Value,
): Value | undefined {
  if (wanted === undefined) return current;
  return wanted === null ? undefined : check(wanted);
}

function changeOrigins(current: readonly string[], command: UpdateMerchant): readonly string[] {
  const { allowedOrigins = current, addedOrigins = [], removedOrigins = [] } = command;
  const missing = removedOrigins.find((origin) => !allowedOrigins.includes(origin));
  if (missing !== undefined) {
    throw invalid(`"${missing}" is not an origin of this merchant, so it cannot be removed.`);
  }
  const left = allowedOrigins.filter((origin) => !removedOrigins.includes(origin));
  return requireOrigins([...left, ...addedOrigins]);
}

export interface SwitchMerchant {
  readonly merchantId: string;
  readonly reason?: string | undefined;
  readonly by: Operator;
}

/**
 * Disables a merchant. Within a second its keys and tokens are refused, so it starts nothing new. Orders
 * on their way go on, and so do their payouts and webhooks. Returns whether the state changed. Refuses
 * NOT_FOUND.
 */
export const disableMerchant = (deps: SwitchDeps, command: SwitchMerchant) =>
  turn(deps, command, { action: "disable_merchant", disabled: true });

/** Enables a disabled merchant. Its keys and unexpired tokens work again. Refuses NOT_FOUND. */
export const enableMerchant = (deps: SwitchDeps, command: SwitchMerchant) =>
  turn(deps, command, { action: "enable_merchant", disabled: false });

type SwitchDeps = Pick<Deps, "database" | "environment">;

async function turn(
  deps: SwitchDeps,
  { merchantId, reason, by }: SwitchMerchant,
  { action, disabled }: { readonly action: ControlAction; readonly disabled: boolean },
): Promise<{ readonly merchant: MerchantRecord; readonly isNew: boolean }> {
  const operator = requireOperator(deps, by);
  return deps.database.transaction(async (tx) => {
    const before = await requireLocked(tx, merchantId);
    if ((before.disabledAt !== null) === disabled) return { merchant: before, isNew: false };
    const merchant = await switchMerchant(tx, { id: merchantId, disabled });
    const stateOf = ({ disabledAt }: MerchantRecord) => ({
      disabledAt: disabledAt?.toISOString() ?? null,
    });
    const details = { reason: reason ?? null };
    await logControl(tx, {
      operator,
      action,
      subject: merchantId,
      details,
      before: stateOf(before),
      after: stateOf(merchant),
    });
    return { merchant, isNew: true };
  });
}
