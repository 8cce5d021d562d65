/**
 * A loop that does a little of everything that a crash could spoil. From the same tree each step does
 * the same, so a run that was killed must end as one that was not.
 */

import { join } from 'node:path'
import type { LoopType, StepContext } from 'loopwright'
import type { Commands, Files } from 'loopwright/testing'

export interface VictimTools {
  /** What the steps change files with. */
  readonly files: Files
  readonly commands: Commands
  /** The folder to work in. */
  readonly work: string
  /** A folder outside the workspace, for what must be remembered across a crash. */
  readonly flags: string
  /** Something was paid for, after its reservation. */
  paid(iteration: number, step: string, attempt: number): void
}

interface Progress {
  readonly rounds: number
  readonly counts: readonly number[]
}

interface Result {
  readonly round: number
  readonly count: number
}

export const victimLimits = { tokens: 1_000_000, costMicros: 1_000_000, iterations: 10 }

export function victimLoop(
  tools: VictimTools,
  rounds: number,
): LoopType<null, { round: number }, Progress, Result> {
  const work = createWork(tools)
  return {
    name: 'victim',
    createContext: (_input, previous) => ({ round: (previous?.rounds ?? 0) + 1 }),
    async iterate({ round }, it) {
      await it.step('plan', () => work.plan(round))
      await it.step('large', () => `${'l'.repeat(70_000)}${round}`, { readOnly: true })
      const { left } = await it.parallel({
        left: async (branch) => {
          await branch.step('edit', () => work.edit(round))
          return branch.step('count', () => work.count(), { readOnly: true })
        },
        right: async (branch) => {
          await branch.step('swap', () => work.swap(round))
          return branch.step('think', (context) => work.think(round, context), {
            readOnly: true,
            reserve: { tokens: 1000, costMicros: 1500 },
          })
        },
      })
      await it.step('command', (context) => work.command(round, context))
      await it.artifact('report', `round ${round}\n`.repeat(100))
      const options = ['yes', 'no']
      await it.ask('go on', { text: 'Go on?', options, default: 'yes', deadlineMs: 3 })
      const retry = { attempts: 2, firstDelayMs: 1, factor: 1, delayMsMax: 1 }
      await it.step('flaky', () => work.flaky(round), { retry })
      const [whole] = await it.check(['whole'])
      await it.act({ kind: 'publish', summary: `round ${round}, check ${whole?.status}` })
      await it.sleep('rest', 1)
      const count = await it.step('clean up', () => work.cleanUp(round))
      return { round, count: left + count }
    },
    extractProgress: ({ round, count }, previous) => ({
      rounds: round,
      counts: [...(previous?.counts ?? []), count],
    }),
    until: [{ type: 'custom', name: 'enough rounds', met: (made) => made.rounds >= rounds }],
  }
}

export const victimFiles: Readonly<Record<string, string>> = {
  'data.txt': 'zero\n',
  'history.txt': 'begin\n',
  'tool.sh': '#!/bin/sh\n',
  'thing/inner.txt': 'inner\n',
  'notes/round-0.md': 'nothing yet\n',
  'empty/deep/leaf.txt': 'leaf\n',
}

/**
 * Says what it did, waits a moment, and does the rest. When the process that started it is gone by
 * then, it goes on changing files later: nothing of that may be seen.
 */
const script = [
  'echo "round $1" > made.tmp',
  'mkdir -p made && echo "$1" > "made/$1.txt"',
  'sleep 0.02',
  'mv made.tmp made.txt',
  'kill -0 "$2" 2>/dev/null || { sleep 0.4; echo late > late.txt; echo late > data.txt; }',
].join('\n')

interface Work {
  plan(round: number): Promise<string>
  edit(round: number): Promise<void>
  count(): Promise<number>
  swap(round: number): Promise<string>
  think(round: number, context: StepContext): Promise<number>
  command(round: number, context: StepContext): Promise<string>
  flaky(round: number): Promise<string>
  cleanUp(round: number): Promise<number>
}

