/** How much a test runs: little in `npm test`, much when a campaign runs the same test. */
export interface Amount {
  readonly test: number;
  readonly campaign: number;
}

const name = process.env["CAMPAIGN"];

export const isCampaign = name !== undefined;

/** The same seed in every `npm test` would look at the same cases for ever. */
export const SEED = Number(process.env["CAMPAIGN_SEED"] ?? Math.floor(Math.random() * 1e9));

const ONLY = process.env["CAMPAIGN_ONLY"]?.toLowerCase();

export function roundsOf(amount: Amount): number {
  const asked = process.env["CAMPAIGN_ROUNDS"];
  if (asked !== undefined) return Number(asked);
  return isCampaign ? amount.campaign : amount.test;
}

/** Whether `--only` chose this case, or nothing. */
export const isChosen = (words: string): boolean =>
  ONLY === undefined || words.toLowerCase().includes(ONLY);

/** Whether something within this may be chosen: its name begins what `--only` says, or has it. */
export const mayBeChosen = (words: string): boolean =>
  isChosen(words) || ONLY?.startsWith(words.toLowerCase()) === true;

/** The one line that runs a failed case again. */
export const replayLine = (campaign: string, only: string, seed = SEED): string =>
  `replay: npm run campaign -- ${campaign} --seed ${seed} --only "${only}"`;

/** Told while a campaign runs, and nothing in `npm test`. */
export function progress(sentence: string): void {
  if (isCampaign) console.log(`  ${sentence}`);
}

/** What the campaign's summary counts. */
export function ran(count: number, what: string): void {
  if (isCampaign) console.log(`  ran ${count} ${what}`);
}

/** Numbers from 0 up to 1 that a seed repeats (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
