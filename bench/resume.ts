/** Resume of a 5,000-iteration run beside the bare reading of its last snapshot and tail. */

import { join } from 'node:path'
import { openHost } from 'loopwright'
import { openDatabase } from '#src/journal/index.ts'
import { atMost, median, type Suite } from './report.ts'
import { costOf, historyLoop, noLimits, withFolder } from './workload.ts'

const iterations = 5000
const rounds = 9

export const resume: Suite = {
  area: 'engine',
  title: `resume of a ${iterations}-iteration run`,
  async run({ scale }) {
    const n = Math.max(500, Math.round(iterations * scale))
    return withFolder(async (folder) => {
      const stop = new AbortController()
      const host = await openHost({ folder, synchronous: 'NORMAL' })
      // Stopped after its last iteration but one: what is left to do is one iteration.
      const loop = historyLoop(n + 1, (iteration) => {
        if (iteration === n) stop.abort()
      })
      const handle = await host.start(loop, { input: null, limits: noLimits, signal: stop.signal })
      await handle.done
      await host.close()
      const ratios: number[] = []
      let detail = ''
      for (let round = 0; round < rounds; round++) {
        const ours = await resumeMs(folder, handle.id, loop)
        const bare = await readMs(folder)
        ratios.push(ours / bare)
        detail = `${ours.toFixed(1)} ms against ${bare.toFixed(1)} ms`
      }
      return [atMost('engine.resume-5000', median(ratios), 4, 'x', detail)]
    })
  },
}

/** From opening the record to the first line of the loop's code. */
async function resumeMs(
  folder: string,
  id: string,
  loop: ReturnType<typeof historyLoop>,
): Promise<number> {
  const began = process.hrtime.bigint()
  const stop = new AbortController()
  let reached = 0n
  const host = await openHost({ folder, synchronous: 'NORMAL' })
  const probe = {
    ...loop,
    createContext: (input: null, previous: Parameters<typeof loop.createContext>[1]) => {
      reached = process.hrtime.bigint()
      stop.abort()
      return loop.createContext(input, previous)
    },
  }
  const handle = await host.resume(id, probe, { signal: stop.signal, force: true })
  await handle.done
  await host.close()
  return Number(reached - began) / 1e6
}

async function readMs(folder: string): Promise<number> {
  const { wallMs } = await costOf(() => {
    const database = openDatabase(join(folder, 'journal.db'), 'NORMAL')
    const snapshot = database.prepare('SELECT seq, body FROM snapshots').get() as {
      seq: number
      body: string
    }
    JSON.parse(snapshot.body)
    const tail = database.prepare('SELECT body FROM events WHERE seq > ? ORDER BY seq')
    for (const row of tail.all(snapshot.seq) as { body: string }[]) JSON.parse(row.body)
    database.close()
  })
  return wallMs
}
