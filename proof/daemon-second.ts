/** A second daemon on the same record: how soon it is refused, whatever state the first is in. */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loopd } from './daemon-process.ts'
import { openStage, type Stage } from './daemon-stage.ts'

export interface Seconds {
  readonly timesMs: readonly number[]
  readonly problems: readonly string[]
}

const tries = 5

/** What is done to the first, and undone. */
const states: readonly (readonly [name: string, change: (stage: Stage) => void])[] = [
  ['well', () => undefined],
  ['standing still', ({ daemon }) => process.kill(daemon.pid, 'SIGSTOP')],
  [
    'with the files of another',
    ({ daemon }) => {
      // This process lives, and is no daemon: as a number that was given again.
      writeFileSync(join(daemon.state, 'daemon/loopd.pid'), `${process.pid}\n`)
      const other = { ...daemon, pid: process.pid, startedAtMs: 1, address: 'http://127.0.0.1:1' }
      writeFileSync(join(daemon.state, 'daemon/daemon.json'), JSON.stringify(other))
    },
  ],
]

export async function trySeconds(): Promise<Seconds> {
  const stage = await openStage()
  const timesMs: number[] = []
  const problems: string[] = []
  try {
    for (const [name, change] of states) {
      change(stage)
      for (let tried = 0; tried < tries; tried++) {
        const startMs = performance.now()
        const { code, said } = await startSecond(stage)
        timesMs.push(performance.now() - startMs)
        if (code !== 75) problems.push(`first ${name}: it ended with ${code}: ${said}`)
        else if (!said.includes(`pid ${stage.daemon.pid}`)) problems.push(`first ${name}: ${said}`)
      }
    }
    return { timesMs, problems }
  } finally {
    await stage.close()
  }
}

function startSecond({
  daemon,
}: Stage): Promise<{ readonly code: number | null; readonly said: string }> {
  const words = [loopd, '--state', daemon.state, '--port', '0']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })))
}
