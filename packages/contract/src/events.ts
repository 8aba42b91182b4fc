import { type Static, Type } from "@sinclair/typebox";
import { PAGE_QUERY } from "./pages.ts";
import { accepting, literals, named } from "./schema.ts";
import { WEBHOOK_EVENT_TYPES, WebhookPayload } from "./webhooks.ts";

export const EventsQuery = Type.Object({
  limit: PAGE_QUERY.limit,
  after: Type.Optional(
    accepting(
      "the sequence of an event, or now",
      Type.Union(
        [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Literal("now")],
        {
          description:
            "sequence of the last event you have; by default from the beginning. A number above your newest event's is refused. `now` returns no events, and `nextCursor` is the `after` that new events follow",
        },
      ),
    ),
  ),
  eventType: Type.Optional(
    literals(WEBHOOK_EVENT_TYPES, {
      description:
        "only events of this type. A page may then be empty while `nextCursor` is not null",
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** The content of a webhook, for merchants that fetch events. */
export const EventItem = named(
  "EventItem",
  Type.Object({
    id: Type.String({ description: "UUID of the event, the same for all endpoints" }),
    sequence: Type.Integer({
      description: "grows with each of your events, from 1; numbers may be skipped",
    }),
    eventType: literals(WEBHOOK_EVENT_TYPES),
    createdAt: Type.Integer({ description: "Unix seconds" }),
    payload: WebhookPayload,
  }),
);
export type EventItem = Static<typeof EventItem>;
