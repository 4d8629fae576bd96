#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Copies the notes of a folder to another one.
from=$1
to=$2

if [ ! -d "$from" ];then
  echo "backup: there is no $from" >&2
  exit 1
fi
for note in "$from"/*.txt; do
   cp "$note" "$to"
done
