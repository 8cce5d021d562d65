/**
 * Replays killed with -9 wherever they print a line, and gone on with: each is the same as its record in the end, has
 * the same account, and has asked no model.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer } from 'loopwright/testing'
import { atMost, type Suite } from '../bench/report.ts'
import { answer, ctl, environment, loopctl, loopFile } from './replay.ts'

/** One at every second line that a replay prints, from its first to about its last. */
const kills = 12

export const killedReplays: Suite = {
  area: 'host',
  title: 'replays that are killed and gone on with are the same',
  share: 0.1,
  async run({ scale, note }) {
    const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
    await using server = await startModelServer((_request, number) => answer(number))
    const count = Math.max(1, Math.round(kills * scale))
    const found = { begun: 0, resumed: 0, wrong: 0 }
    try {
      mkdirSync(join(folder, 'work'))
      writeFileSync(join(folder, 'loop.yaml'), loopFile(server, 'anthropic/claude-sonnet-4-5'))
      await ctl(
        folder,
        'run',
        join(folder, 'loop.yaml'),
        '--trust',
        '--in-place',
        '--name',
        'story',
      )
      const asked = server.requests.length
      for (let number = 1; number <= count; number++) {
        const end = await killed(folder, `killed-${number}`, 2 * number)
        if (end === 'never begun') continue
        found.begun++
        if (end !== 'over') found.resumed++
        if (end === 'wrong') found.wrong++
        if (end === 'wrong') note(`  kill ${number} of ${count}`)
      }
      const requests = server.requests.length - asked
      const detail = `${count} killed, ${found.begun} had begun, ${found.resumed} were gone on with`
      return [
        atMost('host.killed-replays-wrong', found.wrong, 0, 'replays', detail),
        atMost('host.killed-replays-requests', requests, 0, 'requests'),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type End = 'never begun' | 'over' | 'right' | 'wrong'

async function killed(folder: string, name: string, lines: number): Promise<End> {
  const child = spawn(process.execPath, [loopctl, 'replay', 'story', '--name', name], {
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  let printed = 0
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString().split('\n').length - 1
    if (printed >= lines) child.kill('SIGKILL')
  })
  await exited
  const runs = await spentBy(folder, name).catch(() => undefined)
  if (runs === undefined) return 'never begun'
  if (runs.ended) return 'over'
  const { same } = (await ctl(folder, 'resume', name)) as { same?: boolean }
  const [there, here] = [await spentBy(folder, 'story'), await spentBy(folder, name)]
  return same === true && there.spent === here.spent ? 'right' : 'wrong'
}

async function spentBy(
  folder: string,
  name: string,
): Promise<{ readonly ended: boolean; readonly spent: string }> {
  const { state } = (await ctl(folder, 'inspect', name)) as {
    state: { outcome?: object; spent: object }
  }
  return { ended: state.outcome !== undefined, spent: JSON.stringify(state.spent) }
}
