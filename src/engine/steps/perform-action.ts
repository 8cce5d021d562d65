/**
 * Performs an action that its gate allowed.
 *
 * E6. Its intent is durable before it is performed; after a crash the executor looks up whether it happened, and if that
 *     is unknown, a person decides. It is never simply repeated. The policy is asked again immediately before.
 */

import {
  type Action,
  defaultLevel,
  defined,
  FaultError,
  type Json,
  type Level,
  levelNames,
  type Receipt,
  type StepContext,
  type StepId,
  toJson,
} from '../../loop/index.ts'
import type { ActionContext } from '../action-ports.ts'
import type { Branch, LiveRun } from '../live-run.ts'
import { findActionDenial } from '../policy.ts'
import type { ActionLookup } from '../ports.ts'
import { askPerson } from './ask-person.ts'
import { askStep } from './ask-step.ts'

export const refused = (summary: string): Receipt => ({ status: 'refused', summary })

/** `allowedAt`: the level at which the gate allowed it. Absent: a person did. */
export async function performAction(
  branch: Branch,
  action: Action,
  allowedAt: Level = 1,
): Promise<Receipt> {
  const { run } = branch.iteration
  const { actions } = run.ports
  if (actions === undefined) return refused('no executor')
  // The key of an action is its position in the run: the same after a crash, never used twice.
  const keyOf = (step: string): string => `${run.id}/${branch.iteration.number}/${step}`
  // An iteration that is repeated, because of force or a rewind, may have performed it before.
  const isRepeated = branch.iteration.number <= (run.recorder.state.begunIteration ?? 0)
  const find = (context: StepContext, id: string): Promise<ActionLookup> =>
    actions.find(action, keyOf(id), toActionContext(run, context))
  // With a fault the executor guarantees that nothing happened. After any other error it may have
  // happened, and only the executor can tell.
  const performAndConfirm = async (context: StepContext, id: StepId): Promise<unknown> => {
    const denial = await findActionDenial(run, branch.iteration.number, id, action.kind)
    if (denial !== undefined) return toJson(refused(denial))
    // The run may have been interrupted after the gate answered, and its loop may have lost its level since.
    const { level = defaultLevel } = run.ports
    if (level === 1 || level < allowedAt) {
      return toJson(refused(`the level is ${levelNames[level]} by now`))
    }
    try {
      return await actions.perform(action, keyOf(id), toActionContext(run, context))
    } catch (error) {
      if (context.signal.aborted || error instanceof FaultError) throw error
      const found = await find(context, id).catch((): ActionLookup => ({ type: 'unknown' }))
      if (found.type === 'not-done') throw error
      return found.type === 'done' ? toJson(found.receipt) : unknown
    }
  }
  const findOrPerform = async (context: StepContext, id: StepId): Promise<unknown> => {
    const found = await find(context, id)
    if (found.type === 'done') return toJson(found.receipt)
    return found.type === 'not-done' ? performAndConfirm(context, id) : unknown
  }
  const result = await askStep(branch, {
    kind: 'action',
    name: action.kind,
    options: { retry: { attempts: 1 } },
    files: 'nothing',
    key: keyOf,
    run: (context, id) =>
      isRepeated ? findOrPerform(context, id) : performAndConfirm(context, id),
    recover: findOrPerform,
  })
  if (!isUnknown(result)) return result as unknown as Receipt
  const { answer } = await askPerson(branch, `outcome of ${action.kind}`, {
    text: `It is unknown whether this happened: ${action.summary}`,
    options: ['it happened', 'do it again', 'leave it'],
    default: 'leave it',
    kinds: { accept: 'it happened', reject: 'leave it' },
  })
  if (answer === 'do it again') return performAction(branch, action, allowedAt)
  return answer === 'it happened'
    ? { status: 'done', summary: 'a person confirmed it' }
    : { status: 'skipped', summary: 'skipped: it is unknown whether it happened' }
}

/** Read when it is performed: the files may have changed while a person was asked. */
function toActionContext({ id: run, recorder }: LiveRun, context: StepContext): ActionContext {
  const { tree, baseTree: base, certificate: held } = recorder.state
  const certificate = held !== undefined && held.tree === tree ? held.id : undefined
  const fence = (): Promise<void> => recorder.requireLease()
  return { ...context, run, fence, ...defined({ tree, base, certificate }) }
}

const unknown = { unknown: true }

const isUnknown = (result: Json | undefined): boolean =>
  typeof result === 'object' && result !== null && 'unknown' in result
