/** The level of a loop for one kind of action: what it has earned, and what is missing for the next level. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import type { LevelStanding } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { plural } from '../../parts/format.ts'
import { Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'

const levelNames = {
  1: 'Level 1: reports',
  2: 'Level 2: asks you',
  3: 'Level 3: acts without you',
} as const

const percent = (share: number): string => `${(share * 100).toFixed(share === 1 ? 0 : 1)} %`

export function LevelCard({ standing }: { readonly standing: LevelStanding }): ReactElement {
  const { kind, level, evidence, next, missing, proposed, history, ceiling } = standing
  const { trials, successes, lower, confidence } = evidence
  const [last] = history
  return (
    <div className="grid content-start gap-1.5 rounded-lg border border-line bg-bg p-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{levelNames[level]}</span>
        <span className="text-[13px] text-muted">
          to {kind}
          {ceiling === undefined ? '' : `; its file allows ${ceiling}`}
        </span>
      </p>
      {trials === 0 ? (
        <p className="text-[13px] text-muted">No finished round counts yet.</p>
      ) : (
        <p className="text-[13px]">
          {successes} of {plural(trials, 'round')} verified: at least {percent(lower)}, with{' '}
          {percent(confidence)} confidence
        </p>
      )}
      {next === undefined || missing.length === 0 ? null : (
        <div className="text-[13px]">
          <p className="text-muted">Missing for level {next}:</p>
          <ul className="list-disc pl-5">
            {missing.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
      {proposed === undefined ? null : <Accept standing={standing} to={proposed} />}
      {last === undefined ? null : (
        <p className="text-xs text-muted">
          Last change: {last.from} to {last.level} by {last.by} <Time atMs={last.atMs} />.{' '}
          {last.reason}
        </p>
      )}
    </div>
  )
}

interface AcceptProps {
  readonly standing: LevelStanding
  readonly to: 1 | 2 | 3
}

function Accept({ standing, to }: AcceptProps): ReactElement | null {
  const { loop, repository, kind } = standing
  const { client, canDecide, session } = useConnection()
  const queries = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const decision = useMutation({
    mutationFn: () =>
      client.decideLevel({
        loop,
        kind,
        accept: true,
        by: session.name ?? 'dashboard',
        ...(repository === undefined ? {} : { workspace: repository }),
      }),
    async onSuccess() {
      setIsOpen(false)
      await queries.invalidateQueries({ queryKey: ['levels'] })
    },
  })
  if (!canDecide) return null
  return (
    <div>
      <Button kind="primary" onClick={() => setIsOpen(true)}>
        Give level {to}
      </Button>
      {isOpen ? (
        <Dialog title={`${levelNames[to]}: ${loop}`} onClose={() => setIsOpen(false)}>
          <div className="grid gap-3">
            <p>
              {to === 3
                ? `Its gate then allows ${kind} without asking you. One that turns out to be wrong lowers the level at once.`
                : `It then asks you about each ${kind}.`}
            </p>
            {decision.error === null ? null : <Problem error={decision.error} />}
            <div className="flex justify-end gap-2">
              <Button onClick={() => setIsOpen(false)}>Back</Button>
              <Button
                kind="primary"
                disabled={decision.isPending}
                onClick={() => decision.mutate()}
              >
                Give level {to}
              </Button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </div>
  )
}
