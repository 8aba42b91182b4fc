-- The calls of the API that a merchant's developers look up by request id. A row has no text that a caller chose, and no
-- address. Successful calls of customers' browsers have no row.
create table api_requests (
  merchant_id text not null references merchants (id),
  -- The order in which one process wrote them.
  id bigint generated always as identity,
  request_id uuid not null,
  at timestamptz not null,
  method text not null check (method in ('GET', 'POST', 'PATCH', 'PUT', 'DELETE')),
  -- The route's template, such as /v1/orders/:orderId.
  route text not null check (char_length(route) <= 200),
  status smallint not null check (status between 100 and 599),
  -- The code of an error answer.
  code text check (char_length(code) <= 64),
  -- Why credentials were refused, in the words of the security log.
  reason text check (char_length(reason) <= 64),
  -- Null for a call of a customer's browser.
  key_id text references api_keys (id),
  order_id bigint,
  milliseconds integer not null check (milliseconds >= 0),
  primary key (merchant_id, id)
);
create unique index api_requests_by_request on api_requests (merchant_id, request_id);
create index api_requests_failed on api_requests (merchant_id, id) where status >= 400;
-- Rows are written in the order of their time, so this index of ranges is small.
create index api_requests_by_time on api_requests using brin (at);
