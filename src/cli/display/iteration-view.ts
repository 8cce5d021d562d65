/**
 * One iteration for people: the prompt, the report of the agent and the output of the checks, in full. Results
 * are recognized by their shape, so this works for any type of loop; unknown ones are listed.
 */

import {
  type AgentReport,
  type CheckResult,
  defined,
  describeEnding,
  describeTodo,
  estimateTokens,
  type Fault,
  type Json,
  plainOutput,
  type RunCheck,
  type StepId,
} from '../../loop/index.ts'
import type { Style } from '../terminal.ts'
import { plural, renderCount, renderMoney, renderSpan, renderTokens } from './amounts.ts'
import { type CertificateShown, readsText } from './certificate-shown.ts'
import { certificationOf, checkRemarks } from './certification-lines.ts'
import { renderExchanges } from './exchange-view.ts'
import type { IterationRecord, StepRecord } from './iteration-record.ts'
import { visible } from './render.ts'
import { type ShownCheck, showChecks } from './shown-checks.ts'
import { stepName } from './step-lines.ts'
import { isCheck, isNames, isPrompt, isReport } from './step-values.ts'

export interface IterationView extends Omit<IterationRecord, 'steps' | 'sent'> {
  readonly run: string
  readonly name: string
  readonly loop: string
  readonly prompts: readonly PromptView[]
  readonly reports: readonly (AgentReport & { readonly step: StepId })[]
  readonly checks: readonly ShownCheck[]
  /** Absent: nothing was certified in it, or the certificate is not here. */
  readonly certificate?: CertificateShown
  /** Of the whole run. Absent: it asked nothing. */
  readonly attention?: { readonly questions: number; readonly waitedMs: number }
  /** Absent: unknown. */
  readonly filesChanged?: readonly string[]
  /** All steps; without the results that are shown above. */
  readonly steps: readonly StepView[]
}

export interface PromptView {
  readonly text: string
  readonly tokens: number
  readonly cuts: readonly { readonly section: string; readonly tokens: number }[]
}

export interface StepView extends Omit<StepRecord, 'result' | 'startedAtMs' | 'check' | 'role'> {
  readonly result?: Json
  /** Its result is shown in its own section. */
  readonly shown?: true
}

/** `values` has the results of the steps, loaded. */
export function viewIteration(
  run: { readonly id: string; readonly name: string; readonly loop: string },
  { steps, sent: _sent, ...record }: IterationRecord,
  values: ReadonlyMap<string, Json>,
  /** What agents got, where more than the prompt of the loop was sent to them. */
  sent: readonly string[] = [],
  /** The checks of the run. */
  known: readonly RunCheck[] = [],
): IterationView {
  const prompts: PromptView[] = []
  const reports: (AgentReport & { step: StepId })[] = []
  const checks: CheckResult[] = []
  let filesChanged: readonly string[] | undefined =
    record.before !== undefined && record.before === record.after ? [] : undefined

  /** Whether the result has its own section. */
  function place({ step, kind, role, check }: StepRecord, value: Json): boolean {
    if (isPrompt(value)) prompts.push({ ...value, text: value.prompt })
    else if (kind === 'agent' && isReport(value)) reports.push({ ...value, step })
    else if (check !== undefined && isCheck(value)) checks.push(value)
    else if (role === 'changes' && kind === 'step' && isNames(value)) filesChanged = value
    else return false
    return true
  }

  const stepViews = steps.map((one): StepView => {
    const { result: _result, startedAtMs: _at, check: _check, role: _role, ...step } = one
    const value = values.get(one.step)
    if (value === undefined) return step
    return place(one, value) ? { ...step, shown: true } : { ...step, result: value }
  })
  return {
    run: run.id,
    name: run.name,
    loop: run.loop,
    ...record,
    prompts: asSent(prompts, sent),
    reports,
    checks: showChecks(checks, known, record.ending === undefined && !record.undone),
    ...defined({ filesChanged }),
    steps: stepViews,
  }
}

/** A single prompt is shown as it was sent; among several it is unknown which text belongs to which. */
function asSent(prompts: readonly PromptView[], sent: readonly string[]): readonly PromptView[] {
  const shown = prompts.map(({ text, tokens, cuts }) => ({ text, tokens, cuts }))
  const [only] = shown
  const [text] = sent
  if (text === undefined) return shown
  if (only !== undefined && shown.length === 1 && sent.length === 1) return [{ ...only, text }]
  return sent.map((one) => ({ text: one, tokens: estimateTokens(one), cuts: [] }))
}

const resultCharsMax = 300

