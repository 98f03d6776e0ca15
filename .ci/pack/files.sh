#!/usr/bin/env bash
# Makes the files of packages that the program itself writes: .ci/pack/files.sh FOLDER VERSION SECONDS
# VERSION and SECONDS (since 1970) are those of the release; they alone decide the bytes.
set -euo pipefail
to=$1 version=$2 seconds=$3
cd "$(dirname "$0")/../.."
rm -rf "$to"
mkdir -p "$to/completions" "$to/man"
go build -o "$to/cellwarden" ./cmd/cellwarden
"$to/cellwarden" completion bash >"$to/completions/cellwarden.bash"
"$to/cellwarden" completion zsh >"$to/completions/_cellwarden"
"$to/cellwarden" completion fish >"$to/completions/cellwarden.fish"
"$to/cellwarden" man "$to/man"
gzip -9n "$to"/man/*.1
rm "$to/cellwarden"

day=$(LC_ALL=C date -u -d "@$seconds" '+%a, %d %b %Y %H:%M:%S +0000' 2>/dev/null ||
  LC_ALL=C date -u -r "$seconds" '+%a, %d %b %Y %H:%M:%S +0000')
maintainer=$(sed -n 's/^    maintainer: //p' .goreleaser.yaml)
printf 'cellwarden (%s) unstable; urgency=medium\n\n  * CHANGELOG.md of this version has the changes.\n\n -- %s  %s\n' \
  "${version/-/\~}" "$maintainer" "$day" | gzip -9n >"$to/changelog.gz"
{
  printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: cellwarden\n'
  printf 'Source: https://github.com/cellwarden/cellwarden\n\nFiles: *\nCopyright: 2026 the authors of cellwarden\n'
  printf 'License: Apache-2.0\n\nLicense: Apache-2.0\n On Debian systems, the text of the Apache License, Version 2.0, is in\n'
  printf ' /usr/share/common-licenses/Apache-2.0.\n'
} >"$to/copyright"
