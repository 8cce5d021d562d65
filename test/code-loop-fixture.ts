/** Loop files in folders that are removed, and their processes, which are ended. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AnyLoopType, RunParts } from '../src/host/index.ts'
import { type OpenCodeLoop, openCodeLoop, scanCodeLoop } from '../src/launch/code-loop/index.ts'
import { afterStory } from './after.ts'

export const fixtures: string = resolve(import.meta.dirname, 'code-loops')
const opened: OpenCodeLoop[] = []
const folders: string[] = []
export const printed: string[] = []

/** Writes files by name to a separate folder; returns the path of the first. */
export function writeLoop(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-code-'))
  folders.push(folder)
  afterStory(cleanUp)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return join(folder, Object.keys(files)[0] ?? '')
}

export async function open(path: string, unresponsiveMs = 60_000): Promise<OpenCodeLoop> {
  const loop = await openCodeLoop(await scanCodeLoop(path), {
    unresponsiveMs,
    onLine: (line) => printed.push(line),
  })
  opened.push(loop)
  afterStory(cleanUp)
  return loop
}

/** A loop type by the body of its iterate, which sees `it`, `context` and the imports. */
export const loopText = (body: string, more = '', imports = ''): string => `
import { FaultError, LoopError, rateLimited } from 'loopwright'
${imports}
export default {
  loop: {
    name: 'written',
    createContext: (input: unknown, previous: unknown) => ({ input, previous }),
    async iterate(context: any, it: any) { ${body} },
    extractProgress: (result: unknown) => result ?? null,
    until: [{ type: 'max-iterations', iterations: 1 }],
  },
  ${more}
}
void [FaultError, LoopError, rateLimited]
`

export function typeOf(loop: OpenCodeLoop): AnyLoopType {
  if (loop.loop === undefined) throw new Error('it has no loop type of its own')
  return loop.loop
}

/** As a host would compose them, with one agent for all roles. */
export function partsOf({ parts }: OpenCodeLoop): RunParts {
  const { agent, tools, ...rest } = parts
  return {
    ...rest,
    ...(agent === undefined
      ? {}
      : { agents: { work: (_role, task, context) => agent.work(task, context) } }),
    tools: {
      async call(name, args, context) {
        const tool = tools.find((one) => one.name === name)
        const output = await tool?.run(args as never, context as never)
        return { ok: true, output: (output ?? null) as never }
      },
    },
  }
}

/** Everything opened so far: folders are removed when no process works in them. */
async function cleanUp(): Promise<void> {
  for (const loop of opened.splice(0)) await loop.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  printed.length = 0
}
