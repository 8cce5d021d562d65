/** The status of a run from its facts: an icon and a word, never a color alone. */

import {
  BadgeCheck,
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleStop,
  Clock,
  GitMerge,
  GitPullRequest,
  Hand,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  PlugZap,
  Repeat,
  Trash2,
} from 'lucide-react'
import type { ReactElement } from 'react'
import type { RunSummary } from '../../client/browser.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'muted'

export interface Shown {
  readonly word: string
  readonly tone: Tone
  readonly icon: LucideIcon
}

const byStatus: Readonly<Record<RunSummary['run']['status'], Shown>> = {
  pending: { word: 'Pending', tone: 'muted', icon: CircleDashed },
  running: { word: 'Running', tone: 'accent', icon: LoaderCircle },
  waiting: { word: 'Waiting', tone: 'muted', icon: Hourglass },
  suspended: { word: 'Suspended', tone: 'muted', icon: CirclePause },
  paused: { word: 'Paused', tone: 'warn', icon: CirclePause },
  completed: { word: 'Completed', tone: 'good', icon: CircleCheck },
  exhausted: { word: 'Limit reached', tone: 'warn', icon: CircleAlert },
  denied: { word: 'Denied', tone: 'bad', icon: Ban },
  stuck: { word: 'Stuck', tone: 'bad', icon: Repeat },
  stopped: { word: 'Stopped', tone: 'muted', icon: CircleStop },
  cancelled: { word: 'Cancelled', tone: 'muted', icon: CircleSlash },
  failed: { word: 'Failed', tone: 'bad', icon: OctagonX },
}

const reviewed: Readonly<Record<string, Shown>> = {
  merged: { word: 'Merged', tone: 'good', icon: GitMerge },
  'pr-created': { word: 'In review', tone: 'good', icon: GitPullRequest },
  scrapped: { word: 'Discarded', tone: 'muted', icon: Trash2 },
}

type Facts = Pick<RunSummary, 'waitsFor' | 'review' | 'certificate'> & {
  readonly run: Pick<RunSummary['run'], 'status' | 'interrupted'>
}

export function statusOf({ run, waitsFor, review, certificate }: Facts): Shown {
  const done = review === undefined ? undefined : reviewed[review.status]
  if (done !== undefined) return done
  switch (waitsFor?.type) {
    case 'person':
      return { word: 'Needs you', tone: 'warn', icon: Hand }
    case 'merge':
      return { word: 'Merging', tone: 'accent', icon: GitMerge }
    case 'provider':
      return { word: 'Rate limited', tone: 'muted', icon: Clock }
    case 'queue':
      return { word: 'Queued', tone: 'muted', icon: Clock }
    case undefined:
      break
  }
  if (run.interrupted) return { word: 'Interrupted', tone: 'warn', icon: PlugZap }
  if (run.status === 'completed' && certificate?.isCurrent === true) {
    return { word: 'Certified', tone: 'good', icon: BadgeCheck }
  }
  return byStatus[run.status]
}

export const toneText: Readonly<Record<Tone, string>> = {
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  accent: 'text-accent',
  muted: 'text-muted',
}

const softTones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
  muted: 'bg-sunken text-muted',
}

export interface StatusProps {
  readonly shown: Shown
  /** With a background, for headers. */
  readonly isBadge?: boolean
}

export function Status({ shown, isBadge = false }: StatusProps): ReactElement {
  const { word, tone, icon: Icon } = shown
  const look = isBadge ? `rounded-full px-2.5 py-0.5 ${softTones[tone]}` : toneText[tone]
  const isTurning = Icon === LoaderCircle
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${look}`}>
      <Icon
        size={15}
        aria-hidden
        className={isTurning ? 'animate-[spin_3s_linear_infinite]' : undefined}
      />
      {word}
    </span>
  )
}
