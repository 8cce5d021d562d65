/** How long small commands of loopctl take beside Node that does nothing, in turns; also through a daemon. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openHost } from 'loopwright'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const rounds = 21
const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const cliStart: Suite = {
  area: 'cli',
  title: 'loopctl --version and list beside node -e 0',
  run: ({ scale }) =>
    withFolder(async (folder) => {
      // A record without runs: the time is that of loading, and of opening it.
      await (await openHost({ folder })).close()
      const daemon = [loopctl, '--state', folder, 'daemon']
      wallMs([...daemon, 'start', '--port', '0'])
      const bare: number[] = []
      const version: number[] = []
      const list: number[] = []
      const daemonList: number[] = []
      try {
        for (let round = -1; round < Math.max(5, Math.round(rounds * scale)); round++) {
          const took = [
            wallMs(['-e', '0']),
            wallMs([loopctl, '--version']),
            wallMs([loopctl, '--no-daemon', '--state', folder, 'list']),
            wallMs([loopctl, '--state', folder, 'list']),
          ] as const
          // The first round fills the caches.
          if (round < 0) continue
          bare.push(took[0])
          version.push(took[1])
          list.push(took[2])
          daemonList.push(took[3])
        }
      } finally {
        wallMs([...daemon, 'stop'])
      }
      const beside = (ours: readonly number[]): string =>
        `${median(ours).toFixed(0)} ms beside ${median(bare).toFixed(0)} ms`
      return [
        atMost('cli.version-start', median(version) / median(bare), 2.5, 'x', beside(version)),
        atMost('cli.list-start', median(list) / median(bare), 4, 'x', beside(list)),
        atMost(
          'cli.list-through-daemon',
          median(daemonList) / median(bare),
          4,
          'x',
          beside(daemonList),
        ),
      ]
    }),
}

function wallMs(args: readonly string[]): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, [...args], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return performance.now() - began
}
