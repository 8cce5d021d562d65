/** What a run would do, for those who want to know before it does. */

import type { LoadedLoop, PlannedChecks, PlannedWorktree } from '../host/index.ts'
import { defaultLimits, errorTable, type Limits } from '../loop/index.ts'
import { plural, renderMoney, renderSpan } from './display/amounts.ts'
import { describeBase, visible, visibleText } from './display/render.ts'
import type { Session } from './session.ts'

export async function showPlan(
  session: Session,
  loaded: LoadedLoop,
  given: Partial<Limits>,
  workspace: string,
  worktree: PlannedWorktree,
): Promise<void> {
  const { loop, input, powers, warnings, variables } = loaded
  const limits = { ...defaultLimits, ...given }
  const prompt = loaded.firstPrompt(limits, workspace)
  const checking = await loaded.planChecks(workspace)
  const refusals = checking.checks.flatMap(({ problem }) => problem ?? []).map(visible)
  const plan = {
    ...checking,
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
      ...renderCarry(worktree).map((line) => `           ${line}`),
      `limits     ${renderLimits(limits)}`,
      ...(variables.length === 0 ? [] : [`variables  ${variables.join(', ')}`]),
      ...renderChecks(checking),
      ...powers.filter(isNew).map((power) => `           ${power}`),
      ...warnings.map((warning) => `warning: ${warning}`),
    ]
      .map(visible)
      .concat(prompt === undefined ? [] : ['', 'The first prompt:', visibleText(prompt)])
      .concat(refusals.length === 0 ? [] : ['', 'This run would be refused:', ...refusals])
      .join('\n'),
  )
  if (refusals.length > 0) process.exitCode = errorTable['not-configured'].exitCode
}

function renderWorktree({ isUsed, base, why, branch }: PlannedWorktree): string {
  if (!isUsed) return `none${why === undefined ? '' : `: ${why}`}`
  const from = base === undefined ? '' : `, from ${describeBase(base)}`
  return `one of its own, on the branch ${branch}${from}, with a commit for each iteration`
}

function renderChecks({ checks, seals, certify }: PlannedChecks): readonly string[] {
  const { paths, except, keys, changes } = seals
  const besides = [
    ...paths,
    ...except.map((glob) => `not ${glob}`),
    ...Object.entries(keys).map(([file, names]) => `${file} (${names.join(', ')})`),
  ]
  const sealed = besides.length === 0 ? '' : `, ${besides.join(', ')}`
  const consulted = certify.consult.length === 0 ? '' : `; asks ${certify.consult.join(', ')}`
  return [
    ...checks.map(
      ({ name, text, problem, timeoutMs, existing }) =>
        `check      ${name}: ${problem === undefined ? text : 'nothing to run'} (${renderSpan(timeoutMs)}${existing === 'allow' ? ', may fail as before' : ''})`,
    ),
    `seals      tests and their settings${sealed}; a change: ${changes}`,
    `certify    in a clean checkout, dependencies: ${certify.dependencies}${certify.teeth ? ', teeth' : ''}${consulted}`,
  ]
}

function renderCarry({ carry = [] }: PlannedWorktree): readonly string[] {
  if (carry.length === 0) return []
  const words = carry.map(({ path, by }) => `${path} (${by === 'copy' ? 'copied' : 'linked'})`)
  return [`carried over where git ignores it: ${words.join(', ')}`]
}

/** What was said above, with what the command line changed and what the folder is. */
const said = [
  'may use ',
  'works in ',
  'copies what git ignores ',
  'links what git ignores ',
  'runs the check ',
  'calls the tool ',
]
const isNew = (power: string): boolean => !said.some((start) => power.startsWith(start))

const renderLimits = ({ iterations, tokens, costMicros, timeMs }: Limits): string =>
  [
    plural(iterations, 'iteration'),
    plural(tokens, 'token'),
    renderMoney(costMicros),
    renderSpan(timeMs),
  ].join(', ')
