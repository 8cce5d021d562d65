/** The result of a check: an icon and a word. */

import { CircleCheck, CircleDashed, CircleX, Clock, SkipForward, TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import { type Shown, Status } from './status.tsx'

export const checkResults: Readonly<Record<string, Shown>> = {
  met: { word: 'Met', tone: 'good', icon: CircleCheck },
  'not-met': { word: 'Not met', tone: 'bad', icon: CircleX },
  error: { word: 'Cannot run', tone: 'warn', icon: TriangleAlert },
  timeout: { word: 'Timed out', tone: 'warn', icon: Clock },
  skipped: { word: 'Skipped', tone: 'muted', icon: SkipForward },
  pending: { word: 'Not run on these files', tone: 'muted', icon: CircleDashed },
}

const unknown: Shown = { word: 'Unknown', tone: 'muted', icon: CircleDashed }

export const CheckResult = ({ status }: { readonly status: string }): ReactElement => (
  <Status shown={checkResults[status] ?? unknown} />
)
