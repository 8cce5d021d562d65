/** Runs before every test file. */

import { afterAll, afterEach } from 'vitest'
import { undoFile, undoStory } from './after.ts'

afterEach(undoStory)
afterAll(undoFile)

// Tests run their loops in the process they start, unless they are about the daemon.
process.env['LOOP_USE_DAEMON'] = '0'
