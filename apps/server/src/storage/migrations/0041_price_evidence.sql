-- The origin of a quote's two prices: sources, times, distances and the cost of the market's depth. It answers where
-- a rate came from after years. Quotes of earlier releases have none.
alter table quotes add column evidence jsonb check (jsonb_typeof(evidence) = 'object');
