/**
 * What a command of a tuning loop costs besides the user's own: a copy of the workspace, its files, its output, beside the bare start of
 * the sandbox, in turns. And how fast results of an earlier run are read again.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from 'loopwright'
import type { Commands } from '#src/engine/index.ts'
import { inCopy } from '#src/launch/in-copy.ts'
import { openCommands } from '#src/launch/loop-ports/commands/open-commands.ts'
import type { CommandReport, CommandTask } from '#src/loop/step/command-task.ts'
import { memoryBlobs } from '#src/testing/memory-blobs.ts'
import { atMost, median, type Suite } from './report.ts'
import { randomText, withFolder } from './workload.ts'

const rounds = 100
const files = 200

export const tuneCommand: Suite = {
  area: 'tune',
  title: 'a command of a tuning loop beside the bare start of a sandbox',
  run: ({ scale }) =>
    withStage(true, async ({ run, bare }) => {
      const took = { ours: [] as number[], bare: [] as number[] }
      const warmUp = 5
      for (let round = -warmUp; round < Math.max(20, Math.round(rounds * scale)); round++) {
        const oursMs = await wallMs(() => run(taskOf(round + warmUp + 1)))
        const bareMs = await wallMs(bare)
        if (round < 0) continue
        took.ours.push(oursMs)
        took.bare.push(bareMs)
      }
      const shown = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`
      const detail = `${shown(took.ours)} beside ${shown(took.bare)}, ${files} files`
      return [atMost('tune.command', median(took.ours) / median(took.bare), 2, 'x', detail)]
    }),
}

const results = 10_000

export const tuneReuse: Suite = {
  area: 'tune',
  title: '10,000 results of cases that an earlier run had, read again',
  run: ({ scale }) =>
    withStage(false, async ({ run }) => {
      const count = Math.max(500, Math.round(results * scale))
      const all = Array.from({ length: count }, (_, at) => ({ ...taskOf(at + 1), reuse: true }))
      for (const task of all) await run(task)
      const tookMs = await wallMs(async () => {
        const made = await Promise.all(all.map(run))
        if (made.some((report) => report.reused !== true)) throw new Error('A command ran.')
      })
      const whole = (tookMs * results) / count
      return [atMost('tune.reuse', whole, 1000, 'ms', `${count} results, as if ${results}`)]
    }),
}

interface Stage {
  run(task: CommandTask): Promise<CommandReport>
  /** The same sandbox, without copies and files. */
  bare(): Promise<unknown>
}

const signal = new AbortController().signal

const taskOf = (repeat: number): CommandTask => ({
  command: 'cat "$LOOP_CASE" > "$LOOP_OUTPUT"',
  env: { LOOP_CASE: 'cases/1.txt', LOOP_OUTPUT: 'out/1.txt' },
  files: { 'rules.txt': { text: 'x=2' }, 'cases/1.txt': { from: 'cases/1.txt' } },
  without: ['cases/1.txt', 'out/1.txt'],
  output: 'out/1.txt',
  repeat,
})

/** `isReal`: in the sandbox. Otherwise commands take no time, so that many results are soon there. */
function withStage<T>(isReal: boolean, work: (stage: Stage) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const [workspace, state] = [join(folder, 'work'), join(folder, 'state')]
    mkdirSync(join(workspace, 'cases'), { recursive: true })
    mkdirSync(state)
    writeFileSync(join(workspace, 'cases', '1.txt'), 'a case\n')
    writeFileSync(join(workspace, 'rules.txt'), 'x=1\n')
    for (let file = 0; file < (isReal ? files : 1); file++) {
      writeFileSync(join(workspace, `file-${file}.txt`), `${file}\n`.repeat(100))
    }
    const sandbox = await openSandbox({ requireTier: 'strong' })
    const opened = openCommands({
      workspace,
      sandbox: {
        summary: { tier: isReal ? 'strong' : 'none', limits: 'none', attended: true },
        commandsIn: (copy) =>
          isReal ? sandbox.commands(inCopy({ workspace }, copy, 'strong')) : inNoTime(copy.path),
        modelCommandsIn: () => {
          throw new Error('not used')
        },
      },
      models: { gateway: () => Promise.reject(new Error('not used')) },
      settings: { hide: [] },
      excluded: [],
      path: process.env['PATH'],
    })({ blobs: memoryBlobs(), folder: state } as never)
    const plain = sandbox.commands({ workspace })
    const run = (task: CommandTask): Promise<CommandReport> =>
      opened.commands.run(task, {
        signal: new AbortController().signal,
        attempt: 1,
        iteration: 1,
        step: 'command:run#1' as never,
        spend: () => undefined,
        reserve: () => Promise.reject(new Error('not used')),
        remaining: () => ({}) as never,
      })
    try {
      return await work({
        run,
        bare: () => plain.run({ program: '/bin/sh', args: ['-c', 'cat cases/1.txt'] }, signal),
      })
    } finally {
      await opened.close()
    }
  })
}

const inNoTime = (copy: string): Commands => ({
  async run() {
    writeFileSync(join(copy, 'out', '1.txt'), randomText(1, 1000))
    return { exitCode: 0, stdout: randomText(2, 200), stderr: '', durationMs: 1 } as never
  },
})

async function wallMs(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}
