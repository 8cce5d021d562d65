/** Runs before every file of tests. */

import { afterAll, afterEach } from 'vitest'
import { undoFile, undoStory } from './after.ts'

afterEach(undoStory)
afterAll(undoFile)
