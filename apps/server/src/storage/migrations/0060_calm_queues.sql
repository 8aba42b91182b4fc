-- The rows of these tables live for seconds, so their number says nothing about the next minute. To vacuum or analyze a
-- table ends every cached plan of a statement that names it, on each connection, and the largest statements name these
-- tables (docs/internals/query-plans.md). Dead entries are also removed by the scans that meet them.
alter table jobs set (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 100000);
alter table pending_deliveries set (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 100000);
