/**
 * From a spec to a certified, merged branch through the real programs, as makers and as reviewers: the real daemon,
 * loopctl, git, SQLite and sandbox. Whichever programs work, the run leaves the same report.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { processesIn } from '../../src/testing/agent-contract/left-behind.ts'
import { type ModelServer, startModelServer } from '../../src/testing/index.ts'
import { afterFile } from '../after.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { createShop, type ShopRepository } from '../e2e/build-story-repository.ts'
import { billOf } from '../e2e/gateway-fixture.ts'
import { normalize, normalizeReport } from '../e2e/stable-report.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { behind, filesWith, key, type Program } from './real-programs.ts'
import { allRefused, attemptsOf, shopModel } from './shop-model.ts'

const plan = `# Plan

- [ ] Write the price of an item in src/price.mjs
- [ ] Add items to a cart in src/cart.mjs
- [ ] Write the total of a cart in src/total.mjs
`

const loopFile = (agents: string): string => `loop: build
agents: { ${agents} }
checks: { test: node tools/check.mjs }
scope: ['**']
seals: { paths: [tools/**] }
certify: { dependencies: none, teeth: false }
sandbox: { require: strong }
workspace: ..
limits: { iterations: 8 }
`

interface Fact {
  readonly type: string
  readonly iteration?: number
  readonly step?: string
  readonly result?: unknown
}

interface Built {
  readonly shop: ShopRepository
  readonly state: string
  readonly server: ModelServer
  readonly facts: readonly Fact[]
  readonly run: { readonly id: string; readonly workspace: string }
  readonly spentTokens: number
  /** What `loopctl inspect` prints. */
  readonly inspected: string
  readonly verified: Ended
}

const factsIn = ({ stdout }: Ended): readonly Fact[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as { readonly event?: Fact }).event ?? [])

/** Until the run completed and the daemon stopped. */
async function build(server: ModelServer, agents: string): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-build-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const shop = createShop(folder, {
    'specs/planning/shop-plan.md': plan,
    'specs/shop.yaml': loopFile(agents),
  })
  const before = shop.seen()
  const state = join(folder, 'state')
  const daemon = await startDaemon({ state, env: behind(server) })
  const env = { PATH: process.env['PATH'], HOME: state, LOOPWRIGHT_STATE: state, USER: 'tester' }
  const ctl = (...args: string[]): Promise<Ended> => warmLoopctl(args, env)

  const command = ['run', 'specs/shop.md', '--trust', '--detach', '--name', 'shop']
  const started = await warmLoopctl(command, env, shop.checkout)
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const watched = await ctl('watch', 'shop')
  expect(watched).toMatchObject({ code: 0, stderr: '' })
  expect(watched.stdout).toContain('completed: all(plan-complete, checks-pass)')
  const facts = factsIn(await ctl('--json', 'tail', 'shop'))
  const { stdout: inspected } = await ctl('inspect', 'shop')
  const verified = await ctl('verify', 'shop')
  const { stdout } = await ctl('--json', 'inspect', 'shop')
  await daemon.stop()
  expect(shop.seen()).toEqual(before)
  const { run, state: reached } = JSON.parse(stdout) as Pick<Built, 'run'> & {
    readonly state: { readonly spent: { readonly tokens: number } }
  }
  const spentTokens = reached.spent.tokens
  return { shop, state, server, facts, run, spentTokens, inspected, verified }
}

async function expectWork({ shop, server, facts, run, spentTokens }: Built): Promise<void> {
  const finished = (step: string): readonly (Fact & { readonly text: string })[] =>
    facts
      .filter((fact) => fact.type === 'step-finished' && fact.step?.startsWith(step))
      .map((fact) => ({ ...fact, text: JSON.stringify(fact.result) }))
  const verdicts = finished('agent:reviewer').map(
    ({ text }) => /"verdict\\?":\\?"(\w+)/.exec(text)?.[1],
  )
  expect(verdicts).toEqual(['pass', 'fail', 'pass', 'pass', 'pass'])
  const unmet = finished('check:').filter(({ text }) => text.includes('not-met'))
  expect(unmet).toMatchObject([{ iteration: 4 }])
  for (const { text } of finished('agent:')) expect(text).toContain('"ended":"claimed"')
  expect(attemptsOf(server.requests)).toEqual(verdicts.map(() => allRefused))

  expect(spentTokens).toBe(billOf(server))
  expect(filesWith(key, shop.folder)).toEqual([])
  expect(await processesIn([shop.folder, run.workspace])).toEqual([])
}

function expectMerged({ shop, inspected, verified }: Built): void {
  expect(shop.git('log', '--format=%s', 'main..agent/shop')).toBe('shop: shop\n')
  expect(shop.git('show', 'agent/shop:specs/planning/shop-plan.md')).toBe(
    plan.replaceAll('[ ]', '[R]'),
  )
  const names = ['cart', 'price', 'total']
  expect(shop.git('diff', '--name-only', 'main', 'agent/shop').trim().split('\n')).toEqual([
    'specs/LEARNINGS.md',
    'specs/planning/shop-plan.md',
    ...names.map((name) => `src/${name}.mjs`),
    ...names.map((name) => `test/${name}.test.mjs`),
  ])
  expect(shop.git('tag')).toBe('')
  const merged = `git:${shop.git('rev-parse', 'agent/shop^{tree}').trim()}`
  expect(inspected).toContain(`tree         ${merged}\n`)
  expect(verified.code).toBe(0)
}

const golden = (name: string): string =>
  new URL(`golden/build-story.${name}`, import.meta.url).pathname

async function expectStory(maker: Program, reviewer: Program): Promise<void> {
  const isShared = maker === reviewer
  await using server = await startModelServer(shopModel)
  const built = await build(server, `maker: ${maker}${isShared ? '' : `, reviewer: ${reviewer}`}`)
  await expectWork(built)
  expectMerged(built)

  const { shop, state, run } = built
  const read = (name: string): string =>
    readFileSync(join(state, 'runs', `run-${run.id}`, name), 'utf8')
  const shared = ' reviewer=same-agent-as-maker'
  expect(read('report.tsv').includes(shared)).toBe(isShared)
  const version = new RegExp(`${maker} \\d+\\.\\d+\\.\\d+`, 'g')
  const anyone = (text: string): string => text.replace(shared, '').replaceAll(version, '<maker>')
  await expect(anyone(normalizeReport(read('report.tsv'), shop))).toMatchFileSnapshot(
    golden('report.tsv'),
  )
  await expect(anyone(normalize(read('summary.json'), shop))).toMatchFileSnapshot(
    golden('summary.txt'),
  )
}

/** Ten starts of programs, each of which takes twenty seconds on a busy machine. */
const timeoutMs = 900_000

/** The maker, and another program that reviews it. */
const pairs: readonly (readonly [Program, Program])[] = [
  ['claude', 'codex'],
  ['codex', 'claude'],
]

describe.each(pairs)('%s', (maker, other) => {
  describe('build', () => {
    test(
      'builds a plan that it reviews itself, in a fresh context',
      () => expect(expectStory(maker, maker)).resolves.toBeUndefined(),
      timeoutMs,
    )

    test(
      `builds a plan that ${other} reviews`,
      () => expect(expectStory(maker, other)).resolves.toBeUndefined(),
      timeoutMs,
    )
  })
})
