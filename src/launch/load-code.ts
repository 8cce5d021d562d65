/** Loads a loop file in TypeScript: its data as in YAML, and a description of its code. */

import { basename, dirname, extname } from 'node:path'
import { codePowers } from '../definition/code-loop/code-powers.ts'
import type { LoadOptions } from '../definition/load-options.ts'
import {
  changedActions,
  changedAgents,
  changedCertify,
  changedChecks,
  changedPrompts,
  changedSource,
  type LoopChanges,
  requireChanges,
  withSettings,
} from '../definition/loop-changes.ts'
import { LoopFileError, pathName } from '../definition/loop-file/index.ts'
import { namedPolicies } from '../definition/loop-file/read-loop-file.ts'
import { versionOf } from '../engine/code-digest.ts'
import { defined, type Json, LoopError, type Source } from '../loop/index.ts'
import { type LoopTypeDefinition, loopTypes, type ReadPrompts } from '../loops/index.ts'
import {
  checkLoopFile,
  defaultLoopType,
  type FileProblem,
  isJsonObject,
  type LoopFile,
  type LoopFileType,
  unknownName,
} from '../protocol/index.ts'
import { closedCodeLoopType, describeCodeLoop, type ScannedLoop } from './code-loop/index.ts'
import type { LoopDescription } from './code-loop/wire.ts'
import { requireSeals, withGiven, workspaceOf } from './load-file.ts'
import type { LoadedLoop, TypedLoop } from './loaded-loop.ts'

/** Starts a process that describes the file, and ends it. Another one runs the code when it is needed. */
export async function loadCode(scanned: ScannedLoop, options: LoadOptions): Promise<LoadedLoop> {
  const env = options.environment ?? process.env
  const { onLine, signal } = options
  const described = await describeCodeLoop(scanned, { env, ...defined({ onLine, signal }) })
  const code = { source: { file: scanned.file, digest: scanned.digest }, described }
  const { file: written, input, type } = readSettings(code, options)
  const changes = requireChanges(withSettings(written.agents, options, ''))
  refuseChangesToCode(described, changes)
  const file = {
    ...written,
    agents: changedAgents(written.agents, changes),
    checks: changedChecks(written.checks, changes),
    certify: changedCertify(written.certify, changes),
    actions: changedActions(written.actions, changes),
  }
  await requireSeals(file)
  const given = isJsonObject(input) ? withGiven(input, options.input, type?.inputs) : input
  const { name, variables, typed } = await checkLoop(scanned, { code, type, file, given, changes })
  return {
    name,
    source: changedSource(code.source, changes),
    files: [scanned.file],
    input: given,
    limits: file.limits,
    policies: [
      ...namedPolicies(file.policy, dirname(scanned.file)),
      ...namedPolicies(changes.policy, '/'),
    ],
    agents: file.agents,
    sandbox: file.sandbox,
    workspace: workspaceOf(file, scanned.file, options.here),
    worktree: file.worktree,
    powers: codePowers(scanned),
    warnings: [],
    variables,
    purpose: options.purpose ?? 'run',
    definition: { type: 'code', file, scanned, described, typed },
  }
}

interface DescribedCode {
  readonly source: Source
  readonly described: LoopDescription
}

interface Settings {
  readonly file: LoopFile
  readonly input: Json
  /** Undefined: the loop is code. */
  readonly type: LoopTypeDefinition | undefined
}

/** What is code is changed in the code. */
function refuseChangesToCode(
  { loop, hasAgent }: LoopDescription,
  { model, prompt }: LoopChanges,
): void {
  const what =
    model !== undefined && hasAgent
      ? 'The agent of this loop is code, which chooses its model. Remove --model'
      : prompt !== undefined && loop !== undefined
        ? 'This loop is code, which writes its prompts. Remove --prompt'
        : undefined
  if (what !== undefined) throw new LoopError('bad-request', `${what}, and change the code.`)
}

