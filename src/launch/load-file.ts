/** Loads a loop file in YAML. */

import { dirname, resolve } from 'node:path'
import type { LoadOptions } from '../definition/load-options.ts'
import {
  changedActions,
  changedAgents,
  changedCertify,
  changedChecks,
  changedPrompts,
  changedSource,
  requireChanges,
  withSettings,
} from '../definition/loop-changes.ts'
import { describePowers, type ReadLoopFile } from '../definition/loop-file/index.ts'
import { namedPolicies } from '../definition/loop-file/read-loop-file.ts'
import { versionOf } from '../engine/code-digest.ts'
import { type Json, LoopError, suggestName } from '../loop/index.ts'
import type { LoopFile } from '../protocol/index.ts'
import { modelWarnings } from './agents/model-warnings.ts'
import type { LoadedLoop } from './loaded-loop.ts'
import { loopWarnings } from './loop-warnings.ts'

export async function loadFile(read: ReadLoopFile, options: LoadOptions): Promise<LoadedLoop> {
  const { path, digest } = read
  const changes = requireChanges(withSettings(read.file.agents, options, read.type.name))
  const file = {
    ...read.file,
    agents: changedAgents(read.file.agents, changes),
    checks: changedChecks(read.file.checks, changes),
    certify: changedCertify(read.file.certify, changes),
    actions: changedActions(read.file.actions, changes),
  }
  const environment = options.environment ?? process.env
  await requireSeals(file)
  const input = withGiven(file.input, options.input, read.type.inputs)
  const version = versionOf({ digest, changes })
  const prompts = changedPrompts(read.prompts, changes)
  const prepared = await read.type.prepare(file, { version, input, prompts })
  return {
    name: prepared.loop.name,
    source: changedSource({ file: path, digest }, changes),
    files: named(read),
    input,
    limits: file.limits,
    policies: [...read.policies, ...namedPolicies(changes.policy, '/')],
    agents: file.agents,
    sandbox: file.sandbox,
    workspace: workspaceOf(file, path, options.here),
    worktree: file.worktree,
    powers: describePowers(file),
    warnings: [
      ...loopWarnings(file, path, workspaceOf(file, path, options.here), {
        environment,
        folder: options.folder,
      }),
      ...prepared.warnings,
      // A run asks for it anyway, and says so before it begins.
      ...(options.purpose === 'look' ? await modelWarnings(file.agents, environment) : []),
    ],
    variables: prepared.variables,
    purpose: options.purpose ?? 'run',
    definition: { type: 'file', file, typed: { loopType: read.type.name, version, prompts } },
  }
}

/** Changing the loop file is not the loop's work, and must not be undone with it. */
const named = ({ path, files }: ReadLoopFile): readonly string[] =>
  files.map((file) => resolve(dirname(path), file.path))

export const workspaceOf = (
  { workspace }: { readonly workspace?: string },
  path: string,
  here: string = process.cwd(),
): string => (workspace === undefined ? here : resolve(dirname(path), workspace))

/** A pattern that cannot be used would otherwise be found when there is something to certify. */
export async function requireSeals({
  scope,
  seals: { paths, except, keys },
}: Pick<LoopFile, 'scope' | 'seals'>): Promise<void> {
  const patterns = {
    scope: scope.map((glob) => glob.replace(/^!/, '')),
    'seals.paths': paths,
    'seals.except': except,
    'seals.keys': Object.keys(keys),
  }
  if (Object.values(patterns).every(({ length }) => length === 0)) return
  const { globProblem } = await import('../evidence/index.ts')
  for (const [key, list] of Object.entries(patterns)) {
    const problem = list.map(globProblem).find((one) => one !== undefined)
    if (problem !== undefined) throw new LoopError('bad-loop-file', `${key}: ${problem}`)
  }
}

/** Only what the file has can be given; a slip of the pen would otherwise change nothing. */
export function withGiven(
  input: { readonly [name: string]: Json },
  given: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): { readonly [name: string]: Json } {
  const known = [...new Set([...Object.keys(input), ...more])]
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const listed = known.length === 0 ? ' It has none.' : ` It has: ${known.join(', ')}.`
    const advice = suggestName(name, known) || listed
    const reason = `The loop file has no input "${name}".${advice}`
    const details = { errors: [{ field: `input.${name}`, reason }] }
    throw new LoopError('bad-request', reason, { details })
  }
  return { ...input, ...given }
}
