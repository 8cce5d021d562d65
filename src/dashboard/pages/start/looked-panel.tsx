/** What a run would do and need: the preflight and the dry run. Nothing was started or spent. */

import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import type { Plan, StartFinding, StartFindings } from '../../../client/browser.ts'
import { money, plural, shortCount, span } from '../../parts/format.ts'

const marks: Readonly<Record<StartFinding['status'], readonly [LucideIcon, string, string]>> = {
  ok: [CircleCheck, 'text-good', 'Ready'],
  warning: [TriangleAlert, 'text-warn', 'Warning'],
  problem: [CircleX, 'text-bad', 'Problem'],
}

export const FindingsList = ({ found }: { readonly found: StartFindings }): ReactElement => (
  <ul className="grid gap-1.5">
    {found.findings.map(({ what, status, detail }) => {
      const [Icon, tone, word] = marks[status]
      return (
        <li key={`${what} ${detail}`} className="grid grid-cols-[1.25rem_5.5rem_1fr] gap-x-1">
          <Icon size={16} className={`mt-0.5 ${tone}`} aria-label={word} />
          <span className="text-muted">{what}</span>
          <span className={status === 'problem' ? 'text-bad' : ''}>{detail}</span>
        </li>
      )
    })}
  </ul>
)

export function DryRun({ plan }: { readonly plan: Plan }): ReactElement {
  const { worktree, checks, limits, estimate, queue, prompt, warnings } = plan
  return (
    <dl className="grid gap-x-3 gap-y-2 sm:grid-cols-[6.5rem_1fr]">
      <Row name="Works in">
        {worktree.problem ??
          (worktree.isUsed
            ? `a worktree of its own${worktree.branch === undefined ? '' : ` on ${worktree.branch}`}${worktree.base === undefined ? '' : `, from ${worktree.base.name}`}`
            : `${plan.workspace} itself${worktree.why === undefined ? '' : `: ${worktree.why}`}`)}
      </Row>
      <Row name="Must pass">
        {checks.length === 0
          ? 'no check; the code of the loop decides'
          : checks.map(({ name, text, problem }) => (
              <span key={name} className="block">
                <span className="font-medium">{name}</span>{' '}
                <code className="font-mono text-[13px]">{text}</code>
                {problem === undefined ? null : <span className="block text-bad">{problem}</span>}
              </span>
            ))}
      </Row>
      <Row name="At most">
        {plural(limits.iterations, 'iteration')}, {money(limits.costMicros)},{' '}
        {shortCount(limits.tokens)} tokens, {span(limits.timeMs)}
      </Row>
      {estimate === undefined ? null : <Row name="Expected">{describeCost(estimate)}</Row>}
      {queue === undefined || queue.waitsFor === 'nothing' ? null : (
        <Row name="Waits for">{queue.why ?? queue.waitsFor}</Row>
      )}
      {warnings.length === 0 ? null : (
        <Row name="Note">
          {warnings.map((warning) => (
            <span key={warning} className="block text-warn">
              {warning}
            </span>
          ))}
        </Row>
      )}
      <Row name="First prompt">
        {prompt === undefined ? (
          'known when the run begins'
        ) : (
          <details>
            <summary className="text-accent">{plural(prompt.length, 'character')}</summary>
            <pre
              tabIndex={0}
              className="mt-1 max-h-72 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
            >
              {prompt}
            </pre>
          </details>
        )}
      </Row>
    </dl>
  )
}

function describeCost({ billing, past, callCostMicrosMax, model }: NonNullable<Plan['estimate']>) {
  if (billing === 'nothing') return 'no cost: it calls no model'
  if (billing === 'subscription') return 'paid by the subscription of the agent'
  if (past !== undefined) {
    const { runs, iterations, costMicrosPerIteration } = past
    const average = money(costMicrosPerIteration * iterations)
    return `about ${average}, as in ${plural(runs, 'earlier run')} of ${iterations.toFixed(1)} iterations`
  }
  if (callCostMicrosMax === undefined) return 'unknown before the first run'
  return `at most ${money(callCostMicrosMax)} for the first call${model === undefined ? '' : ` of ${model}`}`
}

const Row = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: ReactNode
}): ReactElement => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)
