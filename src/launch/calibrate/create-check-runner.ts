/** Runs checks outside a run: judges are metered, and nothing is journaled. */

import type { CheckContext } from '../../engine/index.ts'
import type { CertificationCheckout, OpenCheck, Overlay } from '../../evidence/index.ts'
import {
  type AgentContext,
  type CheckResult,
  LoopError,
  type StepId,
  type ToolContext,
} from '../../loop/index.ts'
import type { RunParts } from '../../runs/options.ts'
import type { MeasuredTree } from './choose-tree.ts'
import { formatChange } from './format-change.ts'
import type { JudgeBudget } from './money.ts'

export interface CheckRunnerParts {
  readonly measured: MeasuredTree
  readonly place: Pick<CertificationCheckout, 'checkout' | 'agents'>
  readonly parts: Pick<RunParts, 'tools'>
  readonly money: JudgeBudget
  readonly signal: AbortSignal
}

type RunCheck = (
  check: OpenCheck,
  over: Overlay,
  limitMs?: number,
) => Promise<Pick<CheckResult, 'status'>>

const tokensLeft = 100_000_000

export function createCheckRunner({
  measured,
  place,
  parts,
  money,
  signal,
}: CheckRunnerParts): RunCheck {
  const workspace = place.checkout.path
  const { spend, reserve } = money
  const tool: ToolContext = { signal, attempt: 1, spend, reserve, iteration: 0, workspace }
  const callTool: CheckContext['callTool'] = async (name, args) => {
    if (parts.tools !== undefined) return parts.tools.call(name, args, tool)
    throw new LoopError('not-available', `There is no tool "${name}". Add it to the loop.`)
  }
  const agentContext = (role: string): AgentContext => ({
    ...tool,
    step: `calibrate:${role}#1` as StepId,
    remaining: () => ({
      iterations: 1,
      timeMs: 3_600_000,
      tokens: tokensLeft,
      costMicros: money.remainingMicros(),
    }),
    tools: async () => (await parts.tools?.list?.()) ?? [],
    callTool,
    note: () => undefined,
  })
  const contextFor = (over: Overlay): CheckContext => ({
    ...tool,
    async work(role, task) {
      if (place.agents !== undefined) return place.agents.work(role, task, agentContext(role))
      throw new LoopError('not-available', `There is no agent "${role}". Add it to the loop.`)
    },
    callTool,
    ...toChanges(measured, over),
  })
  return async (check, over, limitMs) => {
    const late = new AbortController()
    const timer = limitMs === undefined ? undefined : setTimeout(() => late.abort(), limitMs)
    try {
      const both = AbortSignal.any([signal, late.signal])
      const result = await check.run({ ...contextFor(over), signal: both })
      return late.signal.aborted ? { status: 'timeout' } : result
    } catch {
      signal.throwIfAborted()
      // A check that cannot run has not passed.
      return { status: late.signal.aborted ? 'timeout' : 'error' }
    } finally {
      clearTimeout(timer)
    }
  }
}

const patchBytesMax = 64 * 1024

/** Presents the last commit and the planted change as the work. A folder without history has no changes. */
function toChanges(
  { reader, tree, commits }: MeasuredTree,
  over: Overlay,
): Pick<CheckContext, 'changes'> {
  const [last] = commits
  if (last === undefined) return {}
  return {
    async changes() {
      const committed = await reader.patch(last.before, tree, last.paths, patchBytesMax)
      const put: string[] = []
      for (const [path, file] of over) {
        const before = await reader.read(tree, path)
        const texts = [before, file?.content].map((bytes) => Buffer.from(bytes ?? []).toString())
        put.push(formatChange(path, texts[0] ?? '', texts[1] ?? ''))
      }
      return [committed, ...put].join('\n')
    },
  }
}
