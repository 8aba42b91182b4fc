import type * as script from "@exchange/browser";
import { expect, test } from "vitest";
import type {
  AuthenticationToken,
  CheckoutEvent,
  CheckoutResult,
  CheckoutSnapshot,
  ExchangeApi,
  OpenOptions,
} from "./exchange-api.ts";
import type { ExchangeErrorCode } from "./exchange-error.ts";

/** Compiles only if both types have the same keys and the same values for each. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Values<Options> = { [Key in keyof Options]-?: Exclude<Options[Key], undefined> };
type ScriptOptions = Omit<script.InitOptions, "authenticationToken" | keyof script.Callbacks>;
type Snapshot = NonNullable<script.CheckoutEvent["data"]>;
type ScriptErrorCode = NonNullable<script.CheckoutResult["error"]>["code"];

const same = <_A, _B>(isSame: Same<_A, _B>): boolean => isSame;
const fits = <_Its extends Ours, Ours>(): boolean => true;

test("these types of the script match the script's own", () => {
  const compared = [
    same<Values<OpenOptions>, Values<ScriptOptions>>(true),
    same<AuthenticationToken, script.AuthenticationToken>(true),
    same<keyof CheckoutSnapshot, keyof Snapshot>(true),
    same<keyof CheckoutResult, keyof script.CheckoutResult>(true),
    same<CheckoutResult["outcome"], script.CheckoutResult["outcome"]>(true),
    same<ExchangeErrorCode, ScriptErrorCode | "script_blocked" | "script_failed">(true),
    fits<script.CheckoutEvent, CheckoutEvent>(),
    fits<script.CheckoutResult, CheckoutResult>(),
    fits<script.ExchangeApi, ExchangeApi>(),
  ];
  expect(compared).not.toContain(false);
});
