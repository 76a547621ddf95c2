#!/usr/bin/env bash
# Builds the wheel into dist/ and installs it as operators do, into environments that know nothing of this clone: by pip
# with the hashes of the lock, and by `uv tool install`. In each the demo is played through. Needs a package index.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/${1:-.venv}/bin
folder=$(mktemp -d)
# PostgreSQL does not run as root: its account has to reach the folder.
chmod 0711 "$folder"
trap 'rm -rf "$folder"' EXIT

rm -f dist/paymatch-*.whl
"$bin/uv" build --quiet --wheel --out-dir dist
wheel=$(ls "$PWD"/dist/paymatch-*.whl)
version=$("$bin/python" -c 'import paymatch; print(paymatch.__version__)')

played_through() {
  cd "$folder"
  [ "$("$2" --version)" = "$version" ]
  env -i HOME="$folder" PATH="$PATH" PAYMATCH_DATA_DIR="$folder/data-$1" "$2" demo --once --port "$3" >"$folder/$1.log" 2>&1 \
    || { cat "$folder/$1.log"; exit 1; }
  cd - >/dev/null
  echo "$1: paymatch $version is installed, and its demo plays through"
}

"$bin/python" -m venv "$folder/pip"
"$folder/pip/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes -r requirements-runtime.lock
"$folder/pip/bin/python" -m pip install -qq --disable-pip-version-check --no-deps "$wheel"
played_through pip "$folder/pip/bin/paymatch" 8471

export UV_TOOL_DIR=$folder/tools UV_TOOL_BIN_DIR=$folder/bin
"$bin/uv" tool install --quiet --no-config "$wheel"
played_through uv "$folder/bin/paymatch" 8472
du -sh "$folder/pip" | awk '{print "installed: " $1}'
stat -c "wheel: %s bytes" "$wheel"
