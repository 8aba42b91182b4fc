-- The amount to receive that a quote was asked for. Null where the amount to pay was. The replacement of an expired quote keeps the
-- amount that was asked for. `receive_units` can be higher, because the amount to pay is rounded up.
alter table quotes add column asked_receive numeric;
-- Not valid: earlier rows have null, and to read them all would lock the table for as long.
alter table quotes add constraint quotes_asked_receive_check check (asked_receive > 0) not valid;
