import { type CommandInput, UsageError } from "./command.ts";

/** Times, days and ages, as commands take and print them. */

export const DAY_MS = 86_400_000;
const UNITS = { m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** Returns a time in UTC, to the second. */
export const timeWords = (time: Date | string): string =>
  `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** Returns an age in its largest unit and the next one: "3d 4h", "2h 5m", "45s". */
export function ageWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit));
  if (days) return `${days}d ${(hours ?? 0) % 24}h`;
  if (hours) return `${hours}h ${(minutes ?? 0) % 60}m`;
  return minutes ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

/** Reads an age such as 30m, 2h or 3d in milliseconds. Undefined when the option is left out. */
export function ageOf(input: CommandInput, name: string): number | undefined {
  const text = input.one(name);
  if (text === undefined) return undefined;
  const [, count, unit] = /^([0-9]{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new UsageError(`--${name} must be a time such as 30m, 2h or 3d, not "${text}".`);
}

/** Reads a day of the calendar. 2026-02-30 is refused. */
export function dayOf(input: CommandInput, name: string): string {
  const text = input.required(name);
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
  throw new UsageError(`--${name} must be a day such as 2026-01-31, not "${text}".`);
}

/** Reads a day as `dayOf` does. Undefined when the option is left out. */
export const optionalDay = (input: CommandInput, name: string): string | undefined =>
  input.one(name) === undefined ? undefined : dayOf(input, name);

export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00Z`);
