import type { Logger } from "pino";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { OperatorCard } from "../domain/operators/operator.ts";
import type { OpenOrderCaps } from "../domain/orders/open-orders.ts";
import type { ExchangeControls } from "../domain/payouts/controls.ts";
import type { BankGateway } from "../domain/ports/bank-gateway.ts";
import type { CardProcessor } from "../domain/ports/card-processor.ts";
import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { IdSource } from "../domain/ports/id-source.ts";
import type { MerchantDirectory } from "../domain/ports/merchant-directory.ts";
import type { NetworkFees } from "../domain/ports/network-fees.ts";
import type { OrderPages } from "../domain/ports/order-pages.ts";
import type { ProviderCallbacks } from "../domain/ports/provider-callbacks.ts";
import type { RateCounters } from "../domain/ports/rate-counters.ts";
import type { RateSource } from "../domain/ports/rate-source.ts";
import type { Screener } from "../domain/ports/screener.ts";
import type { DataKeyBox, SecretBox } from "../domain/ports/secret-box.ts";
import type { TokenSigner } from "../domain/ports/token-signer.ts";
import type { Tracing } from "../domain/ports/tracing.ts";
import type { TargetPolicy } from "../domain/webhooks/targets.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { BatchedWrites } from "../storage/batched-writes.ts";
import type { LeasedJob } from "../storage/jobs/jobs.ts";
import type { Database } from "../storage/postgres/database.ts";
import type { LookUp } from "./merchants/look-up.ts";
import type { OrderIds } from "./orders/order-ids.ts";

export type Environment = "dev" | "staging" | "prod";

/** The job worker of this process, as flows see it. */
export interface JobTaker {
  /**
   * Returns a lease token under which a new job may be inserted for this worker; undefined while it
   * is full.
   */
  leaseToken(): string | undefined;
  /** Runs a job that was inserted under such a token. */
  run(job: LeasedJob): void;
}

/** The loops of a process. Only a worker has those of jobs, webhooks and audit. */
export type LoopName = "configuration" | "jobs" | "webhooks" | "audit";

/** The dependencies of flows, jobs and http. Only start and the command line build them. */
export interface Deps extends BatchedWrites {
  readonly environment: Environment;
  readonly database: Database;
  /** A standby of the database, for reports alone (`flows/reports/source.ts`). Absent where none is named. */
  readonly standby?: Database | undefined;
  /** Business time. Token times and webhook timestamps use real time instead. */
  readonly clock: Clock;
  /** Reads the business clock from the database at once instead of at the next poll. */
  readonly syncClock: () => Promise<void>;
  readonly ids: IdSource;
  readonly orderIds: OrderIds;
  /** The current snapshots. Call them again for each request and never store the result. */
  readonly catalogue: () => Catalogue;
  readonly directory: () => MerchantDirectory;
  /** Whether the process was told to stop and finishes its requests. */
  readonly isDraining?: (() => boolean) | undefined;
  /** By how much the process's clock is ahead of the database's, in milliseconds. Negative when it is behind. */
  readonly clockAheadMs?: (() => number) | undefined;
  /** Says that a loop of the process went round. Absent where nothing watches the loops. */
  readonly beat?: ((loop: LoopName) => void) | undefined;
  /** Reads the directory again if a key or merchant that it lacks may be new. */
  readonly lookUp: LookUp;
  /** Stops and liquidity in memory. The database has the last word. */
  readonly controls: () => ExchangeControls;
  /**
   * A rail is absent where none is configured. An operation that needs it answers
   * PROVIDER_UNAVAILABLE.
   */
  readonly rates: RateSource | undefined;
  readonly networkFees: NetworkFees;
  /** The share of a quote's spread by which the market may move before the customer is asked again. */
  readonly priceBandPercent: number;
  /** How much worse a renewed price may be before the checkout asks its customer. */
  readonly slippageBasisPoints: number;
  readonly openOrderCaps: OpenOrderCaps;
  readonly cardProcessor: CardProcessor | undefined;
  readonly chain: ChainGateway | undefined;
  readonly bank: BankGateway | undefined;
  /** Readers of callbacks, by the name of the provider in its callbacks' address. */
  readonly callbacks: ReadonlyMap<string, ProviderCallbacks>;
  /** When absent, nothing is screened. */
  readonly screener: Screener | undefined;
  readonly secrets: SecretBox;
  /** Seals personal data. `flows/customers/personal-data.ts` alone uses it. */
  readonly dataKeys: DataKeyBox;
  readonly tokens: TokenSigner;
  readonly orderPages: OrderPages;
  /** The URLs that webhooks may go to. Checked at registration and again when connecting. */
  readonly webhookTargets: TargetPolicy;
  readonly publicUrl: string;
  /** The demo merchant and the file of its key, for samples. Absent outside `dev`. */
  readonly demo?: { readonly clientId: string; readonly keyFile: string } | undefined;
  /** Whether mails to customers are stored. Workers send them. */
  readonly offersMail?: boolean | undefined;
  /** The operator as customers see it. Absent where no setting names anything of it. */
  readonly operator?: OperatorCard | undefined;
  /** The rate limits shared by all processes. */
  readonly rateCounters: RateCounters;
  /** Returns undefined where no worker runs in this process. */
  readonly jobTaker: () => JobTaker | undefined;
  readonly metrics: Metrics;
  /** Absent where the process is not traced. */
  readonly tracing?: Tracing | undefined;
  readonly log: Logger;
}
