/** How much of a test runs: little in `npm test`, much in a campaign. */
export interface Amount {
  readonly test: number;
  readonly campaign: number;
}

const name = process.env["CAMPAIGN"];

export const isCampaign = name !== undefined;

/** A fixed seed would repeat the same cases in every `npm test`. */
export const SEED = Number(process.env["CAMPAIGN_SEED"] ?? Math.floor(Math.random() * 1e9));

const ONLY = process.env["CAMPAIGN_ONLY"]?.toLowerCase();

export function roundsOf(amount: Amount): number {
  const rounds = process.env["CAMPAIGN_ROUNDS"];
  if (rounds !== undefined) return Number(rounds);
  return isCampaign ? amount.campaign : amount.test;
}

/** Whether `--only` chose this case, or was left out. */
export const isChosen = (words: string): boolean =>
  ONLY === undefined || words.toLowerCase().includes(ONLY);

/** Whether `--only` may choose a case within this group: its name begins with the group's, or is in it. */
export const mayBeChosen = (words: string): boolean =>
  isChosen(words) || ONLY?.startsWith(words.toLowerCase()) === true;

/** Returns the command that runs a failed case again. */
export const replayLine = (campaign: string, only: string, seed = SEED): string =>
  `replay: npm run campaign -- ${campaign} --seed ${seed} --only "${only}"`;

/** Prints a sentence while a campaign runs, and nothing in `npm test`. */
export function progress(sentence: string): void {
  if (isCampaign) console.log(`  ${sentence}`);
}

/** Prints how much a campaign ran; its summary counts that. */
export function ran(count: number, what: string): void {
  if (isCampaign) console.log(`  ran ${count} ${what}`);
}

/** One random history of a campaign. Its name repeats it. */
export interface History {
  readonly campaign: string;
  readonly name: string;
  readonly seed: number;
  /** The plural of the histories, for the summary. */
  readonly of: string;
}

/** Plays a history, prints its counts, and adds the command that repeats it to a failure. */
export async function playSeeded(
  { campaign, name: played, seed, of }: History,
  play: () => Promise<object>,
): Promise<void> {
  try {
    progress(`${played}: ${JSON.stringify(await play())}`);
    ran(1, of);
  } catch (error) {
    const replay = replayLine(campaign, played, seed);
    throw new Error(`${(error as Error).message}\n${replay}`, { cause: error });
  }
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
