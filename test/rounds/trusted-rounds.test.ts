// A chore of the catalog loses its level when its work turns out to be wrong, and says so; and a checker that always says yes is
// found when it is measured, so nothing that it verified raises a level.

import { expect, test } from 'vitest'
import { inProof } from '../share.ts'
import { type ChoreScene, setUpChore } from './chore-scene.ts'
import { chores } from './chores.ts'
import { reportIn } from './scene.ts'

const choreOf = (name: string) => {
  const found = chores.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no chore ${name}.`)
  return found
}

const caseMsMax = 600_000

test.each(inProof)(
  'a pull request of level 3 that is merged and reverted costs the level, and the next report says so (%s)',
  async () => {
    const round = await setUpChore(choreOf('dependency-sweeper'), 3)
    expect((await round.run()).code).toBe(0)
    round.git('merge', '-q', '--no-ff', '-m', 'update left-pad', 'run/round')
    round.git('revert', '-m', '1', '--no-edit', 'HEAD')
    const next = await round.ctl(
      '--json',
      '--no-input',
      'run',
      'loops/dependency-sweeper.yaml',
      '--name',
      'next',
    )
    const report = reportIn(next)
    expect([next.code, report.level, report.outcome.type]).toEqual([7, 2, 'escalated'])
    expect(report.warnings.join('\n')).toMatch(/revert/)
    const { stdout } = await round.ctl('levels', 'dependency-sweeper')
    expect(stdout).toContain('L3-unattended became L2-assisted (escape)')
    // The second proposal waits for a person: nothing more was opened.
    expect(round.github.read().pulls).toHaveLength(1)
  },
  caseMsMax,
)

test.each(inProof)(
  'a checker that always says yes is measured, and raises no level (%s)',
  async () => {
    // Defects are planted where the checks pass.
    const round = await setUpChore({ ...choreOf('ci-sweeper'), files: {} }, 1)
    expect((await round.run()).code).toBe(0)
    expect((await missingFor(round)).join('\n')).toContain('was not measured as it is now')
    const measured = await round.ctl('calibrate', 'loops/ci-sweeper.yaml', '--defects', '6')
    expect(measured.code).toBe(0)
    expect((await missingFor(round)).join('\n')).toContain(
      'the checker may accept 100 % of planted defects',
    )
  },
  caseMsMax,
)

async function missingFor({ ctl }: ChoreScene): Promise<readonly string[]> {
  const { stdout } = await ctl('--json', 'levels', 'ci-sweeper')
  return (JSON.parse(stdout) as { readonly missing: readonly string[] }).missing
}
