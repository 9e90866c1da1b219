#!/bin/bash
cd /tmp/w/stability; export PYTHONPATH=/tmp/w/stability/src; exec /tmp/ci/main/.venv/bin/python "$@"
