/** One line for people about one event. */

import type { ActionRecorded } from './authority/action.ts'
import { describeLimits, describeWarning } from './authority/describe-limit.ts'
import type {
  AgentInfo,
  DecisionApplied,
  Ending,
  PolicyDecided,
  Preflight,
  PreflightCheck,
  RunEvent,
  SandboxSummary,
  StepFinished,
  WorkspaceChanged,
} from './event.ts'
import { inOneLine } from './fault.ts'
import { describeFault, describeOutcome } from './outcome.ts'
import type { StepNote } from './step/step-note.ts'
import { summarizeTodo } from './step/todo-list.ts'

/** An event in one line, for people. */
export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-created':
      return [
        `created, loop ${event.loop}`,
        event.origin === undefined ? '' : ` (${event.origin.type})`,
        event.worktree === undefined ? '' : `, on ${event.worktree.branch}`,
      ].join('')
    case 'run-started':
      return [
        'started',
        ...(event.agent === undefined ? [] : [`agent: ${describeAgent(event.agent)}`]),
        ...(event.sandbox === undefined
          ? []
          : [`sandbox: ${describeSandboxSummary(event.sandbox)}`]),
      ].join(', ')
    case 'run-suspended':
      return `suspended: ${event.reason}`
    case 'run-ended':
      return describeOutcome(event.outcome)
    case 'iteration-started':
      return `iteration ${event.iteration}${event.again === true ? ' (continued)' : ''}`
    case 'iteration-restarted':
      return `iteration ${event.iteration} restarts: ${event.reason}`
    case 'iteration-ended':
      return `iteration ${event.iteration}: ${describeEnding(event.ending)}`
    case 'step-started':
      return `${event.step} …${event.question === undefined ? '' : ` ${event.question.text}`}`
    case 'step-finished':
      return `${event.step} ${describeFinished(event)}`
    case 'step-failed': {
      const again = event.retryAtMs === undefined ? '' : ', will be retried'
      return `${event.step} failed: ${describeFault(event.fault)}${again}`
    }
    case 'step-interrupted':
      return `${event.step} interrupted`
    case 'step-noted':
      return `${event.step} ${describeNote(event.note)}`
    case 'budget-reserved':
      return `${event.step} reserves ${event.worst.tokens} tokens, ${event.worst.costMicros} µ$`
    case 'budget-settled':
      return `settled at ${event.spent.tokens} tokens, ${event.spent.costMicros} µ$`
    case 'decision-applied':
      return describeDecision(event)
    case 'run-rewound':
      return `rewound to the checkpoint after iteration ${event.toIteration}`
    case 'workspace-changed':
      return describeFiles(event)
    case 'preflight-noted':
      return event.check === undefined
        ? 'preflight: dependencies …'
        : `preflight: ${event.check} on the base …`
    case 'preflight-ended':
      return `preflight: ${[...event.checks.map(describePreflight), ...describeNewFault(event)].join('; ')}`
    case 'policy-decided':
      return describeRuling(event)
    case 'limit-warned':
      return `warning: ${describeWarning(event)}`
    case 'guidance-delivered':
      return `guidance reached ${event.step ?? `the context of iteration ${event.iteration}`}`
    case 'action-recorded':
      return describeAction(event)
    case 'warning':
      return `warning: ${event.message}`
    case 'loop-printed':
      return `printed: ${inOneLine(event.text)}`
  }
}

/** For example: `merge done, requested by ada: merged into agent/fix`. */
export function describeAction(event: ActionRecorded): string {
  const { kind, status, requestedBy, receipt, reason, action } = event
  const by = requestedBy === undefined ? '' : `, requested by ${requestedBy}`
  const what = reason ?? receipt?.summary ?? action?.summary
  return `${kind} ${status}${by}${what === undefined ? '' : `: ${inOneLine(what)}`}`
}

function describeRuling(event: PolicyDecided): string {
  const { action, iteration, resource, decision, rules, reason, isMonitored } = event
  const what = resource === undefined ? `${action} ${iteration}` : `${action} ${resource}`
  const by = rules.length === 0 ? '' : ` by ${rules.join(', ')}`
  const verb = decision === 'allow' ? 'allows' : isMonitored === true ? 'would deny' : 'denies'
  return `policy ${verb} ${what}${by}${reason === undefined ? '' : `: ${reason}`}`
}

/** For example: `test fails on the base`. */
export function describePreflight({ check, answer, detail }: PreflightCheck): string {
  const reason = detail === undefined ? '' : `: ${detail}`
  return `${check} ${preflightAnswers[answer]}${reason}`
}

const describeNewFault = ({ checks, fault }: Preflight): readonly string[] =>
  fault === undefined || checks.some(({ detail }) => detail === fault.message)
    ? []
    : [describeFault(fault)]

