/** Projects steps with prompts, agents and checks to the files of a run. */

import { z } from 'zod'
import { describeTodo, type Json, parseStepId, type RunEvent, readStep } from '../../loop/index.ts'
import { renderRoundReport } from '../../protocol/round/render-round-report.ts'
import { roundReportSchema } from '../../protocol/round/round-report-schema.ts'
import {
  agentLogFile,
  iterationFile,
  promptFile,
  promptSnapshot,
  roundReportFile,
  tailFile,
  todoFile,
} from './file-names.ts'
import { type Change, type FileChange, type FoldState, type OpenIteration } from './fold-state.ts'
import { projectMeasure, projectSkills } from './project-context.ts'
import { type PlanPart, planPartOf, projectPlan } from './project-plan.ts'
import type { ReportRow } from './report-row.ts'
import { agentEnd, checkEnd, noteText, readPrompt } from './step-text.ts'

export type StepChange = Extract<
  RunEvent,
  { type: 'step-started' | 'step-finished' | 'step-failed' | 'step-noted' }
>

export function projectStep(
  carried: FoldState,
  event: StepChange,
  atMs: number,
  result: Json | undefined,
): Change {
  const { open } = carried
  if (open === undefined) return { next: carried }
  const part = partOf(event)
  switch (part) {
    case 'prompt':
      return projectPrompt(carried, event, atMs, result)
    case 'agent':
      return projectAgent({ carried, open, atMs }, event, result)
    case 'check':
      return projectCheck({ carried, open, atMs }, event, result)
    case 'measure':
      return projectMeasure({ carried, open, atMs }, event, result)
    case 'skills':
      return projectSkills({ carried, open, atMs }, event, result)
    case 'round-report':
      return projectReport(carried, event, result)
    case 'document':
      return projectDocument(carried, event, result)
    case 'plan':
    case 'watchdog':
    case 'review-prompt':
      return event.type === 'step-finished'
        ? projectPlan(carried, { part, iteration: event.iteration, atMs, result })
        : { next: carried }
    case undefined:
      return { next: carried }
  }
}

/** Roles of plain steps that add to the files. */
const roles = ['prompt', 'measure', 'skills', 'round-report', 'document'] as const
type StepPart = 'agent' | 'check' | (typeof roles)[number]

/** What a step adds to the files. Undefined: nothing. */
export function partOf(event: StepChange): StepPart | PlanPart | undefined {
  // The role in a note is that of its writer.
  const { kind, role } = readStep(event.type === 'step-noted' ? { step: event.step } : event)
  if (kind === 'agent' || kind === 'check') return kind
  if (kind !== 'step') return undefined
  return roles.find((one) => one === role) ?? planPartOf(role)
}

/** The newest one: a proposal that needs a person is reported twice. */
function projectReport(carried: FoldState, event: StepChange, result: Json | undefined): Change {
  const { data } = roundReportSchema.safeParse(event.type === 'step-finished' ? result : undefined)
  if (data === undefined) return { next: carried }
  const path = roundReportFile(event.iteration)
  return { next: carried, changes: [{ type: 'put', path, text: renderRoundReport(data) }] }
}

const documentSchema = z.object({
  file: z.string().regex(/^[A-Z][A-Z_]{0,40}\.md$/),
  text: z.string(),
})

/** A document that the loop wrote, such as `LOOP.md`: the newest one with this name. */
function projectDocument(carried: FoldState, event: StepChange, result: Json | undefined): Change {
  const { data } = documentSchema.safeParse(event.type === 'step-finished' ? result : undefined)
  if (data === undefined) return { next: carried }
  return { next: carried, changes: [{ type: 'put', path: data.file, text: data.text }] }
}

function projectPrompt(
  carried: FoldState,
  event: StepChange,
  atMs: number,
  result: Json | undefined,
): Change {
  const text = event.type === 'step-finished' ? readPrompt(result) : undefined
  if (text === undefined) return { next: carried }
  const { iteration } = event
  const path = promptFile(iteration)
  const own: FileChange = { type: 'put', path, text }
  if (carried.hasPrompt) return { next: carried, changes: [own] }
  const outputBytes = Buffer.byteLength(text)
  return {
    next: { ...carried, hasPrompt: true },
    changes: [{ type: 'put', path: promptSnapshot, text }, own],
    rows: [{ atMs, kind: 'PROMPT_SNAPSHOT', iteration, outputBytes, outputPath: promptSnapshot }],
  }
}

