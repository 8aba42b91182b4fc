/** Returns columns for a terminal. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Returns one line for each name with its value. */
export const fields = (values: Readonly<Record<string, string>>): string =>
  table(Object.entries(values).map(([name, value]) => [`${name}:`, value]));
