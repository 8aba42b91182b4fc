-- Reads every session once, in a database transaction of its own: writers go on meanwhile.
alter table sessions validate constraint sessions_session_id_check;
