/** A loop file in TypeScript as something to run: its data as in YAML, its code in a child. */

import { basename, dirname, extname } from 'node:path'
import { codePowers } from '../definition/code-loop/code-powers.ts'
import type { LoadOptions } from '../definition/load-options.ts'
import {
  changedAgent,
  changedCertify,
  changedChecks,
  changedSections,
  changedSource,
  changedVersion,
  type LoopChanges,
  requireChanges,
  withSettings,
} from '../definition/loop-changes.ts'
import { LoopFileError, pathName, type ReadSection } from '../definition/loop-file/index.ts'
import { defined, type Json, LoopError } from '../loop/index.ts'
import { checkPlain, plainLoop } from '../loops/index.ts'
import {
  consultProblems,
  eachCheckProblems,
  isJsonObject,
  issueProblems,
  issueReason,
  loopFileProblems,
  loopFileSchemas,
  sandboxProblems,
  type WrittenLoopFile,
  withDefaultPrompt,
} from '../protocol/index.ts'
import { type OpenCodeLoop, openCodeLoop, type ScannedLoop } from './code-loop/index.ts'
import { firstPrompt, plainSettings, requireSeals, withGiven, workspaceOf } from './load-file.ts'
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
    const { file: written, input } = readSettings(code)
    const changes = requireChanges(withSettings(written.agent, options))
    requireOurs(code, changes)
    const file = {
      ...written,
      agent: changedAgent(written.agent, changes),
      checks: changedChecks(written.checks, changes),
      certify: changedCertify(written.certify, changes),
    }
    await requireSeals(file)
    const given = isJsonObject(input) ? withGiven(input, options.input) : input
    const type = await typeOf(code, file, given, changes)
    const opened: OpenedParts[] = []
    return {
      source: changedSource(code.source, changes),
      files: [scanned.file],
      ...type,
      input: given,
      limits: file.limits,
      agent: file.agent,
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

type NamedFile = WrittenLoopFile & { readonly name: string }

interface Settings {
  readonly file: NamedFile
  readonly input: Json
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
  file: NamedFile,
  input: Json,
  changes: LoopChanges,
): Promise<Pick<LoadedLoop, 'loop' | 'variables' | 'firstPrompt'>> {
  if (code.loop !== undefined)
    return { loop: code.loop, variables: [], firstPrompt: () => undefined }
  const sections = changedSections(sectionsOf(code, file), changes)
  const settings = plainSettings(file, sections, changedVersion(code.source.digest, changes))
  const checked = await checkPlain(settings, isJsonObject(input) ? input : {})
  return {
    loop: plainLoop(settings),
    variables: checked.variables,
    firstPrompt: (limits, workspace) => firstPrompt(checked, limits, workspace),
  }
}

/** A loop type of its own needs no prompt and no agent, and any input is its own business. */
function readSettings(code: OpenCodeLoop): Settings {
  const { settings, loop, source, parts } = code
  const { input, tools, ...rest } = settings
  const owned = loop === undefined ? {} : { prompt: 'none', agent: { script: [[{ say: '' }]] } }
  const plainInput = loop === undefined && input !== undefined ? { input } : {}
  const ours = new Set(parts.tools.map((tool) => tool.name))
  const named = Array.isArray(tools) ? tools.filter((name) => !ours.has(String(name))) : undefined
  const written = {
    ...owned,
    ...rest,
    ...plainInput,
    ...defined({ tools: named }),
  }
  const parsed = loopFileSchemas.plain.safeParse(withDefaultPrompt(written), {
    error: issueReason,
    reportInput: true,
  })
  const problems = parsed.success
    ? loop === undefined
      ? loopFileProblems(parsed.data, Date.now(), [...ours])
      : [
          ...sandboxProblems(parsed.data.sandbox),
          ...eachCheckProblems(parsed.data, [...ours]),
          ...consultProblems(parsed.data),
        ]
    : issueProblems(parsed.error.issues)
  if (!parsed.success || problems.length > 0) {
    const place = { file: source.file, line: 0, column: 0 }
    throw new LoopFileError(
      source.file,
      problems.map(({ path, reason }) => ({ ...place, path: pathName(path), reason })),
    )
  }
  const name = parsed.data.name ?? basename(source.file, extname(source.file))
  const chosen = Array.isArray(tools) ? { tools: tools.map(String) } : {}
  return { file: { ...parsed.data, name, ...chosen }, input: input ?? {} }
}

function sectionsOf({ source }: OpenCodeLoop, file: NamedFile): readonly ReadSection[] {
  return file.prompt.map((section) => {
    if ('text' in section) {
      return {
        ...section,
        position: { file: `${section.name} of ${source.file}`, line: 1, column: 1 },
      }
    }
    throw new LoopError(
      'bad-loop-file',
      `${source.file}: prompt: a loop file that is code gives its prompt as text: read ${section.file} there, or write the loop in YAML.`,
    )
  })
}
