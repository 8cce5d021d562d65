/** What views read: the record, and the content that it names. */

import type { Runs } from '../../runs/runs.ts'

export type RecordSource = Pick<Runs, 'journal' | 'blobs'>
