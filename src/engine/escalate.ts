/**
 * Asks a person when objective triggers fire, in the step `ask:escalation` of the iteration: once, with all of them. Until
 * the answer the run waits; at the deadline it ends as it would have without the question.
 *
 * E2. An iteration that is continued follows its recorded question. E11. The answer is applied once.
 */

import {
  type Answer,
  type CheckResult,
  decide,
  defined,
  type Ending,
  type EscalationChoice,
  evolve,
  findFileTriggers,
  findTriggers,
  type IterationEnded,
  type IterationMeasure,
  type Json,
  type Met,
  measureChecks,
  type Outcome,
  pathsMax,
  type Question,
  type RunState,
  type TreeId,
  type Trigger,
} from '../loop/index.ts'
import type { Branch, LiveIteration, LiveRun } from './live-run.ts'
import type { Escalation } from './ports.ts'
import { askPerson } from './steps/ask-person.ts'
import { isRecordedNext } from './steps/ask-step.ts'
import { diffOf, toEvidentCheck } from './steps/question-evidence.ts'

const questionName = 'escalation'

/** What the counters of the run need to know about an iteration. Undefined: the run does not escalate. */
export async function measureIteration(
  { run, refusedFile }: Pick<LiveIteration, 'run' | 'refusedFile'>,
  checks: readonly CheckResult[],
): Promise<IterationMeasure | undefined> {
  const { escalation } = run.ports
  if (escalation === undefined) return undefined
  const { baseTree } = run.recorder.state
  const measure = { ...measureChecks(checks), ...defined({ refusedFile }) }
  const changed = await changedSince(run, baseTree)
  if (changed === undefined) return measure
  const outside = escalation.outsideScope?.(changed).slice(0, pathsMax) ?? []
  const { filesPer } = escalation.thresholds
  const counted = filesPer === 'run' ? changed : await changedSince(run, countedFrom(run))
  return {
    ...measure,
    ...defined({ files: counted?.length }),
    ...(filesPer === 'run' ? {} : { filesPer }),
    ...(outside.length === 0 ? {} : { outside }),
  }
}

/** The tree that changed files are counted from. */
export function countedFrom({ ports, recorder }: LiveRun): TreeId | undefined {
  const { baseTree, treeAtIterationStart } = recorder.state
  return ports.escalation?.thresholds.filesPer === 'iteration' ? treeAtIterationStart : baseTree
}

/** Undefined: unknown. */
export async function changedSince(
  { ports, recorder }: LiveRun,
  from: TreeId | undefined,
): Promise<readonly string[] | undefined> {
  const { tree } = recorder.state
  if (from === undefined || tree === undefined) return undefined
  return from === tree ? [] : ports.workspace?.changes?.(from, tree)
}

/** What both questions are decided from. Undefined: the run does not escalate. */
interface Moment {
  readonly run: LiveRun
  readonly escalation: Escalation
  readonly after: RunState
  /** The question was asked before the iteration was continued. */
  readonly wasAsked: boolean
}

function momentOf(branch: Branch, event: IterationEnded, progress?: Json): Moment | undefined {
  const { run } = branch.iteration
  const { escalation } = run.ports
  if (escalation === undefined) return undefined
  const wasAsked = isRecordedNext(branch, { kind: 'ask', name: questionName })
  return { run, escalation, after: stateAfter(run, event, progress), wasAsked }
}

/** The end of the iteration. If triggers fire, a person is asked first. */
export async function escalate(
  branch: Branch,
  event: IterationEnded,
  checks: readonly CheckResult[],
  progress?: Json,
): Promise<IterationEnded> {
  const moment = mayContinue(event.ending) ? momentOf(branch, event, progress) : undefined
  if (moment === undefined) return event
  const { run, escalation, after, wasAsked } = moment
  const stuck = findStuck(run, after)
  const triggers = findTriggers(after, event.ending, { ...escalation.thresholds, stuck })
  if (!isDueNow(escalation, event.ending, triggers, stuck) && !wasAsked) {
    return stuck === undefined || !after.attempts.ignored.includes('stuck')
      ? event
      : decided(event, [{ name: 'stuck', happened: '' }], 'override')
  }
  const choice = await ask(branch, triggers, checks)
  // The run ends as stuck without a change of the event.
  if (choice === terminate && stuck !== undefined) {
    return { ...event, escalated: { triggers: triggers.map(({ name }) => name), choice } }
  }
  return decided(event, triggers, choice)
}

/** Before work is certified: asks a person who has to approve the changed files first. */
export async function escalateBeforeCertifying(
  branch: Branch,
  event: IterationEnded,
  checks: readonly CheckResult[],
  progress?: Json,
): Promise<IterationEnded> {
  const moment = momentOf(branch, event, progress)
  if (moment?.escalation.when !== 'triggered') return event
  const { escalation, after, wasAsked } = moment
  const triggers = findFileTriggers(after.attempts, escalation.thresholds)
  if (triggers.length === 0 && !wasAsked) return event
  return decided(event, triggers, await ask(branch, triggers, checks))
}

