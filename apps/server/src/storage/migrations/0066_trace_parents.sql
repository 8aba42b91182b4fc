-- The W3C trace context of the request that placed an order, so that its jobs and webhooks continue the trace. Null for
-- an order that is not traced. See docs/decisions/0099-trace-with-opentelemetry.md.

alter table orders add column trace_parent text;
-- Not validated: every earlier row is null, and a scan of all orders would block the service.
alter table orders add constraint orders_trace_parent_form
  check (trace_parent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$') not valid;
