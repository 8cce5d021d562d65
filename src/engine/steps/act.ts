/**
 * Performs actions: changes outside of the workspace.
 *
 * E6. An action is performed only after its gate allowed it. Its intent is durable before it is
 *     performed; after a crash the executor looks up whether it happened, and if that is unknown, a
 *     person decides. It is never simply repeated.
 */

import {
  type Action,
  FaultError,
  type Json,
  LoopError,
  type Receipt,
  type StepContext,
  toJson,
} from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import type { ActionLookup, Verdict } from '../ports.ts'
import { askPerson } from './ask-person.ts'
import { askStep } from './ask-step.ts'

export async function act(branch: Branch, action: Action): Promise<Receipt> {
  const { ports } = branch.iteration.run
  const { actions, gate } = ports
  if (actions === undefined) {
    throw new LoopError(
      'not-configured',
      `This run cannot perform actions, but the loop requests "${action.kind}". Pass actions when you start the run.`,
    )
  }
  const verdict = (await askStep(branch, {
    kind: 'gate',
    name: action.kind,
    options: {},
    files: 'nothing',
    run: (_context, step) =>
      gate?.judge(action, { iteration: branch.iteration.number, step }) ?? {
        type: 'deny',
        reason: 'no gate is configured',
      },
  })) as unknown as Verdict
  if (verdict.type === 'deny') return refused(verdict.reason)
  // Any other verdict is not a permission.
  if (verdict.type !== 'allow' && verdict.type !== 'ask') return refused('the gate gave no verdict')
  if (verdict.type === 'ask') {
    const { answer } = await askPerson(branch, `allow ${action.kind}`, {
      text: `${action.summary}\n${verdict.reason}`,
      options: ['allow', 'refuse'],
      default: 'refuse',
    })
    if (answer !== 'allow') return refused('a person did not allow it')
  }
  return perform(branch, action)
}

const refused = (summary: string): Receipt => ({ status: 'refused', summary })

async function perform(branch: Branch, action: Action): Promise<Receipt> {
  const { id: run, ports, recorder } = branch.iteration.run
  const { actions } = ports
  if (actions === undefined) return refused('no executor')
  // The key of an action is its position in the run: the same after a crash, never used twice.
  const keyOf = (step: string): string => `${run}/${branch.iteration.number}/${step}`
  // An iteration that is repeated, because of force or a rewind, may have performed it before.
  const isRepeated = branch.iteration.number <= (recorder.state.begunIteration ?? 0)
  const find = (context: StepContext, id: string): Promise<ActionLookup> =>
    actions.find(action, keyOf(id), context)
  // With a fault the executor guarantees that nothing happened. After any other error it may have
  // happened, and only the executor can tell.
  const performAndConfirm = async (context: StepContext, id: string): Promise<unknown> => {
    try {
      return await actions.perform(action, keyOf(id), context)
    } catch (error) {
      if (context.signal.aborted || error instanceof FaultError) throw error
      const found = await find(context, id).catch((): ActionLookup => ({ type: 'unknown' }))
      if (found.type === 'not-done') throw error
      return found.type === 'done' ? toJson(found.receipt) : unknown
    }
  }
  const findOrPerform = async (context: StepContext, id: string): Promise<unknown> => {
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
  })
  if (answer === 'do it again') return perform(branch, action)
  return answer === 'it happened'
    ? { status: 'done', summary: 'a person confirmed it' }
    : { status: 'skipped', summary: 'skipped: it is unknown whether it happened' }
}

const unknown = { unknown: true }

const isUnknown = (result: Json | undefined): boolean =>
  typeof result === 'object' && result !== null && 'unknown' in result
