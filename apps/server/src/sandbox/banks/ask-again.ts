/** The pause before the next question about a row of the bank's books: a quarter of its age, within bounds. */
export const ASK_AGAIN_MS = `least(greatest(
    extract(epoch from clock_timestamp() - created_at)::float8 * 250, 200), 30000) as "askAgainMs"`;