export function renderIteration(style: Style, view: IterationView): string {
  const blocks = [
    renderHead(style, view),
    ...view.prompts.map((prompt) => [style.bold(promptTitle(prompt)), ...inset(prompt.text)]),
    ...view.reports.map((report) => renderReport(style, view, report)),
    renderTools(style, view),
    renderExchanges(style, view.exchanges),
    ...view.checks.map((check) => renderCheck(style, check)),
    ...view.steps.map((step) => renderCertification(style, step, view.certificate)),
    renderFiles(style, view),
    renderOthers(style, view),
    view.remarks.length === 0 ? [] : [style.bold('also'), ...inset(view.remarks.join('\n'))],
  ]
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function renderHead(style: Style, view: IterationView): string[] {
  const { spent, endedAtMs, startedAtMs, ending, entered, attention } = view
  const title = visible(`iteration ${view.iteration} of ${view.name} (loop ${view.loop})`)
  const took = [
    ...(endedAtMs === undefined ? [] : [renderSpan(Math.max(0, endedAtMs - startedAtMs))]),
    renderTokens(spent),
    renderMoney(spent.costMicros),
    ...(entered === 1 ? [] : [`entered ${entered} times`]),
    ...(attention === undefined ? [] : [`so far the run ${describeAttention(attention)}`]),
  ].join(', ')
  const end = ending === undefined ? 'not ended' : describeEnding(ending)
  const undone = view.undone ? '; undone: the run went back to an earlier checkpoint' : ''
  return [style.bold(title), visible(`${end}${undone}`), style.dim(took)]
}

const describeAttention = ({
  questions,
  waitedMs,
}: NonNullable<IterationView['attention']>): string =>
  `asked ${plural(questions, 'question')} and waited ${renderSpan(waitedMs)}`

function promptTitle({ tokens, cuts }: PromptView): string {
  const cut = cuts.map(({ section, tokens: less }) => `${section} by ${renderCount(less)}`)
  return visible(
    `prompt, ${renderCount(tokens)} tokens, ${cut.length === 0 ? 'nothing cut' : `cut: ${cut.join(', ')}`}`,
  )
}

function renderReport(
  style: Style,
  { steps }: IterationView,
  { step, status, text, todo, turns, usage }: IterationView['reports'][number],
): string[] {
  const tookMs = steps.find((one) => one.step === step)?.tookMs
  const took = [
    plural(turns, 'turn'),
    renderTokens(usage),
    ...(tookMs === undefined ? [] : [renderSpan(tookMs)]),
  ]
  return [
    style.bold(visible(`agent ${stepName(step)} says ${status}, ${took.join(', ')}`)),
    ...inset(plainOutput(text)),
    ...(todo === undefined ? [] : ['  todo list:', ...inset(describeTodo(todo).join('\n'))]),
  ]
}

function renderTools(style: Style, { tools }: IterationView): string[] {
  const uses = Object.entries(tools).map(([tool, { calls, failed, ms }]) =>
    visible(
      `${tool}: ${plural(calls, 'call')}${failed === 0 ? '' : `, ${failed} failed`}, ${renderSpan(ms)}`,
    ),
  )
  return uses.length === 0 ? [] : [style.bold('tools'), ...uses.map((use) => `  ${use}`)]
}

function renderCheck(style: Style, check: ShownCheck): string[] {
  const { status, exitCode, output, durationMs, existing } = check
  if (status === 'pending') {
    const before = existing === true ? ' (failed before the run)' : ''
    return [style.bold(visible(`check ${check.check}: pending${before}`))]
  }
  const exit = exitCode === undefined ? '' : `, exit ${exitCode}`
  const title = visible(
    `check ${check.check}: ${status}${exit}, ${renderSpan(durationMs)}${checkRemarks({ ...check, status })}`,
  )
  const tone = status === 'met' ? style.green : style.red
  return [style.bold(tone(title)), ...inset(plainOutput(output))]
}

function renderCertification(
  style: Style,
  { kind, result }: StepView,
  shown: CertificateShown | undefined,
): string[] {
  const certified = kind === 'certify' ? certificationOf(result) : undefined
  if (certified === undefined || certified.type === 'asks') return []
  if (certified.type === 'certified') {
    const lines =
      shown?.id === certified.certificate ? [...shown.shows, ...readsText(shown, false)] : []
    return [
      style.bold(style.green(visible(`certified: ${certified.certificate}`))),
      ...(lines.length === 0 ? [] : inset(lines.join('\n'))),
    ]
  }
  const why = certified.refusals.map(({ code, message }) => `${code}: ${message}`)
  return [style.bold(style.red('not certified')), ...inset(why.join('\n'))]
}

function renderFiles(style: Style, { filesChanged, before, after }: IterationView): string[] {
  if (filesChanged === undefined) {
    if (before === undefined || after === undefined) return []
    return [style.bold('files'), `  from tree ${before}`, `  to tree   ${after}`]
  }
  const names = filesChanged.length === 0 ? ['none'] : filesChanged.map(visible)
  return [style.bold('files changed'), ...names.map((name) => `  ${name}`)]
}

/** Steps without their own section, and those that failed. */
function renderOthers(style: Style, { steps }: IterationView): string[] {
  const others = steps.filter(
    ({ shown, kind, result }) =>
      shown !== true && !(kind === 'certify' && certificationOf(result) !== undefined),
  )
  if (others.length === 0) return []
  const lines = others.map(({ step, state, attempts, tookMs, fault, result }) => {
    const took = tookMs === undefined ? '' : `, ${renderSpan(tookMs)}`
    const tries = attempts === 1 ? '' : `, attempt ${attempts}`
    const said = fault === undefined ? shortJson(result) : describe(fault)
    return visible(`${step} ${state}${tries}${took}${said === '' ? '' : `: ${said}`}`)
  })
  return [style.bold('steps'), ...lines.map((line) => `  ${line}`)]
}

const describe = ({ code, message }: Fault): string => `${code}: ${message}`

function shortJson(value: Json | undefined): string {
  if (value === undefined) return ''
  const text = JSON.stringify(value)
  return text.length <= resultCharsMax ? text : `${text.slice(0, resultCharsMax)}…`
}

/** Untrusted text on lines of a terminal, with tabs of a fixed width. */
export const visibleLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).map((line) => visible(line.replaceAll('\t', '    ')))

const inset = (text: string): string[] =>
  text.trim() === '' ? [] : visibleLines(text.replace(/\s+$/, '')).map((line) => `  ${line}`)
