/** Runs before every file of stories. */

import { afterAll, afterEach } from 'vitest'
import { undoFile, undoStory } from './after.ts'

afterEach(undoStory)
afterAll(undoFile)
