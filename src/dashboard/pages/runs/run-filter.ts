/** The filter of the list of runs, kept in the address, so that a link shows the same list. */

import { useSearchParams } from 'wouter'
import type { RunSummary, RunsFilter } from '../../../client/browser.ts'
import { statusOf } from '../../parts/status.tsx'

export const views = ['all', 'needs', 'active', 'done', 'problems'] as const
export type View = (typeof views)[number]

export const viewNames: Readonly<Record<View, string>> = {
  all: 'All',
  needs: 'Needs you',
  active: 'Active',
  done: 'Done',
  problems: 'Problems',
}

export const groupings = ['none', 'repository', 'loop'] as const
export type Grouping = (typeof groupings)[number]

export interface RunChoice {
  readonly view: View
  readonly group: Grouping
  readonly loop: string
  readonly workspace: string
  readonly name: string
}

const active = new Set([
  'Running',
  'Waiting',
  'Queued',
  'Merging',
  'Rate limited',
  'Pending',
  'Needs you',
])
const problems = new Set(['Failed', 'Stuck', 'Denied', 'Limit reached', 'Interrupted'])
const done = new Set(['Completed', 'Certified', 'Merged', 'In review'])

export function isInView(item: RunSummary, view: View): boolean {
  const { word } = statusOf(item)
  switch (view) {
    case 'all':
      return true
    case 'needs':
      return word === 'Needs you'
    case 'active':
      return active.has(word)
    case 'done':
      return done.has(word)
    case 'problems':
      return problems.has(word) || item.checks.worse.length > 0
  }
}

export type ChangeChoice = (change: Partial<RunChoice>) => void

export function useRunChoice(): readonly [RunChoice, ChangeChoice] {
  const [params, setParams] = useSearchParams()
  const choice: RunChoice = {
    view: views.find((one) => one === params.get('view')) ?? 'all',
    group: groupings.find((one) => one === params.get('group')) ?? 'none',
    loop: params.get('loop') ?? '',
    workspace: params.get('workspace') ?? '',
    name: params.get('name') ?? '',
  }
  const change: ChangeChoice = (changes) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [key, value] of Object.entries(changes)) {
          if (value === '' || value === 'all' || value === 'none') next.delete(key)
          else next.set(key, value)
        }
        return next
      },
      { replace: true },
    )
  return [choice, change]
}

/** What the daemon filters by; the rest is filtered here. */
export const toRunsFilter = ({ loop, workspace, name }: RunChoice): RunsFilter => ({
  ...(loop === '' ? {} : { loop }),
  ...(workspace === '' ? {} : { workspace }),
  ...(name === '' ? {} : { name }),
})
