#!/bin/sh
# A browser for the tests that use the whole table: the machine's own, or Debian's package where we may install it.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null && exit 0
fi
echo "The tests of the table need Chromium (on Debian: apt install chromium)" >&2
exit 1
