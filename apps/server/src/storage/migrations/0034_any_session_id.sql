-- A session id is any text of 1 to 255 characters without control characters: the merchant chooses it. Every
-- stored id fits, because the old rule was narrower, so the next migration only has to read them.
alter table sessions
  drop constraint sessions_session_id_check,
  add constraint sessions_session_id_check
    check (length(session_id) between 1 and 255 and session_id !~ '[\u0001-\u001f\u007f-\u009f]') not valid;
