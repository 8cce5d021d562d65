#!/usr/bin/env node
/** loopd: the daemon is not part of this release; runs live in the process that starts them. */

import { errorTable } from '../loop/index.ts'

process.stderr.write(
  'loopd: the daemon is not part of this release. Run a loop file in the foreground: ' +
    'loopctl run <file>\n',
)
process.exitCode = errorTable['not-available'].exitCode
