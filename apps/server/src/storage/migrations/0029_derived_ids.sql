-- The id of a fact, the same for the same fact: also after a restore from a backup. A UUID version 8: six bytes of
-- a time and a digest. `flows/derived-uuid.ts` does the same for payments.
create function derived_uuid(prefix bytea, fact text) returns uuid language plpgsql immutable as $$
declare
  digest bytea := substring(sha256(convert_to(fact, 'UTF8')) from 1 for 10);
begin
  digest := set_byte(digest, 0, get_byte(digest, 0) & 15 | 128);
  digest := set_byte(digest, 2, get_byte(digest, 2) & 63 | 128);
  return encode(prefix || digest, 'hex')::uuid;
end $$;

-- The milliseconds of a time, in the six bytes with which a UUID of version 7 or 8 begins.
create function uuid_time(at timestamptz) returns bytea language sql immutable as $$
  select substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
$$;

-- One endpoint gets one event under one id, however often the event happens again in a restored database.
create function delivery_id(event_id uuid, endpoint_id uuid) returns uuid language sql immutable as $$
  select derived_uuid(substring(uuid_send(event_id) from 1 for 6),
    'delivery:' || event_id || ':' || endpoint_id)
$$;
