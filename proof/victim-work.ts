/** What the steps of the victim's loop do. From the same tree each does the same. */

import { join } from 'node:path'
import type { Commands, StepContext } from 'loopwright'
import type { Files } from 'loopwright/testing'

export interface VictimTools {
  /** What the steps change files with. */
  readonly files: Files
  readonly commands: Commands
  /** The folder to work in. */
  readonly work: string
  /** A folder outside the workspace, for what must be remembered across a crash. */
  readonly flags: string
  /** Something was paid for, after its reservation. */
  readonly paid: (iteration: number, step: string, attempt: number) => void
}

/**
 * Leaves something behind that changes files as soon as anything else happens in the run: nothing of
 * that may be seen, whether the command came to its end or the process that started it was killed.
 */
const script = [
  '(size() { wc -c < ../effects.log 2>/dev/null; }',
  ' before=$(size)',
  ' for wait in 1 2 3 4 5 6 7 8 9; do [ "$(size)" = "$before" ] && sleep 0.1; done',
  ' for late in 1 2 3 4 5 6 7 8 9; do echo $late > late.txt; echo $late > data.txt; sleep 0.1; done) &',
  'echo "round $1" > made.tmp',
  'mkdir -p made && echo "$1" > "made/$1.txt"',
  'sleep 0.01',
  'mv made.tmp made.txt',
].join('\n')

export interface Work {
  plan(round: number): Promise<string>
  edit(round: number): Promise<void>
  count(): Promise<number>
  swap(round: number): Promise<string>
  think(round: number, context: StepContext): Promise<number>
  command(round: number, context: StepContext): Promise<string>
  flaky(round: number): Promise<string>
  cleanUp(round: number): Promise<number>
}

export function createWork({ files, commands, work, flags, paid }: VictimTools): Work {
  const at = (path: string): string => join(work, path)
  const put = (path: string, text: string, how = 'w'): Promise<void> =>
    write(files, path, text, how)

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
      const args = ['-c', script, 'sh', String(round)]
      const result = await commands.run({ program: 'sh', args, cwd: work }, signal)
      return `${result.ended} ${result.exitCode}`
    },
    async flaky(round) {
      const flag = join(flags, `flaky-${round}`)
      if (await isThere(files, flag)) {
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

async function write(files: Files, path: string, text: string, how: string): Promise<void> {
  const handle = await files.open(path, how)
  try {
    await handle.write(Buffer.from(text))
  } finally {
    await handle.close()
  }
}

async function isThere(files: Files, path: string): Promise<boolean> {
  try {
    await files.lstat(path)
    return true
  } catch {
    return false
  }
}
