/** A run that writes files: two iterations, with output that is longer than a tail. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, type PlainLoop, plainLoop, type RunHandle } from '../src/host/index.ts'
import type { AgentReport } from '../src/loop/index.ts'

export const loop: PlainLoop = plainLoop({
  version: '1',
  prompt: 'Write 2. This is iteration {{ iteration }}.',
})

/** Writes the number of the iteration; the check requires 2. */
export async function start(host: Host, name: string, where: object): Promise<RunHandle> {
  return host.start(loop, {
    input: {},
    name,
    ...where,
    agents: {
      async work(_role, _task, { iteration, workspace, note }): Promise<AgentReport> {
        writeFileSync(join(workspace ?? '', 'number.txt'), String(iteration))
        for (let line = 1; line <= 250; line += 1) note({ type: 'said', text: `line ${line}\n` })
        return { status: 'done', text: 'wrote\tit', usage: { tokens: 1, costMicros: 1 }, turns: 1 }
      },
    },
    checks: {
      two: async ({ workspace }) => {
        const isTwo = readFileSync(join(workspace ?? '', 'number.txt'), 'utf8') === '2'
        const status = isTwo ? 'met' : 'not-met'
        return { status, exitCode: isTwo ? 0 : 1, output: `is two: ${isTwo}` }
      },
    },
  })
}

/** All files, without their locations. */
export const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/^(\.folder\.json|analysis)$/.test(name))
      .map((name) => [
        name,
        readFileSync(join(folder, name), 'utf8').replaceAll(folder, '<folder>'),
      ]),
  )
