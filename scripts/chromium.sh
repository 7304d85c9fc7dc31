#!/bin/sh
# A Chromium for browser tests: the one that is there, or Debian's.
set -eu
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || {
    if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
        echo "Browser tests need Chromium: install it (on Debian: apt-get install chromium)." >&2
        exit 1
    fi
    echo "Installing Debian's chromium." >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >/dev/null
}
