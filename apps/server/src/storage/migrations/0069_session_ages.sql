-- Conversion counts the sessions of some days. They are stored nearly in the order in which they begin, so an index of
-- blocks finds them, and it costs a new session nothing.
create index sessions_created on sessions using brin (created_at) with (autosummarize = on);
