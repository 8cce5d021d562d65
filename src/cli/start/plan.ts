/** Renders what a run would do. */

import { type Amount, defined, describeLimits, errorTable, type Limits } from '../../loop/index.ts'
import type { Plan } from '../../protocol/api/index.ts'
import { plural, renderMoney, renderSpan, renderTokens } from '../display/amounts.ts'
import { describeBase, visible, visibleText } from '../display/render.ts'
import type { Session } from '../session.ts'

export function showPlan(session: Session, plan: Plan): void {
  const { loop, workspace, worktree, limits, variables, powers, warnings, prompt } = plan
  const unmet = plan.checks.flatMap(({ problem }) => problem ?? [])
  const refusals = [...unmet, ...(worktree.problem === undefined ? [] : [worktree.problem])]
  session.print(plan, () =>
    [
      `loop       ${loop}${plan.rule === undefined ? '' : ` (${plan.rule})`}`,
      `workspace  ${workspace}`,
      `worktree   ${renderWorktree(worktree)}`,
      ...renderCarry(worktree).map((line) => `           ${line}`),
      `limits     ${renderLimits(limits)}`,
      ...(variables.length === 0 ? [] : [`variables  ${variables.join(', ')}`]),
      ...renderChecks(plan),
      `policy     ${renderPolicy(plan.policy)}`,
      ...renderSandbox(plan),
      ...(refusals.length === 0 ? renderQueue(plan) : []),
      ...renderEstimate(plan),
      ...powers.filter(isNew).map((power) => `           ${power}`),
      ...warnings.map((warning) => `warning: ${warning}`),
    ]
      .map(visible)
      .concat(prompt === undefined ? [] : ['', 'The first prompt:', visibleText(prompt)])
      .concat(
        refusals.length === 0 ? [] : ['', 'This run would be refused:', ...refusals.map(visible)],
      )
      .join('\n'),
  )
  if (refusals.length > 0) {
    const code = unmet.length > 0 ? 'not-configured' : 'wrong-status'
    process.exitCode = errorTable[code].exitCode
  }
}

function renderSandbox({ sandbox }: Plan): readonly string[] {
  if (sandbox === undefined) return []
  const { tier, needed, problem } = sandbox
  const wanted = needed === tier ? '' : `, ${needed} is needed`
  return [`sandbox    ${tier}${wanted}${problem === undefined ? '' : `: ${problem}`}`]
}

/** An amount too small for its digits is not shown as zero. */
const atLeast = (micros: number): string =>
  micros > 0 && micros < 100 ? 'less than $0.0001' : renderMoney(micros)

function renderQueue({ queue }: Plan): readonly string[] {
  if (queue === undefined) return []
  return [
    `queue      ${queue.why ?? (queue.waitsFor === 'nothing' ? 'starts at once' : `waits for a ${queue.waitsFor}`)}`,
  ]
}

function renderEstimate({ estimate }: Plan): readonly string[] {
  if (estimate === undefined) return []
  const { billing, model, promptTokens, most, past, unknown } = estimate
  const { iterationCostMicrosMin: least, callCostMicrosMax: call } = estimate
  const tokens =
    promptTokens === undefined ? [] : [`about ${plural(promptTokens, 'token')} in the first prompt`]
  const paid = {
    tokens: `${model}, billed by token`,
    nothing: 'none: no model is billed',
    subscription: `${model}, by subscription`,
    unknown: 'not known',
  }[billing]
  return [
    `cost       ${[paid, ...tokens].join('; ')}`,
    ...(least === undefined || billing === 'nothing'
      ? []
      : [
          `           per iteration: at least ${atLeast(least)}; one call with the longest answer: ${renderMoney(call ?? least)}`,
        ]),
    ...(past === undefined
      ? []
      : [
          `           so far: ${renderMoney(past.costMicrosPerIteration)} and ${renderTokens(pastTokens(past))} per iteration, in ${plural(past.runs, 'run')} of this loop`,
        ]),
    ...(billing === 'nothing'
      ? []
      : [
          `           limits: ${renderMoney(most.costMicros)} and ${plural(most.tokens, 'token')} in ${plural(most.iterations, 'iteration')}`,
        ]),
    ...unknown.map((what) => `           unknown: ${what}`),
  ]
}

function renderWorktree({ isUsed, base, why, branch }: Plan['worktree']): string {
  if (!isUsed) return `none${why === undefined ? '' : `: ${why}`}`
  const from = base === undefined ? '' : `, from ${describeBase(base)}`
  return `a separate one on branch ${branch}${from}, with a commit for each iteration`
}

function renderChecks({ checks, scope, seals, certify }: Plan): readonly string[] {
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
    ...renderScope(scope.lines),
    `seals      files of the loop${sealed}; a change: ${changes}`,
    `certify    in a clean checkout, dependencies: ${certify.dependencies}, requires ${certify.require}${certify.quick ? ', quick' : ''}${consulted}`,
  ]
}

const scopeLinesMax = 12

/** What the agent may change without asking. */
export function renderScope(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, scopeLinesMax)
  const rest = lines.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${plural(rest, 'line')} more`] : [])].map(
    (line, at) => `${at === 0 ? 'scope      ' : '           '}${line}`,
  )
}

function renderCarry({ carry = [] }: Plan['worktree']): readonly string[] {
  if (carry.length === 0) return []
  const words = carry.map(({ path, by }) => `${path} (${by === 'copy' ? 'copied' : 'linked'})`)
  return [`ignored files carried over: ${words.join(', ')}`]
}

/** Powers that other lines of the plan already show. */
const shownElsewhere = [
  'may use ',
  'works in ',
  'works directly in ',
  'copies ignored files ',
  'links ignored files ',
  'runs the check ',
  'calls the tool ',
]
const isNew = (power: string): boolean => !shownElsewhere.some((start) => power.startsWith(start))

function renderLimits({ iterations, tokens, costMicros, timeMs, ...others }: Limits): string {
  const { inputTokens, outputTokens, iteration, agents } = others
  const more = describeLimits(defined({ inputTokens, outputTokens, iteration, agents }))
  return [
    plural(iterations, 'iteration'),
    plural(tokens, 'token'),
    renderMoney(costMicros),
    renderSpan(timeMs),
    ...(more === '' ? [] : [more]),
  ].join(', ')
}

const renderPolicy = (policy: Plan['policy']): string =>
  policy === 'none'
    ? 'none'
    : policy.files.map(({ file, mode }) => `${mode} ${file}`).join(', ') +
      ` (${policy.digest.slice(0, 12)})`

const pastTokens = (past: NonNullable<NonNullable<Plan['estimate']>['past']>): Amount => ({
  tokens: past.tokensPerIteration,
  costMicros: past.costMicrosPerIteration,
  ...defined({ outputTokens: past.outputTokensPerIteration }),
})
