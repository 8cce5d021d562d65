/** The end of a round: what it remembers, and its report. */

import { defined, type Level } from '../../loop/index.ts'
import { type RoundReport, roundReportRole } from '../../protocol/round/round-report.ts'
import { describeFailure } from './prepare-round.ts'
import { describeFinding } from './proposal.ts'
import type { RoundEnd, RoundSession } from './round-session.ts'
import { decidedLabel, type RoundSettings } from './round-settings.ts'

/** A proposal that needs a person is recorded twice: before they are asked, and after they decided. */
export type Moment = 'asking' | 'decided' | 'end'

/** Records how it ended, and resolves with the same. */
export async function conclude(
  session: RoundSession,
  end: RoundEnd,
  moment: Moment = 'end',
): Promise<RoundEnd> {
  const problem = await remember(session, end, moment)
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
  end: RoundEnd,
  moment: Moment,
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
          key: `${ports?.run ?? name}/${moment}`,
          text: toFact(settings, end, moment),
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

/** What the next round should know: what came of it, and what a person said about it. */
function toFact(settings: RoundSettings, { outcome, found }: RoundEnd, moment: Moment): string {
  const { type } = outcome
  if (moment === 'decided' && type === 'escalated') return `${decidedLabel}${outcome.reason}`
  return `${type} — ${describeFinding(settings, found)}`
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
    ...defined({
      maker,
      checker,
      proposed,
      decision,
      action,
      branch: filesChanged.length === 0 ? undefined : ports?.branch,
    }),
  }
}
