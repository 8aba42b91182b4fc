-- The span over which auditors have read the state of the work without a gap. After a gap, overdue work begins no alert at first.
alter table audit_progress
  add column observed_since timestamptz,
  add column observed_at timestamptz;
