-- Sessions in which no order was placed are cleared away. A quote no longer refers to its session by a
-- constraint: each quote locked and wrote its session's row, and each session that goes would be looked for in
-- all quotes. A quote is stored for a session that a token has just shown; it is used only where its session
-- is still active, in one statement with the order, and the order refers to the session by a constraint.
alter table quotes drop constraint quotes_merchant_id_session_id_fkey;
