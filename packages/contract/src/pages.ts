import { Type } from "@sinclair/typebox";

/** Default number of items in one answer of a list. */
export const PAGE_LIMIT_DEFAULT = 20;

const PageLimit = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: `items in one answer; by default ${PAGE_LIMIT_DEFAULT}`,
});

/** Query members of a list that has pages. */
export const PAGE_QUERY = {
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "nextCursor of the previous page; only the service makes cursors",
    }),
  ),
} as const;
