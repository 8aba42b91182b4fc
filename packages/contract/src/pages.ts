import { Type } from "@sinclair/typebox";

/** Default number of items in one answer of a list. */
export const PAGE_LIMIT_DEFAULT = 20;

const PageLimit = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: `items in one answer, ${PAGE_LIMIT_DEFAULT} unless told`,
});

/** Query members of a list that has pages. */
export const PAGE_QUERY = {
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "nextCursor of the page before; made by the service, not by you",
    }),
  ),
} as const;