const preflightAnswers: Readonly<Record<PreflightCheck['answer'], string>> = {
  fails: 'fails on the base',
  passes: 'already passes on the base',
  'cannot-run': 'cannot run',
  timeout: 'times out on the base',
  unknown: 'was not run on the base',
}

function describeFinished({ evidence, certificate }: StepFinished): string {
  if (certificate !== undefined) return `certified: ${certificate.id.slice(0, 16)}`
  if (evidence === undefined) return 'done'
  const { status, allowed, reused, flaky } = evidence
  const words = [
    status,
    ...(allowed === true ? ['allowed: already failed before the run'] : []),
    ...(reused === true ? ['reused: nothing changed'] : []),
    ...(flaky === true ? ['flaky: different results on the same files'] : []),
  ]
  return words.join(', ')
}

/** `strong, limits by cgroup`. */
export function describeSandboxSummary({ tier, limits, attended }: SandboxSummary): string {
  const held = limits === 'none' ? 'no limits' : `limits by ${limits}`
  return [tier, ...(tier === 'none' ? [] : [held]), ...(attended ? ['attended'] : [])].join(', ')
}

function describeNote(note: StepNote): string {
  switch (note.type) {
    case 'tool-called': {
      const failure = note.ok ? '' : `, ${note.error ?? 'failed'}`
      return `${note.tool} ${note.args} (${note.durationMs} ms${failure})`
    }
    case 'turn-ended':
      return `turn ${note.turn}, ${note.usage.tokens} tokens: ${note.text}`
    case 'context-cut':
      return `${note.tokens} tokens cut from the conversation: ${note.what}`
    case 'nudged':
      return `was reminded that it repeats itself: ${note.tool}, ${note.times} times`
    case 'said':
      return `says: ${note.text}`
    case 'todo':
      return `todo list: ${summarizeTodo(note)}`
    case 'waiting':
      return `waiting until ${isoTime(note.untilMs)}: ${note.message}`
    case 'prompted':
      return `received a prompt of ${note.bytes} bytes`
    case 'exchanged': {
      const about = note.isEstimated ? 'about ' : ''
      const { tokens, costMicros } = note.spent
      const cost = `${about}${tokens} tokens, ${costMicros} µ$`
      return `called ${note.model} (${note.ordinal}): ${note.ended}, ${cost} (${note.durationMs} ms)`
    }
  }
}

/** Says how to get back files that the run changed or replaced. */
function describeFiles({ why, found, tree, files }: WorkspaceChanged): string {
  const howMany = files === undefined ? 'files' : `${files} file${files === 1 ? '' : 's'}`
  const id = found.slice(0, 16)
  const kept =
    found === tree
      ? `saved as tree ${id}`
      : `to get the replaced files: loopctl files ${id} <empty folder>`
  return `${howMany} ${fileChanges[why]}; ${kept}`
}

const fileChanges = {
  'changed-outside': 'were changed while the run was not active, and are kept',
  'unfinished-step': 'were left by an unfinished step, and are restored to their state before it',
  'during-check': 'were changed while a check ran, and are restored to their state before it',
  restored: 'of the checkpoint were restored',
  'base-moved': 'are merged with those that were added to the target meanwhile',
} as const

function describeDecision({ decision, by: name, claimedBy }: DecisionApplied): string {
  const by = claimedBy === undefined ? name : `${name} (as "${claimedBy}")`
  switch (decision.type) {
    case 'answer': {
      const said = decision.text === undefined ? '' : ` (${inOneLine(decision.text)})`
      return `answered by ${by}: ${decision.answer}${said}`
    }
    case 'tell': {
      const { at, text } = decision
      const place = at === undefined ? '' : ` about ${at.file}:${at.line}`
      return `told by ${by}${place}: ${inOneLine(text)}`
    }
    case 'change-limits': {
      const reason = decision.reason === undefined ? '' : `: ${inOneLine(decision.reason)}`
      return `limits changed by ${by} to ${describeLimits(decision.limits)}${reason}`
    }
    default:
      return `${decision.type}, told by ${by}`
  }
}

/** The largest time that a `Date` can hold; providers may send any number. */
const timeMaxMs = 8.64e15

const isoTime = (ms: number): string => new Date(Math.min(ms, timeMaxMs)).toISOString()

export function describeEnding(ending: Ending): string {
  switch (ending.type) {
    case 'continue':
      return 'continues'
    case 'complete':
      return `met: ${ending.met.condition}`
    case 'rate-limited':
      return `rate limited until ${isoTime(ending.retryAtMs)}`
    case 'interrupted':
      return `interrupted: ${ending.reason}`
    case 'error':
      return `error: ${describeFault(ending.fault)}`
  }
}

/** `claude 2.1.325, headless`. */
export const describeAgent = ({ name, version, protocol }: AgentInfo): string =>
  `${[name, ...(version === undefined ? [] : [version])].join(' ')}${protocol === undefined ? '' : `, ${protocol}`}`