interface CheckedLoop extends Pick<LoadedLoop, 'name' | 'variables'> {
  readonly typed: TypedLoop | undefined
}

/** Rejects a loop that cannot be prepared, such as one with a bad template. */
async function checkLoop(
  scanned: ScannedLoop,
  {
    code,
    type,
    file,
    given,
    changes,
  }: {
    readonly code: DescribedCode
    readonly type: LoopTypeDefinition | undefined
    readonly file: LoopFile
    readonly given: Json
    readonly changes: LoopChanges
  },
): Promise<CheckedLoop> {
  if (type === undefined) {
    const { name } = closedCodeLoopType(scanned, code.described)
    return { name, variables: [], typed: undefined }
  }
  const version = versionOf({ digest: scanned.digest, changes })
  const prompts = changedPrompts(promptsOf(code, type, file), changes)
  const input = isJsonObject(given) ? given : {}
  const { loop, variables } = await type.prepare(file, { version, input, prompts })
  return { name: loop.name, variables, typed: { loopType: type.name, version, prompts } }
}

/** A loop type that is code: which agents it asks for, and what it needs besides, only the code knows. */
const codeType: LoopFileType = {
  name: defaultLoopType,
  description: 'A loop type that is code.',
  roles: 'any',
  until: [{ type: 'checks-pass' }],
  keys: {},
}

function readType(
  { settings, loop }: LoopDescription,
  types: readonly LoopTypeDefinition[],
): LoopTypeDefinition | string | undefined {
  if (loop !== undefined) return undefined
  const name = settings['loop'] ?? defaultLoopType
  const known = types.map((type) => type.name)
  return (
    types.find((type) => type.name === name) ??
    unknownName('loop type', typeof name === 'string' ? name : '', known)
  )
}

/** A loop type that is code needs no agent, and any input is its own business. */
function readSettings(
  { source, described }: DescribedCode,
  { types = loopTypes }: LoadOptions,
): Settings {
  const { settings, loop } = described
  const { input, tools, ...rest } = settings
  const type = readType(described, types)
  if (typeof type === 'string') throw refused(source.file, [{ path: ['loop'], reason: type }])
  const owned = loop === undefined ? {} : { agent: { script: [[{ say: '' }]] } }
  const givenInput = loop === undefined && input !== undefined ? { input } : {}
  const ours = new Set(described.tools.map((tool) => tool.name))
  const named = Array.isArray(tools) ? tools.filter((name) => !ours.has(String(name))) : undefined
  const written = {
    ...owned,
    ...rest,
    ...givenInput,
    ...defined({ tools: named }),
  }
  const checked = checkLoopFile(written, type ?? codeType, {
    nowMs: Date.now(),
    ownTools: [...ours],
  })
  if (checked.type === 'refused') throw refused(source.file, checked.problems)
  const name = checked.file.name ?? basename(source.file, extname(source.file))
  const chosen = Array.isArray(tools) ? { tools: tools.map(String) } : {}
  return { file: { ...checked.file, name, ...chosen }, input: input ?? {}, type }
}

function refused(file: string, problems: readonly FileProblem[]): LoopFileError {
  const place = { file, line: 0, column: 0 }
  return new LoopFileError(
    file,
    problems.map(({ path, reason }) => ({ ...place, path: pathName(path), reason })),
  )
}

function promptsOf(
  { source }: DescribedCode,
  type: LoopTypeDefinition,
  { settings }: LoopFile,
): ReadPrompts {
  return Object.fromEntries(
    Object.entries(type.prompts?.(settings) ?? {}).map(([key, sections]) => [
      key,
      sections.map((section) => {
        if ('text' in section) {
          const position = { file: `${section.name} of ${source.file}`, line: 1, column: 1 }
          return { ...section, position }
        }
        throw new LoopError(
          'bad-loop-file',
          `${source.file}: ${key}: a loop file that is code gives its prompt as text: read ${section.file} there, or write the loop in YAML.`,
        )
      }),
    ]),
  )
}
