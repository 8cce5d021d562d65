import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandCheck, describeOutcome, type LoopType, openHost } from 'loopwright'

/** Writes one guess after the other into a file, until a check that Loopwright runs itself passes. */
export const guess: LoopType<readonly string[], string, { tried: number }, void> = {
  name: 'guess',
  createContext: (words, previous) => words[previous?.tried ?? 0] ?? 'out of words',
  async iterate(word, it) {
    const file = join(it.workspace?.path ?? '.', 'answer.txt')
    await it.step('write', () => writeFile(file, word))
    await it.check()
  },
  extractProgress: (_result, previous) => ({ tried: (previous?.tried ?? 0) + 1 }),
  until: [{ type: 'checks-pass' }],
}

export async function main(workspace: string, folder?: string): Promise<string> {
  const host = await openHost(folder === undefined ? {} : { folder })
  const run = await host.start(guess, {
    input: ['sesame', 'please', 'friend'],
    workspace,
    checks: { right: commandCheck('grep', ['-qx', 'friend', 'answer.txt']) },
    limits: { iterations: 5 },
  })
  const end = await run.done
  await host.close()
  return end.type === 'ended' ? describeOutcome(end.outcome) : `suspended: ${end.reason}`
}