/** A run that completes, or that reached a limit, has nothing to ask. A bug is not a trigger either. */
const mayContinue = (ending: Ending): boolean => {
  if (ending.type === 'complete') return ending.met.ends === 'stuck'
  return ending.type === 'continue' || (ending.type === 'error' && ending.fault.limit === undefined)
}

function isDueNow(
  { when }: Escalation,
  ending: Ending,
  triggers: readonly Trigger[],
  stuck: Met | undefined,
): boolean {
  if (triggers.length === 0) return false
  const isFatal = ending.type === 'error' && !ending.recoverable
  if (isFatal && !triggers.some(({ name }) => name === 'external-blocker')) return false
  return when === 'triggered' || (stuck !== undefined && hasStuck(triggers))
}

const hasStuck = (triggers: readonly Trigger[]): boolean =>
  triggers.some(({ name }) => name === 'stuck')

function stateAfter(run: LiveRun, event: IterationEnded, progress: Json | undefined): RunState {
  const { recorder } = run
  const occurrence = { seq: recorder.state.seq + 1, atMs: recorder.now(), event }
  return evolve(recorder.state, occurrence, progress === undefined ? undefined : () => progress)
}

/** Why the run would end as stuck now. */
function findStuck(run: LiveRun, after: RunState): Met | undefined {
  const command = decide(after, run.ports.clock.now())
  const outcome: Outcome | undefined = command.type === 'finish' ? command.outcome : undefined
  if (outcome?.type !== 'stuck') return undefined
  return { condition: outcome.condition, ends: 'stuck', detail: outcome.detail }
}

const guidance = 'guidance'
const override = 'override'
const terminate = 'terminate'
const approve = 'approve'
const fileTriggers = ['too-many-files', 'outside-scope']

async function ask(
  branch: Branch,
  triggers: readonly Trigger[],
  checks: readonly CheckResult[],
): Promise<EscalationChoice> {
  const { run } = branch.iteration
  const { answer }: Answer = await askPerson(
    branch,
    questionName,
    createQuestion(run, triggers, checks),
  )
  switch (answer) {
    case guidance:
    case override:
    case approve:
      return answer
    default:
      return terminate
  }
}

function createQuestion(
  run: LiveRun,
  triggers: readonly Trigger[],
  checks: readonly CheckResult[],
): Question {
  const { escalation } = run.ports
  const mayApprove = triggers.some(({ name }) => fileTriggers.includes(name))
  const diff = diffOf(run.recorder.state)
  const text = [
    'The run needs your decision to continue:',
    ...triggers.map(({ happened }) => `- ${happened}`),
    `${guidance}: it continues; the agent gets what you respond.`,
    `${override}: it continues and ignores ${triggers.length === 1 ? 'this' : 'these'} from now on.`,
    ...(mayApprove ? [`${approve}: accept these changes; it continues.`] : []),
    `${terminate}: it ends here.`,
  ].join('\n')
  return {
    text,
    options: [guidance, override, ...(mayApprove ? [approve] : []), terminate],
    default: terminate,
    kinds: { accept: mayApprove ? approve : override, reject: terminate, respond: guidance },
    evidence: {
      happened: triggers.map(({ happened }) => happened),
      checks: checks.map(toEvidentCheck),
      ...defined({ diff }),
    },
    ...defined({ deadlineMs: escalation?.deadlineMs }),
  }
}

/** The event with what was decided. */
function decided(
  event: IterationEnded,
  triggers: readonly Trigger[],
  choice: EscalationChoice,
): IterationEnded {
  const escalated = { triggers: triggers.map(({ name }) => name), choice }
  const ending = choice === terminate ? terminated(event.ending, triggers) : relaxed(event.ending)
  return { ...event, ending, escalated }
}

/** As without the question, or stuck if the run would have continued. */
function terminated(ending: Ending, triggers: readonly Trigger[]): Ending {
  const [first] = triggers
  const met: Met = {
    condition: `escalate.${first?.name ?? questionName}`,
    ends: 'stuck',
    detail: triggers.map(({ happened }) => happened).join(' '),
  }
  switch (ending.type) {
    case 'error':
      return !ending.recoverable || ending.met !== undefined ? ending : { ...ending, met }
    case 'continue':
      return { type: 'complete', met }
    case 'complete':
      return ending.met.ends === 'completed' ? { type: 'complete', met } : ending
    default:
      return ending
  }
}

function relaxed(ending: Ending): Ending {
  if (ending.type === 'complete' && ending.met.ends === 'stuck') return { type: 'continue' }
  if (ending.type !== 'error') return ending
  const { met, ...error } = ending
  const kept = met !== undefined && met.ends !== 'stuck' ? { met } : {}
  return { ...error, recoverable: true, ...kept }
}
