#!/usr/bin/env node
/** loopd: the daemon is not part of this release; runs live in the process that starts them. */

import { errorTable } from '../loop/index.ts'

process.stderr.write(
  'loopd: the daemon is not part of this release. Run loops through the library, and look at them ' +
    'with loopctl list, inspect and tail.\n',
)
process.exitCode = errorTable['not-available'].exitCode
