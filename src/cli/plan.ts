/** What a run would do, for those who want to know before it does. */

import type { LoadedLoop, PlannedWorktree } from '../host/index.ts'
import { defaultLimits, type Limits } from '../loop/index.ts'
import { plural, renderMoney, renderSpan } from './display/amounts.ts'
import { describeBase, visible, visibleText } from './display/render.ts'
import type { Session } from './session.ts'

export function showPlan(
  session: Session,
  loaded: LoadedLoop,
  given: Partial<Limits>,
  workspace: string,
  worktree: PlannedWorktree,
): void {
  const { loop, input, powers, warnings, variables } = loaded
  const limits = { ...defaultLimits, ...given }
  const prompt = loaded.firstPrompt(limits, workspace)
  const plan = {
    loop: loop.name,
    workspace,
    worktree,
    limits,
    input,
    variables,
    powers,
    warnings,
    prompt,
  }
  session.print(plan, () =>
    [
      `loop       ${loop.name}`,
      `workspace  ${workspace}`,
      `worktree   ${renderWorktree(worktree)}`,
      `limits     ${renderLimits(limits)}`,
      ...(variables.length === 0 ? [] : [`variables  ${variables.join(', ')}`]),
      ...powers.filter(isNoLimit).map((power) => `           ${power}`),
      ...warnings.map((warning) => `warning: ${warning}`),
    ]
      .map(visible)
      .concat(prompt === undefined ? [] : ['', 'The first prompt:', visibleText(prompt)])
      .join('\n'),
  )
}

const renderWorktree = ({ isUsed, base, why }: PlannedWorktree): string =>
  isUsed
    ? `one of its own, on a branch of its own${base === undefined ? '' : `, from ${describeBase(base)}`}`
    : `none${why === undefined ? '' : `: ${why}`}`

/** The file's own limits may have been changed on the command line. */
const isNoLimit = (power: string): boolean => !power.startsWith('may use ')

const renderLimits = ({ iterations, tokens, costMicros, timeMs }: Limits): string =>
  [
    plural(iterations, 'iteration'),
    plural(tokens, 'token'),
    renderMoney(costMicros),
    renderSpan(timeMs),
  ].join(', ')
