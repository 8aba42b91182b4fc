/** A row of the bank's books is asked for each time its age has grown by a quarter, within bounds. */
export const ASK_AGAIN_MS = `least(greatest(
    extract(epoch from clock_timestamp() - created_at)::float8 * 250, 200), 30000) as "askAgainMs"`;
