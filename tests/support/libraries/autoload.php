<?php

/** Finds the classes of the library, as Composer would. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $name = str_replace('\\', '/', substr($class, strlen('Exchange\\Client\\')));
    $file = getenv('LIBRARY') . "/$name.php";
    if (is_file($file)) {
        require $file;
    }
});
