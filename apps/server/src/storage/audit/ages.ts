const epochSince = (time: string): string => `extract(epoch from business_now() - ${time})`;

/** The SQL of the business time since a time: a number of seconds, at least 0. */
export const secondsSince = (time: string): string => `greatest(0, ${epochSince(time)})::float8`;

/** The SQL of the business time since a time: a number of milliseconds, at least 0. */
export const millisecondsSince = (time: string): string =>
  `greatest(0, ${epochSince(time)} * 1000)::float8`;
