import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contradictions } from "./config/contradictions.ts";
import { namesOfServices } from "./config/kubernetes.ts";
import { BadSetting } from "./config/parsers.ts";
import { defaultText, type Setting } from "./config/setting.ts";
import { FOREIGN_NAMES, SETTINGS, type SettingValues } from "./config/settings.ts";
import { multiplyRateLimits, type RateLimits } from "./http/settings.ts";
import { isPrivateFile, privateFileWords } from "./secrets/private-file.ts";

/** All settings, checked. Paths are absolute. */
export interface Config
  extends Omit<SettingValues, "secretKeysFile" | "rateFactor" | keyof RateLimits> {
  readonly secretKeysFile: string;
  readonly rateLimits: RateLimits;
}

/** Reports every bad setting, with a sentence for each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

// The root of the repository, seen from dist and from src. Relative paths start here, so that every command
// means the same folder, no matter where it is run.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const HINT = "docs/reference/configuration.md lists every setting.";

export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const problems = unknownNames(variables);
  const text = variables[SETTINGS.environment.name];
  const environment = text === "staging" || text === "prod" ? text : "dev";
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, one]: [string, Setting<unknown>]) => {
      const text = variables[one.name] || defaultText(one, environment);
      try {
        return [key, text === undefined ? undefined : one.parse(text)];
      } catch (error) {
        if (!(error instanceof BadSetting)) throw error;
        const value = one.isSecret ? "" : `, not ${JSON.stringify(text)}`;
        problems.push(`${one.name} ${error.message}${value}.`);
        return [key, undefined];
      }
    }),
  ) as SettingValues;
  const complete = SECRETS_OF_FILES.reduce(
    (found, keys) => withSecretOfFile(found, problems, keys),
    values,
  );
  problems.push(...contradictions(complete));
  if (problems.length > 0) throw new ConfigError([...problems, HINT]);
  return toConfig(complete);
}

/** Settings that may be in a file, each with the setting that names it. */
const SECRETS_OF_FILES = [
  ["databaseUrl", "databaseUrlFile"],
  ["smtpUrl", "smtpUrlFile"],
  ["ssoClientSecret", "ssoClientSecretFile"],
] as const;

/** Reads a setting from its file, where it is in one. */
function withSecretOfFile(
  values: SettingValues,
  problems: string[],
  [key, fileKey]: (typeof SECRETS_OF_FILES)[number],
): SettingValues {
  const file = values[fileKey];
  if (file === undefined) return values;
  const [secret, setting] = [SETTINGS[key], SETTINGS[fileKey]];
  if (values[key] !== undefined) {
    problems.push(`${secret.name} and ${setting.name} are both set. Remove one of them.`);
    return values;
  }
  const path = resolve(ROOT, file);
  try {
    if (!isPrivateFile(statSync(path))) throw new BadSetting(privateFileWords(path));
    return { ...values, [key]: secret.parse(readFileSync(path, "utf8").trim()) };
  } catch (error) {
    // The content is a secret, so it is not shown.
    problems.push(`${setting.name} names ${path}: ${(error as Error).message}.`);
    return values;
  }
}

function unknownNames(variables: NodeJS.ProcessEnv): string[] {
  const allowed = new Set([
    ...Object.values(SETTINGS).map(({ name }) => name),
    ...FOREIGN_NAMES,
    ...namesOfServices(variables),
  ]);
  return Object.keys(variables)
    .filter((name) => name.startsWith("EXCHANGE_") && !allowed.has(name))
    .map((name) => `${name} is not a setting. Remove it or correct its spelling.`);
}

function toConfig(values: SettingValues): Config {
  const { rateFactor, secretKeysFile, ...rest } = values;
  const dataDir = resolve(ROOT, values.dataDir);
  return Object.freeze({
    ...rest,
    dataDir,
    catalogueDir: resolve(ROOT, values.catalogueDir),
    railsFile: values.railsFile && resolve(ROOT, values.railsFile),
    secretKeysFile: secretKeysFile ? resolve(ROOT, secretKeysFile) : join(dataDir, "secret-keys"),
    rateLimits: multiplyRateLimits(
      {
        readsPerMinute: values.readsPerMinute,
        quotesPerMinute: values.quotesPerMinute,
        writesPerMinute: values.writesPerMinute,
        tokensPerMinute: values.tokensPerMinute,
        browserCallsPerMinute: values.browserCallsPerMinute,
        anonymousCallsPerMinute: values.anonymousCallsPerMinute,
        failedCredentialsPerFiveMinutes: values.failedCredentialsPerFiveMinutes,
      },
      rateFactor,
    ),
  });
}
