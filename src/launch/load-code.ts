/** A loop file in TypeScript as something to run: its data as in YAML, its code in a child. */

import { basename, dirname, extname } from 'node:path'
import { codePowers } from '../definition/code-loop/code-powers.ts'
import type { LoadOptions } from '../definition/load-options.ts'
import {
  changedAgents,
  changedCertify,
  changedChecks,
  changedPrompts,
  changedSource,
  changedVersion,
  type LoopChanges,
  requireChanges,
  withSettings,
} from '../definition/loop-changes.ts'
import { LoopFileError, pathName } from '../definition/loop-file/index.ts'
import { defined, type Json, LoopError } from '../loop/index.ts'
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
import { type OpenCodeLoop, openCodeLoop, type ScannedLoop } from './code-loop/index.ts'
import { firstPrompt, requireSeals, withGiven, withType, workspaceOf } from './load-file.ts'
import type { LoadedLoop } from './loaded-loop.ts'
import { type OpenedParts, openParts } from './open-parts.ts'

export async function loadCode(scanned: ScannedLoop, options: LoadOptions): Promise<LoadedLoop> {
  const environment = options.environment ?? process.env
  const { onLine, signal } = options
  const code = await openCodeLoop(scanned, {
    env: environment,
    ...defined({ onLine, signal }),
  })
  try {
    const { file: written, input, type: named } = readSettings(code, options)
    const changes = requireChanges(withSettings(written.agents, options))
    requireOurs(code, changes)
    const file = {
      ...written,
      agents: changedAgents(written.agents, changes),
      checks: changedChecks(written.checks, changes),
      certify: changedCertify(written.certify, changes),
    }
    await requireSeals(file)
    const given = isJsonObject(input) ? withGiven(input, options.input) : input
    const type = await typeOf(code, named, file, given, changes)
    const opened: OpenedParts[] = []
    return {
      source: changedSource(code.source, changes),
      files: [scanned.file],
      ...type,
      input: given,
      limits: file.limits,
      agents: file.agents,
      sandbox: file.sandbox,
      workspace: workspaceOf(file, scanned.file, options.here),
      worktree: file.worktree,
      powers: codePowers(scanned),
      warnings: [],
      planChecks: async (workspace) =>
        (await import('./checks/plan-checks.ts')).planChecks(
          file,
          workspace,
          Object.keys(code.parts.checks),
        ),
      async open(place) {
        const apart = [scanned.file, ...(place.apart ?? [])]
        const base = dirname(scanned.file)
        const parts = await openParts(file, { ...place, apart, base }, environment, code.parts)
        opened.push(parts)
        return parts
      },
      async close() {
        await Promise.all([...opened.map((parts) => parts.close()), code.close()])
      },
    }
  } catch (error) {
    await code.close()
    throw error
  }
}

interface Settings {
  readonly file: LoopFile
  readonly input: Json
  /** Undefined: the loop is code. */
  readonly type: LoopTypeDefinition | undefined
}

/** What is code is changed in the code. */
function requireOurs({ loop, parts }: OpenCodeLoop, { model, prompt }: LoopChanges): void {
  const what =
    model !== undefined && parts.agent !== undefined
      ? 'The agent of this loop is code of its own, which chooses its model. Take --model away'
      : prompt !== undefined && loop !== undefined
        ? 'This loop is code of its own, which writes its prompts. Take --prompt away'
        : undefined
  if (what !== undefined) throw new LoopError('bad-request', `${what}, and change the code.`)
}

async function typeOf(
  code: OpenCodeLoop,
  type: LoopTypeDefinition | undefined,
  file: LoopFile,
  input: Json,
  changes: LoopChanges,
): Promise<Pick<LoadedLoop, 'loop' | 'variables' | 'firstPrompt'>> {
  if (code.loop !== undefined || type === undefined) {
    const loop = code.loop ?? unreachableLoop()
    return { loop, variables: [], firstPrompt: () => undefined }
  }
  const prepared = await type.prepare(file, {
    version: changedVersion(code.source.digest, changes),
    input: isJsonObject(input) ? input : {},
    prompts: changedPrompts(promptsOf(code, type, file), changes),
  })
  const { variables } = prepared
  return { loop: withType(prepared.loop, type), variables, firstPrompt: firstPrompt(prepared) }
}

const unreachableLoop = (): never => {
  throw new Error('A loop file without code has a loop type.')
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
  { settings, loop }: OpenCodeLoop,
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
function readSettings(code: OpenCodeLoop, { types = loopTypes }: LoadOptions): Settings {
  const { settings, loop, source, parts } = code
  const { input, tools, ...rest } = settings
  const type = readType(code, types)
  if (typeof type === 'string') throw refused(source.file, [{ path: ['loop'], reason: type }])
  const owned = loop === undefined ? {} : { agent: { script: [[{ say: '' }]] } }
  const givenInput = loop === undefined && input !== undefined ? { input } : {}
  const ours = new Set(parts.tools.map((tool) => tool.name))
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
  { source }: OpenCodeLoop,
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
