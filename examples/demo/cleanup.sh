#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cleanup.sh FOLDER KEEP - removes the reports in FOLDER, but for the one named KEEP.
folder=$1
keep=`basename $2`

cd $folder
for report in *.report; do
    if [ $report != $keep ]; then
        rm -f $report
    fi
done
echo "kept $keep in `pwd`"
