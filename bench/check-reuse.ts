/**
 * What an answer of a check costs that is re-used: the same check is asked again on the same files, with
 * the real store and a folder of a thousand files. The check itself takes two seconds, once.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Check, type LoopType, openHost } from 'loopwright'
import { atLeast, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const checkMs = 2000
const times = 30
const files = 1000

export const checkReuse: Suite = {
  area: 'evidence',
  title: 'an answer of a check, re-used on the same files',
  run: () =>
    withFolder(async (folder) => {
      const workspace = join(folder, 'work')
      mkdirSync(workspace)
      for (let index = 0; index < files; index++) {
        writeFileSync(join(workspace, `${index}.txt`), `${index}`)
      }
      let runs = 0
      const slow: Check = Object.assign(
        async () => {
          runs++
          await delay(checkMs)
          return { status: 'met' as const, output: 'ok' }
        },
        { fingerprint: 'slow' },
      )
      const tookMs: number[] = []
      const loop: LoopType<null, null, null, null> = {
        name: 'reuse',
        createContext: () => null,
        async iterate(_context, it) {
          for (let index = 0; index <= times; index++) {
            const beganMs = performance.now()
            await it.check(['slow'])
            tookMs.push(performance.now() - beganMs)
          }
          return null
        },
        extractProgress: () => null,
        until: [{ type: 'max-iterations', iterations: 1 }],
      }
      const host = await openHost({ folder: join(folder, 'state') })
      await (await host.start(loop, { input: null, workspace, checks: { slow } })).done
      await host.close()
      const [first = 0, ...others] = tookMs
      const again = median(others)
      const detail = `${first.toFixed(0)} ms once, ${again.toFixed(2)} ms again, run ${runs} times`
      return [atLeast('evidence.reuse', runs === 1 ? first / again : 0, 100, 'x', detail)]
    }),
}
