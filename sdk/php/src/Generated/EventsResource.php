<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

use Exchange\Client\Caller;
use Exchange\Client\CallOptions;
use Exchange\Client\Operation;
use Exchange\Client\Page;

/**
 * @phpstan-import-type EventItem from Types
 * @phpstan-import-type ListEventsQuery from Types
 */
final class EventsResource
{
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Every event of your orders by `sequence`, whether or not a webhook was sent. Store the `sequence` of
     * the last event you handled and ask for those `after` it: you get each event exactly once. `payload`
     * is the webhook's body. `nextCursor` is the next `after` while there are more. `after=now` skips the
     * past, and `eventType` selects one type.
     *
     * `GET /events`
     *
     * @param ListEventsQuery $query
     * @return \Generator<int, EventItem>
     */
    public function list(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listEvents', 'GET', '/events', input: 'query', cursor: 'after');
        return $this->caller->items($operation, [], $query, $options);
    }

    /**
     * The pages of `list`, each with the cursor of the next.
     *
     * @param ListEventsQuery $query
     * @return \Generator<int, Page<EventItem>>
     */
    public function pages(array $query = [], ?CallOptions $options = null): \Generator
    {
        $operation = new Operation('listEvents', 'GET', '/events', input: 'query', cursor: 'after');
        return $this->caller->pages($operation, [], $query, $options);
    }
}