interface StepContext {
  readonly carried: FoldState
  readonly open: OpenIteration
  readonly atMs: number
}

function projectAgent(
  { carried, open, atMs }: StepContext,
  event: StepChange,
  result?: Json,
): Change {
  const { iteration, step } = event
  const path = agentLogFile(iteration, step, carried.roles)
  const at = { atMs, iteration }
  switch (event.type) {
    case 'step-started': {
      const again = event.attempt > 1 ? `--- attempt ${event.attempt} ---\n` : ''
      const steps = { ...open.steps, [step]: atMs }
      return appendOutput(carried, { ...open, steps, log: path }, path, again)
    }
    case 'step-noted': {
      const output = appendOutput(carried, open, path, noteText(event.note))
      if (event.note.type !== 'todo') return output
      const list = `${describeTodo(event.note).join('\n')}\n`
      const file = {
        type: 'put',
        path: todoFile(iteration, step, carried.roles),
        text: list,
      } as const
      return { ...output, changes: [...(output.changes ?? []), file] }
    }
    case 'step-failed': {
      const { fault, retryAtMs } = event
      const text = `--- failed: ${fault.message} ---\n`
      const isTimeout = fault.code === 'timeout' || fault.code === 'time'
      const exitCode = isTimeout ? 124 : 1
      const output = appendOutput(carried, { ...open, exitCode, agentFailed: true }, path, text)
      const message = `${fault.code}: ${fault.message}`
      const rows: readonly ReportRow[] = [
        ...(isTimeout ? [{ ...at, kind: 'ITERATION_TIMEOUT', exitCode, message } as const] : []),
        ...(retryAtMs === undefined ? [] : [{ ...at, kind: 'CLAUDE_RETRY', message } as const]),
      ]
      return { ...output, rows }
    }
    case 'step-finished': {
      const { text, exitCode } = agentEnd(result)
      const output = appendOutput(
        carried,
        { ...open, exitCode, agentFailed: exitCode !== 0 },
        path,
        text,
      )
      const tail = tailFile(iteration)
      return {
        next: { ...output.next, lastTail: tail },
        changes: [...(output.changes ?? []), { type: 'tail', path: tail, of: path }],
        rows: [{ ...at, kind: 'ITERATION_TAIL', outputPath: tail }],
      }
    }
  }
}

function projectCheck(
  { carried, open, atMs }: StepContext,
  event: StepChange,
  result?: Json,
): Change {
  const { iteration, step } = event
  const path = iterationFile(iteration, 'verify.log')
  const at = { atMs, iteration, message: `check:${parseStepId(step).name}` }
  const startedAtMs = open.steps[step] ?? atMs
  const verify = open.verify ?? { startedAtMs: atMs, failed: 0 }
  switch (event.type) {
    case 'step-started': {
      const first =
        open.verify === undefined ? [{ atMs, iteration, kind: 'VERIFY_START' } as const] : []
      const steps = { ...open.steps, [step]: atMs }
      return {
        next: { ...carried, open: { ...open, verify, steps } },
        rows: [...first, { ...at, kind: 'VERIFY_CMD_START' }],
      }
    }
    case 'step-noted':
      return { next: carried }
    case 'step-failed':
    case 'step-finished': {
      const { text, exitCode, isSkipped } =
        event.type === 'step-failed'
          ? { text: `${event.fault.message}\n`, exitCode: 1, isSkipped: false }
          : checkEnd(result)
      const failed = verify.failed + (exitCode === 0 || isSkipped ? 0 : 1)
      const log = { type: 'append', path, text: `--- ${at.message} ---\n${text}` } as const
      const output = { outputBytes: Buffer.byteLength(text), outputLines: countLines(text) }
      const durationMs = atMs - startedAtMs
      const kind = isSkipped ? 'VERIFY_SKIP' : 'VERIFY_CMD_END'
      return {
        next: { ...carried, open: { ...open, verify: { ...verify, failed } } },
        changes: [log],
        rows: [{ ...at, kind, durationMs, exitCode, ...output, outputPath: path }],
      }
    }
  }
}

function appendOutput(carried: FoldState, open: OpenIteration, path: string, text: string): Change {
  const bytes = open.bytes + Buffer.byteLength(text)
  const next = { ...carried, open: { ...open, bytes, lines: open.lines + countLines(text) } }
  return text === '' ? { next } : { next, changes: [{ type: 'append', path, text }] }
}

const countLines = (text: string): number => text.split('\n').length - 1
