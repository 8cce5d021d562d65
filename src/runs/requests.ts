/** Checks requests before anything is written to the journal. */

import { type RunRow, requireLimits } from '../engine/index.ts'
import {
  type Decision,
  defaultLimits,
  defined,
  isEnd,
  type Limits,
  LoopError,
  nameProblem,
} from '../loop/index.ts'

type ControlDecision = Exclude<Decision, { type: 'answer' }>

/** Returns the decision without unknown keys. Callers may be JavaScript, or have parsed it from JSON. */
export function requireDecision(decision: ControlDecision): ControlDecision {
  switch (decision?.type) {
    case 'pause':
    case 'resume':
      return { type: decision.type }
    case 'stop':
    case 'cancel':
      if (typeof decision.reason === 'string') return { ...decision }
      throw badRequest(`To ${decision.type} a run, pass the reason as text.`)
    case 'change-limits':
      return {
        type: 'change-limits',
        limits: requireKnownLimits(decision.limits),
        ...requireReason(decision.reason),
      }
    case 'tell':
      return requireTold(decision)
    default: {
      const type = String((decision as Partial<ControlDecision> | undefined)?.type)
      const known = 'pause, resume, stop, cancel, change-limits or tell'
      throw badRequest(`Unknown decision "${type}". Use ${known}.`)
    }
  }
}

/** Why limits are changed is optional. */
function requireReason(reason: unknown): { readonly reason?: string } {
  if (reason === undefined) return {}
  if (typeof reason === 'string') return { reason }
  throw badRequest('To change limits, pass the reason as text.')
}

const toldCharsMax = 10_000
const fileCharsMax = 4096

/** What a person tells a run is shown to its agent, so it is limited. */
function requireTold({
  text,
  at,
}: Extract<Decision, { type: 'tell' }>): Extract<Decision, { type: 'tell' }> {
  if (typeof text !== 'string' || text.trim() === '') {
    throw badRequest('To tell a run something, pass a text.')
  }
  if (text.length > toldCharsMax) {
    throw badRequest(`The text has ${text.length} characters; the limit is ${toldCharsMax}.`)
  }
  if (at === undefined) return { type: 'tell', text }
  const { file, line, tree } = at
  const isFile = typeof file === 'string' && file !== '' && file.length <= fileCharsMax
  if (!isFile || !Number.isSafeInteger(line) || line < 1) {
    throw badRequest('A comment on a line needs a file and the number of the line, from 1.')
  }
  return { type: 'tell', text, at: { file, line, ...defined({ tree }) } }
}

/** Returns the given limits without undefined values. Rejects unknown names, since a misspelled limit has no effect. */
export function requireKnownLimits(limits: Partial<Limits> | undefined): Partial<Limits> {
  if (limits === undefined) return {}
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) {
    throw badRequest('Limits are an object, like { "iterations": 10 }.')
  }
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined)
  const given = Object.fromEntries(entries) as Partial<Limits>
  requireLimits({ ...defaultLimits, ...given })
  return given
}

/** Names are shown in lists and typed on command lines. */
export function requireName(name: string): string {
  const problem = typeof name === 'string' ? runNameProblem(name) : 'it is not text'
  if (problem === undefined) return name
  throw new LoopError(
    'bad-name',
    `The run cannot be named ${JSON.stringify(name)}: ${problem}. Choose another name.`,
  )
}

/** A name must not look like an id or an option, since commands accept all of them. */
export function runNameProblem(name: string): string | undefined {
  if (/^[-.]/.test(name)) return 'it begins with "-" or "."'
  // As ids are until the year 2527.
  if (/^0[0-9a-f]{7}(-[0-9a-f-]*)?$/i.test(name)) return 'it looks like the id of a run'
  return nameProblem(name)
}

const badRequest = (message: string): LoopError => new LoopError('bad-request', message)

export function requireOpen(run: RunRow): void {
  if (!isEnd(run.status)) return
  const again = run.status === 'completed' ? '' : `To retry it: loopctl retry ${run.name}. `
  throw new LoopError(
    'wrong-status',
    `Run "${run.name}" has ended (${run.status}). ` +
      `${again}To continue from one of its checkpoints: loopctl fork ${run.name} --at <iteration>`,
  )
}
