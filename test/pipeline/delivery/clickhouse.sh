#!/usr/bin/env bash
# Unpacks Debian's clickhouse-server and the libraries that this machine lacks into a cache, without installing them, and prints the
# folder. Needs neither root nor the package's user.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/grants-clickhouse
if [ ! -e "$cache/usr/sbin/clickhouse-server" ]; then
  next=$cache.$$
  trap 'rm -rf "$next"' EXIT
  mkdir -p "$next/archives/partial"
  apt-get install -y -qq --download-only --no-install-recommends --reinstall -o Debug::NoLocking=1 \
    -o "Dir::Cache::archives=$next/archives" clickhouse-server >&2
  for package in "$next"/archives/*.deb; do dpkg -x "$package" "$next"; done
  rm -r "$next/archives"
  mv -T "$next" "$cache" 2>/dev/null || [ -e "$cache/usr/sbin/clickhouse-server" ] # another test was faster
fi
echo "$cache"
