/** A loop file in YAML as something to run. */

import { dirname, resolve } from 'node:path'
import { didYouMean, type Json, LoopError } from '../loop/index.ts'
import { checkPlain, type PlainSettings, plainLoop } from '../loops/index.ts'
import type { LoopFile } from '../protocol/index.ts'
import type { Environment, LoadedLoop, LoadOptions } from './loaded-loop.ts'
import { describePowers, type ReadLoopFile, type ReadSection } from './loop-file/index.ts'
import { type OpenedParts, openParts } from './open-parts.ts'

export async function loadFile(read: ReadLoopFile, options: LoadOptions): Promise<LoadedLoop> {
  const { file, path, digest } = read
  const environment = options.environment ?? process.env
  const input = withGiven(file.input, options.input)
  const settings = plainSettings(file, read.sections, digest)
  const { first } = await checkPlain(settings, input)
  const opened: OpenedParts[] = []
  return {
    source: { file: path, digest },
    // Its functions are of one type; the engine holds loops of any.
    loop: plainLoop(settings),
    input,
    limits: file.limits,
    workspace: workspaceOf(file, path),
    powers: describePowers(file),
    warnings: warningsOf(file, environment),
    firstPrompt: first.text,
    async open(place) {
      const parts = await openParts(file, place, environment)
      opened.push(parts)
      return parts
    },
    async close() {
      await Promise.all(opened.map((parts) => parts.close()))
    },
  }
}

export const workspaceOf = (
  { workspace }: { readonly workspace?: string },
  path: string,
): string => (workspace === undefined ? process.cwd() : resolve(dirname(path), workspace))

export function plainSettings(
  file: Pick<LoopFile, 'name' | 'context' | 'progress' | 'until'>,
  sections: readonly ReadSection[],
  version: string,
): PlainSettings {
  const { name, context, progress, until } = file
  const prompt = sections.map(({ position, ...section }) => ({
    ...section,
    source: { file: position.file, line: position.line, indent: position.column - 1 },
  }))
  return { name, version, prompt, context, progress, until }
}

/** Only what the file has can be given; a slip of the pen would otherwise change nothing. */
export function withGiven(
  input: { readonly [name: string]: Json },
  given: Readonly<Record<string, string>> = {},
): { readonly [name: string]: Json } {
  const known = Object.keys(input)
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const listed = known.length === 0 ? ' It has none.' : ` It has: ${known.join(', ')}.`
    const advice = didYouMean(name, known) || listed
    throw new LoopError('bad-request', `The loop file has no input "${name}".${advice}`)
  }
  return { ...input, ...given }
}

function warningsOf(file: LoopFile, environment: Environment): readonly string[] {
  const { agent } = file
  const names = agent.type === 'command' ? agent.env : []
  const missing = names.filter((name) => environment[name] === undefined)
  return missing.map((name) => `agent.env: ${name} is not set, so the agent will not have it.`)
}
