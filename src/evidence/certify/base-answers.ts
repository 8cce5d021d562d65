/**
 * The result of each command check on the base, in the same kind of clean checkout. It certifies nothing, so it
 * is cached by everything that it depends on.
 */

import { type CheckStatus, defined, type TreeId } from '../../loop/index.ts'
import type { Observation, RunnerReport } from '../observe/observation.ts'
import type { CertificationCheckout, DependencyLayer, OpenCheck } from '../parts.ts'
import { sha256 } from './digest.ts'
import { type RunRequest, runChecks } from './run-checks.ts'

export interface BaseResult extends Omit<RunnerReport, 'problems'> {
  readonly status: CheckStatus
  /** The codes of what made the report unreliable. */
  readonly problems: readonly string[]
  readonly read?: readonly string[]
  readonly written?: readonly string[]
  /** Identifies a failure if there are no test ids. */
  readonly signature: string
  readonly durationMs: number
  /** Why it could not run, and what to do. Never cached: it may run the next time. */
  readonly cannotRun?: string
}

/** A cache by key. Unreadable entries count as missing. */
export interface BaseResults {
  read(key: string): Promise<BaseResult | undefined>
  write(key: string, answer: BaseResult): Promise<void>
}

/** Covers everything that a result depends on. */
export const createBaseResultKey = (
  base: TreeId,
  check: Pick<OpenCheck, 'name' | 'command' | 'toolDigest' | 'environmentDigest'>,
  layer: DependencyLayer,
): string =>
  sha256(
    [
      'observed 3',
      base,
      check.name,
      ...check.command,
      check.toolDigest,
      layer.digest,
      check.environmentDigest ?? '',
    ].join('\0'),
  )

/** Only for commands: what a judge says about another tree says nothing about this one. */
export async function findBaseResult(
  base: TreeId,
  check: OpenCheck,
  place: CertificationCheckout,
  run: Pick<RunRequest, 'context' | 'now'>,
  cache: BaseResults,
): Promise<BaseResult | undefined> {
  if (check.kind !== 'command') return undefined
  const key = createBaseResultKey(base, check, place.layer)
  const known = await cache.read(key)
  if (known !== undefined) return known
  const answer = await runOnBase(base, check, place, run)
  if (answer === undefined) return undefined
  // An interrupted run says nothing about the next time.
  if (answer.status === 'met' || answer.status === 'not-met') await cache.write(key, answer)
  return answer
}

/** Runs the check on the base, ignoring the cache. */
export async function runOnBase(
  base: TreeId,
  check: OpenCheck,
  place: CertificationCheckout,
  run: Pick<RunRequest, 'context' | 'now'>,
): Promise<BaseResult | undefined> {
  const at = place.checks.indexOf(check)
  // With the outputs of earlier checks.
  const producers = place.checks
    .slice(0, Math.max(0, at))
    .filter(({ outputs }) => outputs.length > 0)
  const all = await runChecks({ ...run, place, tree: base }, [...producers, check])
  const ran = all.at(-1)
  return ran === undefined ? undefined : toBaseResult(ran.observation)
}

export function toBaseResult(observation: Observation): BaseResult {
  const { result, tests, runners, problems, replaced, looked, read, written } = observation
  const { status, output, cannotRun } = result
  return {
    status,
    runners,
    replaced,
    problems: problems.map(({ code }) => code),
    signature: toSignature(output),
    durationMs: Math.max(0, observation.endedAtMs - observation.startedAtMs),
    ...defined({ tests, looked, read, written, cannotRun }),
  }
}

/** Ignores times, process ids and temporary names, which differ from run to run. */
export const toSignature = (output: string): string =>
  sha256(
    output
      .replaceAll(/\d+(?:\.\d+)?/g, '#')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

/** Whether it fails as it did on the base, and nothing else fails. */
export function isNoWorse(
  now: Pick<Observation, 'tests'> & { readonly output: string },
  base: BaseResult,
): boolean {
  if (base.status !== 'not-met') return false
  if (now.tests !== undefined && base.tests !== undefined) {
    const before = new Map(base.tests.map(({ id, status }) => [id, status]))
    const after = new Map(now.tests.map(({ id, status }) => [id, status]))
    const isBroken = now.tests.some(
      ({ id, status }) => status === 'failed' && before.get(id) !== 'failed',
    )
    const isGone = base.tests.some(({ id, status }) => status === 'passed' && !after.has(id))
    return !isBroken && !isGone
  }
  return toSignature(now.output) === base.signature
}
