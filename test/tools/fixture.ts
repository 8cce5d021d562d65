/** A workspace with built-in tools, and beside it what no tool may touch. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tools } from '../../src/engine/index.ts'
import type { Json, ToolContext, ToolResult } from '../../src/loop/index.ts'
import { createPlainCommands } from '../../src/sandbox/index.ts'
import {
  type BuiltInToolsOptions,
  builtInTools,
  createTools,
  type Tool,
} from '../../src/tools/index.ts'

export const canary = 'CANARY-8c1f'

/** Built-in tools return text. */
export type TextResult = Omit<ToolResult, 'output'> & { readonly output: string }

export interface Bench {
  readonly base: string
  readonly workspace: string
  readonly outside: string
  readonly spillFolder: string
  readonly tools: Tools
  call(name: string, args: unknown, more?: Partial<ToolContext>): Promise<TextResult>
  /** Parent folders are created. */
  put(path: string, content: string | Uint8Array): void
  get(path: string): string
  close(): void
}

export function openBench(
  more: readonly Tool[] = [],
  options: Partial<BuiltInToolsOptions> = {},
): Bench {
  const base = mkdtempSync(join(tmpdir(), 'loopwright-tools-'))
  const workspace = join(base, 'workspace')
  const outside = join(base, 'outside')
  const spillFolder = join(base, 'spill')
  for (const folder of [workspace, join(outside, 'folder')]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(outside, 'secret.txt'), `${canary}\n`)
  writeFileSync(join(outside, 'folder/inner.txt'), `${canary}\n`)
  const tools = createTools({
    tools: [...builtInTools({ commands: createPlainCommands(), ...options }), ...more],
    spillFolder,
  })
  return {
    base,
    workspace,
    outside,
    spillFolder,
    tools,
    async call(name, args, context = {}) {
      const call = tools.call(name, args as Json, { ...contextOf(workspace), ...context })
      const { output, ...result } = await call
      return { ...result, output: typeof output === 'string' ? output : JSON.stringify(output) }
    },
    put(path, content) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true })
      writeFileSync(join(workspace, path), content)
    },
    get: (path) => readFileSync(join(workspace, path), 'utf8'),
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}

export const contextOf = (workspace: string | undefined): ToolContext => ({
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => {},
  reserve: async () => ({ settle: async () => {} }),
  iteration: 1,
  workspace,
})

/** Everything that can be observed of a folder. */
export function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mode, size, mtimeMs, ino, nlink } = statSync(path)
      const content = statSync(path).isFile() ? readFileSync(path, 'utf8') : ''
      return [name, mode, size, mtimeMs, ino, nlink, content].join(' ')
    })
}
