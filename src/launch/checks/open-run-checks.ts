/** Opens the checks of a run for its iterations. */

import type { Check, Tools } from '../../engine/index.ts'
import type { LoopFile } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { AgentParts } from '../agents/agent-parts.ts'
import { type CalibrationContext, calibratedChecks } from '../calibrate/calibrated-checks.ts'
import type { CodeParts } from '../code-loop/index.ts'
import type { OpenContext } from '../open-context.ts'
import type { CheckSurroundings } from './check-runner.ts'
import { checkKind } from './kinds/registry.ts'
import { describeCode, openChecks } from './open-checks.ts'
import type { ResolvedChecks } from './resolved-check.ts'
import { surroundingsIn } from './surroundings.ts'
import type { TestReports } from './test-reports.ts'

export interface RunChecksContext extends Pick<AgentParts, 'sandbox' | 'environment'> {
  readonly place: OpenContext
  readonly workspace: string
  readonly tools: Tools
  readonly checks: ResolvedChecks
  readonly code: CodeParts | undefined
  /** Undefined: test runners are not asked. */
  readonly reports: TestReports | undefined
}

export const openRunChecks = (
  file: Pick<LoopFile, 'name' | 'sandbox'>,
  context: RunChecksContext,
): Readonly<Record<string, Check>> => {
  const { checks, code, place, sandbox, reports } = context
  // Inspecting the machine takes some milliseconds.
  const surroundings = Object.keys(checks).length === 0 ? () => '' : aroundChecks(file, context)
  return calibratedChecks(
    { ...openChecks(checks, { sandbox, surroundings }, reports), ...code?.checks },
    { record: place.folder, loop: file.name, describe: describer(checks, code, context) },
  )
}

function aroundChecks(
  file: Pick<LoopFile, 'sandbox'>,
  { sandbox, environment, place }: Pick<RunChecksContext, 'sandbox' | 'environment' | 'place'>,
): CheckSurroundings['surroundings'] {
  const project = place.checkout ?? place.workspace
  return surroundingsIn({ sandbox: file.sandbox, summary: sandbox.summary, environment, project })
}

/** Describes a check as in a certificate. */
const describer =
  (
    checks: ResolvedChecks,
    code: CodeParts | undefined,
    at: {
      readonly workspace: string
      readonly environment: Environment
      readonly tools: Tools
    },
  ): CalibrationContext['describe'] =>
  async (name) => {
    const check = checks[name]
    if (check === undefined || code?.checks?.[name] !== undefined) return describeCode(name)
    return checkKind(check).describe(name, check, {
      workspace: at.workspace,
      path: at.environment['PATH'],
      described: (await at.tools.list?.()) ?? [],
    })
  }
