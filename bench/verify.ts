/** How long `loopctl verify --repo` takes, from its start to its exit code, in a repository of 2,000 files. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'
import { withRepository } from './worktree.ts'

const rounds = 7
const files = 2000
const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const verifyCertificates: Suite = {
  area: 'evidence',
  title: 'verifying a certificate beside the files of its repository',
  run: ({ scale }) =>
    withRepository(files, (checkout) =>
      withFolder(async (folder) => {
        const state = join(folder, 'state')
        const run = (...args: readonly string[]): string =>
          spawned(['--json', '--no-daemon', '--state', state, ...args], checkout)
        const certified: unknown = JSON.parse(run('certify', '.', '--check', 'true', '--attended'))
        const { certificate } = certified as { readonly certificate: string }
        const seconds: number[] = []
        for (let round = 0; round < Math.max(3, Math.round(rounds * scale)); round++) {
          const began = performance.now()
          run('verify', certificate, '--repo', checkout)
          seconds.push((performance.now() - began) / 1000)
        }
        const detail = `${files} files, every one hashed anew`
        return [atMost('evidence.verify-seconds', median(seconds), 1, 's', detail)]
      }),
    ),
}

function spawned(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [loopctl, ...args], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`loopctl ${args.join(' ')}: ${stderr}`)
  return stdout
}
