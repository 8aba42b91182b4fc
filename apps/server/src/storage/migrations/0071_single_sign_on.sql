-- Accounts of the identity provider that people sign in with. Times are real, as those of sessions are. See
-- docs/decisions/0102-sign-people-in-with-their-identity-provider.md.

-- A person has one at most: another one replaces it.
create table person_identities (
  person_id uuid primary key references people (id),
  issuer text not null check (issuer ~ '^https?://' and length(issuer) <= 500),
  subject text not null check (subject <> '' and length(subject) <= 255),
  -- A name to show. It chooses no person.
  label text check (label <> '' and length(label) <= 254),
  linked_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  -- An account of the provider opens one person's session.
  constraint person_identities_once unique (issuer, subject)
);

-- A browser that was sent to the provider. Its cookie has the secret, from which state, nonce and PKCE are derived. The
-- row is deleted when the browser returns, so no answer counts twice.
create table provider_sign_ins (
  secret_hash bytea primary key,
  purpose text not null check (purpose in ('sign_in', 'accept', 'link')),
  -- The link that the person accepts.
  invitation_hash bytea,
  -- The session that links its account. It must still be open when the browser returns.
  session_id uuid references person_sessions (id) on delete cascade,
  expires_at timestamptz not null,
  check ((purpose = 'accept') = (invitation_hash is not null)),
  check ((purpose = 'link') = (session_id is not null))
);
create index provider_sign_ins_ends on provider_sign_ins (expires_at);
create index provider_sign_ins_of_session on provider_sign_ins (session_id) where session_id is not null;

alter table person_sessions
  drop constraint person_sessions_signed_in_with_check,
  add constraint person_sessions_signed_in_with_check
    check (signed_in_with in ('passkey', 'password', 'provider'));