function createWork({ files, commands, work, flags, paid }: VictimTools): Work {
  const at = (path: string): string => join(work, path)

  async function put(path: string, text: string, flags = 'w'): Promise<void> {
    const handle = await files.open(path, flags)
    try {
      await handle.write(Buffer.from(text))
    } finally {
      await handle.close()
    }
  }

  const isThere = (path: string): Promise<boolean> =>
    files.lstat(path).then(
      () => true,
      () => false,
    )

  return {
    async plan(round) {
      await files.mkdir(at('notes'), { recursive: true })
      await put(at(`notes/round-${round}.md`), `# Round ${round}\n`)
      await put(at('history.txt'), `round ${round}\n`, 'a')
      // Enough for a snapshot of the state at the end of the first round.
      return 'p'.repeat(round === 1 ? 40_000 : 100)
    },
    async edit(round) {
      await put(at('data.txt'), `data of round ${round}\n`.repeat(round * 50))
      await files.chmod(at('tool.sh'), round % 2 === 1 ? 0o755 : 0o644)
      const before = new Date(1_000_000_000_000)
      await files.utimes(at('data.txt'), before, before)
    },
    count: async () => (await files.readFile(at('data.txt'))).length,
    async swap(round) {
      await files.rm(at('thing'), { recursive: true, force: true })
      if (round % 2 === 1) await put(at('thing'), 'a file now\n')
      else {
        await files.mkdir(at('thing'))
        await put(at('thing/inner.txt'), 'a directory again\n')
      }
      await files.rm(at('link'), { force: true })
      await files.symlink(round % 2 === 1 ? '../outside/canary.txt' : '../outside', at('link'))
      await put(at('moving'), `moved in round ${round}\n`)
      await files.rename(at('moving'), at('moved'))
      return `swapped ${round}`
    },
    async think(round, context) {
      const reservation = await context.reserve({ tokens: 500, costMicros: 700 })
      paid(round, '0.right/think#1', context.attempt)
      await reservation.settle({ tokens: 200, costMicros: 300 })
      context.spend({ tokens: 300, costMicros: 400 })
      return round
    },
    async command(round, { signal }) {
      const args = ['-c', script, 'sh', String(round), String(process.pid)]
      const result = await commands.run({ program: 'sh', args, cwd: work }, signal)
      return `${result.ended} ${result.exitCode}`
    },
    async flaky(round) {
      const flag = join(flags, `flaky-${round}`)
      if (await isThere(flag)) {
        await put(at('flaky.txt'), `round ${round}\n`)
        return `done in round ${round}`
      }
      await makeMess(files, at, put)
      await put(flag, 'failed once\n')
      throw Object.assign(new Error('the provider is busy'), { code: 'EAGAIN' })
    },
    async cleanUp(round) {
      await files.unlink(at(`notes/round-${round - 1}.md`))
      return (await files.readdir(work)).length
    },
  }
}

/** Leaves hardly anything as it was, so that putting it back takes every kind of change. */
async function makeMess(
  files: Files,
  at: (path: string) => string,
  put: (path: string, text: string) => Promise<void>,
): Promise<void> {
  await files.rm(at('notes'), { recursive: true })
  await put(at('notes'), 'a file in the place of a directory\n')
  await files.unlink(at('data.txt'))
  await files.mkdir(at('data.txt'))
  await files.mkdir(at('data.txt/deep'))
  await put(at('data.txt/deep/junk'), 'junk\n')
  await files.chmod(at('tool.sh'), 0o600)
  await put(at('history.txt'), 'rewritten\n')
  await files.rm(at('link'), { force: true })
  await put(at('link'), 'no link any more\n')
  await files.unlink(at('empty/deep/leaf.txt'))
  await files.rmdir(at('empty/deep'))
  await files.chmod(at('empty'), 0o500)
  await files.symlink('../outside', at('elsewhere'))
}
