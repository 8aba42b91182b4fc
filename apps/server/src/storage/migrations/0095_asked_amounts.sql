-- The amount to receive that a quote was asked for. Null where the amount to pay was. The replacement of an expired quote keeps the
-- amount that was asked for. `receive_units` can be higher, because the amount to pay is rounded up.
alter table quotes add column asked_receive numeric check (asked_receive > 0);
