// The seven chores of the catalog end to end, each at every level: added with loopctl, run with scripted agents, on a repository
// with a stand-in for gh. At level 1 only a report, at level 2 a question, at level 3 the action; and each action once.

import { expect, test } from 'vitest'
import { inProof, share } from '../share.ts'
import { type ChoreScene, setUpChore } from './chore-scene.ts'
import { chores } from './chores.ts'
import { reportIn, rowsIn } from './scene.ts'

/** `npm test` runs these; the proof runs all. */
const fast: readonly string[] = ['daily-triage 1', 'ci-sweeper 2', 'issue-triage 3']

const casesOf = (level: number) =>
  chores
    .filter(({ name }) => share(true, fast.includes(`${name} ${level}`)))
    .map((chore) => [chore.name, chore] as const)

/** What nothing but the action may change, besides the branch of the run. */
function expectUntouched({ git, commit, github, chore }: ChoreScene): void {
  expect(git('rev-parse', 'main')).toBe(commit)
  expect(git('branch', '--list', 'agent/*')).toBe('')
  const changed = git('status', '--porcelain', '--', ':!loops').trim()
  expect(changed).toBe(chore.expected.includes('fixed') ? 'M src/sum.mjs' : '')
  const writing = ['comment', 'create', 'merge', 'close', 'edit', 'delete', 'review']
  const calls = github.calls().filter(([, verb = '']) => writing.includes(verb))
  expect(calls.length).toBe(chore.writesOnGithub === true ? 1 : 0)
}

const untouched = { writesOnGithub: false, expected: [] }

/** Some seconds: three processes of agents, checks in a clean checkout. */
const caseMsMax = 180_000

test.each(casesOf(1))(
  '%s reports at level 1, and nothing changes',
  async (_name, chore) => {
    const round = await setUpChore(chore, 1)
    const ended = await round.run()
    const report = reportIn(ended)
    expect([ended.code, report.outcome, report.filesChanged]).toEqual([0, { type: 'reported' }, []])
    expect(report.maker?.text).toMatch(chore.found)
    expect(report.decision).toMatchObject({ type: 'escalate' })
    expect(chore.effect(round)).toEqual([])
    expectUntouched({ ...round, chore: { ...chore, ...untouched } })
    expect(rowsIn(await round.ctl('--json', 'inbox'))).toEqual([])
  },
  caseMsMax,
)

test.each(casesOf(2))(
  '%s asks at level 2, and acts once it is accepted',
  async (_name, chore) => {
    const round = await setUpChore(chore, 2)
    const ended = await round.run()
    const asked = reportIn(ended)
    expect([ended.code, asked.outcome.type]).toEqual([7, 'escalated'])
    expect(asked.maker?.text).toMatch(chore.found)
    expect(asked.verified.type).toBe(chore.changesFiles === true ? 'certified' : 'checker')
    expect(chore.effect(round)).toEqual([])
    expectUntouched({ ...round, chore: { ...chore, ...untouched } })
    const [question, ...others] = rowsIn(await round.ctl('--json', 'inbox'))
    expect([question?.id?.includes('allow'), others]).toEqual([true, []])
    expect(await round.ctl('answer', 'round', '--accept')).toMatchObject({ code: 0 })
    const resumed = await round.ctl('--json', '--no-input', 'resume', 'round')
    expect([resumed.code, reportIn(resumed).outcome]).toEqual([0, { type: 'proceeded' }])
    expect(chore.effect(round)).toEqual(chore.expected)
    expectUntouched(round)
    // It is done: there is nothing more to accept or to resume.
    expect((await round.ctl('answer', 'round', '--accept')).code).not.toBe(0)
    expect((await round.ctl('resume', 'round')).code).not.toBe(0)
    expect(chore.effect(round)).toEqual(chore.expected)
    const verified = await round.ctl('verify', 'round')
    expect(verified.code === 0).toBe(chore.changesFiles === true)
  },
  caseMsMax,
)

test.each(casesOf(3))(
  '%s acts at level 3, once',
  async (_name, chore) => {
    const round = await setUpChore(chore, 3)
    const ended = await round.run()
    const report = reportIn(ended)
    expect([ended.code, report.outcome]).toEqual([0, { type: 'proceeded' }])
    expect(report.verified.type).toBe(chore.changesFiles === true ? 'certified' : 'checker')
    expect(chore.effect(round)).toEqual(chore.expected)
    expectUntouched(round)
  },
  caseMsMax,
)

test.each(
  chores
    .filter(({ name }) => inProof.length > 0 && name !== '')
    .map(({ name }, at) => [name, at] as const),
)(
  '%s does not act at level 3 if its checker does not verify the work',
  async (_name, at) => {
    const chore = chores[at]
    if (chore === undefined) throw new Error('There is no such chore.')
    const round = await setUpChore(chore, 3, 'fail')
    const ended = await round.run()
    expect([ended.code, reportIn(ended).outcome.type]).toEqual([7, 'escalated'])
    expect(chore.effect(round)).toEqual([])
    expectUntouched({ ...round, chore: { ...chore, ...untouched } })
  },
  caseMsMax,
)
