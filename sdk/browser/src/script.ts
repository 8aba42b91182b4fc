import { install } from "./install.ts";
import type { ScriptConfig } from "./script-config.ts";

// The service replaces this literal. Nothing else in the built file depends on the merchant.
install(window as { exchange?: unknown }, JSON.parse("__EXCHANGE_CONFIG__") as ScriptConfig);
