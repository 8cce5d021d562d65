/** Many processes that each make a worktree of one repository, with one name, at one moment. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atLeast, atMost, type Suite } from '../bench/report.ts'
import { withFolder } from '../bench/workload.ts'

const racers = 20
const program = join(import.meta.dirname, 'git-racer.js')

export async function runGitRace(count: number = racers): Promise<readonly string[]> {
  return withFolder(async (folder) => {
    const checkout = join(folder, 'project')
    mkdirSync(checkout)
    writeFileSync(join(checkout, 'a.txt'), 'a')
    const git = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: checkout, encoding: 'utf8' })
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x')
    const startAtMs = Date.now() + count * 200
    const branches = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const args = [program, checkout, `race-${index}`, String(startAtMs)]
        return (await promisify(execFile)(process.execPath, args)).stdout
      }),
    )
    const there = git('branch', '--list', 'run/*').trim().split('\n')
    if (there.length !== count) throw new Error(`There are ${there.length} branches for ${count}.`)
    return branches
  })
}

export const gitRaces: Suite = {
  area: 'workspace',
  title: 'worktrees made by many processes at once',
  share: 0.2,
  async run({ scale }) {
    const rounds = Math.max(1, Math.round(5 * scale))
    let fewest = racers
    let failed = 0
    for (let round = 0; round < rounds; round++) {
      const branches = await runGitRace().catch(() => undefined)
      if (branches === undefined) failed += 1
      else fewest = Math.min(fewest, new Set(branches).size)
    }
    return [
      atLeast('workspace.worktrees-at-once', fewest, racers, 'worktrees', `${rounds} rounds`),
      atMost('workspace.worktree-races-failed', failed, 0, 'rounds'),
    ]
  },
}
