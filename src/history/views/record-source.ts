/** What views read: the journal and its blobs. */

import type { Runs } from '../../runs/runs.ts'

export type RecordSource = Pick<Runs, 'journal' | 'blobs'>
