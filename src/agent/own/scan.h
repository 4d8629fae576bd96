/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h - `hone agent scan`: looks for keys, tokens, passwords and private files
 * (format/secret/secret.h) in every file of the workspace that git tracks or would track. Writes
 * what it found to standard output, as format/json/finding_json.h has it; the exit status is 0 also
 * with findings. The working directory is the workspace. */
#ifndef HONE_AGENT_OWN_SCAN_H
#define HONE_AGENT_OWN_SCAN_H

int scan_main(void);

#endif
