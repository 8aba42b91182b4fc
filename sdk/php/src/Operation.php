<?php

declare(strict_types=1);

namespace Exchange\Client;

/** An endpoint. `input` is `body`, `query` or empty; `cursor` is the query member of its pages. */
final class Operation
{
    public function __construct(
        public readonly string $id,
        public readonly string $method,
        public readonly string $path,
        public readonly string $input = '',
        public readonly string $cursor = '',
        public readonly bool $isUnwrapped = false,
    ) {
    }
}
