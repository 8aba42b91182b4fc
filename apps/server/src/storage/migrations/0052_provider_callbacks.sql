-- The inbox of providers' callbacks. A callback is stored before it is answered, and it only hurries a look at the
-- rail. See docs/decisions/0069-use-callbacks-only-to-look-sooner.md.

create table provider_callbacks (
  provider text not null check (length(provider) between 1 and 40),
  -- The provider's own id of the event, or the hash of the body. A repetition is stored once.
  event_key text not null check (length(event_key) between 1 and 200),
  -- The rows of ours that the callback names, by kind and reference.
  subjects jsonb not null check (jsonb_typeof(subjects) = 'array' and jsonb_array_length(subjects) <= 100),
  -- The body as it arrived, sealed, because it may name a customer.
  body_sealed bytea not null check (length(body_sealed) <= 400000),
  received_at timestamptz not null default business_now(),
  primary key (provider, event_key)
);
create index provider_callbacks_received on provider_callbacks (received_at);

comment on table provider_callbacks is 'Callbacks of providers, deleted after 30 days';
