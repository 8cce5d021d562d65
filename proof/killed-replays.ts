/**
 * Replays killed with -9 at any moment, and gone on with: each is the same as its record in the end, has
 * the same account, and has asked no model.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startModelServer } from 'loopwright/testing'
import { atMost, type Suite } from '../bench/report.ts'
import { answer, ctl, environment, loopctl, loopFile } from './replay.ts'

const kills = 16

export const killedReplays: Suite = {
  area: 'host',
  title: 'replays that are killed and gone on with are the same',
  async run({ scale, note }) {
    const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
    await using server = await startModelServer((_request, number) => answer(number))
    const count = Math.max(1, Math.round(kills * scale))
    const found = { begun: 0, resumed: 0, wrong: 0 }
    try {
      mkdirSync(join(folder, 'work'))
      writeFileSync(join(folder, 'loop.yaml'), loopFile(server, 'anthropic/claude-sonnet-4-5'))
      await ctl(folder, 'run', join(folder, 'loop.yaml'), '--trust', '--name', 'story')
      const asked = server.requests.length
      // Spread over the time that one takes here and now, which depends on who else is at work.
      const beganMs = performance.now()
      await ctl(folder, 'replay', 'story')
      const tookMs = performance.now() - beganMs
      for (let number = 1; number <= count; number++) {
        const end = await killed(
          folder,
          `killed-${number}`,
          tookMs * (0.3 + (0.6 * number) / count),
        )
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

async function killed(folder: string, name: string, afterMs: number): Promise<End> {
  const options = { env: environment(folder), stdio: 'ignore' as const }
  const child = spawn(process.execPath, [loopctl, 'replay', 'story', '--name', name], options)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  await Promise.race([exited, sleep(afterMs)])
  child.kill('SIGKILL')
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
