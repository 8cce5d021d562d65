/** The end of a round: what it remembers, and its report. */

import { defined, type Level } from '../../loop/index.ts'
import { type RoundReport, roundReportRole } from '../../protocol/round/round-report.ts'
import { describeFailure } from './prepare-round.ts'
import { summarize } from './proposal.ts'
import type { RoundEnd, RoundSession } from './round-session.ts'

/** Records how it ended, and resolves with the same. A proposal is recorded twice: before and after a person decided. */
export async function conclude(session: RoundSession, end: RoundEnd): Promise<RoundEnd> {
  const problem = await remember(session, end)
  const warnings = problem === undefined ? end.found.warnings : [...end.found.warnings, problem]
  await session.it.step('report', async () => toReport(session, end, warnings), {
    readOnly: true,
    role: roundReportRole,
  })
  return end
}

/** What failed, if anything did. */
async function remember(
  { it, settings, begun }: RoundSession,
  { outcome, found }: RoundEnd,
): Promise<string | undefined> {
  const { memory, ports, name } = settings
  const remembered = ports?.memory
  if (memory === false || remembered === undefined) return undefined
  const expiresMs = memory?.expiresMs
  const { problem } = await it.step<{ readonly problem?: string }>(
    'remember',
    async () => {
      try {
        return await remembered.record({
          key: `${ports?.run ?? name}/${outcome.type}`,
          text: `${outcome.type} — ${summarize(settings, found)}`,
          tags: [name, 'loop-state'],
          source: `loop:${name}`,
          ...(expiresMs === undefined ? {} : { expiresAtMs: begun.startedAtMs + expiresMs }),
        })
      } catch (error) {
        return { problem: describeFailure('stored', error) }
      }
    },
    { readOnly: true, role: 'remember' },
  )
  return problem
}

function toReport(
  { it, settings, begun }: RoundSession,
  { outcome, found }: RoundEnd,
  warnings: readonly string[],
): RoundReport {
  const { name, intent, ports, now = Date.now } = settings
  const { tokens, outputTokens = 0 } = it.budget.remaining().committed ?? { tokens: 0 }
  const level: Level = begun.level
  const { maker, checker, proposed, decision, action, verified, filesChanged, recalled } = found
  return {
    loop: name,
    intent,
    level,
    run: ports?.run ?? name,
    outcome,
    verified,
    inputTokens: tokens - outputTokens,
    outputTokens,
    filesChanged,
    recalled,
    warnings,
    startedAtMs: begun.startedAtMs,
    endedAtMs: now(),
    ...defined({ maker, checker, proposed, decision, action }),
  }
}
