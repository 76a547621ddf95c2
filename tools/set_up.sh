#!/usr/bin/env bash
# Makes the environment in $1: a virtual environment with exactly what requirements.lock names, and this project.
# Needs Python 3.11 or newer with pip. PYTHON=... chooses the interpreter.
set -euo pipefail
venv=$1

new_enough() {
  command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if new_enough "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "paymatch needs Python 3.11 to 3.14 (found: $(python3 --version 2>&1 || echo none)). Name one: make PYTHON=/path/to/python3.11" >&2
  return 1
}

# Debian ships Python without ensurepip unless python3-venv is installed; the pip of the system can then fill the
# environment from outside.
fill_from_outside() {
  rm -rf "$venv"
  "$python" -m venv --without-pip "$venv" || return 1
  "$python" -m pip --version >/dev/null 2>&1 || return 1
}

python=$(find_python)
if [ -e "$venv" ] && ! new_enough "$venv/bin/python"; then
  rm -rf "$venv"
fi
if [ ! -e "$venv" ]; then
  echo "Setting up $venv with $("$python" --version); this happens once." >&2
  if ! said=$("$python" -m venv "$venv" 2>&1); then
    if ! fill_from_outside; then
      echo "$said" >&2
      echo "The virtual environment could not be made: install pip, or python3-venv (Debian, Ubuntu), and try again." >&2
      exit 1
    fi
  fi
fi

if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  pip=("$venv/bin/python" -m pip)
else
  pip=("$python" -m pip --python "$venv/bin/python")
fi
options=(--quiet --disable-pip-version-check --no-input)
"${pip[@]}" install "${options[@]}" --require-hashes -r requirements.lock
"${pip[@]}" install "${options[@]}" --no-deps --no-build-isolation -e .
