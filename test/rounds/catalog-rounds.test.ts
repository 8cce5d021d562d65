// The seven chores of the catalog end to end, each at every level: added with loopctl, run with scripted agents, on a repository
// with a stand-in for gh. At level 1 only a report, at level 2 a question, at level 3 the action; and each action once.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../after.ts'
import { inProof, share } from '../share.ts'
import { agentScript, type Chore, chores, project } from './chores.ts'
import { createScene, reportIn, rowsIn, type Scene } from './scene.ts'

/** `npm test` runs these; the proof runs all. */
const fast: readonly string[] = ['daily-triage 1', 'ci-sweeper 2', 'issue-triage 3']

const casesOf = (level: number) =>
  chores
    .filter(({ name }) => share(true, fast.includes(`${name} ${level}`)))
    .map((chore) => [chore.name, chore] as const)

/** A registry that knows one package. */
async function startRegistry(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/left-pad/latest') return response.end('{"version":"1.3.0"}')
    response.statusCode = 404
    return response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterStory(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

interface Round extends Scene {
  readonly chore: Chore
  readonly commit: string
  run(...args: readonly string[]): ReturnType<Scene['ctl']>
}

async function setUp(chore: Chore, level: 1 | 2 | 3, verdict = 'pass'): Promise<Round> {
  const scene = createScene(
    { ...project, 'tools/agent.mjs': agentScript(chores), ...chore.files },
    { env: { npm_config_registry: await startRegistry() } },
  )
  chore.prepare(scene)
  const agent = `node tools/agent.mjs ${chore.name} ${verdict}`
  const added = await scene.ctl('catalog', 'add', chore.name, '--agent', agent)
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const shown = `loops/${chore.name}.yaml`
  const file = join(scene.repo, shown)
  const text = readFileSync(file, 'utf8').replace(/^level: \d.*$/m, `level: ${level}`)
  writeFileSync(file, `${text}${chore.keys ?? ''}`)
  expect(await scene.ctl('trust', shown)).toMatchObject({ code: 0 })
  const run = (...args: readonly string[]) =>
    scene.ctl('--json', '--no-input', 'run', shown, '--name', 'round', ...args)
  return { ...scene, chore, run, commit: scene.git('rev-parse', 'HEAD') }
}

/** What nothing but the action may change, besides the branch of the run. */
function expectUntouched({ git, commit, github, chore }: Round): void {
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
    const round = await setUp(chore, 1)
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
    const round = await setUp(chore, 2)
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
    const round = await setUp(chore, 3)
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
    const round = await setUp(chore, 3, 'fail')
    const ended = await round.run()
    expect([ended.code, reportIn(ended).outcome.type]).toEqual([7, 'escalated'])
    expect(chore.effect(round)).toEqual([])
    expectUntouched({ ...round, chore: { ...chore, ...untouched } })
  },
  caseMsMax,
)
