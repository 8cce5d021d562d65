/** Runs before every file of tests. */

import { afterAll, afterEach } from 'vitest'
import { undoFile, undoStory } from './after.ts'

afterEach(undoStory)
afterAll(undoFile)

// Stories run their loops in the process they start, unless they are about the daemon.
process.env['LOOP_USE_DAEMON'] = '0'
