/** The input of a build: its spec and its plan, as they were when the run was created. */

import { plural } from '../../loop/excerpt/plural.ts'
import { type Json, LoopError } from '../../loop/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import type { CapturedFile } from '../loop-type-definition.ts'
import { parsePlan, tasksMax } from './plan-grammar.ts'

export interface BuildInput {
  readonly spec?: CapturedFile
  readonly plan?: CapturedFile
}

export const buildInputs: readonly string[] = ['spec', 'plan']
export const plansFolder = 'specs/planning'

const textCharsMax = 500_000

/** Paths that are not replaced by files yet count as empty files. */
export const readBuildInput = (input: unknown): BuildInput => {
  const given = isJsonObject(input) ? input : {}
  const spec = toFile(given['spec'])
  const plan = toFile(given['plan'])
  return { ...(spec === undefined ? {} : { spec }), ...(plan === undefined ? {} : { plan }) }
}

function toFile(value: Json | undefined): CapturedFile | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { path: value, text: '' }
  if (!isJsonObject(value)) return undefined
  const { path, text } = value
  return typeof path === 'string' && typeof text === 'string' ? { path, text } : undefined
}

export interface BuildPaths {
  readonly spec?: string | undefined
  readonly plan?: string | undefined
  readonly plans?: string
}

type Read = (path: string) => Promise<CapturedFile | undefined>

/**
 * Replaces the paths by the files. The plan is the one that is named, then the usual file for the spec, then a list of
 * tasks inside of the spec; without one, the agent drafts it.
 */
export async function captureInput(
  settings: BuildPaths,
  input: { readonly [name: string]: Json },
  read: Read,
): Promise<{ readonly [name: string]: Json }> {
  const { spec: givenSpec, plan: givenPlan, ...others } = input
  const spec = await captureSpec(givenSpec ?? settings.spec, read)
  const plan = await capturePlan(givenPlan, settings, spec, read)
  if (spec === undefined && plan === undefined) {
    throw badInput(
      'spec',
      'A build needs a spec or a plan, and it has neither. Name one: loopctl run specs/<name>.md, or the key spec of the loop file.',
    )
  }
  return {
    ...others,
    ...(spec === undefined ? {} : { spec }),
    ...(plan === undefined ? {} : { plan }),
  }
}

async function captureSpec(given: Json | undefined, read: Read): Promise<CapturedFile | undefined> {
  if (given === undefined || given === '') return undefined
  return requireText('spec', typeof given === 'string' ? await read(given) : toFile(given), given)
}

async function capturePlan(
  given: Json | undefined,
  { plan: named, plans }: BuildPaths,
  spec: CapturedFile | undefined,
  read: Read,
): Promise<CapturedFile | undefined> {
  if (given !== undefined && given !== '') {
    const found = typeof given === 'string' ? await read(given) : toFile(given)
    return requireTasks(requireText('plan', found, given))
  }
  const file = await read(named ?? draftPath(undefined, spec, plans))
  if (file !== undefined) return requireTasks(requireText('plan', file, file.path))
  return spec !== undefined && parsePlan(spec.text).length > 0 ? requireTasks(spec) : undefined
}

function requireText(what: string, file: CapturedFile | undefined, given: Json): CapturedFile {
  const name = typeof given === 'string' ? given.slice(0, 500) : what
  if (file === undefined) {
    throw badInput(what, `The ${what} ${name} does not exist. Name a file of the repository.`)
  }
  if (file.text.length <= textCharsMax && file.text.trim() !== '') return file
  const problem = file.text.trim() === '' ? 'is empty' : `is longer than ${textCharsMax} characters`
  throw badInput(what, `The ${what} ${name} ${problem}. Name another file.`)
}

const badInput = (name: string, reason: string): LoopError =>
  new LoopError('bad-request', reason, {
    details: { errors: [{ field: `input.${name}`, reason }] },
  })

function requireTasks(plan: CapturedFile): CapturedFile {
  const count = parsePlan(plan.text).length
  if (count > tasksMax) {
    const message = `The plan ${plan.path} has ${plural(count, 'task')}; the limit is ${tasksMax}.`
    throw badInput('plan', `${message} Name one with fewer tasks.`)
  }
  if (count > 0) return plan
  const message = `The plan ${plan.path} has no task.`
  throw badInput('plan', `${message} Write tasks as lines such as "- [ ] Add a cart".`)
}

/** The path of the plan for a spec, if the loop file names no other. */
export function draftPath(
  named: string | undefined,
  spec: CapturedFile | undefined,
  plans: string = plansFolder,
): string {
  if (named !== undefined) return named
  return `${plans.replace(/\/+$/, '')}/${specName(spec) ?? 'build'}-plan.md`
}

/** The name of its file, without folder and extension. */
export const specName = (spec: CapturedFile | undefined): string | undefined =>
  spec?.path
    .split('/')
    .at(-1)
    ?.replace(/\.[^.]*$/, '')
