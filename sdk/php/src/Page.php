<?php

declare(strict_types=1);

namespace Exchange\Client;

/**
 * One page of a list. The cursor is that of the next page; null at the end.
 *
 * @template Item
 */
final class Page
{
    /** @param list<Item> $data */
    public function __construct(public readonly array $data, public readonly ?string $nextCursor)
    {
    }
}
