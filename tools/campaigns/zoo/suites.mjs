/** The smallest suites that must notice a defect, as arguments of vitest. */
export const unit = (file) => ["--project", "unit", file];
export const storage = (file, ...titles) => ["--project", "storage", file, ...named(titles)];
export const simulation = (file, ...titles) => [
  ...["--project", "simulation", `tests/simulation/${file}.test.ts`],
  ...named(titles),
];

export const chains = (file, ...titles) => [
  ...["--project", "chains", `tests/chains/${file}.test.ts`],
  ...named(titles),
];

const named = (titles) => titles.flatMap((title) => ["-t", title]);

/** Tests of crashes at chosen places: `only` is what `--only` of the campaign takes. */
export const CRASH = simulation("crash", "ends right");
