/** What views read: the record, and the content that it names. */

import type { Host } from '../host.ts'

export type RecordSource = Pick<Host, 'journal' | 'blobs'>
