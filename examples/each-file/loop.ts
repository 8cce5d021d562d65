/**
 * A loop file in TypeScript: `loopctl run examples/each-file/loop.ts`. It runs in a process of its
 * own. Its loop type takes one file in each iteration, until each has been taken and the check
 * passes. Loop type, agent and check are code here; everything else is as in YAML.
 */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, type Check, defineLoop, type LoopType } from 'loopwright'

const scriptsIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.js')).toSorted()

interface Progress {
  readonly done: readonly string[]
}

const eachFile: LoopType<{ line: string }, { line: string } & Progress, Progress, string | null> = {
  name: 'each-file',
  createContext: ({ line }, previous) => ({ line, done: previous?.done ?? [] }),
  async iterate({ line, done }, it) {
    const folder = it.workspace?.path ?? '.'
    const files = await it.step('list', () => scriptsIn(folder), { readOnly: true })
    const next = files.find((file) => !done.includes(file))
    if (next !== undefined) await it.agent('maker', { prompt: `${next}\n${line}` })
    await it.check()
    return next ?? null
  },
  extractProgress: (file, previous) => ({
    done: [...(previous?.done ?? []), ...(file === null ? [] : [file])],
  }),
  until: [
    {
      type: 'all',
      of: [
        { type: 'checks-pass' },
        { type: 'custom', name: 'no file left', met: (_progress, file) => file === null },
      ],
    },
    { type: 'no-progress', iterations: 2 },
  ],
}

/** Puts the line on top of the file. A model would be `agent: { model: … }`. */
const header: Agent = {
  async work(task, context) {
    const [path = '', line = ''] = task.prompt.split('\n')
    // What was not read in this iteration is not overwritten.
    await context.callTool('read', { path })
    const text = await readFile(join(context.workspace ?? '.', path), 'utf8')
    const { ok } = await context.callTool('write', { path, content: `${line}\n${text}` })
    const usage = { tokens: 0, costMicros: 0 }
    return { status: ok ? 'done' : 'failed', text: `${path} has its line`, usage, turns: 1 }
  },
}

const headed: Check = async ({ workspace = '.' }) => {
  const files = await scriptsIn(workspace)
  const texts = await Promise.all(files.map((file) => readFile(join(workspace, file), 'utf8')))
  const bare = files.filter((_file, index) => texts[index]?.startsWith('// ') !== true)
  return { status: bare.length === 0 ? 'met' : 'not-met', output: bare.join('\n') }
}

// oxlint-disable-next-line import/no-default-export -- this is what a loop file is
export default defineLoop({
  loop: eachFile,
  workspace: './project',
  input: { line: '// SPDX-License-Identifier: Apache-2.0' },
  agent: header,
  tools: ['read', 'write'],
  checks: { headed },
  limits: { iterations: 10 },
})
